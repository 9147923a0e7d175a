"""`antichain demo`: the front of an example poset, found live."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain.cli import options, screen
from antichain.cli.runs import Record, Setting, limit_of, record_of, run_once, warm_up
from antichain.errors import MissingExtraError

if TYPE_CHECKING:
    from antichain.orders import DuelModel
    from antichain.theory import Bounds

_DIAGRAM = "antichain-demo.png"


def demo(
    seed: options.Seed = 0,
    output: Annotated[
        Path | None,
        options.output(
            "The diagram: a .svg, .png or .pdf file, written with --quiet and --json too.  "
            f"[default: {_DIAGRAM} in this directory, or antichain-demo-2.png and so on]"
        ),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the front of an example, and draw it."""
    from antichain import files
    from antichain.plots import hasse

    path = output if output is not None else _free_name(Path(_DIAGRAM))
    files.check_target(path, force)
    kind = hasse.suffix_of(path)
    drawn = _can_draw(asked=output is not None, quiet=quiet)
    setting = Setting()
    model = setting.source.model(seed)
    if not quiet and not json:
        screen.say(
            f"{screen.size_of(model)}, which nobody is told; "
            f"δ = {setting.delta:g}, decoys at Δ = {setting.decoy_gap:g}"
        )
    record, bounds = _find(setting, model, seed, quiet)
    if drawn:
        picture = hasse.render(
            model.poset, kind, found=_listed(record["front"]), title=_title(record)
        )
        files.write_bytes(path, picture, force)
    record["diagram"] = str(path) if drawn else None
    if json:
        screen.print_json({**record, "bounds": bounds.to_dict()})
    else:
        _show(record, bounds, quiet)
    if not record["certified"]:
        raise typer.Exit(1)


def _find(setting: Setting, model: "DuelModel", seed: int, quiet: bool) -> tuple[Record, "Bounds"]:
    from antichain.algorithms.witness import Witness
    from antichain.theory import bounds_for

    assert setting.decoy_gap is not None  # the demo has decoys
    bounds = bounds_for(model, setting.delta, setting.decoy_gap, setting.gamma, setting.epsilon0)
    phases = Witness(decoy_gap=setting.decoy_gap).phases(model.size)
    with screen.Bar(quiet, total=phases, lines=True) as bar:
        warm_up(setting)
        result, seconds = run_once(setting, model, seed, progress=bar.front)
    limit = limit_of(setting, model)
    return record_of(setting, model, limit, seed, result, seconds), bounds


def _show(record: Record, bounds: "Bounds", quiet: bool) -> None:
    front = screen.names(_listed(record["front"]))
    if quiet:
        screen.say(front)
        return
    rows = {
        "front found": front + ("" if record["certified"] else " (not certified)"),
        "true front": screen.names(_listed(record["true_front"])),
        "": "correct" if record["correct"] else "WRONG",
        "duels": f"{record['duels']:,}: {record['direct_duels']:,} direct, "
        f"{record['decoy_duels']:,} with decoys",
        "regret": f"{record['regret']:,.1f} ({record['regret_with_decoys']:,.1f} with the decoys')",
        "limit": f"{record['limit']:,.0f} duels, below which no method can go on average",
        "Theorem 1": f"at most {bounds.unchained_duels:.2e} duels, peeling and decoys",
        "Theorem 2": f"at most {bounds.regret:.2e} regret, peeling and decoys",
        "each pair": f"at most {bounds.decoy_comparison_duels:,.0f} duels "
        "(the paper's bound on one decoy comparison)",
        "time": f"{record['seconds']:.3f} s, compiling left out",
        "diagram": record["diagram"] or "not drawn",
    }
    for name, value in rows.items():
        screen.say(f"{name:>14}  {value}")


def _title(record: Record) -> str:
    verdict = "found exactly" if record["correct"] else "not found exactly"
    return f"{record['items']} items, front {verdict} with {record['duels']:,} duels"


def _can_draw(asked: bool, quiet: bool) -> bool:
    """Whether there is something to draw with; only a diagram that was asked for insists on it."""
    from antichain.plots import hasse

    try:
        hasse.require_matplotlib()
    except MissingExtraError as error:
        if asked:
            raise
        if not quiet:
            screen.warn(str(error))
        return False
    return True


def _free_name(wanted: Path) -> Path:
    """`wanted`, or the first of its numbered versions that does not exist yet."""
    candidate, number = wanted, 1
    while candidate.exists():
        number += 1
        candidate = wanted.with_stem(f"{wanted.stem}-{number}")
    return candidate


def _listed(value: object) -> list[str]:
    return list(value) if isinstance(value, list) else []
