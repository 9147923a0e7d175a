"""`antichain verify`: a certificate, held against the votes again."""

from pathlib import Path
from typing import Annotated

import typer

from antichain.cli import options, screen
from antichain.cli.vote_options import FILE_HELP, Reading, reads_votes

_MOST_SHOWN = 20


@reads_votes
def verify(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE", help="A file that `front -o` has written.")
    ],
    file: Annotated[str, typer.Argument(metavar="FILE", help=FILE_HELP)],
    reading: Reading,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compute a certificate again from the votes; exit 0 if all agrees, 1 if something differs.

    The options of reading are in the certificate; those given here go first.
    """
    from antichain.certify.reading import restored
    from antichain.certify.verification import read_certificate
    from antichain.certify.verification import verify as differences_of

    document = read_certificate(certificate)
    stored = restored(certificate, document.get("reading"))
    log = Reading(stored | reading.options).log(file, history=False)
    differences = differences_of(document, log)
    if json:
        screen.print_json({"agrees": not differences, "differences": differences})
    elif differences:
        for difference in differences[:_MOST_SHOWN]:
            screen.say(difference)
        if len(differences) > _MOST_SHOWN:
            screen.say(f"and {len(differences) - _MOST_SHOWN:,} more differences (see --json)")
    elif not quiet:
        screen.say(f"{certificate} agrees with {file} in everything")
    if differences:
        raise typer.Exit(1)
