"""Decoys that are degraded versions: check them, take the Δ they show, find the front with it."""

import numpy as np

import antichain as ac

# Two thrillers that are nearly as good as each other, and a documentary for another taste.
films = ac.DuelModel.from_relations([("Alien", "Saw", 0.02)], items=["Alien", "Saw", "Senna"])
decoys = {film: f"{film}, 240p" for film in films.items}

plan = ac.plan_calibration(items=3, precision=0.05)
rng = np.random.default_rng(0)
votes = [
    (film, decoy, "left" if rng.random() < 0.5 + 0.2 else "right")  # people, in real life
    for film, decoy in decoys.items()
    for _ in range(plan.votes_per_pair)
]
report = ac.check_decoys(votes, decoys, decoy_gap=0.1, tuned_for=plan.votes_per_pair)
print([check.flag for check in report.own], f"Δ = {report.suggested_gap:.3f}")

arena = ac.DegradedArena(films, decoy_gap=0.2, seed=1)
result = ac.find_front(arena, ac.RealDecoys(delta=0.05, decoy_gap=report.suggested_gap))
print("kept", result.front, "certainly maximal", result.certain, "too close", result.too_close)
