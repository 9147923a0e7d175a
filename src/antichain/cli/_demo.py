"""`antichain demo`: the front of an example poset, found live."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain.cli import _options, _screen
from antichain.errors import MissingExtraError

if TYPE_CHECKING:
    from antichain._trials import Record
    from antichain.orders import DuelModel
    from antichain.theory import Bounds

_DIAGRAM = "antichain-demo.png"
_DELTA, _DECOY_GAP = 0.001, 0.01  # the paper's


def demo(
    seed: _options.Seed = 0,
    output: Annotated[
        Path | None,
        _options.output(
            "File for the diagram (.svg, .png or .pdf); --quiet and --json write it too.  "
            f"[default: {_DIAGRAM} in this directory, or antichain-demo-2.png and so on]"
        ),
    ] = None,
    force: _options.Force = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Find the front of an example, and draw it."""
    from antichain import _files
    from antichain._trials import Layered
    from antichain.plots import _hasse
    from antichain.theory import bounds_for

    path = output if output is not None else _free_name(Path(_DIAGRAM))
    _files.check_target(path, force)
    kind = _hasse.suffix_of(path)
    missing = _why_not_drawn(asked=output is not None)
    model = Layered().model(seed)
    if not quiet and not json:
        _screen.say(
            f"{_screen.size_of(model)}, which the method must find; "
            f"δ = {_DELTA:g}, decoys at Δ = {_DECOY_GAP:g}"
        )
    record = _find(model, seed, quiet)
    bounds = bounds_for(model, _DELTA, _DECOY_GAP, gamma=0.9, epsilon0=0.5)
    if missing is None:
        picture = _hasse.render(model.poset, kind, found=record["front"], title=_title(record))
        _files.write_bytes(path, picture, force)
    record["diagram"] = str(path) if missing is None else None
    if json:
        if missing is not None and not quiet:
            _screen.warn(missing)
        _screen.print_json({**record, "bounds": bounds.to_dict()})
    else:
        _show(record, bounds, missing, quiet)
    if not record["certified"]:
        raise typer.Exit(1)


def _find(model: "DuelModel", seed: int, quiet: bool) -> "Record":
    from antichain._trials import limit_of, run, warm_up
    from antichain.algorithms.witness._witness import Witness

    method = Witness(delta=_DELTA, decoy_gap=_DECOY_GAP)
    with _screen.Bar(quiet, total=method.phases(model.size), lines=True) as bar:
        warm_up(method)
        found = run(method, model, seed, progress=bar.front)
    return found.record(limit_of(method, model))


def _show(record: "Record", bounds: "Bounds", missing: str | None, quiet: bool) -> None:
    if quiet:
        _screen.say_items(record["front"], "no item is on the front")
        return
    front = _screen.names(record["front"])
    rows = {
        "front found": front + ("" if record["certified"] else " (not certified)"),
        "true front": _screen.names(record["true_front"]),
        "": "correct" if record["correct"] else "WRONG",
        "duels": f"{record['duels']:,}: {record['direct_duels']:,} direct, "
        f"{record['decoy_duels']:,} with decoys",
        "regret": f"{record['regret']:,.1f} ({record['regret_with_decoys']:,.1f} including decoys)",
        "limit": f"{record['limit']:,.0f} duels; no method needs fewer on average",
        "Theorem 1": f"at most {bounds.unchained_duels:.2e} duels, peeling and decoys",
        "Theorem 2": f"at most {bounds.regret:.2e} regret, peeling and decoys",
        "each pair": f"at most {bounds.decoy_comparison_duels:,.0f} duels "
        "(the paper's bound on one decoy comparison)",
        "time": f"{record['seconds']:.3f} s (the very first run takes longer, because it compiles)",
        "diagram": record["diagram"] or f"not drawn: {missing}",
    }
    for name, value in rows.items():
        _screen.say(f"{name:>14}  {value}")


def _title(record: "Record") -> str:
    duels = _screen.counted(record["duels"], "duel")
    verdict = "found exactly" if record["correct"] else "not found exactly"
    return f"{_screen.counted(record['items'], 'item')}, front {verdict} with {duels}"


def _why_not_drawn(asked: bool) -> str | None:
    """Why nothing can be drawn, if so; a diagram that was asked for is then an error."""
    from antichain.plots import _hasse

    try:
        _hasse.require_matplotlib()
    except MissingExtraError as error:
        if asked:
            raise
        return str(error)
    return None


def _free_name(wanted: Path) -> Path:
    """`wanted`, or the first of its numbered versions that does not exist yet."""
    candidate, number = wanted, 1
    while candidate.exists():
        number += 1
        candidate = wanted.with_stem(f"{wanted.stem}-{number}")
    return candidate
