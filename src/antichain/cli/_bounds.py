"""`antichain bounds` and `limit`: what theory promises for a poset, and what it rules out."""

from typing import TYPE_CHECKING, Annotated

from antichain.cli import _options, _screen
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain.theory import Bounds, Limit

_DECOY_GAP = 0.01


def bounds(
    poset: _options.PosetFile = None,
    front: _options.Front = None,
    width: _options.Width = None,
    height: _options.Height = None,
    parents: _options.Parents = None,
    gaps: _options.Gaps = None,
    seed: _options.Seed = 0,
    delta: _options.Delta = 0.001,
    decoy_gap: _options.DecoyGap = 0.01,
    gamma: _options.Gamma = 0.9,
    epsilon0: _options.Epsilon0 = 0.5,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Print the bounds of the paper's theorems."""
    from antichain.theory import bounds_for

    model = _options.one_poset(
        seed, poset, front=front, width=width, height=height, parents=parents, gaps=gaps
    )
    found = bounds_for(model, delta, decoy_gap, gamma, epsilon0)
    if json:
        _screen.print_json(found.to_dict())
        return
    _show_bounds(found)
    if not quiet:
        _screen.say(
            "The theorems' bounds are hundreds of times larger than what runs take; the bound on a "
            "single comparison is close."
        )


def _show_bounds(found: "Bounds") -> None:
    _screen.say(
        f"{_screen.counted(found.items, 'item')}, front {found.front}, width {found.width}; "
        f"δ = {found.delta:g}, "
        f"Δ = {found.decoy_gap:g}, γ = {found.gamma:g}, ε₀ = {found.epsilon0:g}, N = {found.epochs}"
    )
    rows = [(name, f"{n:,.4g}" if n < 1e5 else f"{n:.3e}") for name, n in _rows(found)]
    _screen.show(_screen.table(("bound", "value"), rows, right=("value",)))


def _rows(found: "Bounds") -> list[tuple[str, float]]:
    alpha = f"α = {found.alpha:.3g}" + ("" if found.alpha_exact else ", an upper bound")
    return [
        ("duels of one decoy comparison (last epoch)", found.decoy_comparison_duels),
        ("duels, Theorem 1: the decoy term", found.decoy_phase_duels),
        ("duels, Theorem 1: with the peeling", found.unchained_duels),
        ("duels, Theorem 1: the sum its proof starts from", found.unchained_duels_by_epoch),
        (f"regret, Theorem 2: peeling ({alpha})", found.peeling_regret),
        ("regret, Theorem 2: decoys", found.decoy_regret),
        ("regret, Theorem 2: total", found.regret),
        ("duels of slicing with IF2 (constant 1)", found.slicing_duels),
        ("duels of slicing, its corollary (constant 1)", found.slicing_duels_corollary),
    ]


def limit(
    poset: _options.PosetFile = None,
    front: _options.Front = None,
    width: _options.Width = None,
    height: _options.Height = None,
    parents: _options.Parents = None,
    gaps: _options.Gaps = None,
    seed: _options.Seed = 0,
    delta: Annotated[
        float, _options.number("--delta", "Highest chance of a wrong front, below 1/2.", 0, 0.5)
    ] = 0.001,
    decoy_gap: Annotated[
        float | None,
        _options.number("--decoy-gap", f"{_options.DECOYS_LOSE}  [default: {_DECOY_GAP}]", 0, 0.5),
    ] = None,
    observable: Annotated[
        bool,
        _options.flag(
            "--observable",
            'Incomparable items are answered "incomparable", and there are no decoys.',
        ),
    ] = False,
    json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Print a lower bound on the mean number of duels that any method needs.

    The poset is partially observable: duels between incomparable items are fair coin tosses, and
    there are decoys. With --observable, the answer to such duels is "incomparable" instead.
    """
    from antichain import theory

    if observable and decoy_gap is not None:
        raise ParameterError(
            "--observable and --decoy-gap are both given, but they cannot be used together: with "
            "--observable, there are no decoys"
        )
    model = _options.one_poset(
        seed, poset, front=front, width=width, height=height, parents=parents, gaps=gaps
    )
    # A user who asks about one poset may wait for it, however large it is.
    gap = None if observable else decoy_gap or _DECOY_GAP
    found = theory.limit(model, delta, gap, most_items=model.size)
    if json:
        _screen.print_json(found.to_dict())
        return
    _show_limit(found, delta, gap)
    if not quiet:
        _screen.say(
            "Every method that is wrong with probability at most δ on every poset needs at least "
            "this many duels on average; whether a method comes near this limit is another matter."
        )


def _show_limit(found: "Limit", delta: float, decoy_gap: float | None) -> None:
    decoys = "fully observable" if decoy_gap is None else f"Δ = {decoy_gap:g}"
    _screen.say(
        f"{_screen.counted(found.items, 'item')}, front {found.front}; "
        f"δ = {delta:g}, {decoys}, k_δ = {found.constant:.4g} nats per conclusion"
    )
    parts = (
        ("to show that each dominated item is dominated", found.dominated_part),
        ("to show that no front item is above another, tests shared", found.front_part),
        ("total: the information limit", found.limit),
        ("for comparison: the front with a test for each ordered pair", found.pairwise_front_part),
    )
    rows = [(name, f"{value:,.0f}") for name, value in parts]
    _screen.show(_screen.table(("what it takes", "mean duels"), rows, right=("mean duels",)))
