import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antichain.errors import ParameterError
from antichain.orders import DuelModel
from antichain.orders._gaps import BradleyTerryGaps, UniformGaps, gap_law
from antichain.orders._generators import total_order

from . import brute
from .strategies import posets

LAWS = {
    "uniform": UniformGaps(),
    "minimum:0.05": UniformGaps(0.05, 0.5),
    "small:0.02": UniformGaps(0.0, 0.02),
    "between:0.1:0.2": UniformGaps(0.1, 0.2),
    "constant:0.1": UniformGaps(0.1, 0.1),
    "bradley-terry": BradleyTerryGaps(4.0),
    "bradley-terry:30": BradleyTerryGaps(30.0),
}


@pytest.mark.parametrize("law", LAWS)
@given(poset=posets(), seed=st.integers(0, 1000))
def test_every_law_is_order_compatible(law, poset, seed):
    gaps = gap_law(law).draw(poset, np.random.default_rng(seed))
    assert DuelModel(poset, gaps).front == poset.front


@pytest.mark.parametrize("law", LAWS)
def test_a_name_stands_for_its_law_and_a_law_for_itself(law):
    assert gap_law(law) == LAWS[law]
    assert gap_law(LAWS[law]) is LAWS[law]


def upper_gaps(law, n=60):
    model = total_order(n, seed=1, gaps=law)
    return model.gaps[model.poset.above]


@pytest.mark.parametrize(
    ("law", "low", "high"),
    [("uniform", 0, 0.5), ("minimum:0.3", 0.3, 0.5), ("small:0.02", 0, 0.02)],
)
def test_uniform_laws_fill_their_interval_evenly(law, low, high):
    gaps = upper_gaps(law)
    assert low < gaps.min()
    assert gaps.max() <= high
    quartiles = np.quantile(gaps, [0.25, 0.5, 0.75])
    # 1770 gaps: a quartile's standard error is about 0.012 of the interval's length.
    assert np.allclose((quartiles - low) / (high - low), [0.25, 0.5, 0.75], atol=0.05)


def test_constant_gaps():
    assert set(upper_gaps("constant:0.1")) == {0.1}


def test_uniform_gaps_stay_strictly_inside_at_the_ends():
    ends = np.array([0.0, 1.0 - 2.0**-53])
    for law in (UniformGaps(), UniformGaps(low=0.3), UniformGaps(high=0.02)):
        scaled = law.scale(ends.copy())
        assert ((scaled > 0) & (scaled < 0.5)).all()


@given(posets(max_size=8), st.integers(0, 1000))
def test_bradley_terry_is_transitive_in_both_senses(poset, seed):
    model = DuelModel(poset, BradleyTerryGaps().draw(poset, np.random.default_rng(seed)))
    assert brute.strongly_transitive(model)
    assert brute.obeys_triangle_inequality(model)


def test_independent_gaps_break_strong_stochastic_transitivity():
    assert not brute.strongly_transitive(total_order(10, seed=0))


def test_bradley_terry_spans_its_spread():
    gaps = upper_gaps("bradley-terry:2")
    assert gaps.max() == pytest.approx(1 / (1 + np.exp(-2)) - 0.5)


@pytest.mark.parametrize(
    "law",
    [
        "",
        "normal",
        "uniform:0.1",
        "minimum",
        "minimum:",
        "minimum:x",
        "minimum:0.1:0.2",
        "between:0.1",
        "small:0.1,",
        "bradley-terry:1:2",
    ],
)
def test_names_that_are_no_law(law):
    with pytest.raises(ParameterError, match="one of uniform, minimum:m") as caught:
        gap_law(law)
    assert repr(law) in str(caught.value)


@pytest.mark.parametrize(
    "law",
    [
        "minimum:0.5",
        "minimum:-0.1",
        "minimum:nan",
        "small:0",
        "small:0.6",
        "between:0.3:0.2",
        "constant:0",
        "constant:0.5",
    ],
)
def test_gaps_out_of_range(law):
    with pytest.raises(ParameterError, match=f"gaps is '{law}', but .*(to|below) 1/2.* expected"):
        gap_law(law)


@pytest.mark.parametrize("spread", [0, -1, 31, float("nan")])
def test_spread_out_of_range(spread):
    with pytest.raises(ParameterError, match="the spread of the strengths is"):
        BradleyTerryGaps(spread)
