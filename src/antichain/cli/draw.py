"""`antichain draw`: a poset file as a Hasse diagram."""

from pathlib import Path
from typing import Annotated

import typer

from antichain.cli import options, screen


def draw(
    poset: Annotated[Path, typer.Argument(metavar="FILE", help="A poset file.")],
    output: Annotated[Path, options.output("The picture: a .svg, .png or .pdf file.")],
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="Words above the diagram.")
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Draw the Hasse diagram of a poset file."""
    from antichain import files
    from antichain.plots import hasse, pictures

    files.check_target(output, force)
    kind = hasse.suffix_of(output)
    model = files.read_poset(poset)
    files.write_bytes(output, hasse.render(model.poset, kind, title=title), force)
    if not quiet and (missing := pictures.missing([*model.items, title or ""])):
        screen.warn(
            f"no font here has {screen.names(missing)}: the picture shows "
            f"{'a box' if len(missing) == 1 else 'boxes'} instead"
        )
    if json:
        screen.print_json({"output": str(output), "items": model.size, "front": list(model.front)})
    elif not quiet:
        screen.say(f"{output}: {screen.size_of(model)}")
