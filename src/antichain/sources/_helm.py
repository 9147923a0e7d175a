"""Runs of HELM, read as a table of scores: a folder for what one model did in one scenario."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from antichain._files import read_json
from antichain.errors import FileError
from antichain.sources._chunks import Flaw
from antichain.sources._lm_eval import DEPTHS, SampleRows, Samples

_FILE = "per_instance_stats.json"
_RUN = re.compile(r"(?P<before>.*?)[:,]model=(?P<model>[^,]+)(?P<after>.*)")
_PREFERRED = ("exact_match", "quasi_exact_match", "final_number_exact_match",
              "math_equiv_chain_of_thought", "chain_of_thought_correctness",
              "ifeval_strict_accuracy", "f1_score", "rouge_l", "bleu_4")  # fmt: skip


def helm_runs(folder: Path) -> SampleRows | None:
    """The runs in a folder; None where it has none."""
    files = [_run(path) for path in run_files(folder)]
    return SampleRows(str(folder), files, "HELM") if files else None


def run_files(folder: Path) -> list[Path]:
    """The files of the runs in a folder."""
    return sorted(path for depth in DEPTHS for path in folder.glob("*/" * depth + _FILE))


def _run(path: Path) -> Samples:
    """A run, whose folder is called like mmlu:subject=anatomy,model=openai_gpt2."""
    named = _RUN.fullmatch(path.parent.name)
    if named is None:
        raise FileError(
            f"{path.parent} is a folder with a HELM run, but a name such as "
            "mmlu:subject=anatomy,model=NAME was expected"
        )
    row: dict[str, Any] = next((r for _, r in _instances(path) if not isinstance(r, Flaw)), {})
    metrics = tuple(name for name in row if name != "doc_id")
    metric = next((name for name in _PREFERRED if name in metrics), None)
    task = named["before"] + named["after"]
    return Samples(path, named["model"], task, None, metric, metrics, _instances)


def _instances(path: Path) -> Iterator[tuple[int, Any]]:
    """The scores of each instance, but those of perturbed ones."""
    document = read_json(path)
    for number, entry in enumerate(document if isinstance(document, list) else [document], 1):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("stats"), list):
            yield number, Flaw("json", "has no stats, but those of an instance were expected")
        elif not entry.get("perturbation"):
            stats = (stat for stat in entry["stats"] if isinstance(stat, Mapping))
            named = {_metric(stat): _mean(stat) for stat in stats}
            plain = {name: mean for name, mean in named.items() if name and mean is not None}
            yield number, {"doc_id": entry.get("instance_id", number)} | plain


def _metric(stat: Mapping[str, Any]) -> str | None:
    name = stat.get("name")
    if not isinstance(name, Mapping) or name.get("perturbation"):
        return None
    return str(name.get("name"))


def _mean(stat: Mapping[str, Any]) -> float | None:
    total, count, mean = (stat.get(name) for name in ("sum", "count", "mean"))
    if isinstance(mean, int | float):
        return mean
    return total / count if isinstance(total, int | float) and count else None
