"""A small experiment that several tests run."""

from antichain.experiments import Spec

SMALL = Spec(
    name="small",
    title="A small experiment",
    vary="front",
    values=(1, 2, 3),
    algorithms=("unchained-paper", "unchained", "uniform", "slicing"),
    runs=2,
    panels=("duels", "regret_with_decoys", "error_rate", "decoy_share"),
    references=("theorem-1", "information-limit", "delta"),
    fixed={"height": 3, "decoy_gap": 0.1, "delta": 0.05},
)


def timeless(rows):
    """The rows without what a clock put into them."""
    return [{name: cell for name, cell in row.items() if name != "seconds"} for row in rows]
