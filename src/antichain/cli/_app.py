"""The commands, put together."""

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from antichain._text import encodable
from antichain.cli import _screen
from antichain.cli._bounds import bounds, limit
from antichain.cli._decoys import decoys
from antichain.cli._demo import demo
from antichain.cli._front import explain, front, verify
from antichain.cli._matrix import matrix
from antichain.cli._movielens import movielens
from antichain.cli._next import next_
from antichain.cli._plan import plan
from antichain.cli._poset_files import draw, generate
from antichain.cli._ratings import ratings
from antichain.cli._reproduce import reproduce
from antichain.cli._serve import serve
from antichain.cli._simulate import simulate
from antichain.cli._vote import study, vote
from antichain.errors import AntichainError, ParameterError

app = typer.Typer(
    name="antichain",
    help="Who are the best? The set of maximal items from noisy pairwise votes.",
    add_completion=False,
    rich_markup_mode=None,  # it would read [default: 5] as markup and between:M:S as an emoji
    context_settings={"help_option_names": ["-h", "--help"]},
)
_IN_SHORT: dict[Callable[..., None], str | None] = {
    # Where a command's own first sentence does not fit into the list of commands
    demo: None,
    front: "Which items of a log of votes are in, out or undecided, and why.",
    explain: None,
    verify: "Compute a certificate again from the votes.",
    matrix: "The order in a matrix of preferences, and its front.",
    next_: None,
    serve: "Let people vote in their browsers, and see the front live.",
    vote: "Vote on pairs of items at the terminal.",
    study: "Look at a study: how far it is, and the votes as CSV.",
    generate: None,
    simulate: None,
    plan: None,
    bounds: None,
    limit: "Print the mean number of duels below which no method can go.",
    draw: None,
    reproduce: "Run the paper's experiments: tables, figures, claims.",
    movielens: "Find the front of films in a release of MovieLens.",
    ratings: "Find the front of the items in a table of ratings.",
}
for command, short in _IN_SHORT.items():
    app.command(command.__name__.rstrip("_"), short_help=short)(command)
app.add_typer(decoys, short_help="Make decoys of items, and check that they can serve.")

# typer carries a click of its own or uses the installed one, depending on its version; this is
# the class of every complaint about arguments in either.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code; every error is raised as an AntichainError."""
    command = typer.main.get_command(app)
    _spell_out_help(command)
    subcommand: str | None = None
    try:
        # Not command.main(): it has exit codes of its own for interrupts and closed pipes.
        with command.make_context("antichain", list(arguments)) as context:
            try:
                command.invoke(context)
            finally:
                subcommand = context.invoked_subcommand
    except typer.Exit as done:
        return done.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except _UsageError as error:
        # typer words some complaints as pydantic does, with this in front.
        sentence = error.format_message().replace("Value error, ", "")  # type: ignore[attr-defined]
        raise ParameterError(_worded(sentence, subcommand)) from error
    except ParameterError as error:
        raise ParameterError(_worded(str(error), subcommand)) from error
    except AntichainError as error:
        raise type(error)(str(error).rstrip(".")) from error
    return 0


def _spell_out_help(command: Any) -> None:
    """Keep to the letters that stdout has: typer would print others on an ASCII stdout too."""
    plain = command.get_help
    command.get_help = lambda context: encodable(plain(context), sys.stdout.encoding or "utf-8")
    for subcommand in getattr(command, "commands", {}).values():
        _spell_out_help(subcommand)


def _worded(complaint: str, subcommand: str | None) -> str:
    """An error about options without its full stop, and with a pointer to the help."""
    path = f"antichain {subcommand}" if subcommand else "antichain"
    return f"{complaint.rstrip('.')} (see {path} --help)"


def _show_version(wanted: bool) -> None:
    if wanted:
        from antichain import __version__

        _screen.say(f"antichain {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        _screen.say_lines(context.get_help())
