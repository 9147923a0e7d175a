"""Which duels a run will need: some for sure, others in most of its simulated futures."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heapify, heapreplace

from antichain.forecast._rollouts import Duel, Rollout


def in_turn(wanted: Mapping[Duel, int], n: int) -> list[Duel]:
    """Return up to `n` of the duels wanted, one of each pair in turn."""
    taken: list[Duel] = []
    turn = 0
    while len(taken) < n and (left := [pair for pair in wanted if wanted[pair] > turn]):
        taken += left[: n - len(taken)]
        turn += 1
    return taken


def likeliest(ways: Sequence[Rollout], known: Counter[Duel], n: int, chance: float) -> list[Duel]:
    """Return up to `n` duels beyond those `known`, the likeliest to be needed first.

    Only duels that are needed with probability at least `chance` are returned. The probability is
    estimated from the futures: the k-th duel of a pair is needed in all that take at least k of
    it. Among equally likely duels, pairs that come up early go first, in portions that double.
    """
    needs: dict[Duel, list[int]] = {}
    for way in ways:
        for pair, number in way.needed.items():
            needs.setdefault(pair, []).append(number)
    for numbers in needs.values():
        numbers.sort()

    place = {pair: number for number, pair in enumerate(needs)}

    def entry(pair: Duel, number: int) -> tuple[int, int, int, int, Duel]:
        ways_needing = len(needs[pair]) - bisect_left(needs[pair], number)
        return -ways_needing, number.bit_length(), place[pair], number, pair

    heap = [entry(pair, known[pair] + 1) for pair in needs]
    heapify(heap)
    taken: list[Duel] = []
    while heap and len(taken) < n and -heap[0][0] >= max(1, chance * len(ways)):
        *_, number, pair = heap[0]
        taken.append(pair)
        heapreplace(heap, entry(pair, number + 1))
    return taken
