"""What duels with degraded decoys show of a pair, and what each conclusion rests on.

A degraded decoy b′ of b (a film at low resolution, a text with sentences missing) is not the
formal decoy of Proposition "Extending a poset with a decoy": an item slightly *below* b may beat
b′ as well. Of it we assume no more than

- (D1) whoever is at or above b beats b′ by at least Δ;
- (D2) whoever is incomparable to b does not beat b′.

How b′ fares against items below b is left open. Each conclusion uses as little as it can:

===============  ===========================================================  ================
conclusion       from                                                         rests on
===============  ===========================================================  ================
above, below     direct duels won more often than not                         the order alone
comparable       one of the two beats the other's decoy                       (D2)
incomparable     neither beats the other's decoy by Δ                         (D1), both ways
too close        comparable, and direct duels within ε of one half            (D2)
===============  ===========================================================  ================

So no decoy, however bad, can put one item above another.
"""

from enum import Enum

from antichain.evidence._answers import Verdict


class Relation(Enum):
    """What has been shown of a pair, seen from its left item."""

    OPEN = "open"
    """Nothing yet."""
    ABOVE = "above"
    """The left item is above the right one."""
    BELOW = "below"
    """The right item is above the left one."""
    INCOMPARABLE = "incomparable"
    """Neither is above the other."""
    COMPARABLE = "comparable"
    """One is above the other, and which one is still to be found."""
    TOO_CLOSE = "too close"
    """One is above the other by so little that it is not worth finding which."""


def relation(direct: Verdict, left_decoy: Verdict, right_decoy: Verdict) -> Relation:
    """What three tests of a pair show together.

    Args:
        direct: Of left against right: LEFT, RIGHT, EVEN (within ε of one half) or OPEN.
        left_decoy: Of left against the decoy of right: LEFT (left wins more often than not), EVEN
            (not by Δ) or OPEN.
        right_decoy: Of right against the decoy of left, in the same way.

    >>> relation(Verdict.EVEN, Verdict.LEFT, Verdict.EVEN)
    <Relation.TOO_CLOSE: 'too close'>
    """
    # Direct duels go first: they say what they say whatever the decoys are worth.
    if direct is Verdict.LEFT:
        return Relation.ABOVE
    if direct is Verdict.RIGHT:
        return Relation.BELOW
    if Verdict.LEFT in (left_decoy, right_decoy):
        return Relation.TOO_CLOSE if direct is Verdict.EVEN else Relation.COMPARABLE
    if left_decoy is right_decoy is Verdict.EVEN:
        return Relation.INCOMPARABLE
    return Relation.OPEN
