"""The one judge of votes: which items are in, out or undecided, and which duels to ask for next.

`_terms` (δ, ε, assumptions) → `_standing` (what is shown after each answer) → `_policy` (what to
ask for) → `_referee` (all of it as an object).
"""

from antichain.referee._referee import Referee, Wanted
from antichain.referee._terms import Terms

__all__ = ["Referee", "Terms", "Wanted"]
