"""What every algorithm is: a frozen value, with rules, that can start a search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from antichain import _checks
from antichain._text import did_you_mean
from antichain.algorithms._counts import CountsByName
from antichain.algorithms._result import PlanState
from antichain.algorithms._rounds import Indices, Plan
from antichain.algorithms._search import Search
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain.algorithms._result import Result
    from antichain.orders._model import DuelModel


@dataclass(frozen=True)
class Rules:
    """Which tests a method uses, when it stops, and how ties and lost answers count.

    The default rules are valid at any time. `Rules.paper()` follows the paper to the letter,
    including intervals that are read after every duel (docs/theory/errata.md, 2).

    Attributes:
        tests: "bets" (likelihood ratios and mixtures, with one level per ordered pair for all
            epochs) or "intervals" (Hoeffding, at δ/(N|S_t|²) in epoch t).
        early_exit: Whether to drop a candidate's other comparisons once it is dominated.
        in_step: Whether to duel the two directions of a decoy comparison in step, as the paper
            does; otherwise each direction stops by itself. Bets always stop by themselves.
        ties: "half" counts a tie as half a win, "coin" tosses one. A duel answered
            "incomparable" counts like a tie: neither was preferred.
        lost: "ignore" assumes that losing an answer (an ask given up, a duel skipped) does not
            depend on the answer, and asks again; "against" counts every lost answer against
            every claim (bets only).
        elimination_share: The share of δ that may be spent on throwing maximal items out (bets
            only); the rest is for keeping dominated ones. The default was set by hand.
        peeling_doubt: While peeling, a pair is left alone for this epoch when a gap of ε_t is
            this unlikely (bets only). It costs nothing in δ: see `UnchainedBandits`. The default
            was set by hand.
    """

    tests: Literal["bets", "intervals"] = "bets"
    early_exit: bool = True
    in_step: bool = False
    ties: Literal["half", "coin"] = "half"
    lost: Literal["ignore", "against"] = "ignore"
    elimination_share: float = 0.1
    peeling_doubt: float = 0.05

    def __post_init__(self) -> None:
        _one_of("tests", self.tests, ("bets", "intervals"))
        _one_of("ties", self.ties, ("half", "coin"))
        _one_of("lost", self.lost, ("ignore", "against"))
        for name in ("early_exit", "in_step"):
            _checks.instance(name, getattr(self, name), bool, "yes or no (a bool)")
        for name in ("elimination_share", "peeling_doubt"):
            _checks.probability(name, getattr(self, name))
        if self.tests == "bets" and self.in_step:
            raise ParameterError(
                "in_step is True, but with tests='bets' each direction stops by itself: "
                "in_step=False was expected, or tests='intervals'."
            )
        if self.tests == "intervals" and self.ties == "half":
            raise ParameterError(
                "ties is 'half', but the paper's intervals count whole wins: ties='coin' was "
                "expected, or tests='bets'."
            )
        if self.tests == "intervals" and self.lost == "against":
            raise ParameterError(
                "lost is 'against', but only bets can hold lost answers against a claim: "
                "lost='ignore' was expected, or tests='bets'."
            )

    @classmethod
    def paper(cls) -> Rules:
        """The paper to the letter, as read in docs/theory/errata.md."""
        return cls(tests="intervals", early_exit=False, in_step=True, ties="coin")

    @property
    def is_paper(self) -> bool:
        """Whether these are the paper's own rules."""
        return self == Rules.paper()


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(
            f"{name} is {_checks.said(value)}, but one of {', '.join(choices)} was expected."
        )


_SMALLEST_GAP = 1e-6  # some 10¹³ duels; set by hand


@dataclass(frozen=True)
class Algorithm(ABC):
    """A method for finding the front: the base class, which holds only the method's parameters.

    To write your own method, derive a frozen dataclass from this class and give it

    - `name`, a class variable: the word by which commands, sweeps and studies name the method;
    - `plan`, a generator: it yields rounds of comparisons, receives their outcomes, reports each
      eliminated item to the state, and returns the indices of the front;
    - fields with defaults for its parameters. A `__post_init__` that checks them calls
      `super().__post_init__()` first. A field called `epsilon` says that the method finds an
      ε-approximation of the front;
    - `needs_decoys` or `needs_observable`, if it relies on duels against decoys, or on seeing
      which pairs are incomparable;
    - `guarantee`, a sentence that says what holds for its answer with probability 1 − δ, if that
      is proved. The result of a method without one is never certified.

    `antichain.register` then makes the name known everywhere.

    Attributes:
        delta: The probability with which the answer may be wrong.
        rules: Which tests and rules it uses: the defaults, or the paper's.

    Example:
        A method that compares every pair once, at a precision `epsilon`:

        >>> from dataclasses import dataclass
        >>> from typing import ClassVar
        >>> import numpy as np
        >>> import antichain as ac
        >>> @dataclass(frozen=True)
        ... class AllPairs(ac.Algorithm):
        ...     epsilon: float = 0.1
        ...     name: ClassVar[str] = "all-pairs"
        ...
        ...     def plan(self, state):
        ...         lefts, rights = np.triu_indices(state.size, 1)
        ...         level = self.delta / max(1, lefts.size)
        ...         test = ac.SequentialTest.direct_interval(level, self.epsilon)
        ...         with state.epoch("all pairs", self.epsilon, state.size):
        ...             outcome = yield ac.round_of(lefts, rights, test)
        ...             verdicts = outcome.verdicts.tolist()
        ...             for left, right, verdict in zip(lefts.tolist(), rights.tolist(), verdicts):
        ...                 if verdict == ac.Verdict.LEFT and right not in state.fallen:
        ...                     state.eliminate(right, left)
        ...                 if verdict == ac.Verdict.RIGHT and left not in state.fallen:
        ...                     state.eliminate(left, right)
        ...         return np.array([i for i in range(state.size) if i not in state.fallen])
        >>> arena = ac.SimulatedArena(ac.posets.chains(2, 3, seed=1, gaps="minimum:0.2"))
        >>> ac.find_front(arena, AllPairs(delta=0.01)).front == arena.model.front
        True
    """

    delta: float = 0.001
    rules: Rules = Rules()

    name: ClassVar[str]
    needs_observable: ClassVar[bool] = False
    """Whether the arena must tell comparable from incomparable pairs."""
    guarantee: ClassVar[str | None] = None
    """What holds for the answer of a run that came to its end, in one sentence.

    The result of a method without one is never certified (`Result.certified`).
    """
    paper: ClassVar[Mapping[str, Any] | None] = None
    """The options that follow the paper to the letter; None if the method is not the paper's."""
    earlier: ClassVar[Mapping[str, Any]] = {}
    """For each parameter that was added later: the value that was in effect before.

    Files leave that value out.
    """
    mean_may_be_infinite: ClassVar[bool] = False
    """Whether the costs of runs are summed up by medians, because their mean may be infinite."""

    def __post_init__(self) -> None:
        _checks.probability("delta", self.delta)
        if not isinstance(self.rules, Rules):
            raise ParameterError(
                f"rules is {self.rules!r}, but Rules() or Rules.paper() was expected."
            )

    @property
    def needs_decoys(self) -> float | None:
        """The gap of the decoys the arena must offer, or None."""
        return None

    @abstractmethod
    def plan(self, state: PlanState) -> Plan[Indices]:
        """Run the method: yield rounds of comparisons, and return the front in the end."""

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """Return the names of the options that `from_options` takes."""
        found = [field.name for field in fields(cls) if field.init]
        if cls.paper is not None:
            found.append("faithful")
        if cls.needs_observable:  # or a property, of a method that sometimes does
            found.append("observable")
        return tuple(found)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Make the method with options given as plain data, such as those in `parameters`.

        Args:
            options: Values by the names of the fields, with `rules` as a mapping. `faithful`
                follows the paper to the letter (only for the paper's methods); `observable` does
                without decoys where incomparable pairs can be seen (only for methods that can).
        """
        values = dict(options)
        for option in values:
            if option not in cls.options():
                listed = f", but one of {', '.join(cls.options())} was expected"
                raise ParameterError(
                    f"the method {cls.name!r} takes no option {option!r}"
                    f"{did_you_mean(option, cls.options(), by_start=True) or listed}"
                )
        if values.pop("faithful", False):
            return cls.from_options(_joined(values, cls.paper or {}))
        if values.pop("observable", False) and "decoy_gap" in cls.options():
            values["decoy_gap"] = None
        if isinstance(values.get("rules"), Mapping):
            try:
                values["rules"] = Rules(**values["rules"])
            except TypeError as error:
                raise ParameterError(f"rules of {cls.name!r} cannot be used: {error}.") from error
        return cls(**values)

    def is_right(self, result: Result, model: DuelModel) -> bool:
        """Tell whether a run's answer is what the method promises, where the truth is known.

        That is the exact front or, for a method with an `epsilon`, an ε-approximation of it.
        """
        epsilon = getattr(self, "epsilon", None)
        if epsilon is None:
            return set(result.front) == set(model.front)
        return model.is_eps_approximation(result.front, epsilon)

    def start(
        self,
        items: Sequence[str],
        seed: int = 0,
        direct: CountsByName | None = None,
        decoys: CountsByName | None = None,
        *,
        history: bool = True,
    ) -> Search:
        """Start a run over `items`, to be played by ask and tell.

        Args:
            items: The items' names.
            seed: The seed of the algorithm's own choices (the order in which it takes items).
            direct: Counts collected elsewhere, as evidence to start from: for a pair of names,
                the wins of the first, the wins of the second and, if there are any, the ties.
                They must come from the same voters, and their number must not have been decided
                by looking at the decoy counts. Only bets can use them.
            decoys: The same for duels of the first against the decoy of the second.
            history: Whether to keep what is asked and answered, so that the run can have a twin
                (`Search.twin`) and a forecast. This takes memory for each event.
        """
        return Search(self, items, seed, direct, decoys, history=history)

    def parameters(self) -> dict[str, Any]:
        """The parameters and rules as plain data, but not those with the value in `earlier`."""
        found = asdict(self)
        return {
            name: value
            for name, value in found.items()
            if name not in self.earlier or value != self.earlier[name]
        }

    def as_in(self, parameters: Mapping[str, Any]) -> Self:
        """Return this method, with the parameters that a file lacks set to their earlier values."""
        usual = {field.name: field.default for field in fields(self)}
        unknown = {
            name: value
            for name, value in self.earlier.items()
            if name not in parameters and getattr(self, name) == usual[name]
        }
        return replace(self, **unknown) if unknown else self


def _joined(values: Mapping[str, Any], paper: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run that follows the paper; an option that says otherwise is an error."""
    for option, value in paper.items():
        if values.get(option, value) != value:
            raise ParameterError(
                f"{option} is {values[option]!r} together with faithful, but the paper's "
                f"{value!r} was expected."
            )
    return {**values, **paper}


def check_countable(name: str, gap: float) -> None:
    """Raise unless duels that tell this gap from none are few enough to be counted."""
    if _checks.gap(name, gap) < _SMALLEST_GAP:
        raise ParameterError(
            f"{name} is {gap!r}, but at least {_SMALLEST_GAP} was expected: telling a smaller gap "
            "from none takes more duels than can be counted."
        )


def check_decoys_or_epsilon(decoy_gap: float | None, epsilon: float | None) -> None:
    """Raise unless there are decoys, or else an ε to settle for."""
    if decoy_gap is None:
        if epsilon is None:
            raise ParameterError("Without decoys, epsilon must say how fine to look; got None.")
        check_countable("epsilon", epsilon)
        return
    check_countable("decoy_gap", decoy_gap)
    if epsilon is not None:
        raise ParameterError(
            "epsilon is for runs without decoys (decoy_gap=None); with decoys the front "
            f"is exact; got epsilon={epsilon!r}."
        )
