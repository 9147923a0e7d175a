"""`antichain draw`: a poset file as a Hasse diagram."""

from pathlib import Path
from typing import Annotated

import typer

from antichain.cli import screen
from antichain.cli.options import Force, Json, Quiet


def draw(
    poset: Annotated[Path, typer.Argument(help="A poset file.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The picture: a .svg, .png or .pdf file.")
    ],
    title: Annotated[str | None, typer.Option("--title", help="A line above the diagram.")] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw the Hasse diagram of a poset file, its front highlighted."""
    from antichain import files
    from antichain.plots import hasse

    kind = hasse.suffix_of(output)
    files.check_target(output, force)
    model = files.read_poset(poset)
    files.write_bytes(output, hasse.render(model.poset, kind, title=title), force)
    if json:
        screen.print_json({"output": str(output), "items": model.size, "front": list(model.front)})
    elif not quiet:
        screen.say(f"{output}: {model.size} items, {len(model.front)} of them on the front")
