"""Recordings that are cut and resumed, studies, judges by code, and orders."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import antichain as ac

from . import runs
from .record import Case, call, clean, result_record, sha, sha_bytes

ITEMS = ["ale", "beer", "cider", "mead"]
STUDIES: dict[str, ac.Algorithm | None] = {
    "default": None,
    "witness, epsilon": ac.Witness(delta=0.3, decoy_gap=None, epsilon=0.3),
    "witness": ac.Witness(delta=0.3, decoy_gap=0.3),
    "witness, lost answers against": ac.Witness(
        delta=0.3, decoy_gap=0.3, rules=ac.Rules(lost="against")
    ),
    "unchained, epsilon": ac.UnchainedBandits(delta=0.3, decoy_gap=None, epsilon=0.3),
    "unchained, epsilon, paper": ac.UnchainedBandits(
        delta=0.3, decoy_gap=None, epsilon=0.3, rules=ac.Rules.paper()
    ),
    "unchained": ac.UnchainedBandits(delta=0.3, decoy_gap=0.3),
    "real decoys": ac.RealDecoys(delta=0.3, decoy_gap=0.3),
    "slicing": ac.SlicingBandits(delta=0.3),
    "uniform": ac.UniformSampling(delta=0.3, decoy_gap=0.3),
}


def cases() -> Iterator[Case]:
    """All cases of this module."""
    for name in runs.ALL:
        for batch in (None, 20):
            yield (
                f"recording / batch {batch} / {name}",
                lambda n=name, b=batch: _resumed(n, b, budget=None),
            )
        yield f"recording / budget 200 / {name}", lambda n=name: _resumed(n, None, budget=200)
    for name in STUDIES:
        yield f"study / {name}", lambda n=name: _study(n)
    yield "judge / one call at a time", lambda: _judged(concurrency=1)
    yield "judge / max_votes, then on", _judged_in_parts
    yield (
        "judge / items only",
        lambda: result_record(
            ac.judge(ITEMS, lambda left, right: "left" if left < right else "right", concurrency=1)
        ),
    )
    yield "posets", _posets
    yield "theory", _theory


def _resumed(name: str, batch: int | None, budget: int | None) -> dict[str, Any]:
    """A recorded run that is stopped twice, resumed twice, and replayed."""
    path = Path("run.jsonl")
    options: dict[str, Any] = {"seed": 2, "batch": batch, "budget": budget}

    def arena() -> ac.Arena:
        simulated = runs.simulated(runs.quick(), name, seed=9)
        return simulated if batch is None else ac.KeyedArena(simulated, seed=9)

    def stop_after(calls: int) -> Callable[[ac.Progress], None]:
        left = itertools.count(calls - 1, -1)

        def progress(_: ac.Progress) -> None:
            if next(left) == 0:
                raise KeyboardInterrupt

        return progress

    algorithm, stopped = runs.ALL[name], 0
    for calls in (2, 3):
        try:
            ac.find_front(
                arena(), algorithm, record=path, resume=True, progress=stop_after(calls), **options
            )
        except KeyboardInterrupt:
            stopped += 1
    if stopped == 2:  # as after a kill: half a line at the end
        with path.open("a", encoding="utf-8") as file:
            file.write('{"settled": [[0')
    resumed = ac.find_front(arena(), algorithm, record=path, resume=True, **options)
    whole = ac.find_front(arena(), algorithm, record="whole.jsonl", **options)
    replayed = ac.find_front(ac.Replay(path), algorithm, **options)
    content = path.read_bytes()
    return result_record(resumed) | {
        "stopped": stopped,
        "recording": sha_bytes(content),
        "recording_lines": content.count(b"\n"),
        "same_recording": content == Path("whole.jsonl").read_bytes(),
        "same_result": resumed == whole,
        "replayed": {"front": replayed.front, "duels": replayed.duels},
    }


def _clock() -> Callable[[], float]:
    ticks = itertools.count(1_000_000)
    return lambda: float(next(ticks))


def answer_to(ask: ac.StudyAsk, rng: random.Random, observable: bool) -> str:
    """Ale beats beer and cider beats mead, decoys too; the two kinds cannot be compared."""
    if (ask.left in ITEMS[:2]) != (ask.right in ITEMS[:2]):
        return "incomparable" if observable else rng.choice(["left", "right"])
    if rng.random() < 0.2:
        return rng.choice(["left", "right", "tie", "skipped"])
    if ask.decoy is None:
        return "left" if ask.left < ask.right else "right"
    whole, degraded = (ask.left, ask.right) if ask.decoy == "right" else (ask.right, ask.left)
    if whole > degraded:
        return rng.choice(["left", "right"])
    return "left" if ask.decoy == "right" else "right"


def vote(study: ac.Study, rng: random.Random, most: int) -> None:
    """Votes of several voters, some taken back, given up, doubled."""
    seen: list[ac.StudyAsk] = []
    for _ in range(most):
        if study.finished:
            return
        for ask in study.outstanding[:3] or study.ask(3, avoid=seen[-1:]):
            seen.append(ask)
            voter = rng.choice(["ann", "bob", None])
            if rng.random() < 0.05:
                study.expire(ask, reason="gone", cost=0.25)
                continue
            study.tell(
                ask,
                answer_to(ask, rng, study.algorithm.needs_observable),
                voter=voter,
                reason="so",
                cost=0.5,
            )
            if rng.random() < 0.05:
                study.tell(ask, "left", voter="late")
            if rng.random() < 0.08:
                study.undo(voter=voter)


def _study(name: str) -> dict[str, Any]:
    """A study that is begun, closed, opened again, finished, exported, read, certified."""
    rng, clock, path = random.Random(name), _clock(), Path("a.duels")
    with ac.Study.open(path, ITEMS, STUDIES[name], seed=3, now=clock) as study:
        vote(study, rng, 12)
        middle = _seen(study)
    looked_at = call("study", path, "--json")
    with ac.Study.open(path, now=clock) as study:
        reopened = _seen(study)
        vote(study, rng, 1_500)
        end = _seen(study)
        text = study.votes_csv()
    Path("votes.csv").write_text(text, "utf-8")
    exported = call("study", path, "--export", "exported.csv", "--quiet")
    return {
        "middle": middle,
        "same_when_reopened": reopened == middle,
        "end": end,
        "read": sha(_seen(ac.Study.read(path))) == sha(end),
        "file": sha_bytes(path.read_bytes()),
        "votes_csv": sha_bytes(text.encode()),
        "command_middle": looked_at,
        "command": call("study", path, "--json"),
        "exported": exported["code"],
        "same_export": Path("exported.csv").read_bytes() == Path("votes.csv").read_bytes(),
        "certificate": _certified(),
    }


def _certified() -> str:
    try:
        return sha(ac.front("votes.csv").to_dict())
    except ac.AntichainError as error:  # too few votes between items
        return type(error).__name__


def _seen(study: ac.Study) -> Any:
    votes = [vars(vote) for vote in study.votes()]
    return clean(
        {
            "result": result_record(study.result()),
            "progress": study.progress,
            "outstanding": study.outstanding,
            "votes": len(votes),
            "votes_sha256": sha(votes),
        }
    )


def _judged(**options: Any) -> dict[str, Any]:
    rng, path = random.Random(1), Path("judged.duels")
    calls = []

    def judge(left: str, right: str) -> tuple[str, float]:
        calls.append((left, right))
        better = "left" if left < right else "right"
        return (better if rng.random() < 0.85 else "tie"), 0.125

    with ac.Study.open(path, ITEMS, STUDIES["witness, epsilon"], seed=5, now=_clock()) as study:
        result = ac.judge(study, judge, **options)
        return {
            "result": result_record(result),
            "calls": len(calls),
            "calls_sha256": sha(calls),
            "cost": study.progress.cost,
            "file": sha_bytes(path.read_bytes()),
        }


def _judged_in_parts() -> dict[str, Any]:
    parts = [
        _judged(concurrency=1, max_votes=10),
        _judged(concurrency=1, max_cost=3.0),
        _judged(concurrency=1),
    ]
    return {"parts": parts}


def _posets() -> dict[str, Any]:
    """The generators and what they know of their orders."""
    made: dict[str, Any] = {}
    for law in ("uniform", "bradley-terry:1", "minimum:0.1", "small:0.2", "between:0.05:0.2"):
        made[f"layered, {law}"] = ac.posets.layered(3, 6, 4, seed=5, gaps=law)
        made[f"dominance, {law}"] = ac.posets.dominance(12, 3, seed=5, gaps=law)
    for parents in ("one", "all", "binomial:0.3"):
        made[f"layered, parents {parents}"] = ac.posets.layered(4, 6, 3, 5, parents=parents)
    made["chains"] = ac.posets.chains(3, [2, 3, 4], seed=5)
    made["dag"] = ac.posets.random_dag(14, 0.2, seed=5)
    made["total order"] = ac.posets.total_order(9, seed=5)
    return {name: _order(model) for name, model in made.items()}


def _order(model: Any) -> dict[str, Any]:
    poset = model.poset
    return {
        "gaps": sha(model.gaps.tolist()),
        "front": poset.front,
        "height": poset.height,
        "width": poset.width,
        "longest_chain": poset.longest_chain,
        "longest_antichain": poset.longest_antichain,
        "hasse": sha(poset.hasse_edges()),
        "distances": sha(model.distances().tolist()),
        "eps_front": model.eps_front(0.1),
        "eps_width": model.eps_width(0.1),
    }


def _theory() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, model in runs.posets().items():
        found[name] = {
            "limit": ac.theory.limit(model, delta=0.05, decoy_gap=0.1),
            "bounds": ac.theory.bounds_for(model, 0.05, 0.1, 0.9, 0.5),
        }
    return found
