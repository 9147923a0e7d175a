"""Reading logs of votes: any file or table, checked row by row, reduced as it is read.

A source (`delimited`, `rows`) yields chunks of coded values, `columns` says which column is what,
`words` what an answer means, and `reduce` counts. `read` is the way in.
"""

from antichain.votes.graded import votes_from_ratings_counts
from antichain.votes.read_log import read_votes
from antichain.votes.read_options import ReadOptions, item_names

__all__ = ["ReadOptions", "item_names", "read_votes", "votes_from_ratings_counts"]
