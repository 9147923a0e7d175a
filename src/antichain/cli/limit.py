"""`antichain limit`: the duels below which no method can go on a poset."""

from typing import TYPE_CHECKING, Annotated

from antichain.cli import options, screen

if TYPE_CHECKING:
    from antichain.theory import Limit


def limit(
    poset: options.PosetFile = None,
    front: options.Front = None,
    width: options.Width = None,
    height: options.Height = None,
    parents: options.Parents = None,
    gaps: options.Gaps = None,
    seed: options.Seed = 0,
    delta: Annotated[
        float, options.number("--delta", "Chance of a wrong front, below 1/2.", 0, 0.5)
    ] = 0.001,
    decoy_gap: options.DecoyGap = 0.01,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Print the mean number of duels below which no method with decoys can go.

    The poset is partially observable: duels of incomparable items are fair coins.
    """
    from antichain import theory

    model = options.one_poset(
        seed, poset, front=front, width=width, height=height, parents=parents, gaps=gaps
    )
    # A user who asks about one poset may wait for it, however large it is.
    found = theory.limit(model, delta, decoy_gap, most_items=model.size)
    if json:
        screen.print_json(found.to_dict())
        return
    _show(found, delta, decoy_gap)
    if not quiet:
        screen.say(
            "Every method that is wrong with probability at most δ, whatever the poset, takes at "
            "least the limit on average; whether one comes near it is another matter."
        )


def _show(found: "Limit", delta: float, decoy_gap: float) -> None:
    screen.say(
        f"{screen.counted(found.items, 'item')}, front {found.front}; "
        f"δ = {delta:g}, Δ = {decoy_gap:g}, k_δ = {found.constant:.4g} nats per conclusion"
    )
    parts = (
        ("to show that each dominated item is dominated", found.dominated_part),
        ("to show that no front item is above another, tests shared", found.front_part),
        ("in all: the information limit", found.limit),
        ("for comparison: the front with a test for each ordered pair", found.pairwise_front_part),
    )
    rows = [(name, f"{value:,.0f}") for name, value in parts]
    screen.show(screen.table(("what it takes", "mean duels"), rows, right=("mean duels",)))
