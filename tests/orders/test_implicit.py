import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.errors import OrderError, ParameterError
from antichain.orders._duel_law import Duels
from antichain.orders._generators import chains, total_order
from antichain.orders._implicit import ImplicitChains, ImplicitDominance, ImplicitTotalOrder

from . import brute

LAWS = ["uniform", "minimum:0.05", "constant:0.1", "bradley-terry"]
small_points = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.lists(st.integers(0, 4), min_size=d, max_size=d), min_size=1, max_size=9)
)


def agrees_with_its_matrices(duels):
    model = duels.to_model()
    everything = np.arange(duels.size)
    assert isinstance(duels, Duels)
    assert duels.items == model.items
    assert duels.size == model.size
    for i in everything:
        assert np.array_equal(duels.gap_row(i, everything), model.gap_row(i, everything))
        pairs = np.full(duels.size, i), everything
        assert np.array_equal(duels.gap_pairs(*pairs), model.gap_pairs(*pairs))
    assert np.array_equal(duels.front_mask(), model.front_mask())
    assert np.array_equal(duels.distances(), model.distances())
    assert np.array_equal(duels.decoy_distances(0.2), model.decoy_distances(0.2))
    assert duels.front == model.front
    assert duels.d_front == model.d_front
    assert duels.gap(duels.items[0], duels.items[-1]) == model.gap(model.items[0], model.items[-1])
    return model


@pytest.mark.parametrize("law", LAWS)
@given(lengths=st.lists(st.integers(1, 5), min_size=1, max_size=4), seed=st.integers(0, 2**63 - 1))
def test_chains_agree_with_their_matrices(law, lengths, seed):
    duels = ImplicitChains(len(lengths), lengths, seed, law)
    model = agrees_with_its_matrices(duels)
    assert model.poset == chains(len(lengths), lengths).poset
    assert (duels.width, duels.height) == (model.poset.width, model.poset.height)
    if law == "bradley-terry":
        assert brute.strongly_transitive(model)


@pytest.mark.parametrize("law", LAWS)
@given(points=small_points, seed=st.integers(0, 1000))
def test_dominance_agrees_with_its_matrices(law, points, seed):
    duels = ImplicitDominance(points, seed, law)
    model = agrees_with_its_matrices(duels)
    array = np.array(points)
    for i, left in enumerate(array):
        dominates = (left >= array).all(axis=1) & (left > array).any(axis=1)
        assert np.array_equal(model.poset.above[i], dominates)
    if law == "bradley-terry":
        assert brute.strongly_transitive(model)


def test_total_order_agrees_with_its_matrices():
    duels = ImplicitTotalOrder(7, seed=2)
    model = agrees_with_its_matrices(duels)
    assert model.poset == total_order(7).poset


def test_the_seed_is_the_model_and_pairs_differ():
    first, again, other = (ImplicitTotalOrder(30, seed=seed).to_model() for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert len(np.unique(first.gaps[first.poset.above])) == 30 * 29 // 2


def test_a_hundred_thousand_items_are_light():
    duels = ImplicitChains(100, 1000, seed=0)
    everything = np.arange(duels.size)
    row = duels.gap_row(500, everything)
    assert np.count_nonzero(row) == 999
    assert (row[:500] < 0).all()
    assert (row[501:1000] > 0).all()
    distances = duels.distances()
    assert np.count_nonzero(distances) == 100 * 999
    # 99,900 uniforms on (0, 1/2): the mean's standard error is below 0.0005.
    assert distances.sum() / 99_900 == pytest.approx(0.25, abs=0.003)


def test_without_the_compiler_the_kernels_say_the_same():
    program = (
        "import numpy as np\n"
        "from antichain.orders._implicit import ImplicitChains, ImplicitDominance\n"
        "np.seterr(over='ignore')\n"
        "points = np.random.default_rng(0).integers(0, 4, (12, 2))\n"
        "for duels in (ImplicitChains(3, 4, seed=9), ImplicitDominance(points, seed=9)):\n"
        "    print(repr(duels.to_model().gaps.tolist()), duels.front)\n"
    )
    plain = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    points = np.random.default_rng(0).integers(0, 4, (12, 2))
    expected = ""
    for duels in (ImplicitChains(3, 4, seed=9), ImplicitDominance(points, seed=9)):
        expected += f"{duels.to_model().gaps.tolist()!r} {duels.front}\n"
    assert plain.stdout == expected


def test_orders_alone_do_not_load_the_compiler():
    program = (
        "import sys, antichain.orders._generators\n"
        "print([m for m in ('numba', 'networkx', 'scipy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "[]\n"


class _Gaps:
    """A law of gaps, but none that can be computed pair by pair."""

    def draw(self, poset, rng):
        return np.zeros((len(poset), len(poset)))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ImplicitChains(0, 3), "count is 0"),
        (lambda: ImplicitChains(2, [3]), "1 lengths are given"),
        (lambda: ImplicitChains(2, 3, seed=-1), "seed is -1"),
        (lambda: ImplicitChains(2, 3, seed=2**63), "but at most 9223372036854775807"),
        (lambda: ImplicitChains(2, 3, gaps="normal"), "gaps is 'normal'"),
        (lambda: ImplicitChains(2, 3, gaps=object()), "gaps is <object"),
        (lambda: ImplicitChains(2, 3, gaps=_Gaps()), "a uniform or a Bradley–Terry law"),
        (lambda: ImplicitTotalOrder(0), "n is 0"),
        (lambda: ImplicitDominance([1, 2]), r"the points have shape \(2,\)"),
        (lambda: ImplicitDominance([[]]), r"the points have shape \(1, 0\)"),
        (lambda: ImplicitDominance([[1, float("nan")]]), "NaN or infinite"),
        (lambda: ImplicitDominance([[1], [2]], items=["a"]), "1 different names are given"),
        (lambda: ImplicitDominance([[1], [2]], items=["a", "a"]), "1 different names are given"),
        (
            lambda: ImplicitTotalOrder(9).gap_pairs(np.arange(2), np.arange(3)),
            "2 left items are given for 3 right ones",
        ),
    ],
)
def test_bad_arguments(call, says):
    with pytest.raises(ParameterError, match=says):
        call()


def test_unknown_names():
    with pytest.raises(OrderError, match="'nobody' is not an item of this model"):
        ImplicitTotalOrder(3).gap("item-1", "nobody")
    assert ImplicitDominance([[1], [2]], items=["a", "b"]).front == ("b",)
