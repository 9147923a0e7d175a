"""The one loop: an algorithm, an arena, a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from antichain import _checks
from antichain._interrupts import interrupts_heard
from antichain.algorithms._base import Algorithm
from antichain.algorithms._counts import CountsByName
from antichain.algorithms._result import Result
from antichain.algorithms._search import Search
from antichain.arenas._arena import Arena, Budgeted
from antichain.arenas._recorded import Recorded
from antichain.errors import NotObservableError


@dataclass(frozen=True)
class Progress:
    """How far along a run is.

    Attributes:
        duels: How many duels were played.
        phase: What the algorithm is doing.
        alive: How many items are not yet shown to be dominated.
        items: How many items there are.
        epochs_done: How many phases are over.
    """

    duels: int
    phase: str
    alive: int
    items: int
    epochs_done: int


def find_front(
    arena: Arena,
    algorithm: Algorithm,
    *,
    seed: int = 0,
    budget: int | None = None,
    batch: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    record: str | Path | None = None,
    resume: bool = False,
    direct: CountsByName | None = None,
    decoys: CountsByName | None = None,
) -> Result:
    """Find the front of the arena's items with an algorithm.

    Args:
        arena: Answers the duels.
        algorithm: Decides which duels to ask.
        seed: The seed of the algorithm's own choices.
        budget: The largest number of duels to ask. If it runs out, the front is not decided:
            `Result.finished` is False, and `Result.undecided` has the items that may or may not be
            on the front.
        batch: Ask for up to this many duels at a time, even where the arena could play whole
            comparisons by itself.
        progress: Called with the progress of the run after every round.
        record: A file to which every answer is written as it arrives.
        resume: Whether to resume the run in `record`, if that file exists. The outcome is that of
            a run that never stopped. Give the same arena, algorithm, seed, budget and batch.
        direct: Counts of direct duels to start from; see `Algorithm.start`.
        decoys: Counts of duels against decoys to start from.

    Returns:
        The front found, what it took, and whether it is certified; see `budget` for a run that
        could not finish.
    """
    check_fit(arena, algorithm)
    _checks.function("progress", progress)
    _checks.path("record", record)
    for name, counts in (("direct", direct), ("decoys", decoys)):
        _checks.instance(name, counts, Mapping, "counts by pair of names", optional=True)
    if batch is not None:
        batch = _checks.whole("batch", batch)
    search = algorithm.start(arena.items, seed, direct, decoys, history=False)
    answering = arena
    recorded: Recorded | None = None
    if record is not None:
        run = {
            "algorithm": algorithm.name,
            "parameters": algorithm.parameters(),
            "seed": search.seed,
            "budget": budget,
            "batch": batch,
            "warm": [
                [list(pair), list(n)]
                for counts in (direct, decoys)
                if counts
                for pair, n in counts.items()
            ],
        }
        answering = recorded = Recorded(arena, record, run, resume)
    if budget is not None:
        answering = Budgeted(answering, budget)
    try:
        with interrupts_heard():
            play(search, answering, batch, progress)
    finally:
        if recorded is not None:
            recorded.close()
    return _with_regret(search, arena)


def check_fit(arena: Arena, algorithm: Algorithm) -> None:
    """Raise if the arena does not show what the algorithm needs to see."""
    _checks.instance("arena", arena, Arena, "an arena, such as SimulatedArena(model),")
    _checks.instance("algorithm", algorithm, Algorithm, "an algorithm, such as Witness(),")
    if algorithm.needs_observable and not arena.observable:
        raise NotObservableError(
            f"{type(algorithm).__name__} needs to see which pairs cannot be compared, but this "
            "arena does not show that (it is partially observable); use UnchainedBandits there."
        )
    gap = algorithm.needs_decoys
    if gap is not None and arena.decoy_gap is None:
        raise NotObservableError(
            f"{type(algorithm).__name__} with decoy_gap={gap} duels items against decoys, but "
            "this arena has none; give the arena decoys, or give the algorithm decoy_gap=None "
            "and an epsilon."
        )
    if gap is not None and arena.decoy_gap is not None and gap > arena.decoy_gap:
        raise NotObservableError(
            f"The algorithm counts on decoys that lose by {gap}, but the arena's decoys lose by "
            f"only {arena.decoy_gap}."
        )


def play(
    search: Search,
    arena: Arena,
    batch: int | None,
    progress: Callable[[Progress], None] | None,
) -> None:
    """Play a run on until it ends or the arena's allowance does."""
    while not search.finished:
        left = arena.allowance
        if left is not None and left <= 0:
            return
        message = search.message
        if batch is None and message is not None and arena.can_settle(message, left):
            search.settle(arena.settle(message, left))
        else:
            limits = [limit for limit in (left, batch) if limit is not None]
            # Without a batch size nobody waits for work, so that none is sought ahead.
            asks = search.ask(min(limits, default=None), ahead=batch is not None)
            for ask, tally in zip(asks, arena.answer(asks), strict=True):
                search.tell(ask, tally)
        if progress is not None:
            progress(_progress(search))


def _progress(search: Search) -> Progress:
    state = search.plan_state
    return Progress(
        duels=state.counts.duels,
        phase=state.phase,
        alive=state.size - len(state.fallen),
        items=state.size,
        epochs_done=len(state.epochs),
    )


def _with_regret(search: Search, arena: Arena) -> Result:
    """The result, with regret where the arena knows the truth (docs/theory/errata.md, 8)."""
    result = search.result()
    rates = arena.regret_rates()
    if rates is None:
        return result
    costs = search.costs()
    peeling = float(rates.items @ costs.peeling)
    regret = peeling + float(rates.items @ costs.against_decoys)
    decoys = 0.0 if rates.decoys is None else float(rates.decoys @ costs.as_decoy)
    return replace(
        result,
        regret=regret,
        regret_peeling=peeling,
        regret_with_decoys=regret + decoys,
    )
