"""Reading logs of votes: any file or table, checked row by row, reduced as it is read.

A source (`delimited`, `rows`) yields chunks of coded values, `columns` says which column is what,
`words` what an answer means, and `reduce` counts. `read` is the way in.
"""

from antichain.logs.duels.graded import votes_from_ratings_counts
from antichain.logs.duels.options import ReadOptions, item_names
from antichain.logs.duels.read import read_votes

__all__ = ["ReadOptions", "item_names", "read_votes", "votes_from_ratings_counts"]
