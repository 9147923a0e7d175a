"""Pages of help, and complaints about a command line that lead to the right one.

`antichain --help` lists the commands under the headings of their panels. Options that are declared
hidden because a topic lists them have their page in `antichain help TOPIC`.
"""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from antichain._text import as_argument, did_you_mean, encodable, listing, shown
from antichain.cli import _screen
from antichain.cli._vote_options import READING
from antichain.errors import ParameterError

READING_TOPIC = "reading"
POINTER = f"Options for reading files: antichain help {READING_TOPIC}"
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
_MOST_NAMED = 4  # commands named in a hint
_PATHS = ("FILE", "FILES", "DIR", "ITEMS", "CERTIFICATE")  # what is called so is a path
_READERS = ("front", "explain", "verify", "next")
_ABOUT_READING = (
    f"Options for reading files, shared by {', '.join(_READERS[:-1])} and {_READERS[-1]}.\n\n"
    "Most files need none of them: antichain guesses the columns and reports its guess. Use these "
    "options where a guess is wrong, or to add what the file does not say."
)


class CommandList(typer.core.TyperGroup):
    """The commands of antichain, each under the heading of its panel."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        super().format_help_text(ctx, formatter)
        panels: dict[str, list[Any]] = {}
        for command in self.commands.values():
            if not command.hidden:
                panels.setdefault(str(command.rich_help_panel), []).append(command)  # type: ignore[attr-defined]
        widest = max(len(str(name)) for name in self.commands)
        for heading, commands in panels.items():
            with formatter.section(heading):
                room = formatter.width - 6 - widest
                formatter.write_dl(
                    [(f"{one.name:{widest}}", one.get_short_help_str(room)) for one in commands]
                )

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Nothing: they stand above the options."""


def help_(
    context: typer.Context,
    about: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND]", help=f"A command, or the word {READING_TOPIC}."),
    ] = None,
) -> None:
    """Explain a command, or list the options for reading files (antichain help reading)."""
    page = context.parent
    assert page is not None
    if about and about[0] == READING_TOPIC:
        if about[1:]:
            raise ParameterError(
                f"{shown(about[1])} was given after {READING_TOPIC}, which is a page of its own"
            )
        _screen.say_lines(_reading_page(page))
        return
    for word in about or ():
        commands = getattr(page.command, "commands", None)
        if commands is None:
            raise ParameterError(
                f"{shown(word)} was given after {page.info_name}, which has no commands of its own"
            )
        command = commands.get(word)
        if command is None:
            known = [*commands, READING_TOPIC]
            raise unknown(word, known, f"an {page.command_path} command")
        page = type(context)(command, info_name=word, parent=page)
    _screen.say_lines(page.get_help())


def _reading_page(root: Any) -> str:
    command = root.command.commands[_READERS[0]]
    context = type(root)(command, info_name=command.name, parent=root)
    params = {param.name: param for param in command.params}
    formatter = context.make_formatter()
    formatter.write_text(_ABOUT_READING)
    for heading, options in READING.items():
        for name in options:
            params[name].hidden = False
        with formatter.section(heading):
            formatter.write_dl([params[name].get_help_record(context) for name in options])
    return str(formatter.getvalue()).rstrip("\n")


def make_plain(command: Any) -> None:
    """Keep pages of help to what people read, in letters that stdout has.

    Without this, typer names the Python type of each argument, and prints on an ASCII stdout
    letters that are not in it.
    """
    plain = command.get_help
    command.get_help = lambda context: encodable(plain(context), sys.stdout.encoding or "utf-8")
    for param in command.params:
        if param.param_type_name == "argument":
            name = f"{param.metavar}..." if param.nargs != 1 else str(param.metavar)
            piece = name if param.required or name.startswith("[") else f"[{name}]"
            param.get_usage_pieces = lambda context, piece=piece: [piece]
            param.display_type_rich = lambda ctx: None
    for subcommand in getattr(command, "commands", {}).values():
        make_plain(subcommand)


def refuse_empty_names(command: Any) -> None:
    """Make every option and argument that takes a file or a folder refuse an empty name.

    Without this, an empty name is the folder that one is in.
    """
    for param in command.params:
        if param.metavar in _PATHS:
            param.process_value = partial(_with_name, param, param.process_value)
    for subcommand in getattr(command, "commands", {}).values():
        refuse_empty_names(subcommand)


def refuse_both_ways(command: Any, arguments: Sequence[str]) -> None:
    """Refuse an option that is both switched on and off; without this, the last flag counts."""
    for param in command.params:
        both = [flag for flag in (*param.opts, *param.secondary_opts) if flag in arguments]
        if not set(both) <= set(param.opts) and not set(both) <= set(param.secondary_opts):
            raise ParameterError(
                f"{both[0]} and {both[-1]} are both given, but they cannot be used together"
            )


def _with_name(param: Any, process: Callable[..., Any], context: Any, value: Any) -> Any:
    if value == "" or (isinstance(value, list | tuple) and "" in value):
        wanted = "folder" if param.metavar == "DIR" else "file"
        raise ParameterError(
            f"{_called(param)} is empty (''), but the name of a {wanted} was expected"
        )
    return process(context, value)


def _called(param: Any) -> str:
    """What complaints call an option or an argument."""
    is_option = param.param_type_name == "option"
    return str(param.opts[0] if is_option else param.metavar).rstrip(".")


def named(root: Any, arguments: Iterable[str]) -> tuple[Any, str]:
    """The command that the arguments name, and what to type for it; an unknown one is refused."""
    command, path = root, "antichain"
    for word in arguments:
        # The page of `help` lists no commands, so that complaints lead to the one that does.
        if word.startswith("-") or not hasattr(command, "commands") or word == "help":
            break
        if word not in command.commands:
            complaint = unknown(word, command.commands, f"an {path} command")
            is_file = path == "antichain" and Path(word).is_file()
            leading = f"; if it holds votes: antichain front {as_argument(word)}" if is_file else ""
            raise ParameterError(_pointing(f"{complaint}{leading}", command, path))
        command, path = command.commands[word], f"{path} {word}"
    return command, path


def unknown(word: str, known: Iterable[str], what: str) -> ParameterError:
    """An error about a word that is none of those known, with the one that may be meant."""
    return ParameterError(f"{shown(word)} is not {what}{did_you_mean(word, known)}")


def worded(error: Exception, command: Any, path: str, arguments: Sequence[str]) -> ParameterError:
    """A complaint about arguments as one sentence that says where to read on."""
    kind = type(error).__name__  # typer carries a click of its own, or not
    if kind == "NoSuchOption":
        known = [
            name
            for param in command.params
            if param.param_type_name == "option"
            for name in param.opts + param.secondary_opts
        ]
        option = error.option_name  # type: ignore[attr-defined]
        of_root = {name for param in error.ctx.find_root().command.params for name in param.opts}  # type: ignore[attr-defined]
        if option in of_root:
            meant = f"; did you mean antichain {option}?"
        else:
            meant = did_you_mean(option, known, by_start=True) or _of_others(error, option)
        sentence = f"{option} is not an option of {path}{meant}"
    elif kind == "MissingParameter" and (extra := _extra(error, command, path, arguments)):
        sentence = _too_many(extra, command, path)
    elif kind == "MissingParameter":
        sentence = f"{path} needs {_missing(error.param, command, arguments)}"  # type: ignore[attr-defined]
    elif kind == "UsageError" and (extra := _extra(error, command, path, arguments)):
        sentence = _too_many(extra, command, path)
    elif kind == "BadOptionUsage":
        sentence = _without_value(error, command)
    elif kind == "BadParameter" and error.message.startswith("is "):  # type: ignore[attr-defined]
        sentence = f"{_called(error.param)} {error.message}"  # type: ignore[attr-defined]
    elif hasattr(error, "format_message"):
        # typer words some complaints as pydantic does, with this in front.
        sentence = error.format_message().replace("Value error, ", "")
    else:
        sentence = _with_flag(str(error), command)
    return ParameterError(_pointing(sentence, command, path))


def _extra(error: Any, command: Any, path: str, arguments: Sequence[str]) -> list[str]:
    """The words given beyond all arguments that the command takes."""
    _, extra, _ = command.make_parser(error.ctx).parse_args([*arguments[path.count(" ") :]])
    return [str(word) for word in extra]


def _too_many(extra: Sequence[str], command: Any, path: str) -> str:
    """A complaint about words that are no arguments, and the option that may be meant."""
    word, params = extra[0], command.params
    taken = [_called(param) for param in params if param.param_type_name == "argument"]
    if taken:
        return f"{path} takes only {listing(taken)}, but {shown(word)} was given too"
    flags = {flag: param for param in params for flag in param.opts}
    choices = (flag for flag, param in flags.items() if word in str(param.metavar).split("|"))
    meant = next(choices, None)
    if word.isdecimal() and "--items" in flags:
        meant = "--items"
    elif "--poset" in flags and Path(word).is_file():
        meant = "--poset"
    leading = "" if meant is None else f": {path} {meant} {as_argument(word)}"
    return f"{path} takes no arguments, but {shown(word)} was given{leading}"


def _without_value(error: Any, command: Any) -> str:
    """A complaint about an option that lacks its value, or about a switch that was given one."""
    option = error.option_name
    param = next(param for param in command.params if option in param.opts + param.secondary_opts)
    if getattr(param, "is_flag", False):
        return f"{option} takes no value"
    return f"{option} needs a value: {option} {param.metavar}"


def _of_others(error: Any, option: str) -> str:
    """A hint at the commands that have this option, if there are any."""
    commands = error.ctx.find_root().command.commands.values()
    having = [one.name for one in commands if any(option in param.opts for param in one.params)]
    if not 0 < len(having) <= _MOST_NAMED:
        return ""
    *first, last = having
    either = f"{', '.join(first)} or {last}" if first else last
    return f"; it is one of antichain {either}"


def _with_flag(sentence: str, command: Any) -> str:
    """A complaint that begins with a parameter's name in Python, with the flag instead."""
    name, said, rest = sentence.partition(" is ")
    flag = f"--{name.replace('_', '-')}"
    known = {opt for param in getattr(command, "params", ()) for opt in param.opts}
    return f"{flag}{said}{rest}" if flag in known else sentence


def _missing(first: Any, command: Any, arguments: Sequence[str]) -> str:
    """The options and arguments that are required and not given; the first one surely is not.

    Arguments before the first one are named too: what was given for them may stand in its place.
    """
    given = {argument.partition("=")[0] for argument in arguments}
    missing = [_called(first)]
    for param in command.params:
        is_option = param.param_type_name == "option"
        if param is not first and is_option and param.required and not given & set(param.opts):
            missing.append(_called(param))
    if first.param_type_name == "argument":
        in_order = [param for param in command.params if param.param_type_name == "argument"]
        missing[0] = " and then ".join(map(_called, in_order[: in_order.index(first) + 1]))
    *others, last = missing
    return f"{', '.join(others)} and {last}" if others else last


def _pointing(sentence: str, command: Any, path: str) -> str:
    """The sentence without its full stop, and with a pointer to the page that lists its options."""
    topic = {name for part in READING.values() for name in part}
    listed = [
        flag
        for param in getattr(command, "params", ())
        if param.name in topic and param.hidden
        for flag in param.opts + param.secondary_opts
    ]
    named = set(_FLAG.findall(sentence))
    page = f"help {READING_TOPIC}" if named & set(listed) else None
    where = f"antichain {page}" if page else f"{path} --help"
    return f"{sentence.rstrip('.')} (see {where})"
