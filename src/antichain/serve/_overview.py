"""The owner's overview: one document with all that the dashboard shows."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import betaincc
from scipy.stats import binom

from antichain._text import counted
from antichain.algorithms._certifying import Inquiry
from antichain.certify._certificate import Certificate
from antichain.certify._notes import FROM_EXPORT, REPEATED
from antichain.certify._wording import conclusion, rows
from antichain.evidence._answers import Answer
from antichain.forecast import remaining
from antichain.orders import Poset
from antichain.orders._hasse_layout import hasse_layout
from antichain.study._leases import held_up
from antichain.study._records import AnswerRecord, ExcludeRecord, UndoRecord
from antichain.study._state import FIRST_LINE, StudyState

_DRAWN = 60  # items in the diagram: more cannot be read on a page
_LIKELY = 0.9  # how likely one item must be above another to be drawn so
_SLICES = 60  # of the time since the first vote
_FORECASTS = 10  # ways to go on that are tried
_FEW = 15  # votes of a voter before anything is made of them
_DOUBT = 1e-3  # how unlikely chance must be to raise a flag
_HOLDERS = 200  # voters without an answer who are listed: ever new names fill no page
_HASTE = 0.7  # seconds from answer to answer

Edge = tuple[str, str]
_About = tuple[str, str, str | None]  # a pair in order, and the criterion


def overview(state: StudyState, certificate: Certificate, line: int, now: float) -> dict[str, Any]:
    """Everything about a study, in the words and numbers of its certificate."""
    voters, forecast = voters_of(state), _forecast(state)
    listed = rows(certificate)
    return {
        "line": line,
        "conclusion": conclusion(certificate),
        "waiting": _waiting(state, now),
        "promise": certificate.promise,
        "delta": certificate.delta,
        "epsilon": certificate.epsilon,
        "counts": {
            "votes": certificate.votes,
            "skipped": sum(a.record.answer is Answer.SKIPPED for a in state.answers),
            "voters": sum(voter["votes"] > 0 for voter in voters),
            "items": len(state.items),
            "outstanding": sum(1 for _ in state.open_asks()),
        },
        "finished": state.search.finished,
        "front": list(certificate.front),
        "out": [{"name": row.item, "why": row.why} for row in listed if row.status == "out"],
        "undecided": [
            {"name": row.item, "why": row.why}
            for row in listed
            if row.status in ("undecided", "cycle")
        ],
        "likely": _likely(certificate),
        "hasse": _diagram(certificate, _beliefs(state, certificate.epsilon)),
        "votes_over_time": _over_time(state),
        "forecast": forecast,
        "advice": _advice(state, forecast, sum(v["votes"] > 0 for v in voters)),
        "voters": voters,
        "flags": _flags(certificate, voters),
        "notes": _notes(certificate),
    }


def _notes(certificate: Certificate) -> list[str]:
    """The certificate's sentences, less those about reading an export, which there is none of."""
    told = (note for note in certificate.notes if not note[:1].islower())
    return [note for note in told if not note.startswith(FROM_EXPORT)]


def _likely(certificate: Certificate) -> dict[str, Any] | None:
    found = certificate.likely
    if found is None:
        return None
    chances = dict(sorted(found.chances.items(), key=lambda pair: -pair[1]))
    return {"front": list(found.likely_front), "chances": chances}


def _diagram(certificate: Certificate, beliefs: dict[Edge, float]) -> dict[str, Any]:
    """The order so far: dominances that are shown, and those that are likely beside them.

    Items without any are not drawn, since the place of an item at the top says that it is good;
    those that are in belong there. `drawn_from` is how likely a dominance must be, for the page to
    say so.
    """
    chances = {} if certificate.likely is None else certificate.likely.chances
    ranked = sorted(certificate.items, key=lambda name: -chances.get(name, 0.0))[:_DRAWN]
    kept, cyclic = set(ranked), {name for group in certificate.groups for name in group.items}
    shown = {
        (claim.first, claim.second): 1.0 - math.exp(-claim.log_evidence)
        for claim in certificate.pairs.dominated
        if {claim.first, claim.second} <= kept and not {claim.first, claim.second} <= cyclic
    }
    likely = sorted((pair for pair in beliefs if {*pair} <= kept), key=lambda pair: -beliefs[pair])
    pairs = _without_cycles([*shown, *likely], ranked)
    hidden = len(certificate.items) - len(ranked)
    told = {"left_out": hidden, "drawn_from": _LIKELY}
    if not pairs:
        return {"nodes": [], "edges": [], "alone": ranked, **told}
    placed = {*certificate.front, *(name for pair in pairs for name in pair)}
    order = Poset.from_relations(pairs, [name for name in ranked if name in placed])
    layout = hasse_layout(order)
    nodes = [
        {
            "name": name,
            "x": x,
            "y": -y,
            "verdict": certificate.status(name),
            "chance": chances.get(name),
        }
        for name, (x, y) in layout.places.items()
    ]
    edges = [
        {
            "from": upper,
            "to": lower,
            "confidence": shown.get((upper, lower), beliefs.get((upper, lower))),
            "certified": (upper, lower) in shown,
            "path": [[x, -y] for x, y in path],
        }
        for (upper, lower), path in layout.paths.items()
    ]
    return {
        "nodes": nodes,
        "edges": edges,
        "alone": [name for name in ranked if name not in placed],
        **told,
    }


def _without_cycles(pairs: list[Edge], items: list[str]) -> list[Edge]:
    """Those of the pairs, the earlier ones first, that contradict none before them."""
    place = {name: k for k, name in enumerate(items)}
    below = np.eye(len(items), dtype=np.bool_)  # itself and what is below it
    found = []
    for upper, lower in pairs:
        high, low = place[upper], place[lower]
        if not below[low, high]:
            below |= np.outer(below[:, high], below[low])
            found.append((upper, lower))
    return found


def _beliefs(state: StudyState, epsilon: float) -> dict[Edge, float]:
    """How likely the first of two beats the second by more than ε, by the votes on the two alone.

    With several criteria: by each of them. Whoever calls the two alike, or cannot compare them,
    does not prefer it. What beats by less may share the front with what it beats.
    """
    wins: Counter[tuple[str, str, str | None]] = Counter()
    votes: Counter[tuple[str, str, str | None]] = Counter()
    for answer in state.answers:
        ask, word = state.asks[answer.record.ask], answer.record.answer
        if ask.decoy is not None or word is Answer.SKIPPED:
            continue
        for first, second, side in (
            (ask.left, ask.right, Answer.LEFT),
            (ask.right, ask.left, Answer.RIGHT),
        ):
            votes[first, second, ask.criterion] += 1
            wins[first, second, ask.criterion] += word is side
    criteria = {criterion for _, _, criterion in votes}
    found: dict[Edge, float] = {}
    for first, second in dict.fromkeys(key[:2] for key in votes):
        keys = [(first, second, criterion) for criterion in criteria]
        # The chance that a share is so large, if all shares were equally likely before.
        chance = math.prod(
            float(betaincc(1 + wins[key], 1 + votes[key] - wins[key], 0.5 + epsilon))
            for key in keys
        )
        if chance >= _LIKELY:
            found[first, second] = chance
    return found


def _over_time(state: StudyState) -> list[tuple[float, int]]:
    times = sorted(answer.record.time for answer in state.answers)
    if not times:
        return []
    start, step = times[0], max(1.0, (times[-1] - times[0]) / _SLICES)
    counts = Counter(int((moment - start) / step) for moment in times)
    found, total = [(round(start, 1), 0)], 0
    for k in range(max(counts) + 1):
        total += counts[k]
        found.append((round(start + (k + 1) * step, 1), total))
    return found


def _forecast(state: StudyState) -> dict[str, float] | None:
    search = state.search
    if not isinstance(search, Inquiry) or not search.has_forecast or search.finished:
        return None
    found = remaining(search, runs=_FORECASTS)
    return {"low": found.low, "median": found.median, "high": found.high}


def _advice(state: StudyState, forecast: dict[str, float] | None, voters: int) -> str | None:
    """What helps where a proof takes more votes than there can be; None where it is within reach.

    A voter gives one vote on each pair that repeats none of theirs.
    """
    if forecast is None or not voters:
        return None
    votes, size = len(state.answers), len(state.items)
    budget = getattr(state.settings.algorithm, "budget", None)
    pairs = size * (size - 1) // 2
    left = voters * pairs - _pairs_met(state)
    if budget is not None and forecast["median"] > budget - votes:
        return (
            f"The budget of {counted(budget, 'vote')} will probably not decide every item; the "
            "likely front is then the best answer. A larger budget, fewer items or a larger "
            "epsilon would help."
        )
    if left <= 0:
        who = "Your only voter has" if voters == 1 else f"Your {voters:,} voters have"
        what = "the only pair" if pairs == 1 else f"all {pairs:,} pairs"
        return (
            f"{who} already voted on {what}, so more votes from them would be repeats. More voters "
            "help; or start a new study with fewer items or a larger epsilon, or settle for the "
            "likely front."
        )
    if forecast["median"] > 2 * left:
        return (
            f"That is out of reach: {counted(voters, 'voter')} can give "
            f"{counted(left, 'more vote')} without voting on the same pair again "
            f"({voters * pairs:,} in all, less the {voters * pairs - left:,} so far). More voters "
            "would help; or, in a new study, fewer items, a larger epsilon, or a budget spent on "
            "the likely front."
        )
    return None


def _pairs_met(state: StudyState) -> int:
    """The number of pairs that each voter has voted on, added up over the voters."""
    asks = ((answer.record.voter, state.asks[answer.record.ask]) for answer in state.answers)
    return len({(voter, frozenset((ask.left, ask.right))) for voter, ask in asks})


def _waiting(state: StudyState, now: float) -> dict[str, Any] | None:
    """The ask that holds up votes, which are read in the order of their asks, if any does."""
    found = held_up(state, now)
    if found is None:
        return None
    ask = found.ask
    about = {"voter": ask.voter, "left": ask.left, "right": ask.right, "held": found.votes}
    return about | {"since": round(found.since), "seconds": round(found.seconds)}


# -- voters --------------------------------------------------------------------------------------


def voters_of(state: StudyState) -> list[dict[str, Any]]:
    """What is to be seen of each voter, those left out among them."""
    undone = {record.line for record in state.records if isinstance(record, UndoRecord)}
    reasons = {
        record.voter: record.reason for record in state.records if isinstance(record, ExcludeRecord)
    }
    answers: dict[str, list[AnswerRecord]] = defaultdict(list)
    settled: set[int] = set()
    scores: dict[_About, float] = defaultdict(float)  # of the first of each pair, by all voters
    for line, record in enumerate(state.records, start=FIRST_LINE):
        if not isinstance(record, AnswerRecord) or line in undone or record.ask in settled:
            continue
        if record.ask not in state.asks:
            continue
        settled.add(record.ask)
        answers[record.voter or ""].append(record)
        if record.ask > 0 and (score := _score(state, record)) is not None:
            scores[score[0]] += score[1]
    silent = [name for name in state.holders() if name not in answers]
    for name in (*silent[:_HOLDERS], *state.left_out):
        answers.setdefault(name, [])
    return [
        _voter(state, name, given, scores) | {"reason": reasons.get(name)}
        for name, given in sorted(answers.items())
    ]


def _score(state: StudyState, record: AnswerRecord) -> tuple[_About, float] | None:
    """What an answer gives the first of its pair by name, from -1 to 1, if it compares."""
    value = {Answer.LEFT: 1.0, Answer.RIGHT: -1.0, Answer.TIE: 0.0}.get(record.answer)
    ask = state.asks[record.ask]
    if value is None or ask.decoy is not None:
        return None
    if ask.left <= ask.right:
        return (ask.left, ask.right, ask.criterion), value
    return (ask.right, ask.left, ask.criterion), -value


def _voter(
    state: StudyState,
    name: str,
    given: list[AnswerRecord],
    scores: dict[_About, float],
) -> dict[str, Any]:
    votes = [record for record in given if record.ask > 0]
    checks = [record for record in given if record.ask < 0]
    passed = sum(_passes(state, record) for record in checks)
    scored = [score for record in votes if (score := _score(state, record)) is not None]
    own: dict[_About, float] = defaultdict(float)
    for pair, value in scored:
        own[pair] += value
    others = {pair: scores[pair] - own[pair] for pair in own}
    told = [others[pair] * value > 0 for pair, value in scored if others[pair] and value]
    agreed, compared = sum(told), len(told)
    times = [record.time for record in given]
    spans = sorted(b - a for a, b in pairwise(times) if b - a < 600)
    pace = 60.0 / statistics.mean(spans) if spans and statistics.mean(spans) > 0 else None
    return {
        "voter": name,
        "votes": len(votes),
        "per_minute": None if pace is None else round(pace, 1),
        "agreement": round(agreed / compared, 3) if compared else None,
        "checks": len(checks),
        "checks_passed": passed,
        "excluded": name in state.left_out,
        "flags": _voter_flags(votes, len(checks) - passed, agreed, compared, spans),
    }


def _passes(state: StudyState, record: AnswerRecord) -> bool:
    """Whether the item was preferred to its own decoy."""
    decoy = state.asks[record.ask].decoy
    return record.answer is (Answer.LEFT if decoy == "right" else Answer.RIGHT)


def _voter_flags(
    votes: list[AnswerRecord], failed: int, agreed: int, compared: int, spans: list[float]
) -> list[str]:
    flags = []
    left, right = (sum(v.answer is side for v in votes) for side in (Answer.LEFT, Answer.RIGHT))
    if left + right >= _FEW and 2 * _tail(left + right, max(left, right)) < _DOUBT:
        side = "left" if left > right else "right"
        flags.append(f"chose the {side} side in {max(left, right)} of {left + right} votes")
    if compared >= _FEW and _tail(compared, compared - agreed) < _DOUBT:
        flags.append(f"disagrees with the others in {compared - agreed} of {compared} votes")
    if failed >= 2:
        flags.append(f"failed {failed} attention checks")
    if len(spans) >= _FEW and statistics.median(spans) < _HASTE:
        flags.append(f"answers every {statistics.median(spans):.1f} seconds")
    return flags


def _tail(n: int, k: int) -> float:
    """The chance of at least k heads in n tosses."""
    return float(binom.sf(k - 1, n, 0.5))


def _flags(certificate: Certificate, voters: list[dict[str, Any]]) -> list[dict[str, str]]:
    found = [("check", text) for text in (*certificate.alarms, *certificate.warnings)]
    found += [("repeats", note) for note in certificate.notes if REPEATED in note]
    found += [("cycle", f"A cycle: {' > '.join([*c, c[0]])}.") for c in certificate.cycles]
    found += [("voter", f"{v['voter']} {flag}.") for v in voters for flag in v["flags"]]
    return [{"kind": kind, "text": text} for kind, text in found]
