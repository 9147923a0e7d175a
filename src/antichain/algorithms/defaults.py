"""Which method runs for a few plain numbers: the default, unless another is named."""

from __future__ import annotations

from collections.abc import Mapping

from antichain.algorithms import registry
from antichain.algorithms.base import Algorithm


def default_algorithm(
    delta: float, decoy_gap: float | None = None, epsilon: float | None = None
) -> Algorithm:
    """The method for partially observable posets, with decoys or to within an ε.

    Args:
        delta: The probability with which the answer may be wrong.
        decoy_gap: Δ, the gap of the decoys; None to do without decoys.
        epsilon: Without decoys, the ε of the front looked for.
    """
    options = {"delta": delta, "decoy_gap": decoy_gap, "epsilon": epsilon}
    return registry.build(registry.DEFAULT, options)


def chosen_algorithm(
    name: str | None,
    delta: float,
    decoy_gap: float | None = None,
    epsilon: float | None = None,
    otherwise: Mapping[str, float] | None = None,
) -> Algorithm:
    """The method of that name, given the numbers that were chosen.

    Args:
        name: As in `antichain.algorithms.registry`; None for the default method.
        delta: The probability with which the answer may be wrong.
        decoy_gap: Δ, the gap of the decoys, if it was chosen.
        epsilon: ε, if it was chosen; a method that can then does without decoys.
        otherwise: What to take where neither of the two was chosen, if the method takes it.
    """
    kind = registry.find(name or registry.DEFAULT)
    options: dict[str, float | None] = {"delta": delta}
    given = {"decoy_gap": decoy_gap, "epsilon": epsilon}
    options |= {option: value for option, value in given.items() if value is not None}
    if decoy_gap is None and epsilon is None:
        options |= {k: value for k, value in (otherwise or {}).items() if k in kind.options()}
    if "epsilon" in options and "decoy_gap" in kind.options():
        options.setdefault("decoy_gap", None)
    return kind.from_options(options)
