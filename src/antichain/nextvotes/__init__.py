"""Which votes to ask for next, so that the certificate of a log moves forward."""

from antichain.nextvotes._asking import NextVote, NextVotes, next_votes
from antichain.nextvotes._sheet import sheet, sheet_bytes

__all__ = ["NextVote", "NextVotes", "next_votes", "sheet", "sheet_bytes"]
