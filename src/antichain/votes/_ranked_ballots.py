"""Rankings: the files of PrefLib, and tables with one ballot per row.

A ballot compares every two items that it ranks, once; it is one cluster, as one voter made all of
these comparisons. Items that a ballot does not rank were not compared by it: PrefLib says so of its
incomplete orders (.soi, .toi), while its complete ones (.soc, .toc) list every item.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import PurePath
from typing import Any

import numpy as np

from antichain._files import is_one_line
from antichain.errors import FileError, ParameterError
from antichain.sources._chunks import ChunkSource, Flaw, TextIds, cut, parsed_number
from antichain.sources._several_files import listed_files, several_files
from antichain.sources._streams import ByteLog
from antichain.votes._bad_rows import BadRows
from antichain.votes._cell_texts import CellTexts
from antichain.votes._columns import count_hints
from antichain.votes._read_options import ReadOptions, flag_of
from antichain.votes._row_marks import MOST_A_ROW
from antichain.votes._tallies import WIDTH, KeyedSums
from antichain.votes._vote_log import (
    MOST_VOTES,
    ClusterScores,
    Counts,
    ItemClusters,
    PairClusters,
    PairVotes,
    VoteLog,
)

MOST_RANKED = 2000
"""The most items that a ballot may rank, as it compares every two of them (set by hand)."""

_SUFFIXES = (".soc", ".soi", ".toc", ".toi")
_NAME = re.compile(r"#\s*ALTERNATIVE NAME\s+(\d+)\s*:\s*(.*)", re.IGNORECASE)
_AT_ONCE = 1 << 21  # comparisons that are held at a time
_FITTING = ("ballots", "count", "items", "fold", "meanings", "skip_bad", "delimiter", "encoding",
            "kind", "history", "ordered", "attributes")  # fmt: skip

Groups = tuple[tuple[int, ...], ...]
"""A ballot: the numbers of the items, the best first; those of a group are tied."""


def preflib_files(source: Any) -> list[str]:
    """The files of orders that a source names, by how they end; none for any other source.

    Raises:
        FileError: If some of the files are such and others are not.
    """
    found = several_files(source)
    if found is None:
        found = [os.fspath(source)] if isinstance(source, str | os.PathLike) else []
    names = [PurePath(path).name.lower().removesuffix(".gz") for path in found]
    orders = [path for path, name in zip(found, names, strict=True) if name.endswith(_SUFFIXES)]
    if orders and len(orders) < len(found):
        other = next(path for path in found if path not in orders)
        raise FileError(
            f"{orders[0]} holds PrefLib orders and {other} does not, but files of one kind were "
            "expected"
        )
    return orders


def read_preflib(paths: Sequence[str], options: ReadOptions) -> VoteLog:
    """The ballots in files of PrefLib, of either form of their header.

    Each file numbers its alternatives itself; those of one name are one item.
    """
    ballots = _Ballots(listed_files(paths), options, "read as PrefLib orders")
    for path in paths:
        with closing(ByteLog(path, "csv", options.encoding)) as log:
            lines = (line.decode("utf-8", "replace") for block in log.lines() for line in block)
            stripped = ((n, line.strip("\ufeff \r\n\t")) for n, line in enumerate(lines, 1))
            names, rest = _preflib_names(path, (entry for entry in stripped if entry[1]))
            where = f" of {path}" if len(paths) > 1 else ""
            for n, count, order in rest:
                ballots.add(f"line {n}{where}", count, _grouped(order), names)
    return ballots.log()


def _preflib_names(
    label: str, lines: Iterator[tuple[int, str]]
) -> tuple[dict[str, str], Iterator[tuple[int, str, str]]]:
    """The names of the alternatives by number, and the lines with a count and an order."""
    names: dict[str, str] = {}
    first = next(lines, None)
    if first is not None and first[1].isdigit():  # the older header
        for _ in range(int(first[1])):
            n, text = next(lines, (0, ""))
            if not n:
                raise FileError(
                    f"{label} names {len(names):,} alternatives, but {first[1]} were expected, as "
                    "its first line announces"
                )
            number, comma, name = text.partition(",")
            if not comma or not number.strip().isdigit():
                raise FileError(
                    f"{label}, line {n} is {cut(text)}, but the number and the name of an "
                    "alternative were expected"
                )
            names[number.strip()] = name.strip()
        next(lines, None)  # the numbers of voters
        return names, ((n, *_parted(text, ",")) for n, text in lines)

    def orders() -> Iterator[tuple[int, str, str]]:
        for n, text in (first, *lines) if first is not None else ():
            found = _NAME.match(text)
            if found:
                names[found[1]] = found[2].strip()
            elif not text.startswith("#"):
                yield n, *_parted(text, ":")

    return names, orders()


def _parted(text: str, mark: str) -> tuple[str, str]:
    count, _, order = text.partition(mark)
    return count.strip(), order.strip()


def _grouped(order: str) -> list[list[str]]:
    """The groups of an order as in "1,2,{3,4}"."""
    found = re.findall(r"\{([^{}]*)\}|([^,{}]+)", order)
    groups = [tied.split(",") if tied else [one] for tied, one in found]
    named = [[name.strip() for name in group if name.strip()] for group in groups]
    return [group for group in named if group]


def read_ballots(source: ChunkSource, columns: tuple[str, ...], options: ReadOptions) -> VoteLog:
    """The ballots in a table with one per row, ranked in these columns."""
    note = f"read each row as a ballot, ranked in {', '.join(map(repr, columns))}"
    hints = count_hints(source.label, source.header(), options, columns)
    ballots = _Ballots(source.label, options, note, *hints)
    word = "ballot" if len(columns) == 1 else "place"
    roles = {f"{word} {k}": column for k, column in enumerate(columns)}
    roles |= {} if options.count is None else {"count": options.count}
    for chunk in source.chunks(roles, frozenset(roles)):
        for row in sorted({*range(chunk.rows)}.difference(chunk.empty)):
            texts = [chunk.text(role, row) for role in roles]
            flaw = chunk.flaws.get(row) or next((t for t in texts if isinstance(t, Flaw)), None)
            if flaw is not None:
                ballots.refuse(chunk.place(row), flaw.kind, flaw.sentence)
                continue
            said = [str(text) for text in texts]
            count = said.pop() if options.count is not None else "1"
            groups = [[text] for text in said if text]
            if len(columns) == 1:
                groups = _ranking(said[0])
            ballots.add(chunk.place(row), count, groups)
    return ballots.log()


def _ranking(text: str) -> list[list[str]]:
    """The groups of a ranking as in "a > b = c", "a,b,{c,d}", or a list of JSON."""
    if text.startswith("["):
        try:
            listed = json.loads(text)
        except ValueError:
            listed = None
        if isinstance(listed, list):
            groups = (group if isinstance(group, list) else [group] for group in listed)
            return [[str(name) for name in group] for group in groups]
    if re.search("[>≻=]", text):
        ranked = re.split("[>≻]", text)
        return [[name.strip() for name in re.split("[=~]", group)] for group in ranked]
    return _grouped(text)


class _Ballots:
    """Ballots as they come, each different one once."""

    def __init__(self, label: str, options: ReadOptions, *notes: str) -> None:
        self._label, self._options, self._notes = label, options, notes
        _check(label, options)
        self._names = TextIds()
        self._cells = CellTexts(False, False, options, self._names)
        self._given = len(self._names)
        self._counts: Counter[Groups] = Counter()
        self._bad = BadRows(label, options.skip_bad)
        self._rows = self._counted = 0

    def refuse(self, place: str, kind: str, sentence: str) -> None:
        self._rows += 1
        wanted = self._bad.sentences_wanted
        self._bad.add(Counter([kind]), [place], [f"{place} {sentence}"][:wanted])

    def add(
        self, place: str, count: str, groups: list[list[str]], names: dict[str, str] | None = None
    ) -> None:
        """Add a ballot for so many voters; `names` says what numbers of alternatives mean."""
        ranked = self._ranked(count, groups, names)
        if isinstance(ranked, Flaw):
            self.refuse(place, ranked.kind, ranked.sentence)
            return
        size = sum(map(len, ranked))
        if size > MOST_RANKED:
            raise FileError(
                f"{self._label}, {place} ranks {size:,} items, but at most {MOST_RANKED:,} were "
                "expected (--items restricts them)"
            )
        self._rows, self._counted = self._rows + 1, self._counted + 1
        self._counts[ranked] += int(parsed_number(count))

    def _ranked(
        self, count: str, groups: list[list[str]], names: dict[str, str] | None
    ) -> Groups | Flaw:
        """The ballot by numbers of items, or what is wrong about it."""
        number = parsed_number(count)
        if not (0 <= number <= MOST_A_ROW and number == int(number)):
            wanted = f"a whole number of voters, up to {MOST_A_ROW:,}, was expected"
            return Flaw("count", f"has the count {cut(count)}, but {wanted}")
        ranked: list[tuple[int, ...]] = []
        for group in groups:
            for k, name in enumerate(group):
                if names is not None and name not in names:
                    wanted = "numbers of alternatives were expected"
                    return Flaw("item", f"ranks {cut(name)}, but {wanted}")
                group[k] = self._cells.name(names[name] if names is not None else name)
                if not is_one_line(group[k]):
                    wanted = "names on one line were expected"
                    return Flaw("item", f"ranks {cut(group[k])}, but {wanted}")
            codes = self._names.codes(group)
            if self._given:
                codes = [code for code in codes if code < self._given]
            if codes:
                ranked.append(tuple(sorted(codes)))
        times = Counter(code for group in ranked for code in group)
        if not times and not self._given:
            return Flaw("item", "ranks nothing, but at least one item was expected")
        if times and max(times.values()) > 1:
            twice = cut(self._names.texts[times.most_common(1)[0][0]])
            return Flaw("itself", f"ranks {twice} twice, but once was expected")
        return tuple(ranked)

    def log(self) -> VoteLog:
        """All ballots as a log of votes, each ballot one cluster."""
        self._bad.check()
        if not self._counted:
            raise FileError(f"{self._label} has no ballots, but at least one was expected")
        self._cells.settle_spellings(self._given)
        items = tuple(self._names.texts[: self._given] if self._given else self._names.texts)
        tally = _Tally(self._options.meanings.tie == "ignore")
        tally.add(self._counts)
        if tally.votes > MOST_VOTES:
            raise FileError(
                f"{self._label} holds {tally.votes:,} comparisons, but at most 2**53 fit"
            )
        pairs, clusters = tally.made()
        self._cells.check_met(self._label)
        return VoteLog(
            items,
            pairs,
            source=self._label,
            meanings=self._options.meanings,
            clusters=clusters,
            guessed=(*self._notes, *self._cells.notes(items), *self._cells.on_unmet()),
            rows=self._rows,
            counted_rows=self._counted,
            skipped_rows=self._bad.skipped,
        )


def _check(label: str, options: ReadOptions) -> None:
    usual = ReadOptions()
    given = [
        name
        for name in vars(usual)
        if name not in _FITTING and getattr(options, name) != getattr(usual, name)
    ]
    if given:
        raise ParameterError(
            f"{label} holds ballots and {flag_of(given[0])} is given, but it does not apply "
            "there: each ballot ranks its items, the best first, and is one cluster"
        )


class _Tally:
    """Comparisons by pair, and mean scores by item, over all ballots.

    Args:
        ties_ignored: Whether items that a ballot ranks alike are not compared by it.
    """

    def __init__(self, ties_ignored: bool) -> None:
        self._ties_ignored = ties_ignored
        self._pairs, self._items = KeyedSums(WIDTH), KeyedSums(1)
        self._ballots = self.votes = 0

    def add(self, ballots: Counter[Groups]) -> None:
        by_size: dict[int, list[tuple[Groups, int]]] = {}
        for ballot, count in ballots.items():
            by_size.setdefault(sum(map(len, ballot)), []).append((ballot, count))
        for size, listed in by_size.items():
            step = max(1, _AT_ONCE // max(1, size * size))
            for start in range(0, len(listed) if size > 1 else 0, step):
                self._add_alike(size, listed[start : start + step])

    def _add_alike(self, size: int, ballots: Iterable[tuple[Groups, int]]) -> None:
        """Add ballots that rank equally many items."""
        rows, places, counts = [], [], []
        for ballot, voters in ballots:
            rows.append([code for group in ballot for code in group])
            places.append([k for k, group in enumerate(ballot) for _ in group])
            counts.append(voters)
        count = np.array(counts, np.int64)
        order = np.argsort(rows, axis=1)
        item, place = (np.take_along_axis(np.array(codes), order, 1) for codes in (rows, places))
        one, other = np.triu_indices(size, 1)
        form = np.select(
            [place[:, one] < place[:, other], place[:, one] > place[:, other]], [0, 1], 2
        )
        pair = self._pairs.codes(item[:, one].ravel(), item[:, other].ravel()).astype(np.int64)
        number = np.repeat(count, one.size)
        self._pairs.add_cells(pair * WIDTH + form.ravel(), number)
        self._ballots += int(count.sum())
        self.votes += int(count.sum()) * one.size
        below = (place[:, :, None] < place[:, None, :]).sum(axis=2)
        above = (place[:, :, None] > place[:, None, :]).sum(axis=2)
        compared = above + below if self._ties_ignored else np.full_like(above, size - 1)
        doubled = 2 * below if self._ties_ignored else size - 1 + below - above
        key = (compared << 12 << 1 | doubled).ravel()  # a score of at most 2 * MOST_RANKED
        said = compared.ravel() > 0
        codes = self._items.codes(item.ravel()[said], key[said])
        self._items.add(codes, np.repeat(count, size)[said])

    def made(self) -> tuple[PairVotes, ClusterScores]:
        first, second = self._pairs.keys
        pairs = PairVotes.from_table(first, second, self._pairs.sums)
        forms = ((1.0, pairs.wins_first), (0.0, pairs.wins_second), (0.5, pairs.ties))
        row, score, times = [], [], []
        for mean, counts in forms[: 2 if self._ties_ignored else 3]:
            met = np.flatnonzero(counts)
            row.append(met)
            score.append(np.full(met.size, mean))
            times.append(counts[met])
        who, by_pair, alike = map(np.concatenate, (row, score, times))
        order = np.lexsort((by_pair, who))
        item, key = self._items.keys
        compared, doubled = key >> 13, key & 0x1FFF
        kept = np.lexsort((doubled, compared, item))
        return pairs, ClusterScores(
            "ballot",
            self._ballots,
            PairClusters(who[order], by_pair[order], _ones(who)),
            ItemClusters(item[kept], (doubled / (2 * compared))[kept], compared[kept]),
            times=(alike[order], self._items.sums[kept, 0]),
        )


def _ones(like: Counts) -> Counts:
    return np.ones(like.size, np.int64)
