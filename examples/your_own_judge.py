"""A Python function as the voter, with a budget: what is still undecided when it runs out."""

import antichain as ac

DISHES = ["ramen", "pho", "tiramisu", "panna cotta", "trifle"]
SAVOURY = {"ramen", "pho"}


def judge(left: str, right: str) -> str:
    """A soup cannot be compared with a dessert; within each, longer names lose."""
    if (left in SAVOURY) != (right in SAVOURY):
        return "incomparable"
    return "left" if len(left) < len(right) else "right"


arena = ac.CallableArena(DISHES, judge, observable=True)
result = ac.find_front(arena, ac.SlicingBandits(delta=0.01), budget=1_000)
print("best:", ", ".join(result.front), "(certified)" if result.certified else "(not certified)")

short = ac.find_front(arena, ac.SlicingBandits(delta=0.01), budget=10)
print("undecided after ten duels:", ", ".join(short.undecided) or "nothing")
