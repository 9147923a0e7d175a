"""From any table of votes to a certificate; the options of reading as JSON values and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from antichain import _checks
from antichain._option_names import option
from antichain._text import counted, names
from antichain.certify._certificate import Certificate, LogCheck
from antichain.certify._certifier import certify
from antichain.certify._log_checks import most_for_well_voted, well_voted
from antichain.certify._sides import balanced
from antichain.errors import FileError, ParameterError
from antichain.votes import ReadOptions, read_votes
from antichain.votes._answer_words import form_of
from antichain.votes._attributes import Attributes
from antichain.votes._vote_log import ANSWERS, Meanings, VoteLog

_NOT_KEPT = ("history",)  # does not change which votes are read
_AFTER_READING = ("min_votes", "sides")  # what is made of the votes once they are read
_IN_WORDS = {
    "left": "Column {!r} holds the left item.",
    "right": "Column {!r} holds the right item.",
    "winner": "Column {!r} holds the answer or the winner.",
    "loser": "Column {!r} holds the loser.",
    "score": "Column {!r} holds the score (of the left item, or of the only item in a row).",
    "score_range": "A score of {0[0]:g} is a sure win for the left item, and a score of {0[1]:g} "
    "for the right one.",
    "both_orders": "Rows on a pair with the same {0} are the two orders of one judgment, and "
    "count as one vote.",
    "ballots": "Each row is a ballot, ranked in {0}.",
    "fold": "Names that differ only by case, spaces or punctuation are the same.",
    "scores": "Columns {0[0]!r} and {0[1]!r} hold the points of the left and the right item.",
    "ranks": "Columns {0[0]!r} and {0[1]!r} hold the ranks of the left and the right item.",
    "count": "Column {!r} says how many votes a row stands for.",
    "voter": "Column {!r} holds the voter.",
    "time": "Column {!r} holds the time.",
    "cluster": "Votes with the same {!r} count as one observation.",
    "criterion": "Column {!r} holds the criterion.",
    "ask": "Column {!r} holds the number of the ask.",
    "delimiter": "Fields are separated by {!r}.",
    "encoding": "The encoding is {!r}.",
    "kind": "The file is read as {}.",
    "skip_bad": "Rows that are not votes are skipped.",
    "item": "Column {!r} holds the item.",
    "unit": "Each {!r} compares every two items that it scored.",
    "wide": "Each column holds the scores of one item (or of one unit, with a column of items).",
    "higher": "Lower scores are better.",
    "margin": "Scores that differ by at most {:g} tie.",
    "min_votes": "Only items with at least {} against each other count.",
    "sides": "Sides are balanced ({!r}): two votes, one from each side, are one observation.",
}
_ANSWERS_IN_WORDS = {
    "names": "Answers are names of items, never words for a side.",
    "sides": "Answers are words for a side, never names of items.",
}
_ORDERED_IN_WORDS = {
    True: "The rows are in the order in which they were asked.",
    False: "The order of the votes is not used.",
}
_IGNORED = (
    "Asks without an answer count for nothing. This assumes that whether an ask is answered does "
    "not depend on what the answer would be."
)
_FORMS_IN_WORDS = {
    "tie": "Ties",
    "both_bad": "“Both bad” answers",
    "incomparable": "“Cannot compare” answers",
}


def front(
    votes: Any,
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    assume: str | Iterable[str] | None = None,
    decoy_gap: float | None = None,
    likely: bool = True,
    **options: Any,
) -> Certificate:
    """Certify which items of a table of votes are in, out or undecided, and why.

    The certificate also has the likely front (`Certificate.likely`): each item's chance of being on
    the front, which is a model's estimate and not a guarantee.

    Args:
        votes: The votes: a path, an open file, "-" for standard input, a pandas, polars or pyarrow
            table, rows (left, right, answer), dictionaries, or a `VoteLog`.
        delta: The largest acceptable probability that any claim is false. The default is that of
            the study if the votes are a study's export, and 0.05 otherwise.
        epsilon: The gap by which an item may be beaten and still be in. The default is that of the
            study, and 0.1 otherwise.
        assume: Further assumptions: "strong" or "cannot-compare" or both
            (`antichain.Certifying`). The default is those of the study, and none otherwise.
        decoy_gap: Δ, the smallest gap by which a decoy loses to any item at or above its own;
            None leaves out the duels against decoys.
        likely: Whether to estimate the likely front.
        options: How to read the votes, such as which column is which
            (`antichain.ReadOptions`); also `min_votes`, to keep only items with that many
            votes, and `sides`, to balance the sides.

    Returns:
        The certificate, with the verdict on each item and the evidence for it.

    >>> front([("tea", "rain", "left")] * 60).out["rain"].votes
    60
    """
    terms: dict[str, Any] = {"assume": assume, "decoy_gap": decoy_gap, "likely": likely}
    if isinstance(votes, VoteLog):
        return certify(votes, delta, epsilon, **terms)
    options = {"history": False, **options}
    log = read_log(votes, options)
    found = certify(log, delta, epsilon, reading=kept(options), **terms)
    return with_voters(found, votes, options)


def read_log(votes: Any, options: Mapping[str, Any]) -> VoteLog:
    """Read votes, keep the items with enough of them, and balance the sides if asked to.

    Args:
        votes: What `read_votes` accepts; with `min_votes` it is read twice.
        options: The options of `read_votes`; `min_votes`, the fewest votes against other kept
            items that an item needs to be kept; and `sides`, one of the two sides, to balance
            them.
    """
    plain = {name: value for name, value in options.items() if name not in _AFTER_READING}
    least, side = (options.get(name) for name in _AFTER_READING)
    if least is None:
        log = read_votes(votes, **plain)
        return log if side is None else balanced(log, side)
    _checks.whole("min_votes", least)
    if _once(votes):
        raise ParameterError(
            f"min_votes is {least}, which needs to read the log twice, but this log can be read "
            "only once: give the path of a file"
        )
    log = read_votes(votes, **{**plain, "history": False})
    items = well_voted(log, least)
    if len(items) < 2:
        raise ParameterError(
            f"{votes} has no items with at least {counted(least, 'vote')} against each other, but "
            f"at least two were expected: lower --min-votes to {most_for_well_voted(log):,} or less"
        )
    chosen = (
        f"Of {len(log.items):,} items, these {len(items):,} have at least "
        f"{counted(least, 'vote')} against each other. All claims are about these alone, and hold "
        "if the number of an item's votes does not depend on how they came out."
    )
    log = replace(read_votes(votes, **{**plain, "items": items}), chosen=chosen)
    return log if side is None else balanced(log, side)


def with_voters(found: Certificate, votes: Any, options: Mapping[str, Any]) -> Certificate:
    """The certificate with a check on what naming the voters as clusters would change."""
    voter = options.get("voter")
    told = ("cluster", "sides", "graded", "ratings")
    if voter is None or any(options.get(name) for name in told) or _once(votes):
        return found
    if found.assume or found.decoy_gap is not None:
        return found
    log = read_log(votes, {**options, "cluster": voter, "history": False})
    other = certify(log, found.delta, found.epsilon, likely=False)
    now, then = ((len(c.front), len(c.out)) for c in (found, other))
    said = f"With each voter as one cluster ({option('cluster', voter)}), {then[0]:,} would be "
    said += f"in and {then[1]:,} out, instead of {now[0]:,} and {now[1]:,}."
    alarm = then[0] < now[0] or then[1] < now[1]
    if alarm:
        said += " If votes by one voter are alike, trust that result instead."
    return replace(found, checks=(*found.checks, LogCheck("voters as clusters", said, alarm)))


def _once(votes: Any) -> bool:
    """Whether votes cannot be read a second time."""
    files = votes if isinstance(votes, list) else [votes]
    return any(not isinstance(file, str | Path) or file == "-" for file in files)


def kept(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that differ from their defaults, as JSON values for a certificate."""
    if "graded" in options or "ratings" in options:
        return dict(options)
    after = {name: options[name] for name in _AFTER_READING if options.get(name) is not None}
    plain = asdict(
        ReadOptions(**{name: options[name] for name in options if name not in _AFTER_READING})
    )
    usual = asdict(ReadOptions())
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in plain.items()
        if value != usual[name] and name not in _NOT_KEPT
    } | after


def restored(where: str | Path, reading: object) -> dict[str, Any]:
    """Return the options of reading that `kept` stored; errors name the file `where`."""
    try:
        return _restored(reading)
    except (TypeError, AttributeError) as error:
        raise FileError(
            f"{where} has the reading options {reading!r}, but options for reading votes were "
            "expected"
        ) from error


def _restored(reading: object) -> dict[str, Any]:
    if not isinstance(reading, Mapping):
        raise TypeError("not a mapping")
    match reading:
        case {"graded": {"item": str(), "grades": [*columns], "seed": int(), **rest}} if (
            len(reading) == 1
            and set(rest) <= {"delimiter"}
            and all(isinstance(text, str) for text in (*columns, *rest.values()))
        ):
            return dict(reading)
        case {"ratings": {"columns": columns, "choice": Mapping() as choice}} if (
            len(reading) == 1 and _are_rating_columns(columns) and _is_choice(choice)
        ):
            return dict(reading)
    known = {field.name for field in fields(ReadOptions)} - set(_NOT_KEPT)
    after = {name: reading[name] for name in _AFTER_READING if name in reading}
    reading = {name: value for name, value in reading.items() if name not in after}
    if not set(reading) <= known:
        raise TypeError("unknown options")
    if not (isinstance(after.get("min_votes", 1), int) and isinstance(after.get("sides", ""), str)):
        raise TypeError("unknown values")
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in reading.items()
    }
    if "meanings" in options:
        options["meanings"] = Meanings(**options["meanings"])
    if "attributes" in options:
        options["attributes"] = Attributes(**options["attributes"])
    ReadOptions(**options)
    return options | after


def _are_rating_columns(columns: object) -> bool:
    """Whether these are the columns of a table of ratings; a release of MovieLens needs none."""
    return columns is None or (
        isinstance(columns, Mapping)
        and set(columns) == {"user", "item", "rating", "delimiter"}
        and all(isinstance(columns[role], str) for role in ("user", "item", "rating"))
        and isinstance(columns["delimiter"], str | None)
    )


def _is_choice(choice: Mapping[str, object]) -> bool:
    """Whether this says which items of a table of ratings are compared."""
    kinds = {"least": int, "top": int, "items": list | tuple, "names": str}
    known = all(name in kinds and isinstance(value, kinds[name]) for name, value in choice.items())
    return known and len(choice.keys() & {"least", "top", "items"}) <= 1


def in_words(reading: Mapping[str, Any]) -> list[str]:
    """Say what each of the options that `kept` returned does, in a sentence or several.

    >>> in_words({"words": {"left": "right"}, "skip_bad": True})
    ["The word 'left' means right (by default: left).", 'Rows that are not votes are skipped.']
    """
    found = []
    for name, value in reading.items():
        if name in ("both_orders", "ballots"):
            found.append(_IN_WORDS[name].format(names(value)))
        elif name == "min_votes":
            found.append(_IN_WORDS[name].format(counted(value, "vote")))
        elif name in _IN_WORDS:
            found.append(_IN_WORDS[name].format(value))
        elif name == "answers":
            found.append(_ANSWERS_IN_WORDS[value])
        elif name == "ordered":
            found.append(_ORDERED_IN_WORDS[value])
        elif name == "unanswered":
            found += [_IGNORED] * (value == "ignore")
        elif name == "meanings":
            found += [
                f"{_FORMS_IN_WORDS[form]} are left out (by default they count as half a win each)."
                for form in value
                if value[form] == "ignore"
            ]
        elif name == "words":
            found += _on_words(value)
        elif name == "items":
            found.append(f"Only these {counted(len(value), 'item')} count: {names(value)}.")
        elif name == "criteria":
            found.append(f"Only these criteria count: {names(value)}.")
        elif name == "attributes":
            found.append(_on_attributes(Attributes(**value)))
        elif name == "graded":
            found.append(
                f"Votes are drawn from the grades in {names(value['grades'])}, worst first, of the "
                f"items in {value['item']!r}, paired with seed {value['seed']}."
            )
        elif name == "ratings":
            found.append(_on_ratings(value["choice"]))
        else:  # decoys, and decoys as items of their own
            found.append(_on_decoys(value))
    return found


def _on_ratings(choice: Mapping[str, Any]) -> str:
    which = {
        "top": "the {0:,} most rated items",
        "least": "the items with at least {0:,} ratings",
        "items": "the items given by name",
    }
    given = [words.format(choice[k]) for k, words in which.items() if k in choice]
    said = given[0] if given else "the most rated items"
    named = f", named by {choice['names']}" if "names" in choice else ""
    return f"The votes compare users' ratings of {said}{named}."


def _on_words(meanings: Mapping[str, str]) -> list[str]:
    """A sentence on each word; those first that have another meaning by default."""
    turned, new = [], []
    for word, meaning in meanings.items():
        usual = form_of(word, "", "")
        sentence = f"The word {word!r} means {meaning.replace('_', ' ')}"
        if usual is None or ANSWERS[usual] == meaning:
            new.append(f"{sentence}.")
        else:
            turned.append(f"{sentence} (by default: {ANSWERS[usual].replace('_', ' ')}).")
    return turned + new


def _on_attributes(known: Attributes) -> str:
    better = {"min": "lower", "max": "higher"}
    listed = names([f"{name} ({better[way]} is better)" for name, way in known.directions.items()])
    return f"Attributes of each item, from {known.source}: {listed}."


def _on_decoys(decoys: str | Mapping[str, str]) -> str:
    if isinstance(decoys, str):
        return f"Names that end with {decoys!r} are decoys."
    return f"Decoys: {names([f'{decoy} of {item}' for item, decoy in decoys.items()])}."
