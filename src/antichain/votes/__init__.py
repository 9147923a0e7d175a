"""Logs of votes: any file or table, checked row by row and counted as it is read.

`antichain.sources` yields chunks of coded texts; `columns` says which column is what, `vocabulary`
what an answer means; `validate` turns texts into votes, and `counting` counts them into a
`vote_log.VoteLog`. `read_log` is the way in.
"""

from antichain.votes.graded import votes_from_ratings_counts
from antichain.votes.read_log import read_votes
from antichain.votes.read_options import ReadOptions, item_names

__all__ = ["ReadOptions", "item_names", "read_votes", "votes_from_ratings_counts"]
