"""The duels to ask for next: an algorithm's run, answered from a log as far as the log goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from antichain import _checks
from antichain._kernels import keyed_uniform
from antichain.algorithms._base import Algorithm
from antichain.algorithms._rounds import Race, Round
from antichain.certify._caveats import notes_on, undeclared_decoys
from antichain.errors import ParameterError
from antichain.forecast._planning import Forecast, forecast_of, given_algorithm
from antichain.forecast._posterior import MOST_ITEMS
from antichain.forecast._rollouts import Duel, Rollout, duel, rollouts
from antichain.nextvotes._likely import in_turn, likeliest
from antichain.nextvotes._logged_duels import Aside, LoggedDuels, duels_of
from antichain.nextvotes._stacks import RoundInHand
from antichain.votes import ReadOptions, read_votes
from antichain.votes._decoy_names import DECOY_SUFFIX, DecoyNaming, Decoys
from antichain.votes._vote_log import LogColumns, VoteLog, VoteOrder

CHANCE = 0.9
"""The default for how likely a duel must be needed to be asked for ahead of time."""

_SIDES = 0x6E657874


@dataclass(frozen=True)
class NextVote:
    """A duel to ask for, with its sides as they should be shown.

    Attributes:
        left: The item on the left.
        right: The item on the right.
        sure: Whether the run needs it however other duels come out; otherwise it is only
            probably needed.
    """

    left: str
    right: str
    sure: bool


@dataclass(frozen=True)
class NextVotes:
    """What to ask for next, and where the run stands.

    Attributes:
        asks: The duels, those of one pair spread out.
        finished: Whether the front is found; then nothing is asked.
        front: The front if it is found, else the items not eliminated so far.
        dominated: For each eliminated item, one that was shown to be above it.
        items: All items.
        votes: The number of votes in the log.
        votes_used: The number of votes that the run has used.
        votes_unused: The number that it has not needed so far, or that were set aside.
        votes_later: A forecast of how many of those it will still use; None if not asked for.
        aside: The votes set aside for good, by reason.
        remaining: A forecast of how many more votes will be needed; None if not asked for.
        algorithm: The algorithm whose run it is.
        seed: The seed of the algorithm's choices and of the sides.
        phase: What the algorithm is doing.
        source: Where the votes come from.
        columns: The columns of the log, if it was read from a table.
        decoys: The name of each item's decoy; None if there are none.
        notes: What was guessed and left out when reading the log, in sentences.
    """

    asks: tuple[NextVote, ...]
    finished: bool
    front: tuple[str, ...]
    dominated: dict[str, str]
    items: tuple[str, ...]
    votes: int
    votes_used: int
    votes_unused: int
    votes_later: int | None
    aside: Aside
    remaining: Forecast | None
    algorithm: Algorithm
    seed: int
    phase: str
    source: str
    columns: LogColumns | None
    decoys: dict[str, str] | None
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        parameters = self.algorithm.parameters()
        forecast = self.remaining
        return {
            "asks": [asdict(ask) for ask in self.asks],
            "finished": self.finished,
            "front" if self.finished else "candidates": list(self.front),
            "dominated": self.dominated,
            "items": list(self.items),
            "votes": self.votes,
            "votes_used": self.votes_used,
            "votes_unused": self.votes_unused,
            "votes_later": self.votes_later,
            "votes_aside": asdict(self.aside),
            "remaining": None if forecast is None else forecast.in_short(),
            "algorithm": self.algorithm.name,
            "delta": self.algorithm.delta,
            "epsilon": parameters.get("epsilon"),
            "decoy_gap": self.algorithm.needs_decoys,
            "seed": self.seed,
            "phase": self.phase,
            "source": self.source,
            "notes": list(self.notes),
        }


def next_votes(
    votes: Any,
    n: int = 100,
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    decoy_gap: float | None = None,
    decoys: Decoys | None = None,
    algorithm: Algorithm | None = None,
    seed: int = 0,
    runs: int = 20,
    chance: float = CHANCE,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> NextVotes:
    """Choose the duels to ask for next, and forecast how many more it will take.

    The run takes the k-th vote on a pair as its k-th answer, whenever it was given. So the same
    log gives the same asks, and a log that grows continues the same run, in whatever order the
    answers come in and however few they are (docs/next.md).

    Args:
        votes: A path, an open file, "-" for standard input, a pandas, polars or pyarrow table,
            rows (left, right, answer), dictionaries, or a `VoteLog` read with `order=True`.
        n: The largest number of duels to return.
        delta: The probability with which the front may be wrong (0.05).
        epsilon: Without decoys, the ε of the front looked for (0.1).
        decoy_gap: Δ of the decoys, if there are decoys.
        decoys: The name of each item's decoy, or what decoys' names end with (" (decoy)": "Saw
            (decoy)" is the decoy of "Saw"). Without `decoy_gap`, duels against them are left out.
        algorithm: An algorithm of your own choice, instead of delta, epsilon and decoy_gap.
        seed: The seed of the algorithm's choices and of the sides. Choose it once per log.
        runs: How many futures to simulate. They give the forecast, and the duels asked for beyond
            those surely needed next; with 0 there is neither.
        chance: How likely a duel must be needed to be asked for ahead of time. A smaller chance
            means fewer rounds of asking, but more votes in the end.
        progress: Called after each simulated future with their number so far.
        options: Which column is what, and so on (`antichain.votes:ReadOptions`).

    >>> votes = [("tea", "rain", "left")] * 4
    >>> [(ask.left, ask.right) for ask in next_votes(votes, 2, runs=0).asks]
    [('rain', 'tea'), ('tea', 'rain')]
    """
    n = _checks.whole("n", n)
    seed = _checks.whole("seed", seed, least=0)
    runs = _checks.whole("runs", runs, least=0)
    if chance != 1:
        _checks.probability("chance", chance)
    if algorithm is None:
        delta = 0.05 if delta is None else delta
        epsilon = 0.1 if decoy_gap is None and epsilon is None else epsilon
    method = _fit_for_a_log(given_algorithm(algorithm, delta, decoy_gap, epsilon))
    if decoys is None and method.needs_decoys is not None:
        decoys = DECOY_SUFFIX
    options["decoys" if method.needs_decoys is None else "named_decoys"] = decoys
    chosen = _known(options)
    log = votes if isinstance(votes, VoteLog) else _read(votes, options, chosen)
    duels = duels_of(log, method.rules, chosen.named_decoys)
    if runs and len(duels.items) > MOST_ITEMS:
        raise ParameterError(
            f"{log.source} has {len(duels.items):,} items, but futures can be simulated for at "
            f"most {MOST_ITEMS:,}; use 0 runs."
        )
    return _Run(log, duels, method, seed).next(n, runs, chance, progress)


def _fit_for_a_log(algorithm: Algorithm) -> Algorithm:
    """Return the algorithm if its run can be continued from a log."""
    if algorithm.needs_observable or algorithm.rules.tests != "bets":
        raise ParameterError(
            f"the algorithm is {algorithm.name} with tests={algorithm.rules.tests!r}, but one for "
            "partially observable posets that uses bets was expected: only such a run can be "
            "continued from a log."
        )
    return algorithm


def _read(votes: Any, options: dict[str, Any], chosen: ReadOptions) -> VoteLog:
    items, decoys = chosen.items, chosen.named_decoys
    if items is not None and decoys is not None:
        named = [name for item in items for name in DecoyNaming(decoys).spellings(item)]
        options = options | {"items": (*items, *named)}
    if items and isinstance(votes, Collection) and not isinstance(votes, str) and not len(votes):
        return VoteLog.from_rows([], items, history=False, order=VoteOrder.empty())
    return read_votes(votes, **(options | {"history": False, "order": True}))


def _known(options: dict[str, Any]) -> ReadOptions:
    """Check the options about items and decoys; `read_votes` checks the others."""
    ours = ("items", "decoys", "named_decoys")
    return ReadOptions(**{name: value for name, value in options.items() if name in ours})


def _circle(dominated: Mapping[str, str]) -> list[str]:
    """Return a cycle of items, each shown above the next and the last above the first, if any."""
    done: set[str] = set()
    for start in dominated:
        path: dict[str, None] = {}
        item: str | None = start
        while item is not None and item not in done:
            if item in path:
                going_up = list(path)
                return going_up[going_up.index(item) :][::-1]
            path[item] = None
            item = dominated.get(item)
        done |= set(path)
    return []


class _Run:
    """A run of an algorithm over a log."""

    def __init__(self, log: VoteLog, duels: LoggedDuels, algorithm: Algorithm, seed: int) -> None:
        self.log, self.duels, self.algorithm, self.seed = log, duels, algorithm, seed
        self.index = {name: k for k, name in enumerate(duels.items)}
        self.search = algorithm.start(duels.items, seed)
        self.stuck = self._play()

    def _play(self) -> RoundInHand | None:
        """Play as far as the log goes; return the round it cannot finish, or None at the end."""
        while (message := self.search.message) is not None:
            if isinstance(message, Race):
                raise ParameterError(
                    f"{self.algorithm.name} races all pairs at once, but an algorithm that "
                    "compares them round by round was expected."
                )
            settled = self.duels.stacks.settle(message)
            if settled.missing.size:
                return settled
            self.duels.stacks.take(settled.places, settled.used)
            self.search.settle(settled.counts)
        return None

    def next(
        self, n: int, runs: int, chance: float, progress: Callable[[int], None] | None
    ) -> NextVotes:
        stacks, search = self.duels.stacks, self.search
        ways: list[Rollout] = []
        before = stacks.taken
        if runs:
            in_hand = stacks.rest(self.duels.items)
            ways = rollouts(search, runs, seed=self.seed, in_hand=in_hand, progress=progress)
        asks: tuple[NextVote, ...] = ()
        if self.stuck is not None:
            sure = in_turn(self._missing(self.stuck), n)
            asks = self._shown(sure, likeliest(ways, Counter(sure), n - len(sure), chance))
            stacks.take(self.stuck.places, self.stuck.used)
        # Votes in hand for the current round count as used.
        begun = stacks.taken - before
        later = max(0, round(median(way.held for way in ways)) - begun) if ways else None
        result = search.result()
        return NextVotes(
            asks=asks,
            finished=search.finished,
            front=result.front,
            dominated=result.dominated,
            items=self.duels.items,
            votes=self.log.votes,
            votes_used=stacks.taken,
            votes_unused=self.log.votes - stacks.taken,
            votes_later=later,
            aside=self.duels.aside,
            remaining=forecast_of(search, [way.duels for way in ways]) if ways else None,
            algorithm=self.algorithm,
            seed=self.seed,
            phase=search.plan_state.phase,
            source=self.log.source,
            columns=self.log.columns,
            decoys=self.duels.decoys,
            notes=self._notes(),
        )

    def _notes(self) -> tuple[str, ...]:
        """Say what was guessed and left out, and which names were taken as decoys."""
        notes = notes_on(self.log, self.algorithm.needs_decoys)
        if circle := _circle(self.search.result().dominated):
            notes += (
                f"No order fits these answers: {' > '.join([*circle, circle[0]])}. The run assumes "
                "that there is an order; antichain front says what all votes show.",
            )
        decoys = self.duels.decoys
        if decoys is None:
            return notes + undeclared_decoys(self.log)
        if self.duels.decoys_met or not self.log.votes:
            return notes
        return (
            *notes,
            f"No name in the log is that of a decoy: decoys are named as in "
            f"{next(iter(decoys.values()))!r}.",
        )

    def _missing(self, stuck: RoundInHand) -> dict[Duel, int]:
        """Count the duels of each pair that the round surely needs before it can go on."""
        round_, rows = self.search.message, stuck.missing
        assert isinstance(round_, Round)  # it is what the run is stuck in
        decoy = round_.test.against_decoys
        numbers = round_.quotas(stuck.counts, rows)
        missing: Counter[Duel] = Counter()
        for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
            left, right = (self.duels.items[k] for k in (round_.lefts[row], round_.rights[row]))
            missing[duel(left, right, decoy)] += number
        return missing

    def _shown(self, sure: list[Duel], likely: list[Duel]) -> tuple[NextVote, ...]:
        """Put the duels on random sides, the k-th of each pair before the (k+1)-st of any."""
        met: Counter[Duel] = Counter()
        turns: list[tuple[int, NextVote]] = []
        for number, asked in enumerate([*sure, *likely]):
            turn = met[asked]
            met[asked] += 1
            turns.append((turn, NextVote(*self._sides(asked, turn), number < len(sure))))
        return tuple(vote for _, vote in sorted(turns, key=lambda entry: entry[0]))

    def _sides(self, asked: Duel, turn: int) -> tuple[str, str]:
        """Choose the sides of the duel that comes `turn` after those in the log."""
        left, right, decoy = asked
        one, other = self.index[left], self.index[right]
        # A function of the pair and its number of votes: asked again, it gives the same sides.
        number = self.duels.stacks.held(one, other, decoy) + turn
        seed = self.seed % 2**63 ^ _SIDES
        right = (self.duels.decoys or {})[right] if decoy else right
        flipped = keyed_uniform(seed, one, 2 * other + decoy, number) < 0.5
        return (right, left) if flipped else (left, right)
