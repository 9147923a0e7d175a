"""Where the duels of `Witness` go: what `duels.py --where` counts, and runs that cannot be.

The simulated order is known, so every duel can be put down to what it was good for. The runs that
cannot be ("if") hand `Witness` something that only the order's maker knows, or take away chance;
the duels they save are what the lack of it costs.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

import antichain as ac
from antichain import theory
from antichain.algorithms.witness import _witness
from antichain.algorithms.witness._choice import Chooser
from antichain.algorithms.witness._cover import cheapest_cover
from antichain.algorithms.witness._table import Table, played

Parts = dict[str, dict[str, float]]

IFS = {
    "if bets went as they go on average": {"chance"},
    "if all certificates were there from the start": {"certificates"},
    "if both": {"chance", "certificates"},
}
STEPS = {"_look": "looks", "_meet_again": "meeting the fallen again"}


class Traced(Table):
    """A table that counts who asked for its duels, and knows the true order."""

    above: np.ndarray
    given: set[str]
    made: list[Traced]

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        rows, columns = self.field, self.columns
        self.truth = self.above[np.ix_(rows, columns)]
        self.used = np.zeros_like(self.certified)
        self.wanted = np.zeros_like(self.certified)
        self.steps: Counter[str] = Counter()
        self.for_nobody = 0
        if "certificates" in self.given:
            self.certified[:, self.size :] |= self.truth[:, self.size :]
        self.made.append(self)

    def duel(self, targets):  # type: ignore[no-untyped-def]
        """Direct duels, put down to the function that asked for them."""
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        step = STEPS.get(frame.f_back.f_code.co_name)
        return self._duel(targets, step)

    def _duel(self, targets, step):  # type: ignore[no-untyped-def]
        before = played(self.direct)
        yield from super().duel(targets)
        new = played(self.direct) - before
        if step:
            self.steps[step] += int(new.sum())
        else:
            self.steps["certificates"] += int(new[self.wanted].sum())
            self.steps["doubts about witnesses"] += int(new[~self.wanted].sum())

    def duel_decoys(self, targets):  # type: ignore[no-untyped-def]
        """Decoy duels; every certificate above their columns is in use."""
        self.used |= self.certified & (targets > 0).any(axis=0)
        counts = (self.owed() > 0) @ self.certified
        before = played(self.decoy)
        yield from super().duel_decoys(targets)
        self.for_nobody += int((played(self.decoy) - before)[~counts].sum())

    @property
    def credit(self):  # type: ignore[no-untyped-def]
        """The bets, or what they would be on average where the row is not above the other."""
        bets = super().credit
        if "chance" not in self.given:
            return bets
        mean = self.drift * played(self._counting)
        return np.where(self.truth[:, : self.size], bets, mean)


class Watched(Chooser):
    """A chooser that tells the table which duels are for certificates."""

    def _wanted(self, *args):  # type: ignore[no-untyped-def]
        self.table.wanted = super()._wanted(*args)  # type: ignore[attr-defined]
        return self.table.wanted  # type: ignore[attr-defined]


@contextmanager
def traced(model: ac.DuelModel, given: set[str]) -> Iterator[list[Traced]]:
    """The tables of the runs inside."""
    kind = type("Traced", (Traced,), {"above": model.poset.above, "given": given, "made": []})
    with patch.object(_witness, "Table", kind), patch.object(_witness, "Chooser", Watched):
        yield kind.made  # type: ignore[attr-defined]


def where(model: ac.DuelModel, seed: int, delta: float, gap: float) -> Parts:
    """One run, its duels by step and by use; the limit's parts; runs that cannot be."""

    def run(given: set[str]) -> tuple[ac.Result, list[Traced]]:
        arena = ac.SimulatedArena(model, decoy_gap=gap, seed=seed)
        with traced(model, given) as tables:
            result = ac.find_front(arena, ac.Witness(delta=delta, decoy_gap=gap), seed=seed)
        return result, tables

    result, tables = run(set())
    limit = theory.limit(model, delta, gap)
    steps: Counter[str] = Counter()
    steps["peel"] = sum(epoch.duels for epoch in result.epochs if epoch.name != "settle")
    for table in tables:
        steps.update(table.steps)
    steps["decoys"] = result.decoy_duels
    front = model.front_mask()
    last = tables[-1] if tables else None
    return {
        "limit": {
            "limit": limit.limit,
            "front": limit.front_part,
            "dominated": limit.dominated_part,
        },
        "counts": {
            "over_limit": result.duels / limit.limit,
            "wrong": float(set(result.front) != set(model.front)),
            "tests of the limit": sum(limit.cover),
            "survivors of the peel": last.size if last else 1,
            "dominated survivors": int((~front[last.field]).sum()) if last else 0,
        },
        "run": {"duels": result.duels},
        "steps": dict(steps),
        "direct": dict(_uses_of_direct(tables)),
        "decoys": dict(_uses_of_decoys(last, front)) if last else {},
        "cover": _covers(last, front) if last else {},
        "if": {name: run(given)[0].duels for name, given in IFS.items()},
    }


def _uses_of_direct(tables: list[Traced]) -> Counter[str]:
    """What direct duels after the peel were good for."""
    uses: Counter[str] = Counter()
    for table in tables:
        new = played(table.direct)
        new[:, : table.size] = 0  # played while peeling
        met = played(table.decoy) > 0
        below = table.above[np.ix_(table.columns, table.field)].T
        kinds = {
            "certificate in use": table.used,
            "certificate never used": table.certified & ~table.used,
            "ordered, not certified": table.truth & ~table.certified,
            "incomparable, decoy met": ~table.truth & ~below & met,
            "incomparable, decoy not met": ~table.truth & ~below & ~met,
            "the fallen item is above": below,
        }
        uses.update({name: int(new[mask].sum()) for name, mask in kinds.items()})
    return uses


def _uses_of_decoys(table: Traced, front: np.ndarray) -> Counter[str]:
    """What duels against decoys were good for."""
    new = played(table.decoy)
    row = front[table.field][:, None]
    column = front[table.columns][None, :]
    in_field = np.arange(table.columns.size)[None, :] < table.size
    kinds = {
        "front item against a front item's": row & column,
        "front item against a witness's": row & ~column & ~in_field & ~table.truth,
        "front item against one's that it is above": row & ~in_field & table.truth,
        "front item against a dominated survivor's": row & ~column & in_field,
        "by dominated survivors": np.broadcast_to(~row, new.shape),
    }
    uses = Counter({name: int(new[mask].sum()) for name, mask in kinds.items()})
    uses["(of these, asked when they counted for nobody)"] = table.for_nobody
    return uses


def _covers(table: Traced, front: np.ndarray) -> dict[str, float]:
    """Decoy duels of front items with each other, if every bet went as on average."""
    rows = np.flatnonzero(front[table.field])
    known = {"true order": table.truth.copy(), "certificates at the end": table.certified.copy()}
    needs = np.full(rows.size - 1, table.goal / table.drift)
    duels = {}
    for name, covering in known.items():
        covering[np.arange(table.size), np.arange(table.size)] = True
        total = 0.0
        for row in rows if rows.size > 1 else ():
            others = rows[rows != row]
            columns = ~table.truth[row] & covering[others].any(axis=0)
            columns[row] = False
            kinds = np.unique(covering[np.ix_(others, np.flatnonzero(columns))], axis=1)
            total += float(cheapest_cover(kinds, np.ones(kinds.shape[1]), needs).sum())
        duels[name] = total
    return duels


def means(runs: list[Parts]) -> Parts:
    """Every number's mean over runs."""
    return {
        part: {name: sum(run[part].get(name, 0) for run in runs) / len(runs) for name in names}
        for part, names in {part: _names(runs, part) for part in runs[0]}.items()
    }


def _names(runs: list[Parts], part: str) -> list[str]:
    return [*dict.fromkeys(name for run in runs for name in run[part])]


def as_table(means: Parts) -> str:
    """Markdown: each part of the duels, and what it is of the limit."""
    limit = means["limit"]["limit"]
    lines = ["| | duels | ÷ limit |", "| --- | ---: | ---: |"]
    for part in ("limit", "run", "steps", "decoys", "direct", "cover", "if"):
        lines += [
            f"| {part}: {name} | {value:,.0f} | {value / limit:.3f} |"
            for name, value in means[part].items()
        ]
    return "\n".join(lines)
