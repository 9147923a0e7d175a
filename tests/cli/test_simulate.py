"""`antichain simulate`."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from antichain import _trials
from antichain.algorithms.chains import FINDERS
from antichain.cli._simulate import FINDERS as NAMES
from antichain.cli._simulate import _show_measures
from antichain.orders._generators import layered
from antichain.theory import limit

FIELDS = {
    "algorithm", "seed", "items", "width", "height", "true_front", "front", "undecided", "correct",
    "duels",
    "direct_duels", "decoy_duels", "probes", "spare", "certified", "regret",
    "regret_with_decoys", "seconds", "limit", "ratio_to_limit",
}  # fmt: skip
LONELY = ("--front", 1, "--width", 1, "--height", 1)
SMALL = ("--front", 2, "--width", 3, "--height", 3, "--decoy-gap", 0.1, "--delta", 0.05)


def records(out: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


def untimed(out: str) -> list[dict[str, object]]:
    return [{k: v for k, v in record.items() if k != "seconds"} for record in records(out)]


ALGORITHMS = [
    ["--algorithm", "unchained"],
    ["--algorithm", "unchained", "--faithful"],
    ["--algorithm", "unchained", "--no-decoys", "--epsilon", "0.1"],
    ["--algorithm", "uniform"],
    ["--algorithm", "uniform", "--faithful"],
    ["--algorithm", "slicing", "--faithful"],
    ["--algorithm", "uniform", "--observable"],
    ["--algorithm", "slicing"],
    ["--algorithm", "slicing", "--maximum", "if2"],
    ["--algorithm", "slicing", "--maximum", "beat-the-mean"],
    ["--algorithm", "slicing", "--maximum", "knockout"],
]


@pytest.mark.parametrize("options", ALGORITHMS, ids=" ".join)
def test_every_algorithm_keeps_the_contract_of_json(call, options):
    called = call("simulate", *options, *SMALL, "--gaps", "minimum:0.1", "--runs", 2, "--json")
    assert called.code == 0, called.err
    found = records(called.out)
    assert [record["seed"] for record in found] == [0, 1]
    for record in found:
        assert set(record) >= FIELDS
        assert record["algorithm"] == options[1]
        assert record["items"] == 8
        assert record["height"] == 3
        assert record["true_front"] == ["front-1", "front-2"]
        assert set(record["true_front"]) <= set(record["front"])
        assert record["correct"] is True
        assert record["certified"] is True
        assert record["duels"] == sum(
            record[part] for part in ("direct_duels", "decoy_duels", "probes")
        )
        assert record["duels"] > 0
        assert record["regret"] >= 0
    decoys = options[1] != "slicing" and not {"--no-decoys", "--observable"} & set(options)
    assert all((record["decoy_duels"] > 0) is decoys for record in found)


@pytest.mark.parametrize("options", ALGORITHMS, ids=" ".join)
def test_runs_carry_the_information_limit_of_their_setting(call, options):
    observable = options[1] in ("slicing", "orient") or "--observable" in options
    called = call("simulate", *options, *SMALL, "--gaps", "minimum:0.1", "--seed", 3, "--json")
    for record in records(called.out):
        if "--no-decoys" in options:
            assert record["limit"] is record["ratio_to_limit"] is None
            continue
        model = layered(2, 3, 3, seed=record["seed"], gaps="minimum:0.1")
        assert record["limit"] == limit(model, 0.05, None if observable else 0.1).limit
        assert record["ratio_to_limit"] == record["duels"] / record["limit"]
        assert record["ratio_to_limit"] > 1  # far above, at so few items


def test_where_there_is_no_limit_there_is_no_ratio(call):
    (one,) = records(call("simulate", *LONELY, "--runs", 1, "--json").out)
    assert (one["limit"], one["ratio_to_limit"]) == (0, None)
    (sure,) = records(call("simulate", *SMALL, "--delta", 0.5, "--runs", 1, "--json").out)
    assert sure["limit"] is sure["ratio_to_limit"] is None


@pytest.mark.slow
def test_the_limit_of_a_poset_file_is_worked_out_once(call, monkeypatch, poset):
    models = []

    def counted(algorithm, model):
        models.append(model)
        return 1000.0

    monkeypatch.setattr(_trials, "limit_of", counted)
    options = ("simulate", "--poset", poset, "--decoy-gap", 0.1, "--json")
    for workers in (1, 2):
        found = records(call(*options, "--runs", 3, "--workers", workers).out)
        assert [record["limit"] for record in found] == [1000.0] * 3
        assert len(models) == workers  # once a call, for the workers too


def test_a_run_is_decided_by_its_seed_alone(call):
    three = untimed(call("simulate", *SMALL, "--runs", 3, "--seed", 4, "--json").out)
    last = untimed(call("simulate", *SMALL, "--runs", 1, "--seed", 6, "--json").out)
    assert three[2] == last[0]
    assert three[0]["duels"] != three[1]["duels"]


@pytest.mark.slow
def test_workers_change_nothing(call):
    options = ("simulate", *SMALL, "--runs", 4, "--json")
    alone, together = call(*options), call(*options, "--workers", 2)
    assert together.code == 0, together.err
    assert untimed(together.out) == untimed(alone.out)


def test_a_poset_file_is_the_same_for_every_seed_and_worker(call, poset):
    options = ("simulate", "--poset", poset, "--decoy-gap", 0.1, "--runs", 2, "--json")
    alone, together = call(*options), call(*options, "--workers", 2)
    assert untimed(together.out) == untimed(alone.out)
    for record in records(alone.out):
        assert record["true_front"] == ["a", "d"]
        assert (record["items"], record["width"], record["height"]) == (4, 2, 3)


def test_a_budget_that_runs_out_is_exit_code_1(call):
    called = call("simulate", *SMALL, "--runs", 2, "--budget", 50, "--json")
    assert called.code == 1
    for record in records(called.out):
        assert record["certified"] is False
        assert record["duels"] <= 50
        assert record["front"] == []
        assert set(record["true_front"]) <= set(record["undecided"])
    said = call("simulate", *SMALL, "--runs", 2, "--budget", 50)
    assert said.code == 1
    assert "The budget of 50 duels ran out in 2 of 2 runs before every item was decided" in said.out
    assert "ran out" not in call("simulate", *SMALL, "--runs", 2).out


def test_without_json_there_is_a_table(call):
    called = call("simulate", *SMALL, "--runs", 3)
    assert called.code == 0
    for word in (
        "seed", "decoy duels", "mean", "95% interval", "correct in 3 of 3", "information limit",
        "duels ÷ limit",
    ):  # fmt: skip
        assert word in called.out
    quiet = call("simulate", *SMALL, "--runs", 3, "--quiet")
    assert "mean" in quiet.out
    assert "seed" not in quiet.out
    assert quiet.err == called.err == ""
    one = call("simulate", *SMALL, "--runs", 1).out
    assert "mean" in one
    assert "95% interval" not in one.split("correct in 1 of 1 run ")[0]


@pytest.mark.parametrize(("columns", "shown"), [(60, False), (130, True)])
def test_tables_fit_the_screen(call, monkeypatch, columns, shown):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = call("simulate", "--runs", 2).out.splitlines()
    assert max(map(len, lines)) <= columns
    assert ("direct duels" in lines[2]) is shown
    assert all(word in lines[2] for word in ("seed", " duels", "correct"))


def test_what_does_not_happen_is_not_in_the_tables(call):
    without = call("simulate", *SMALL, "--no-decoys", "--epsilon", 0.1, "--runs", 2).out
    assert "decoys" not in without
    assert "decoy duels" not in without
    assert "limit" not in without
    assert "regret with decoys" in call("simulate", *SMALL, "--runs", 2).out
    alone = call("simulate", *LONELY, "--runs", 1).out
    assert "1 run, 1 item: no duels were needed" in alone
    assert "┃" not in alone


def test_no_interval_of_a_cost_reaches_below_0(capsys):
    costs = {"direct_duels": 0, "decoy_duels": 0, "probes": 0, "regret": 0.0}
    same = {"algorithm": "unchained", "items": 3, "regret_with_decoys": 0.0, **costs}
    _show_measures([{**same, "duels": 1}, {**same, "duels": 1000}])
    out = capsys.readouterr().out
    # Student's interval of two values reaches 12.7 times their half difference each way.
    assert "0 to 6,847" in out
    assert "-" not in out


def test_seconds_are_those_of_the_run_and_not_of_the_compiler(monkeypatch, call):
    calls: list[tuple[int, int]] = []
    once = _trials.run

    def counted(algorithm, model, seed, **others):
        calls.append((model.size, seed))
        return once(algorithm, model, seed, **others)

    monkeypatch.setattr(_trials, "run", counted)
    call("simulate", *SMALL, "--runs", 2, "--seed", 5, "--budget", 100, "--json")
    # The toy with and without a budget, then the runs.
    assert calls == [(4, 0), (4, 0), (8, 5), (8, 6)]


def test_slicing_is_summed_up_by_medians(call):
    called = call("simulate", "--algorithm", "slicing", *SMALL, "--runs", 3)
    assert "median" in called.out
    assert "10% to 90%" in called.out
    assert "mean" not in called.out


def test_runs_are_written_to_a_file_that_says_what_it_is(call, refused, tmp_path):
    path = tmp_path / "runs.json"
    options = ("simulate", *SMALL, "--runs", 2, "-o", path)
    called = call(*options, "--json")
    document = json.loads(path.read_text())
    assert (document["format"], document["version"]) == ("antichain-runs", 1)
    assert document["runs"] == records(called.out)
    assert (document["interrupted"], document["runs_asked"]) == (False, 2)
    assert "--force" in refused(*options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--algorithm", "slicing", "--faithful", "--maximum", "peel"], ["faithful", "peel"]),
        (["--algorithm", "uniform", "--no-decoys", "--epsilon", "0.1"], ["--no-decoys"]),
        (["--algorithm", "uniform", "--maximum", "if2"], ["--maximum", "slicing"]),
        (["--observable"], ["--observable", "slicing, orient or uniform"]),
        (["--no-decoys"], ["--epsilon"]),
        (["--algorithm", "unchained", "--least-regret"], ["--least-regret", "witness"]),
        (["--no-decoys", "--epsilon", "0.1", "--least-regret"], ["--least-regret", "decoys"]),
        (["--epsilon", "0.1"], ["--no-decoys"]),
        (["--no-decoys", "--epsilon", "nan"], ["--epsilon", "nan"]),
        (["--budget", "-5"], ["--budget", "-5"]),
        (["--workers", "0"], ["--workers", "0"]),
        (["--maximum", "luck"], ["--maximum", "luck", "knockout"]),
        (["--seed", str(2**53)], ["--seed", str(2**53)]),
        (["--poset", "missing.json"], ["missing.json"]),
        (["--front", "20", "--width", "2"], ["width is 2", "at least the front (20)"]),
    ],
)
def test_options_that_do_not_fit_are_refused(refused, options, words):
    sentence = refused("simulate", *options)
    if "missing.json" not in words:
        assert sentence.endswith(" (see antichain simulate --help)\n")
    for word in words:
        assert word in sentence


def alive_in_group(group: int) -> list[str]:
    """The processes of a group that still run (where there is a /proc to look into)."""
    alive = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # gone while we look
            name, _, rest = stat.read_text().rpartition(")")
            state, _, its_group = rest.split()[:3]
            if int(its_group) == group and state not in "ZX":
                alive.append(f"{name}) {state}")
    return alive


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.slow
def test_ctrl_c_ends_with_130_and_keeps_what_is_done(workers, tmp_path):
    path = tmp_path / "runs.json"
    command = [
        sys.executable, "-c", "import sys; from antichain.cli import main; sys.exit(main())",
        "simulate", "--runs", "100000", "--json", "--workers", str(workers), "-o", str(path),
        *map(str, SMALL),
    ]  # fmt: skip
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Where the tests themselves run in the background, Ctrl-C is ignored and inherited so.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        assert first.startswith("{")
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: everybody hears it
        start = time.monotonic()
        # Not communicate(): it would pass over what readline() has already buffered.
        rest, errors = process.stdout.read(), process.stderr.read()
        process.wait(timeout=30)
    assert process.returncode == 130
    assert re.fullmatch(
        rf"antichain: [\d,]+ of 100,000 runs done, and written to {re.escape(str(path))}\n"
        r"antichain: error: interrupted\n",
        errors,
    )
    document = json.loads(path.read_text())  # what was done is not lost
    assert document["interrupted"] is True
    assert document["runs_asked"] == 100_000
    printed = records(first + rest)
    # The interrupt may come between keeping a run and printing it.
    assert document["runs"][: len(printed)] == printed
    assert len(document["runs"]) <= len(printed) + 1
    assert time.monotonic() - start < 10
    while (left := alive_in_group(process.pid)) and time.monotonic() - start < 10:
        time.sleep(0.05)
    assert left == []  # no worker stays behind


def test_least_regret_is_an_aim_of_witness(call):
    found = call("simulate", *SMALL, "--algorithm", "witness", "--least-regret", "--json")
    assert {record["parameters"]["aim"] for record in records(found.out)} == {"regret"}


def test_a_run_by_the_papers_rules_is_finished_but_not_called_certified(call):
    options = ("simulate", "--front", 2, "--width", 3, "--height", 3, "--decoy-gap", 0.1)
    by_theirs, by_ours = (
        call(*options, "--algorithm", "unchained", "--runs", 2, *more).out
        for more in (("--faithful",), ())
    )
    assert "finished by the paper's rules in 2;" in by_theirs
    assert "certified" not in by_theirs
    assert "certified in 2;" in by_ours


def test_faithful_picks_the_paper_s_choices(call):
    def parameters(*options: object) -> dict[str, object]:
        called = call("simulate", *options, *SMALL, "--runs", 1, "--json")
        (record,) = records(called.out)
        return record["parameters"]

    assert parameters("--faithful")["rules"]["tests"] == "intervals"
    assert parameters()["rules"]["tests"] == "bets"
    assert parameters("--algorithm", "slicing", "--faithful")["finder"] == "if2"
    assert parameters("--algorithm", "slicing")["finder"] == "challenge"


def test_every_finder_can_be_chosen():
    assert set(NAMES) == set(FINDERS)
