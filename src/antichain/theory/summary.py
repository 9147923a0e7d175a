"""Every bound of the paper for one model: what `antichain bounds` prints."""

from dataclasses import asdict, dataclass

from antichain.algorithms.ubs import peeling_floor, peeling_schedule
from antichain.orders.model import DuelModel
from antichain.theory.comparisons import decoy_comparison_duels
from antichain.theory.duels import decoy_phase_duels, unchained_duels, unchained_duels_by_epoch
from antichain.theory.regret import decoy_regret, peeling_regret
from antichain.theory.shrinking import EXACT_LIMIT, alpha
from antichain.theory.slicing import (
    interleaved_filter_duels,
    slicing_duels,
    slicing_with_interleaved_filter_duels,
)


@dataclass(frozen=True)
class Bounds:
    """The paper's bounds for one model and one set of parameters.

    Attributes:
        items: K.
        front: the size of the front.
        width: the size of the largest antichain.
        delta: the error level of the whole run.
        decoy_gap: the Δ of the decoys.
        gamma: the peeling rate.
        epsilon0: where the peeling starts.
        epochs: N, the decoy epoch included.
        schedule: ε_1 … ε_{N−1}.
        decoy_comparison_duels: one decoy comparison of the last epoch, at its level δ/(NK²).
        decoy_phase_duels: the leading term of Theorem `thm:peeling regret`.
        unchained_duels: that theorem's last line with constants.
        unchained_duels_by_epoch: the sum its proof starts from, every size bounded by K.
        alpha: how fast peeling shrinks the poset, at worst.
        alpha_exact: whether `alpha` is exact; otherwise it is an upper bound.
        peeling_regret: R_0 of Theorem `thm: peeling upper bound`.
        decoy_regret: R_1 of that theorem, as printed (a reference line: errata 15).
        regret: R_0 + R_1.
        slicing_duels: Theorem `thm:algochain` with IF2 on each front item's longest chain,
            constant 1.
        slicing_duels_corollary: Corollary `cor:algochain and if2`, constant 1.
    """

    items: int
    front: int
    width: int
    delta: float
    decoy_gap: float
    gamma: float
    epsilon0: float
    epochs: int
    schedule: tuple[float, ...]
    decoy_comparison_duels: float
    decoy_phase_duels: float
    unchained_duels: float
    unchained_duels_by_epoch: float
    alpha: float
    alpha_exact: bool
    peeling_regret: float
    decoy_regret: float
    regret: float
    slicing_duels: float
    slicing_duels_corollary: float

    def to_dict(self) -> dict[str, object]:
        """The fields as JSON-ready values."""
        return {**asdict(self), "schedule": list(self.schedule)}


def bounds_for(
    model: DuelModel,
    delta: float,
    decoy_gap: float,
    gamma: float,
    epsilon0: float,
    exact_limit: int = EXACT_LIMIT,
) -> Bounds:
    """Every bound of the paper for `model`, with its true width, distances and front.

    Sizes and ε-widths in the peels are bounded by K, as the theorems do.

    Example:
        >>> model = DuelModel.from_relations([("a", "b", 0.3), ("a", "c", 0.2)])
        >>> bounds = bounds_for(model, delta=0.05, decoy_gap=0.1, gamma=0.9, epsilon0=0.5)
        >>> bounds.width, bounds.epochs, round(bounds.decoy_phase_duels)
        (2, 12, 21754)
    """
    items, width = model.size, model.poset.width
    schedule = peeling_schedule(peeling_floor(items, decoy_gap), gamma, epsilon0)
    epochs = len(schedule) + 1
    front = model.front_mask()
    outside = model.distances()[~front].tolist()
    shrinking = alpha(model.gaps, front, gamma, epsilon0, epochs, exact_limit)
    r0 = peeling_regret(outside, items, delta, gamma, epsilon0, epochs, shrinking.value)
    r1 = decoy_regret(outside, items, width, delta, decoy_gap, schedule)
    return Bounds(
        items=items,
        front=int(front.sum()),
        width=width,
        delta=delta,
        decoy_gap=decoy_gap,
        gamma=gamma,
        epsilon0=epsilon0,
        epochs=epochs,
        schedule=schedule,
        decoy_comparison_duels=decoy_comparison_duels(delta / (epochs * items**2), decoy_gap),
        decoy_phase_duels=decoy_phase_duels(items, width, epochs, delta, decoy_gap),
        unchained_duels=unchained_duels(items, width, schedule, delta, decoy_gap),
        unchained_duels_by_epoch=unchained_duels_by_epoch(
            schedule, delta, decoy_gap, [items] * epochs, [items] * (epochs - 1) + [width]
        ),
        alpha=shrinking.value,
        alpha_exact=shrinking.exact,
        peeling_regret=r0,
        decoy_regret=r1,
        regret=r0 + r1,
        slicing_duels=_slicing_with_filter(model, delta),
        slicing_duels_corollary=slicing_with_interleaved_filter_duels(items, delta, model.d_front),
    )


def _slicing_with_filter(model: DuelModel, delta: float) -> float:
    """Slicing's theorem with IF2 on the longest chain under each item of the front."""
    lengths = []
    for item in model.front:
        below = model.poset.below_of(item)
        lengths.append(1 + (model.poset.sub(below).height if below else 0))
    closest = model.d_front

    def finder_duels(length: int, level: float) -> float:
        # Where nothing is dominated every chain has one item, and no gap is asked for.
        return 0.0 if closest is None else interleaved_filter_duels(length, level, closest)

    return slicing_duels(lengths, model.size, delta, finder_duels)
