"""`antichain ratings`: the front of any table of ratings; and what `antichain movielens` shares."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from antichain.cli import _options, _screen, _vote_options
from antichain.cli._certificate_files import CertificateFiles, writes_certificates
from antichain.cli._front import nothing_in, show_certificate

if TYPE_CHECKING:
    from rich.table import Table

    from antichain._files import Readable
    from antichain.certify import Certificate
    from antichain.ratings._rated_items import RatedItems, RatingsParameters

_EMPTY = "the front found is empty: the method saw every item beaten by another"
_MOST_LISTED = 20  # pairs and cycles in print; JSON has them all


_OPTIONS: dict[str, tuple[Any, Any]] = {
    "min_ratings": (
        Annotated[
            int | None,
            _options.count(
                "--min-ratings",
                "Compare the items with at least N ratings.  [default: 20000, or the 50 most rated "
                "if fewer than two items have that many]",
            ),
        ],
        None,
    ),
    "top": (
        Annotated[
            int | None, _options.count("--top", "Compare the N most rated items instead.", 2)
        ],
        None,
    ),
    "items": (
        Annotated[
            str | None,
            _options.word(
                "--items", "A,B,…|@FILE", "Compare these items instead, given by number or by name."
            ),
        ],
        None,
    ),
    "names": (
        Annotated[str | None, _options.word("--names", "FILE", "Table of items and their names.")],
        None,
    ),
    "min_raters": (
        Annotated[
            int,
            _options.count(
                "--min-raters",
                "Fewest common raters with which a pair counts in the sampled run and in the exact "
                "ε-front; the certificate weighs each pair by its votes.",
            ),
        ],
        1,
    ),
    "epsilon": (
        Annotated[
            float,
            _options.number("--epsilon", _options.MAY_BE_BEATEN, 0, 0.5),
        ],
        0.05,
    ),
    "delta": (
        Annotated[
            float | None,
            _options.number(
                "--delta",
                "Highest chance of any false claim.  [default: 0.05; in the sampled run 0.001]",
                *(0, 1),
            ),
        ],
        None,
    ),
    "gamma": (_options.Gamma, 0.9),
    "epsilon0": (_options.Epsilon0, 0.5),
    "seed": (_options.Seed, 0),
    "seeds": (
        Annotated[int, _options.runs("--seeds", "Number of sampled runs, with seed, seed + 1, …")],
        20,
    ),
    "algorithm": (
        Annotated[
            str | None,
            _options.algorithm(
                "The method of the sampled run. With witness, no item beats a member by more than "
                "ε; with unchained, no other member does.",
                "witness, or unchained with --faithful",
            ),
        ],
        None,
    ),
    "faithful": (
        Annotated[bool, _options.flag("--faithful", "Follow the paper exactly.")],
        False,
    ),
    "replay": (
        Annotated[
            bool,
            _options.flag(
                "--replay", "Draw actual raters instead of sampling from the counts (slower)."
            ),
        ],
        False,
    ),
    "dask": (_options.Dask, None),
    "counts": (
        Annotated[Path | None, _options.word("--counts", "FILE", "Write the pair counts as JSON.")],
        None,
    ),
}


class RatingsWanted(NamedTuple):
    """What the options that `movielens` and `ratings` share ask for."""

    parameters: "RatingsParameters"  # of the sampled run
    delta: float  # of the certificate
    counts: Path | None  # the file for the pair counts
    files: tuple[Path, ...]  # that options name


def compares_ratings(command: Callable[..., None]) -> Callable[..., None]:
    """Replace a command's parameter `wanted` by the options of comparing rated items."""
    return _options.spelt_out(command, "wanted", _OPTIONS, _wanted)


def _wanted(given: dict[str, Any]) -> RatingsWanted:
    from antichain.algorithms._registry import file_of
    from antichain.ratings._rated_items import RatingsParameters
    from antichain.votes import item_names
    from antichain.votes._read_options import list_file

    counts, delta = given.pop("counts"), given.pop("delta")
    read = [given["names"] and Path(given["names"]), file_of(given["algorithm"])]
    if given["items"] is not None:
        read.append(list_file(given["items"]))
        given["items"] = item_names(given["items"])
    sampled = RatingsParameters(delta=0.001 if delta is None else delta, **given)
    files = tuple(path for path in read if path)
    return RatingsWanted(sampled, 0.05 if delta is None else delta, counts, files)


def _column(flag: str, meaning: str) -> Any:
    return typer.Option(flag, metavar="COL", help=meaning)


@writes_certificates
@compares_ratings
def ratings(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A table: .csv, .tsv, .jsonl or .parquet, plain or compressed (.gz, .zip).",
        ),
    ],
    wanted: RatingsWanted,
    outputs: CertificateFiles,
    user: Annotated[str, _column("--user", "Column with the user.")] = "user",
    item: Annotated[str, _column("--item", "Column with the item.")] = "item",
    rating: Annotated[str, _column("--rating", "Column with the rating.")] = "rating",
    delimiter: Annotated[str | None, _vote_options.delimiter()] = None,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Certify the front of the items in a table of ratings, and run the paper's method on it."""
    form = {"user": user, "item": item, "rating": rating, "delimiter": delimiter}
    find(file, form, wanted, outputs, json, quiet)


def load(
    file: str | Path, form: Mapping[str, Any] | None, choice: Mapping[str, Any], **more: Any
) -> "RatedItems":
    """The items of a table of ratings, or of a release of MovieLens if `form` is None."""
    from antichain.ratings._rated_items import load_movielens, load_ratings
    from antichain.ratings._rating_log import RatingFormat

    if form is None:
        return load_movielens(file, **choice, **more)
    return load_ratings(file, RatingFormat(**form), **choice, **more)


def _inputs(file: Path, form: Mapping[str, Any] | None) -> "Sequence[Readable]":
    """The files that `load` reads."""
    if form is None:
        from antichain.ratings._releases import open_release

        return open_release(file).files
    from antichain.sources._opening import input_files

    return input_files([file])


def find(
    file: Path,
    form: Mapping[str, Any] | None,
    wanted: RatingsWanted,
    outputs: CertificateFiles,
    json: bool,
    quiet: bool,
) -> None:
    """Certify the items, write what is asked for, and print the certificate and the sampled run."""
    from antichain import _files
    from antichain.certify import certify
    from antichain.ratings._rated_items import counts_document, report

    parameters = wanted.parameters
    outputs.check([*_inputs(file, form), *wanted.files], wanted.counts)
    choice = {
        "least": parameters.min_ratings,
        "top": parameters.top,
        "items": parameters.items,
        "names": parameters.names,
    }
    choice = {name: value for name, value in choice.items() if value is not None}
    with _screen.Bar(quiet) as bar:
        items = load(file, form, choice, dask=parameters.dask, stage=bar.note)
        bar.note("judging", f"{file} {_screen.COMPILING}")
        log = items.votes()
        reading = {"ratings": {"columns": form, "choice": choice}}
        found = certify(log, wanted.delta, parameters.epsilon, reading=reading, likely=not quiet)
        outputs.write(found, log, bar)
    if wanted.counts is not None:
        _files.write_json(wanted.counts, counts_document(items), outputs.force)
    is_experiment = form is None
    if quiet and not json and not is_experiment:
        _screen.say_items(found.front, nothing_in(found.undecided))
        return
    with _screen.Bar(quiet, total=parameters.seeds) as bar:
        sampled = report(items, parameters, bar.runs)
    if json:
        _screen.print_json(_joined(sampled, found))
    elif quiet:
        _screen.say_items(sampled["front"], _EMPTY)
    else:
        show_certificate(found, pages=True)
        _show(sampled)
        outputs.say()


def _joined(sampled: dict[str, Any], found: "Certificate") -> dict[str, Any]:
    """The record of the sampled run, with everything of the certificate under its own names.

    Names that both have are those of the sampled run; `certified_front` is the certificate's front.
    """
    certificate = found.to_dict()
    del certificate["digest"]
    return certificate | sampled | {"certified_front": certificate["front"]}


def _show(found: dict[str, Any]) -> None:
    _screen.say("")
    _screen.say("The paper's experiment: duels answered by common raters drawn at random")
    _screen.say(
        f"{found['source']}: {_screen.counted(found['films'], 'item')} with "
        f"{found['ratings_of_films']:,} of {_screen.counted(found['ratings'], 'rating')} by "
        f"{_screen.counted(found['users'], 'user')}; {_pairs_shown(found)}"
    )
    _screen.show(_paper_table(found), _seeds_table(found))
    duels = found["duels_by_seed"]
    _screen.say(
        f"{_screen.counted(found['duels'], 'duel')} for the front found "
        f"(seed {found['parameters']['seed']}); {min(duels):,} to {max(duels):,} over "
        f"{_screen.counted(len(duels), 'seed')}"
    )
    _show_oddities(found)


def _pairs_shown(found: dict[str, Any]) -> str:
    """The number of pairs, and what is known of their common raters."""
    pairs = _screen.counted(found["pairs"], "pair")
    if found["unpaired"]:
        return (
            f"{pairs} with common raters, and {len(found['unpaired']):,} that "
            f"{_too_few(found)} rated both of"
        )
    return f"{pairs}, each with at least {_screen.counted(found['min_co_raters'], 'common rater')}"


def _too_few(found: dict[str, Any]) -> str:
    least = found["parameters"]["min_raters"]
    return "nobody" if least == 1 else f"fewer than {least:,} users"


def _paper_table(found: dict[str, Any]) -> "Table":
    """The table of the paper: the front found beside the items with the highest average."""
    from itertools import zip_longest

    kinds = ["genres"] if any(found["genres"].values()) else []  # a plain table of ratings has none
    rows = []
    for member, high in zip_longest(found["front"], found["top_mean"]):
        row = []
        for name in (member, high):
            row += [name or "", *(", ".join(found["genres"].get(name, ())) for _ in kinds)]
        row.append("" if high is None else f"{found['means'][high]:.3f}")
        rows.append(row)
    return _screen.table(
        ("front found", *kinds, "highest average", *kinds, "mean"),
        rows,
        right=("mean",),
        title="front found, and highest average",
    )


def _seeds_table(found: dict[str, Any]) -> "Table":
    """How often each item is in the answer, beside the exact ε-front."""
    membership, seeds = found["membership"], found["parameters"]["seeds"]
    ranked = sorted(membership, key=lambda name: -membership[name])
    rows = []
    for name in dict.fromkeys([*ranked, *found["exact_front"], *sorted(found["within_reach"])]):
        side = "yes" if name in found["exact_front"] else "no"
        doubtful = name in found["within_reach"]
        reach = ", but too close to tell from the sample" if doubtful else ""
        times = round(membership.get(name, 0.0) * seeds)
        rows.append((name, f"{times} of {seeds}", side + reach))
    return _screen.table(
        ("item", "in the answer", "exact ε-front"),
        rows,
        right=("in the answer",),
        title="over seeds, and the exact ε-front",
    )


def _show_oddities(found: dict[str, Any]) -> None:
    """What a reader must know before trusting the tables."""
    if not found["front"]:
        _screen.say(_EMPTY)
    if not found["exact_front"]:
        _screen.say(
            "the exact ε-front is empty: every item is beaten by another by more than ε, which "
            "takes a cycle of clear wins"
        )
    cycles = [[*cycle, cycle[0]] for cycle in found["cycles"]]
    for listed, words, between in (
        (cycles, "a cycle of clear wins", " > "),
        (
            found["unpaired"],
            f"{_too_few(found)} rated both, so they were left incomparable",
            " and ",
        ),
    ):
        for names in listed[:_MOST_LISTED]:
            _screen.say(f"{words}: {between.join(names)}")
        if len(listed) > _MOST_LISTED:
            _screen.say(f"{words}: {len(listed) - _MOST_LISTED:,} more (see --json)")
