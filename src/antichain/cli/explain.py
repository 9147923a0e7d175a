"""`antichain explain`: why an item is in, out or undecided, in words."""

from typing import Annotated

import typer

from antichain.cli import options, screen
from antichain.cli.front import DecoyGap, Delta, Epsilon, SplitText, split_from
from antichain.cli.vote_options import FILE_HELP, Reading, reads_votes


@reads_votes
def explain(
    item: Annotated[str, typer.Argument(metavar="ITEM", help="The item's name.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help=FILE_HELP)],
    reading: Reading,
    delta: Delta = 0.05,
    epsilon: Epsilon = 0.05,
    split: SplitText = None,
    decoy_gap: DecoyGap = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say in words why an item is in, out or undecided."""
    from antichain.certify import certify
    from antichain.certify.wording import explain as in_words

    shares = split_from(split)
    log = reading.log(file, history=False)
    found = certify(log, delta, epsilon, shares, decoy_gap=decoy_gap)
    words = in_words(found, item)
    if json:
        screen.print_json({"item": item, "status": found.status(item), "why": words})
    elif quiet:
        screen.say(found.status(item))
    else:
        screen.say(words)
