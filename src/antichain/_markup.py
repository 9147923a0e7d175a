"""How values look in a terminal and in a notebook, and pieces of SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from antichain._text import html_text, printable, short

LETTER = 7.2
"""The mean width of a character in pixels, in a sans-serif font of 12 pixels."""

_NAMED = 10  # items named in a fact
_LONGEST = 32  # characters of such a name
_ROWS = 20  # of a table in a notebook

# Colours are those of the notebook around it, light or dark.
_CELL = "text-align:left;vertical-align:top;padding:.15em .9em .15em 0;border:0"
_HEAD = f"{_CELL};font-weight:600"


def listed(names: Sequence[str]) -> str:
    """How many names there are, and the first of them.

    >>> listed(["tea", "rain"]), listed([]), listed([f"item {k}" for k in range(10_000)])[:22]
    ('2: tea, rain', 'none', '10,000: item 0, item 1')
    """
    if not names:
        return "none"
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{len(names):,}: {', '.join(short(name, _LONGEST) for name in names[:_NAMED])}{more}"


@dataclass(frozen=True)
class Summary:
    """A value in short: what `print` and a notebook show of it.

    Attributes:
        title: One line.
        facts: Lines that begin with a word each.
        sentences: What else a reader must know.
        heads: The heads of the table that a notebook shows below all that.
        rows: The rows of that table, of which a notebook shows the first ones.
        picture: SVG that a notebook shows.
    """

    title: str
    facts: Sequence[tuple[str, str]] = ()
    sentences: Sequence[str] = ()
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    picture: str = ""

    def text(self) -> str:
        """Return the summary as a few lines of plain text."""
        wide = max((len(word) for word, _ in self.facts), default=0)
        facts = (f"  {word:<{wide}}  {said}" for word, said in self.facts)
        return "\n".join(map(printable, (self.title, *facts, *self.sentences)))

    def html(self) -> str:
        """Return the summary as a piece of HTML that needs nothing from elsewhere."""
        facts = [(f"<b>{html_text(word)}</b>", html_text(said)) for word, said in self.facts]
        rows = [[html_text(cell) for cell in row] for row in self.rows[:_ROWS]]
        left_out = len(self.rows) - len(rows)
        parts = [
            f"<p><b>{html_text(self.title)}</b></p>",
            _table((), facts),
            *(f"<p>{html_text(sentence)}</p>" for sentence in self.sentences),
            self.picture,
            _table([html_text(head) for head in self.heads], rows),
            f"<p>and {left_out:,} more</p>" if left_out else "",
        ]
        return f'<div style="max-width:60em">{"".join(parts)}</div>'


class Summarised:
    """What has a `Summary` prints it, and shows it in a notebook."""

    def _summary(self) -> Summary:
        raise NotImplementedError

    def __str__(self) -> str:
        return self._summary().text()

    def _repr_html_(self) -> str:
        return self._summary().html()


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f'<th scope="col" style="{_HEAD}">{text}</th>' for text in heads)
    lines = ("".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    above = f"<thead><tr>{head}</tr></thead>" if heads else ""
    return f'<table style="border-collapse:collapse">{above}<tbody>{body}</tbody></table>'


def svg(width: float, height: float, label: str, body: str, css: str = "", style: str = "") -> str:
    """Return a picture of this size in pixels; `label` says in words what it shows."""
    looks = f' style="{style}"' if style else ""
    return (
        f'<svg class="{css}"{looks} role="img" aria-label="{html_text(label)}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )


def text(x: float, y: float, words: str, anchor: str = "start", css: str = "") -> str:
    """Return words in a picture."""
    kind = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{html_text(words)}</text>'
