"""The commands, put together."""

from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from antichain._interrupts import interrupts_as_such
from antichain.cli import _help, _screen
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

_START = """\
Find the items that no other item beats, from noisy pairwise votes.

\b
Start here:
  antichain front votes.csv   if you have votes, scores or rankings in a file
  antichain serve items.txt   if you want people to vote in their browsers
  antichain demo              if you want to see a simulated example first
"""
_MORE = "More: antichain help COMMAND; about reading files: antichain help reading."

app = typer.Typer(
    name="antichain",
    cls=_help.CommandList,
    help=_START,
    epilog=_MORE,
    add_completion=False,
    rich_markup_mode=None,  # it would read [default: 5] as markup and between:M:S as an emoji
    context_settings={"help_option_names": ["-h", "--help"]},
)
_PATHS: dict[str, dict[Callable[..., None] | typer.Typer, str]] = {
    "I have votes": {
        front: "Say which items are among the best.",
        explain: "Explain why an item is in, out or undecided.",
        verify: "Check a certificate against the votes.",
        next_: "List the pairs to vote on next.",
        matrix: "Find the front of a matrix of preferences.",
        ratings: "Find the best items in a table of ratings.",
    },
    "I want votes": {
        serve: "Let people vote in their browsers, and watch the front live.",
        vote: "Vote at the terminal.",
        study: "Show how far along a study is, and export its votes.",
        plan: "Forecast how many votes a study needs.",
        decoys: "Make decoys of your items, and check them.",
    },
    "I study bandits": {
        demo: "Find the front of an example, and draw it.",
        generate: "Generate a random poset.",
        draw: "Draw the Hasse diagram of a poset.",
        simulate: "Run an algorithm against simulated voters.",
        bounds: "Print the bounds of the paper's theorems.",
        limit: "Print a lower bound on the number of duels that any method needs.",
        reproduce: "Run the paper's experiments.",
        movielens: "Run the paper's experiment on MovieLens ratings.",
    },
}
for heading, commands in _PATHS.items():
    for command, short in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, short_help=short, rich_help_panel=heading)
            continue
        reads = hasattr(command, "reads_votes")
        app.command(
            command.__name__.rstrip("_"),
            short_help=short,
            rich_help_panel=heading,
            epilog=_help.POINTER if reads else None,
        )(command)
app.command("help", hidden=True)(_help.help_)

# typer carries a click of its own or uses the installed one, depending on its version; this is
# the class of every complaint about arguments in either.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code; every error is raised as an AntichainError."""
    root = typer.main.get_command(app)
    _help.make_plain(root)
    _help.refuse_empty_names(root)
    command, path = _help.named(root, arguments)
    try:
        _help.refuse_both_ways(command, arguments)
        # Not root.main(): it has exit codes of its own for interrupts and closed pipes.
        with interrupts_as_such(), root.make_context("antichain", list(arguments)) as context:
            root.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except (_UsageError, ParameterError) as error:
        raise _help.worded(error, command, path, arguments) from error
    except AntichainError as error:
        raise type(error)(str(error).rstrip(".")) from error
    return 0


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
