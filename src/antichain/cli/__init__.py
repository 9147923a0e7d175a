"""The `antichain` command.

Exit codes: 0 done, 1 done but not certified, 2 input that cannot be used or output that cannot be
written, 130 interrupted; and, for the shell, 141 when the reader of the output went away and 70
for a bug in antichain itself.
"""

import os
import sys
from collections.abc import Sequence

from antichain._interrupts import hear_interrupts_once, hear_no_more_interrupts
from antichain._option_names import typed
from antichain._text import refusal, without_middle
from antichain.cli import _screen
from antichain.errors import AntichainError

BAD_INPUT = 2
FAULT = 70
INTERRUPTED = 130
READER_GONE = 141

_LONGEST = 1_000  # characters of an error: it may quote a name of any length


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; print an error as one sentence on stderr."""
    if arguments is None:  # the process is this command's own
        hear_interrupts_once()
        try:
            return _code_of(sys.argv[1:])
        finally:
            hear_no_more_interrupts()
    return _code_of(arguments)


def _code_of(arguments: Sequence[str]) -> int:
    try:
        _screen.prepare()
        # Inside, so that an early Ctrl-C ends like a late one.
        from antichain.cli._app import run

        with typed():
            code = run(arguments)
        _screen.flush()
        return code
    except AntichainError as error:
        with typed():
            return _fail(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _screen.give_up(sys.stdout)
        _screen.give_up(sys.stderr)
        return READER_GONE
    except MemoryError:
        # What reads files says which one it was; here something else grew too large.
        return _fail("out of memory: use fewer items or a machine with more memory", BAD_INPUT)
    except Exception as error:
        if os.environ.get("ANTICHAIN_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error} (set ANTICHAIN_TRACEBACK=1 for a traceback)"
        if place := _place_outside(error):
            return _fail(f"{place} raised {what}", BAD_INPUT)
        if isinstance(error, OSError):
            return _fail(_refusal(error), BAD_INPUT)
        return _fail(f"this is a bug in antichain: {what}", FAULT)


def _refusal(error: OSError) -> str:
    """What the system refused, where no command has its own words for it."""
    where = "" if error.filename is None else f" with {str(error.filename)!r}"
    return f"cannot continue{where}: {refusal(error)}"


def _place_outside(error: Exception) -> str | None:
    """The file and line of a user's own code that raised the error, if that is where it is from."""
    import sysconfig
    import traceback
    from pathlib import Path

    ours = [Path(__file__).parent.parent, *map(Path, set(sysconfig.get_paths().values()))]
    frames = traceback.extract_tb(error.__traceback__)
    last = Path(frames[-1].filename)
    installed = {"site-packages", "dist-packages"} & set(last.parts)
    if installed or not last.exists() or any(last.is_relative_to(folder) for folder in ours):
        return None
    return f"{last}, line {frames[-1].lineno}, in {frames[-1].name},"


def _fail(sentence: str, code: int) -> int:
    try:
        sys.stdout.flush()  # what was printed before comes first, if it can
    except OSError:
        _screen.give_up(sys.stdout)
    # A list of bad rows comes line by line, each indented; all else is one sentence.
    for n, line in enumerate(sentence.split("\n  ")):
        said = without_middle(" ".join(line.split()), _LONGEST)
        _screen.murmur(f"  {said}" if n else f"antichain: error: {said}")
    return code
