"""How likely each item is to be on the front, from few votes: a model's estimate, no guarantee.

`likely_front` estimates chances from counts, `OrderBeliefs` chooses the pairs from which a fixed
number of votes tells most, and `expected_by_budget` says beforehand what so many votes will give.
"""

from antichain.likely._budget_forecast import ExpectedFront, expected_by_budget
from antichain.likely._likely_front import LikelyFront, likely_front, not_estimated
from antichain.likely._order_beliefs import OrderBeliefs

__all__ = [
    "ExpectedFront",
    "LikelyFront",
    "OrderBeliefs",
    "expected_by_budget",
    "likely_front",
    "not_estimated",
]
