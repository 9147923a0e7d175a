"""The front of a simulated poset, in five lines."""

import antichain as ac

model = ac.posets.layered(front=3, width=6, height=4, seed=0)
arena = ac.SimulatedArena(model, decoy_gap=0.05, seed=0)
result = ac.find_front(arena, ac.Witness(delta=0.01, decoy_gap=0.05))

print("found:", ", ".join(result.front))
print("truth:", ", ".join(model.front))
print(f"{result.duels:,} duels, {result.decoy_duels:,} of them against decoys")
for item, above in list(result.dominated.items())[:3]:
    print(f"{item} is out: {above} was shown above it")
