"""The `antichain` command.

Exit codes: 0 done, 1 done but not certified, 2 bad input, 130 interrupted; and, for the shell,
141 when the reader of the output went away and 70 for a fault of antichain itself.
"""

import os
import sys
from collections.abc import Sequence

from antichain.errors import AntichainError

BAD_INPUT = 2
FAULT = 70
INTERRUPTED = 130
READER_GONE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; print an error as one sentence on stderr."""
    try:
        # Inside, so that an early Ctrl-C ends like a late one.
        from antichain.cli._app import run

        code = run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
        return code
    except AntichainError as error:
        return _fail(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # What is still buffered has no reader; the interpreter must not stumble over it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except MemoryError:
        # What reads files says which one it was; here something else grew too large.
        return _fail(
            "there is not enough memory for what was asked for: fewer items, or a machine with "
            "more memory, were expected",
            BAD_INPUT,
        )
    except Exception as error:
        if os.environ.get("ANTICHAIN_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error} (ANTICHAIN_TRACEBACK=1 shows the way there)"
        if place := _place_outside(error):
            return _fail(f"{place} raised {what}", BAD_INPUT)
        return _fail(f"this is a fault of antichain, {what}", FAULT)


def _place_outside(error: Exception) -> str | None:
    """The file and line of a user's own code that raised the error, if that is where it is from."""
    import sysconfig
    import traceback
    from pathlib import Path

    ours = [Path(__file__).parent.parent, *map(Path, set(sysconfig.get_paths().values()))]
    frames = traceback.extract_tb(error.__traceback__)
    last = Path(frames[-1].filename)
    if not last.exists() or any(last.is_relative_to(folder) for folder in ours):
        return None
    return f"{last}, line {frames[-1].lineno}, in {frames[-1].name},"


def _fail(sentence: str, code: int) -> int:
    print("antichain: error:", " ".join(sentence.split()), file=sys.stderr)
    return code
