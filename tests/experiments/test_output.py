"""What an experiment leaves behind: tables, figures, manifest, page."""

import html
import json
import math
import re
import struct
import sys
from dataclasses import replace

import pytest

from antichain import _pools
from antichain._intervals import mean_interval
from antichain.errors import FileError, MissingExtraError
from antichain.experiments import Key, curves, load_spec, method_of, run_row, sweep
from antichain.experiments._figures import _note, figure, page, panel_of
from antichain.experiments._findings import Curve, claims
from antichain.experiments._output import repeat, reproduce
from antichain.orders._generators import layered
from antichain.theory import limit

from .cases import SMALL, timeless

polars = pytest.importorskip("polars", reason="polars is not installed")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return reproduce(SMALL, tmp_path_factory.mktemp("out") / "small", _pools.here)


def test_the_tables_hold_the_rows(finished):
    for table in (
        polars.read_parquet(finished.folder / "runs.parquet"),
        polars.read_csv(finished.folder / "runs.csv"),
    ):
        assert table.columns == list(finished.rows[0])
        assert table["duels"].to_list() == [row["duels"] for row in finished.rows]
        assert table["correct"].to_list() == [row["correct"] for row in finished.rows]
        assert table["entering_decoys"].null_count() == 3 * 2  # slicing has no decoys


def test_names_and_numbers_as_values_fit_in_a_table():
    from antichain.experiments._output import csv

    mixed = [{"value": "one", "x": None}, {"value": "all", "x": 1}, {"value": "uniform", "x": 2.5}]
    assert csv(mixed) == b"value,x\none,\nall,1.0\nuniform,2.5\n"


def test_the_pictures_are_pictures(finished):
    png = (finished.folder / "figure.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert min(struct.unpack(">II", png[16:24])) > 600
    assert b"<svg" in (finished.folder / "figure.svg").read_bytes()


def test_the_same_rows_give_the_same_files(finished):
    before = {path.name: path.read_bytes() for path in finished.folder.iterdir()}
    reproduce(SMALL, finished.folder, _pools.here)
    assert {path.name: path.read_bytes() for path in finished.folder.iterdir()} == before


def test_any_row_is_repeatable_from_the_manifest_alone(finished):
    path = finished.folder / "manifest.json"
    for row in finished.rows[3::7]:
        again = repeat(path, row["value"], row["algorithm"], row["run"])
        assert timeless([again]) == timeless([row])
    with pytest.raises(FileError, match="no run"):
        repeat(path, 9, "uniform", 0)
    stranger = finished.folder.parent / "other.json"
    stranger.write_text("{}")
    with pytest.raises(FileError, match="not the manifest"):
        repeat(stranger, 1, "uniform", 0)


def test_a_row_is_what_simulate_gives_for_its_seed(finished, capsys):
    from antichain.cli import main

    row = next(row for row in finished.rows if row["algorithm"] == "unchained")
    options = ("front", "width", "height", "delta", "decoy_gap", "seed")
    words = [w for name in options for w in (f"--{name.replace('_', '-')}", str(row[name]))]
    words += ["--algorithm", "unchained"]
    assert main(["simulate", *words, "--runs", "1", "--json", "--quiet"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [record[name] for name in ("duels", "regret")] == [row["duels"], row["regret"]]


def test_the_manifest_names_versions_machine_and_seeds(finished):
    manifest = json.loads((finished.folder / "manifest.json").read_text())
    assert manifest["spec"]["values"] == [1, 2, 3]
    assert {"python", "antichain", "numpy", "polars"} <= manifest["versions"].keys()
    assert manifest["machine"]["cores"] >= 1
    assert set(manifest["seeds"]["rows"]) == {row["seed"] for row in finished.rows}
    assert manifest["rows"] == 24


def test_curves_are_means_medians_and_shares(finished):
    found = {(c.panel, c.line, c.value): c for c in finished.curves}
    uniform = found["duels", "uniform", 2]
    values = [r["duels"] for r in finished.rows if r["algorithm"] == "uniform" and r["value"] == 2]
    assert uniform.statistic == "mean"
    assert uniform.middle == mean_interval(values).middle
    assert uniform.low < uniform.middle < uniform.high
    assert found["duels", "slicing", 2].statistic == "median"
    assert found["error_rate", "uniform", 2].statistic == "share"
    assert ("decoy_share", "slicing", 2) not in found
    assert found["error_rate", "delta", 2].middle == pytest.approx(0.05)
    assert ("duels", "delta", 2) not in found
    assert found["duels", "theorem-1", 2].middle > uniform.middle
    reference = found["duels", "information-limit", 2]
    assert reference.statistic == "reference"
    limits = [limit(poset_of(row), 0.05, 0.1).limit for row in finished.rows if row["value"] == 2]
    assert reference.middle == pytest.approx(mean_interval(limits).middle)
    assert 0 < reference.middle < uniform.middle
    assert {panel for panel, line, _ in found if line == "information-limit"} == {"duels"}


def poset_of(row):
    return layered(row["front"], row["width"], row["height"], row["seed"])


def test_every_line_of_a_panel_looks_different(finished):
    lines = panel_of(SMALL, finished.curves, "duels").lines
    assert len(lines) == 6
    assert len({(line.look.colour, line.look.marker) for line in lines}) == 6
    assert len({line.label for line in lines}) == 6


def test_names_on_the_axis_stand_in_a_row():
    spec = replace(SMALL, vary="parents", values=("one", "all"), algorithms=("slicing",))
    panel = panel_of(spec, curves(spec, sweep(spec)), "duels")
    assert list(panel.ticks) == [(0.0, "one"), (1.0, "all")]


def made_up(ours, theirs, slicing):
    """Rows of a figure in which the algorithms take given numbers of duels."""
    spec = load_spec("figure-height").chosen(algorithms=["unchained-paper", "uniform", "slicing"])
    costs = {"unchained-paper": ours, "uniform": theirs, "slicing": slicing}
    return spec, [
        {
            "algorithm": name,
            "value": value,
            "run": run,
            "duels": cost(value) * (1 + noise * run / 1000),
        }
        for noise, (name, cost) in enumerate(costs.items(), start=1)
        for value in spec.values
        for run in range(10)
    ]


@pytest.mark.parametrize(
    ("ours", "theirs", "slicing", "verdicts"),
    [
        (lambda h: 10**6, lambda h: 3 * 10**6 * h, lambda h: 10**3, ["confirmed"] * 3),
        (lambda h: 10**6 * h, lambda h: 15 * 10**5 * h, lambda h: 10**6, ["in part"] * 3),
        (lambda h: 4 * 10**6, lambda h: 3 * 10**6, lambda h: 5 * 10**6, ["not confirmed"] * 3),
    ],
)
def test_claims_are_judged_by_the_rows(ours, theirs, slicing, verdicts):
    assert [claim.verdict for claim in claims(*made_up(ours, theirs, slicing))] == verdicts


@pytest.mark.parametrize("runs", [1, 2, 9])
def test_few_runs_confirm_nothing_and_refute_nothing(runs):
    spec, rows = made_up(lambda h: 10**6, lambda h: 3 * 10**6 * h, lambda h: 10**3)
    few = claims(spec, [row for row in rows if row["run"] < runs])
    assert {claim.verdict for claim in few} == {"too few runs to say"}
    said = f"{runs} run{'s' * (runs > 1)} per point; a verdict takes at least 10"
    assert {claim.seen for claim in few} == {said}


def test_intervals_that_reach_zero_are_not_drawn_on_a_log_axis():
    points = [
        Curve("duels", "uniform", 2, "mean", 1000.0, 0.0, 6000.0, 2),
        Curve("duels", "uniform", 3, "mean", 200_000.0, 150_000.0, 250_000.0, 2),
        Curve("duels", "unchained", 2, "mean", 900.0, 500.0, 1300.0, 2),
        Curve("duels", "unchained", 3, "mean", 5000.0, 0.0, 9000.0, 2),
    ]
    spec = replace(SMALL, algorithms=("uniform", "unchained"), values=(2, 3))
    panel = panel_of(spec, points, "duels")
    assert panel.log_y
    lows = [low for line in panel.lines for low in line.lows]
    assert lows == pytest.approx([math.nan, 150_000.0, 500.0, math.nan], nan_ok=True)
    assert "omitted on a log axis where they reach 0" in _note(spec, points)
    assert "reach 0" not in _note(spec, points[1:3])
    assert figure(replace(spec, panels=("duels",)), points, "png")[:4] == b"\x89PNG"
    flat = panel_of(spec, points[:1], "duels")
    assert not flat.log_y
    assert flat.lines[0].lows == [0.0]


def test_no_interval_of_a_measure_reaches_below_0():
    rows = [run_row(SMALL, Key(2, "uniform", run), 0) for run in range(2)]
    for row, duels in zip(rows, (10, 1000), strict=True):
        row["duels"] = duels
    (duels,) = (c for c in curves(SMALL, rows) if (c.panel, c.line) == ("duels", "uniform"))
    assert duels.low == 0.0
    assert duels.high > 1000


def test_experiments_the_paper_does_not_have_carry_no_claims(finished):
    assert finished.claims == []
    none = "This is not one of the paper's figures, so none of the paper's claims is checked."
    assert none in html.unescape(page([finished]))
    figure_of_one = replace(finished, spec=replace(finished.spec, name="figure-front"))
    assert "No claim of the paper can be checked with these methods." in page([figure_of_one])
    assert "No claim" in page([finished, figure_of_one])


def test_the_page_holds_everything_in_itself(finished):
    text = page([finished])
    assert text.count("data:image/svg+xml;base64,") == 1
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert "A small experiment" in text
    assert '<th class="number">information limit' in text


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.doc").write_text("mine")
    with pytest.raises(FileError, match="--force"):
        reproduce(SMALL, tmp_path, _pools.here)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.doc"]
    with pytest.raises(FileError, match="a folder"):
        reproduce(SMALL, tmp_path / "thesis.doc", _pools.here)


def test_without_polars_the_command_to_install_it_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'antichain\[plots,tables\]'"):
        reproduce(SMALL, tmp_path / "new", _pools.here)
    assert list(tmp_path.iterdir()) == []


def test_without_dask_the_command_to_install_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'antichain\[cluster\]'"):
        _pools.dask("local")


def test_the_choice_of_the_last_peel_reaches_the_algorithm():
    spec = load_spec("last-peel")
    ends = [
        method_of("unchained").build(spec.parameters(factor)).schedule(95)[-1]
        for factor in spec.values
    ]
    assert ends == pytest.approx([factor * 0.01 * 95**0.5 for factor in spec.values])


def test_an_antichain_without_peels_can_be_asked_for():
    spec = load_spec("error-rates-antichain")
    from antichain.experiments import run_row

    row = run_row(spec, Key(0.05, "unchained", 0))
    assert (row["items"], row["entering_decoys"], row["direct_duels"]) == (20, 20, 0)
