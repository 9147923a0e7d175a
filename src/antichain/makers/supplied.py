"""Decoys that somebody made by hand: names only, checked to be complete."""

from antichain.votes.decoy_names import supplied_decoys

__all__ = ["supplied_decoys"]
