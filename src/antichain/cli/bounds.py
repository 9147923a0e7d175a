"""`antichain bounds`: what the paper's theorems promise for a poset."""

from typing import TYPE_CHECKING

from antichain.cli import options, screen

if TYPE_CHECKING:
    from antichain.theory import Bounds


def bounds(
    poset: options.PosetFile = None,
    front: options.Front = None,
    width: options.Width = None,
    height: options.Height = None,
    parents: options.Parents = None,
    gaps: options.Gaps = None,
    seed: options.Seed = 0,
    delta: options.Delta = 0.001,
    decoy_gap: options.DecoyGap = 0.01,
    gamma: options.Gamma = 0.9,
    epsilon0: options.Epsilon0 = 0.5,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Print the bounds of the paper's theorems."""
    from antichain.theory import bounds_for

    model = options.one_poset(
        seed, poset, front=front, width=width, height=height, parents=parents, gaps=gaps
    )
    found = bounds_for(model, delta, decoy_gap, gamma, epsilon0)
    if json:
        screen.print_json(found.to_dict())
        return
    _show(found)
    if not quiet:
        screen.say(
            "The theorems' bounds are hundreds of times above what runs take; the bound on one "
            "comparison is close."
        )


def _show(found: "Bounds") -> None:
    screen.say(
        f"{screen.counted(found.items, 'item')}, front {found.front}, width {found.width}; "
        f"δ = {found.delta:g}, "
        f"Δ = {found.decoy_gap:g}, γ = {found.gamma:g}, ε₀ = {found.epsilon0:g}, N = {found.epochs}"
    )
    rows = [(name, f"{n:,.4g}" if n < 1e5 else f"{n:.3e}") for name, n in _rows(found)]
    screen.show(screen.table(("bound", "value"), rows, right=("value",)))


def _rows(found: "Bounds") -> list[tuple[str, float]]:
    alpha = f"α = {found.alpha:.3g}" + ("" if found.alpha_exact else ", an upper bound")
    return [
        ("duels of one decoy comparison (last epoch)", found.decoy_comparison_duels),
        ("duels, Theorem 1: the decoy term", found.decoy_phase_duels),
        ("duels, Theorem 1: with the peeling", found.unchained_duels),
        ("duels, the sum its proof starts from", found.unchained_duels_by_epoch),
        (f"regret, Theorem 2: peeling ({alpha})", found.peeling_regret),
        ("regret, Theorem 2: decoys", found.decoy_regret),
        ("regret, Theorem 2: in all", found.regret),
        ("duels of slicing with IF2 (constant 1)", found.slicing_duels),
        ("duels of slicing, its corollary (constant 1)", found.slicing_duels_corollary),
    ]
