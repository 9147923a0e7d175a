"""The pictures that Python code asks for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import antichain as ac
from antichain.errors import FileError, MissingExtraError, ParameterError
from antichain.plots import _drawing, _hasse

POSET = ac.Poset.from_relations([("tea", "rain"), ("$fog$", "rain")])
VOTES = [("tea", "rain", "left")] * 30 + [("$fog$", "rain", "left")] * 4
PICTURES = {
    "hasse": lambda: ac.plots.hasse(POSET, ["tea"], title="drinks"),
    "chances": lambda: ac.plots.chances(ac.front(VOTES)),
    "forecast": lambda: ac.plots.forecast(ac.plan(4, 2, runs=5)),
}
STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_itself_and_can_be_saved_over_itself(name: str, tmp_path: Path) -> None:
    picture = PICTURES[name]()
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert repr(picture) == f"Picture({picture.words!r})"
    for suffix, start in STARTS.items():
        path = tmp_path / f"picture.{suffix}"
        for _ in range(2):
            picture.save(path)
        assert path.read_bytes().startswith(start)
        assert picture.render(suffix) == path.read_bytes()
    with pytest.raises(FileError, match=r"\.svg, \.png or \.pdf"):
        picture.save(tmp_path / "picture.gif")


def test_chances_show_verdicts_and_the_likeliest_items_first(monkeypatch) -> None:
    drawn = {}

    def keep(figure, suffix, about):
        drawn["axes"] = figure.axes[0]
        return b""

    monkeypatch.setattr(_drawing, "content", keep)
    ac.plots.chances(ac.front(VOTES))._repr_png_()
    axes = drawn["axes"]
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == "rain"
    assert {bars.get_label() for bars in axes.containers} == {"undecided", "out"}
    assert "not a guarantee" in axes.get_title()
    many = ac.front([(f"item {k}", f"item {k + 1}", "left") for k in range(60)])
    ac.plots.chances(many, title="many")._repr_png_()
    assert len(drawn["axes"].patches) == 40


def test_a_result_whose_budget_ran_out_has_undecided_items(monkeypatch) -> None:
    model = ac.posets.layered(3, 5, 4, seed=2)
    arena = ac.SimulatedArena(model, decoy_gap=0.1)
    result = ac.find_front(arena, ac.Witness(delta=0.05, decoy_gap=0.1), budget=1500)
    drawn = {}
    monkeypatch.setattr(_hasse, "draw", lambda layout, scale, look, title: drawn.update(look))
    monkeypatch.setattr(_hasse, "content", lambda *given: b"")
    ac.plots.hasse(model.poset, result).render("svg")
    marked = {name for name, style in drawn.items() if style.caption == "undecided"}
    assert marked == set(result.undecided) != set()


def test_what_is_no_order_is_not_drawn() -> None:
    with pytest.raises(ParameterError, match="poset is 'tea', but a Poset was expected"):
        ac.plots.hasse("tea")  # type: ignore[arg-type]


def test_without_an_estimate_there_are_no_chances() -> None:
    with pytest.raises(ParameterError, match="likely=True"):
        ac.plots.chances(ac.front(VOTES, likely=False))


def test_without_matplotlib_it_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for picture in (ac.plots.hasse(POSET), ac.plots.chances(ac.front(VOTES))):
        with pytest.raises(MissingExtraError, match=r"antichain\[plots\]"):
            picture._repr_png_()
