"""Logs of votes: any file or table, checked row by row and counted as it is read.

`antichain.sources` yields chunks of coded texts; `_columns` says which column is what, and
`_answer_words` what an answer means; `_validate` turns texts into votes, and `_counting` counts
them into a `VoteLog`. `_read_log` is the way in.
"""

from antichain.votes._attribute_table import read_attributes
from antichain.votes._read_log import read_votes
from antichain.votes._read_options import ReadOptions, item_names
from antichain.votes._small_tables import votes_from_ratings_counts

__all__ = [
    "ReadOptions",
    "item_names",
    "read_attributes",
    "read_votes",
    "votes_from_ratings_counts",
]
