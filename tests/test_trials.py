"""One run, one record; and what counts as a right answer."""

from dataclasses import dataclass, replace
from typing import ClassVar

import antichain as ac
from antichain._trials import Layered, limit_of, run, simulate, warm_up
from antichain.errors import ParameterError

CHAIN = ac.DuelModel.from_relations(
    [("a", "b", 0.3), ("b", "c", 0.05), ("a", "c", 0.3)], items=["a", "b", "c", "d"]
)


def right(method: ac.Algorithm, *front: str, too_close: tuple[tuple[str, str], ...] = ()) -> bool:
    done = run(ac.Witness(delta=0.2, decoy_gap=0.4), CHAIN, 0)
    return method.is_right(replace(done.result, front=front, too_close=too_close), CHAIN)


def test_with_decoys_the_front_must_be_exact():
    for method in (ac.Witness(), ac.UnchainedBandits(), ac.UniformSampling(), ac.SlicingBandits()):
        assert right(method, "a", "d")
        assert not right(method, "a")
        assert not right(method, "a", "b", "d")


def test_without_decoys_an_approximation_is_enough():
    witness = ac.Witness(decoy_gap=None, epsilon=0.1)
    unchained = ac.UnchainedBandits(decoy_gap=None, epsilon=0.1)
    for method in (witness, unchained):
        assert right(method, "a", "d")
        assert not right(method, "a")
        assert not right(method, "a", "b", "d")
    wide = {"decoy_gap": None, "epsilon": 0.31}
    assert right(ac.Witness(**wide), "a", "b", "d")
    assert right(ac.UnchainedBandits(**wide), "a", "b", "c", "d")


def test_degraded_decoys_may_leave_close_pairs():
    method = ac.RealDecoys(decoy_gap=0.2)
    assert right(method, "a", "d")
    assert right(method, "a", "b", "d", too_close=(("a", "b"),))
    assert not right(method, "a", "b", "d")
    assert not right(method, "a")


def test_a_record_is_the_run_in_plain_data():
    method = ac.Witness(delta=0.2, decoy_gap=0.2)
    done = run(method, CHAIN, 3)
    limit = limit_of(method, CHAIN)
    record = done.record(limit)
    assert (record["seed"], record["items"], record["true_front"]) == (3, 4, ["a", "d"])
    assert record["correct"] is done.correct
    assert record["ratio_to_limit"] == record["duels"] / limit
    (again,) = simulate(method, CHAIN, [3])
    assert {**again, "seconds": 0} == {**record, "seconds": 0}
    assert record["undecided"] == []
    short = run(method, CHAIN, 3, budget=5).record()
    assert short["front"] == []  # so nobody takes it for an answer
    assert set(short["undecided"]) >= set(short["true_front"])
    assert limit_of(ac.SlicingBandits(), CHAIN) == ac.theory.limit(CHAIN, 0.001, None).limit


@dataclass(frozen=True)
class Picky(ac.Witness):
    """A method that refuses the easy numbers of a warm-up."""

    name: ClassVar[str] = "picky"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta > 0.1:
            raise ParameterError("delta is too large.")


def test_a_method_may_refuse_the_warm_up():
    method = Picky(delta=0.1, decoy_gap=0.2)
    warm_up(method)
    (record,) = simulate(method, Layered(1, 1, 2), [0])
    assert record["algorithm"] == "picky"
