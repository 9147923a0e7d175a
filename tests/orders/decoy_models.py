"""The paper's decoys as items of a model: adding them, and checking that an item is one.

A Δ-decoy of an item is a degraded version of it that loses to the item, and to everything above
the item, by at least Δ, and is incomparable to whatever the item is incomparable to.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from antichain import _checks
from antichain.errors import OrderError
from antichain.orders._duel_law import decoy_gap_pairs
from antichain.orders._model import DuelModel
from antichain.orders._poset import Poset

Condition = Literal["below", "incomparable", "margin", "direction"]


def decoy_name(item: str) -> str:
    """The name that `extend` gives the decoy of `item` unless told otherwise."""
    return f"{item}′"


def extend(
    model: DuelModel,
    items: Iterable[str],
    decoy_gap: float,
    name: Callable[[str], str] = decoy_name,
) -> DuelModel:
    """The model with a decoy added for each of `items` (Proposition "Extending a poset").

    Whatever is at or above an item is above its decoy by max(γ, Δ); everything else is
    incomparable to it, other decoys included.

    Args:
        model: the model to extend.
        items: which of its items get a decoy.
        decoy_gap: Δ, by how much at least a decoy loses.
        name: the decoy's name from the item's; it must not be an item yet.

    Example:
        >>> model = DuelModel.from_relations([("b", "a", 0.3)])
        >>> extended = extend(model, ["a"], decoy_gap=0.1)
        >>> extended.gap("a", "a′"), extended.gap("b", "a′")
        (0.1, 0.3)
    """
    decoy_gap = _checks.gap("decoy_gap", decoy_gap)
    chosen = model.poset.rows(items)
    names = [name(model.items[row]) for row in chosen]
    for decoy in names:
        if decoy in model.poset:
            raise OrderError(
                f"a decoy would be named {decoy!r}, but a name no item has was expected."
            )
    old, size = model.size, model.size + len(names)
    above = np.zeros((size, size), dtype=np.bool_)
    gaps = np.zeros((size, size))
    above[:old, :old], gaps[:old, :old] = model.poset.above, model.gaps
    gaps[:old, old:] = decoy_gap_pairs(model, np.arange(old)[:, None], chosen[None, :], decoy_gap)
    above[:old, old:] = gaps[:old, old:] > 0
    gaps[old:, :old] = -gaps[:old, old:].T
    return DuelModel(Poset((*model.items, *names), above), gaps)


@dataclass(frozen=True)
class DecoyViolation:
    """One condition that a supposed decoy does not meet, and the item with which it does not.

    Attributes:
        condition: "below" (1: the item beats its decoy by at least Δ), "incomparable" (2: what is
            incomparable to the item is so to its decoy), "margin" (3: what is above the item
            beats the decoy by at least Δ), or "direction" (4: whatever beats the decoy is at or
            above the item, without which a decoy comparison does not tell the direction).
        item: the item for which the condition fails.
        message: what was found and what was expected, in a sentence.
    """

    condition: Condition
    item: str
    message: str


def check_decoy(
    model: DuelModel, item: str, decoy: str, decoy_gap: float
) -> tuple[DecoyViolation, ...]:
    """Every violation of the four conditions that make `decoy` a Δ-decoy of `item`; () if it is.

    The first three are the paper's definition, the fourth makes the direction certain (see
    docs/theory/errata.md): with b ≻ a ≻ b′ the paper's three can hold while a beats the decoy of b.
    """
    decoy_gap = _checks.gap("decoy_gap", decoy_gap)
    poset = model.poset
    if poset.row(item) == poset.row(decoy):
        raise OrderError(f"{item!r} is given as its own decoy, but another item was expected.")
    found: list[DecoyViolation] = []
    if not model.gap(item, decoy) >= decoy_gap:
        found.append(_short("below", model, item, decoy, decoy_gap))
    for other in poset.items:
        if other in (item, decoy):
            continue
        at_decoy = poset.comparable(other, decoy)
        if poset.incomparable(other, item) and at_decoy:
            message = (
                f"{other!r} is incomparable to {item!r} but comparable to its decoy {decoy!r}, "
                "and incomparable to both was expected."
            )
            found.append(DecoyViolation("incomparable", other, message))
        if poset.is_above(other, item) and not model.gap(other, decoy) >= decoy_gap:
            found.append(_short("margin", model, other, decoy, decoy_gap))
        if poset.is_above(other, decoy) and not poset.is_above(other, item):
            message = (
                f"{other!r} beats {decoy!r}, the decoy of {item!r}, but is not above {item!r}, "
                "and only items at or above it were expected to."
            )
            found.append(DecoyViolation("direction", other, message))
    return tuple(found)


def _short(
    condition: Condition, model: DuelModel, upper: str, decoy: str, decoy_gap: float
) -> DecoyViolation:
    message = (
        f"{upper!r} beats the decoy {decoy!r} by {model.gap(upper, decoy):g}, "
        f"but at least {decoy_gap:g} was expected."
    )
    return DecoyViolation(condition, upper, message)
