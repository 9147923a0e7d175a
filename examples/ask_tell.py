"""The same algorithm without a loop of its own: asks go out in batches, answers come in any order.

Five films, two genres, no decoys: the front to within ε. The voters are simulated
here; anything that can answer "left", "right", "tie", "incomparable" or "skipped" will do.
"""

import random

import antichain as ac

BETTER_THAN = {  # the truth, which only the voters know: chances above one half
    ("Alien", "The Shining"): 0.75,
    ("Alien", "Saw"): 0.95,
    ("The Shining", "Saw"): 0.85,
    ("Hoop Dreams", "Senna"): 0.8,
}
FILMS = ["Alien", "The Shining", "Saw", "Hoop Dreams", "Senna"]
voters = random.Random(7)


def vote(left: str, right: str) -> str:
    if voters.random() < 0.1:
        return "tie"
    chance = BETTER_THAN.get((left, right), 1 - BETTER_THAN.get((right, left), 0.5))
    return "left" if voters.random() < chance else "right"


algorithm = ac.Witness(delta=0.05, decoy_gap=None, epsilon=0.1)
search = algorithm.start(FILMS, seed=1)
while not search.finished:
    asks = search.ask(20)  # up to twenty duels that can be voted on side by side
    voters.shuffle(asks)  # whoever is quickest answers first
    for ask in asks:
        if voters.random() < 0.02:
            search.expire(ask)  # nobody answered: it will be asked again
        else:
            search.tell(ask, [vote(ask.left, ask.right) for _ in range(ask.duels)])

result = search.result()
print("best:", ", ".join(result.front))
print(f"{result.duels:,} votes counted, {result.spare} spare, {result.lost} lost")
print("answers:", result.answers)
