"""`antichain generate` and `draw`: random posets as files, and files as Hasse diagrams."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from antichain._limits import DRAWN_ITEMS
from antichain._text import listing
from antichain.cli import _options, _screen
from antichain.errors import FileError, ParameterError

if TYPE_CHECKING:
    from antichain.orders import DuelModel


# The generator of each kind of poset, and its own options with their defaults.
RECIPES: dict[str, tuple[str, dict[str, int | float | str]]] = {
    "layered": ("layered", {"front": 5, "width": 10, "height": 10, "parents": "uniform"}),
    "total-order": ("total_order", {"items": 10}),
    "antichain": ("antichain", {"items": 20}),
    "chains": ("chains", {"chains": 10, "length": 10}),
    "dominance": ("dominance", {"items": 50, "dimensions": 2}),
    "dag": ("random_dag", {"items": 50, "probability": 0.1}),
}
_ARGUMENTS = {"items": "n", "chains": "count"}  # what generators call these options


def _default(option: str) -> str:
    """The default of one kind's own option as help states it, of several kinds each with its own.

    >>> _default("chains"), _default("items")
    ('[default: 10]', '[default: 10 for total-order, 20 for antichain, 50 for dominance and dag]')
    """
    kinds: dict[object, list[str]] = {}
    for kind, (_, own) in RECIPES.items():
        if option in own:
            kinds.setdefault(own[option], []).append(kind)
    if sum(map(len, kinds.values())) == 1:
        return f"[default: {next(iter(kinds))}]"
    each = (f"{value} for {' and '.join(names)}" for value, names in kinds.items())
    return f"[default: {', '.join(each)}]"


def generate(
    kind: Annotated[str, _options.choice("--kind", RECIPES, "Kind of poset.")] = "layered",
    front: _options.Front = None,
    width: _options.Width = None,
    height: _options.Height = None,
    parents: _options.Parents = None,
    items: Annotated[
        int | None,
        _options.count("--items", f"Number of items.  {_default('items')}"),
    ] = None,
    chains: Annotated[
        int | None, _options.count("--chains", f"Number of chains.  {_default('chains')}")
    ] = None,
    length: Annotated[
        int | None,
        _options.count("--length", f"Number of items in each chain.  {_default('length')}"),
    ] = None,
    dimensions: Annotated[
        int | None,
        _options.count(
            "--dimensions", f"Number of coordinates of a dominance order.  {_default('dimensions')}"
        ),
    ] = None,
    probability: Annotated[
        float | None,
        _options.number(
            "--probability",
            f"Chance of each edge of a dag.  {_default('probability')}",
            *(0, 1),
            high_too=True,
        ),
    ] = None,
    gaps: _options.Gaps = None,
    seed: _options.Seed = 0,
    output: Annotated[
        Path | None, _options.output("Poset file to write (or use --json to print it).")
    ] = None,
    force: _options.Force = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Generate a random poset, and write it to a file.

    The options from --front to --parents are for the paper's layered posets, and those from --items
    to --probability for the other kinds.
    """
    from antichain import _files

    given = {
        "front": front, "width": width, "height": height, "parents": parents, "items": items,
        "chains": chains, "length": length, "dimensions": dimensions, "probability": probability,
    }  # fmt: skip
    if output is None and not json:
        raise ParameterError("generate needs --output FILE, or --json to print the poset")
    if output is not None:
        _files.check_target(output, force)
    meta = {"kind": kind, **_settings(kind, given), "gaps": gaps or "uniform", "seed": seed}
    model = _draw(kind, meta)
    # What the generator was asked for and what came out may differ: the true shape is recorded.
    meta["true"] = {
        "front": len(model.front),
        "width": model.poset.width,
        "height": model.poset.height,
    }
    if output is not None:
        _files.write_poset(output, model, meta, force)
    if json:
        _screen.print_file(_files.json_text(_files.poset_document(model, meta)))
    elif not quiet:
        _screen.say(f"{output}: {_screen.size_of(model)}")


def _settings(kind: str, given: dict[str, int | float | str | None]) -> dict[str, object]:
    """The options of one kind; those of another kind are refused."""
    own = RECIPES[kind][1]
    for name, value in given.items():
        if value is not None and name not in own:
            takes = listing([f"--{option}" for option in own])
            raise ParameterError(
                f"--{name} is given with --kind {kind}, but --kind {kind} takes {takes} instead"
            )
    return {name: default if given[name] is None else given[name] for name, default in own.items()}


def _draw(kind: str, meta: dict[str, object]) -> "DuelModel":
    from antichain.orders import _generators

    generator, own = RECIPES[kind]
    arguments = {_ARGUMENTS.get(name, name): meta[name] for name in own}
    make = getattr(_generators, generator)
    model: DuelModel = make(**arguments, seed=meta["seed"], gaps=meta["gaps"])
    return model


def _no_other(path: Path) -> Path:
    """The path, unless a file of another kind is there; said before an option is missed."""
    from antichain._files import check_begins_as_poset

    check_begins_as_poset(path)
    return path


def draw(
    poset: Annotated[
        Path, typer.Argument(metavar="FILE", help="A poset file.", callback=_no_other)
    ],
    output: Annotated[Path, _options.output("Picture to write (.svg, .png or .pdf).")],
    title: Annotated[
        str | None, _options.word("--title", "TEXT", "Title above the diagram.")
    ] = None,
    force: _options.Force = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Draw the Hasse diagram of a poset file."""
    from antichain import _files
    from antichain.plots import _hasse, _pictures

    _files.check_targets([output], force, [poset])
    kind = _hasse.suffix_of(output)
    model = _files.read_poset(poset)
    if model.size > DRAWN_ITEMS:
        raise FileError(
            f"{poset} has {model.size:,} items, but at most {DRAWN_ITEMS:,} can be drawn"
        )
    _files.write_bytes(output, _hasse.render(model.poset, kind, title=title), force)
    if not quiet and (missing := _pictures.missing([*model.items, title or ""])):
        _screen.warn(
            f"no installed font has {_screen.names(missing)}: the picture shows "
            f"{'a box' if len(missing) == 1 else 'boxes'} instead"
        )
    if json:
        _screen.print_json({"output": str(output), "items": model.size, "front": list(model.front)})
    elif not quiet:
        _screen.say(f"{output}: {_screen.size_of(model)}")
