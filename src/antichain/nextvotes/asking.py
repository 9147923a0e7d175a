"""The duels to ask for next: an algorithm's run, answered from a log as far as the log goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from antichain import checks
from antichain.algorithms.base import Algorithm
from antichain.algorithms.defaults import default_algorithm
from antichain.algorithms.rounds import Race, Round
from antichain.certify.notes import notes_on, undeclared_decoys
from antichain.errors import ParameterError
from antichain.futures import Duel, Future, duel, futures
from antichain.keyed import keyed_uniform
from antichain.logs.duels import ReadOptions, read_votes
from antichain.logs.duels.decoy_names import DECOY_SUFFIX, DecoyNaming, Decoys
from antichain.logs.votes import LogColumns, VoteLog, VoteOrder
from antichain.nextvotes.duels import Aside, Duels, duels_of
from antichain.nextvotes.likely import in_turn, likeliest
from antichain.nextvotes.stacks import Settled
from antichain.plan import Forecast, forecast_of
from antichain.worlds import MOST_ITEMS

CHANCE = 0.9
"""How likely a duel must be needed to be asked for ahead of time, unless it is said otherwise."""

_SIDES = 0x6E657874


@dataclass(frozen=True)
class NextVote:
    """A duel to ask for, with its sides as they should be shown.

    Attributes:
        left: The item on the left.
        right: The item on the right.
        sure: Whether the run needs it however other duels come out; the others are needed
            probably.
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
        front: The front if it is found, else the items not thrown out so far.
        dominated: For each item thrown out, one that was shown above it.
        items: All items.
        votes: Votes in the log.
        votes_used: Those the run has taken.
        votes_unused: Those it has not wanted so far, and those set aside.
        votes_later: How many of those it will use yet, as forecast; None if not asked for.
        aside: The votes set aside for good, by why.
        remaining: A forecast of how many more votes will be needed; None if not asked for.
        algorithm: Whose run it is.
        seed: Of the algorithm's choices and of the sides.
        phase: What the algorithm is doing.
        source: Where the votes come from.
        columns: The columns of the log, if it was read from a table.
        decoys: What the decoy of each item is called; None where there are none.
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
        """The answer as plain data, ready for JSON."""
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
    """The duels to ask for next, and how many more it will take.

    The run is one that takes the k-th vote on a pair as its k-th answer, whenever it was given;
    so the same log gives the same asks, and a log that grows continues the same run, in whatever
    order and however few of the answers come in (docs/next.md).

    Args:
        votes: A path, an open file, "-" for standard input, a pandas, polars or pyarrow table,
            rows (left, right, answer), dictionaries, or a `VoteLog` read with `order=True`.
        n: How many duels at most.
        delta: The probability with which the front may be wrong (0.05).
        epsilon: Without decoys, the ε of the front looked for (0.1).
        decoy_gap: Δ of the decoys, where there are decoys.
        decoys: The name of each item's decoy, or what decoys' names end with (" (decoy)": "Saw
            (decoy)" is the decoy of "Saw"). Without `decoy_gap`, duels against them are left out.
        algorithm: A method of one's own choice, instead of delta, epsilon and decoy_gap.
        seed: Of the algorithm's choices and of the sides. To be chosen once for a log.
        runs: How many futures to simulate. They give the forecast, and the duels asked for beyond
            those surely needed next; with 0 there is neither.
        chance: How likely a duel must be needed to be asked for ahead of time. With a smaller
            chance fewer trips are needed, and more votes in the end.
        progress: Called with the number of simulated futures after each.
        options: Which column is what, and so on (`antichain.logs.duels:ReadOptions`).

    >>> votes = [("tea", "rain", "left")] * 4
    >>> [(ask.left, ask.right) for ask in next_votes(votes, 2, runs=0).asks]
    [('rain', 'tea'), ('tea', 'rain')]
    """
    n = checks.whole("n", n)
    seed = checks.whole("seed", seed, least=0)
    runs = checks.whole("runs", runs, least=0)
    if chance != 1:
        checks.probability("chance", chance)
    method = chosen_algorithm(algorithm, delta, epsilon, decoy_gap)
    if decoys is None and method.needs_decoys is not None:
        decoys = DECOY_SUFFIX
    options["decoys" if method.needs_decoys is None else "named_decoys"] = decoys
    chosen = _known(options)
    log = votes if isinstance(votes, VoteLog) else _read(votes, options, chosen)
    duels = duels_of(log, method.rules, chosen.named_decoys)
    if runs and len(duels.items) > MOST_ITEMS:
        raise ParameterError(
            f"{log.source} has {len(duels.items):,} items, but futures can be simulated of at most "
            f"{MOST_ITEMS:,}; 0 runs were expected."
        )
    return _Run(log, duels, method, seed).next(n, runs, chance, progress)


def chosen_algorithm(
    algorithm: Algorithm | None,
    delta: float | None,
    epsilon: float | None,
    decoy_gap: float | None,
) -> Algorithm:
    """The algorithm asked for, or the default with these numbers; one that can take up a log."""
    if algorithm is None:
        if decoy_gap is None and epsilon is None:
            epsilon = 0.1
        return default_algorithm(0.05 if delta is None else delta, decoy_gap, epsilon)
    if not isinstance(algorithm, Algorithm):
        raise ParameterError(f"algorithm is {algorithm!r}, but an Algorithm was expected.")
    given = {"delta": delta, "epsilon": epsilon, "decoy_gap": decoy_gap}
    twice = [name for name, value in given.items() if value is not None]
    if twice:
        raise ParameterError(
            f"algorithm and {twice[0]} are both given, but one of the two was expected: an "
            "algorithm has numbers of its own."
        )
    if algorithm.needs_observable or algorithm.rules.tests != "bets":
        raise ParameterError(
            f"the algorithm is {algorithm.name} with tests={algorithm.rules.tests!r}, but one for "
            "partially observable posets that rests on bets was expected: no other takes up a log."
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
    """The options of items and decoys, checked; `read_votes` complains about the others."""
    ours = ("items", "decoys", "named_decoys")
    return ReadOptions(**{name: value for name, value in options.items() if name in ours})


def _circle(dominated: Mapping[str, str]) -> list[str]:
    """Items each of which was shown above the next, and the last above the first, if there are."""
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

    def __init__(self, log: VoteLog, duels: Duels, algorithm: Algorithm, seed: int) -> None:
        self.log, self.duels, self.algorithm, self.seed = log, duels, algorithm, seed
        self.index = {name: k for k, name in enumerate(duels.items)}
        self.search = algorithm.start(duels.items, seed)
        self.stuck = self._play()

    def _play(self) -> Settled | None:
        """Play as far as the log goes: the round it cannot finish, or None at the end."""
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
        """What to ask for."""
        stacks, search = self.duels.stacks, self.search
        ways: list[Future] = []
        before = stacks.taken
        if runs:
            in_hand = stacks.rest(self.duels.items)
            ways = futures(search, runs, seed=self.seed, in_hand=in_hand, progress=progress)
        asks: tuple[NextVote, ...] = ()
        if self.stuck is not None:
            sure = in_turn(self._missing(self.stuck), n)
            asks = self._shown(sure, likeliest(ways, Counter(sure), n - len(sure), chance))
            stacks.take(self.stuck.places, self.stuck.used)
        # What is in hand for the round under way is used already.
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
            phase=search.board.phase,
            source=self.log.source,
            columns=self.log.columns,
            decoys=self.duels.decoys,
            notes=self._notes(),
        )

    def _notes(self) -> tuple[str, ...]:
        """What was guessed and left out, and what decoys are taken to be."""
        notes = notes_on(self.log, self.algorithm.needs_decoys)
        if circle := _circle(self.search.result().dominated):
            notes += (
                f"No order fits what the run was told: {' > '.join([*circle, circle[0]])}. What it "
                "finds assumes that there is one; antichain front says what all votes show.",
            )
        decoys = self.duels.decoys
        if decoys is None:
            return notes + undeclared_decoys(self.log)
        if self.duels.decoys_met or not self.log.votes:
            return notes
        return (
            *notes,
            f"No name in the log is a decoy's: what is asked for is called as in "
            f"{next(iter(decoys.values()))!r}.",
        )

    def _missing(self, stuck: Settled) -> dict[Duel, int]:
        """How many duels of each pair the round surely needs before it can go on."""
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
        """The duels with their sides tossed, the k-th of each pair before the k+1-st of any."""
        met: Counter[Duel] = Counter()
        turns: list[tuple[int, NextVote]] = []
        for number, asked in enumerate([*sure, *likely]):
            turn = met[asked]
            met[asked] += 1
            turns.append((turn, NextVote(*self._sides(asked, turn), number < len(sure))))
        return tuple(vote for _, vote in sorted(turns, key=lambda entry: entry[0]))

    def _sides(self, asked: Duel, turn: int) -> tuple[str, str]:
        """Who is shown on which side in the duel that is `turn` after those in the log."""
        left, right, decoy = asked
        one, other = self.index[left], self.index[right]
        # A function of the pair and of how many votes it has had: asked again, it looks alike.
        number = self.duels.stacks.held(one, other, decoy) + turn
        seed = self.seed % 2**63 ^ _SIDES
        right = (self.duels.decoys or {})[right] if decoy else right
        flipped = keyed_uniform(seed, one, 2 * other + decoy, number) < 0.5
        return (right, left) if flipped else (left, right)
