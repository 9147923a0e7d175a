"""The pages of the documentation, cut into blocks.

What becomes of a block depends on the words after its opening fence:

sh, python     is run; after a comment `<!-- not run: why -->` it is only parsed
console        lines after `$` are run, and the lines below them are part of what they print
text           is shown to the reader and not looked at
json, toml, …  is well-formed
{name}         is a directive of the site, which `make docs` builds

If the name of a file follows, the block is that file's content: written, and not run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]

NOT_RUN = re.compile(r"<!-- not run: \S.*-->")


@dataclass(frozen=True)
class Block:
    """One fenced block: where it begins, what its fence says, and its text."""

    page: Path
    line: int
    language: str
    file: str
    text: str
    run: bool

    def __str__(self) -> str:
        return f"{name_of(self.page)}:{self.line}"


def name_of(page: Path) -> str:
    """What a page is called: its path without the root."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    before, start, words, inside = "", 0, [""], None
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if not line.startswith("```"):
            if inside is not None:
                inside.append(line)
            elif line.strip():
                before = line
        elif inside is None:
            start, words, inside = number, [*line[3:].split(maxsplit=1), "", ""], []
        else:
            text = "\n".join(inside) + "\n"
            run = not NOT_RUN.fullmatch(before.strip())
            found.append(Block(page, start, words[0], words[1], text, run))
            before, inside = "", None
    assert inside is None, f"{name_of(page)}:{start}: this block has no end"
    return found
