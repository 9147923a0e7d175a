"""A study against a twin that keeps a plain list and works everything out from the start."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import antichain as ac
from antichain.errors import ProtocolError
from antichain.study import Study, StudyAsk

from .world import (
    ITEMS,
    QUICK,
    WITH_DECOYS,
    WITNESS,
    WITNESS_WITH_DECOYS,
    alphabetical,
    ticking,
)

VOTERS = ["ann", "bob", None]
FORMS = [form.value for form in ac.Answer]


class Twin:
    """Events in a list; every question is answered by playing all of them again."""

    def __init__(self, algorithm: ac.Algorithm, seed: int) -> None:
        self.algorithm, self.seed = algorithm, seed
        self.events: list[list[Any]] = []
        self.flips: dict[int, bool] = {}

    def state(self) -> dict[str, Any]:
        search = self.algorithm.start(ITEMS, self.seed)
        made: dict[int, ac.Ask | None] = {}
        shown: dict[int, StudyAsk] = {}
        settled: set[int] = set()
        votes: list[tuple[str, str | None, str]] = []
        voided = Counter[str]()
        retracted: set[int] = set()
        for kind, *details in self.events:
            if kind == "ask":
                (ask,) = details
                left, right = ask.left, ask.right
                if self.flips[ask.id]:
                    left, right = right, left
                shown[ask.id] = ask
                (made[ask.id],) = search.ask_for([(left, right, ask.decoy is not None)])
            elif kind == "expire":
                settled.add(details[0])
                if made[details[0]] is not None:
                    search.expire(made[details[0]])
            elif kind == "retract" and details[0] not in settled:
                settled.add(details[0])
                retracted.add(details[1])
                search.expire(made[details[0]])
            elif kind == "again" and details[1] in retracted:
                settled.discard(details[0])
                old = made.pop(details[0])
                (made[details[0]],) = search.ask_for([(old.left, old.right, old.decoy)])
            elif kind == "answer":
                number, answer, voter = details
                settled.add(number)
                said = answer
                if self.flips[number]:
                    said = {"left": "right", "right": "left"}.get(answer, answer)
                if made[number] is None:
                    voided[said] += 1
                    receipt = ac.Receipt.SPARE
                else:
                    receipt = search.tell(made[number], said)
                votes.append((answer, voter, receipt.value))
        result = search.result()
        return {
            "front": result.front,
            "finished": search.finished,
            "duels": result.duels,
            "spare": result.spare + voided.total(),
            "lost": result.lost,
            "answers": {form: n + voided[form] for form, n in result.answers.items()},
            "open": [
                shown[k] for k, ask in made.items() if ask is not None and search.wants(ask)
            ],
            "votes": votes,
            "settled": settled,
        }  # fmt: skip

    def undo(self, place: int) -> None:
        """Take the answer at that place back: a certificate takes its ask for given up."""
        number = self.events[place][1]
        if isinstance(self.algorithm, ac.Certifying):
            self.events[place] = ["retract", number, len(self.events)]
            self.events.append(["again", number, len(self.events)])
        else:
            del self.events[place]


CERTIFYING = ac.Certifying(delta=0.3, epsilon=0.3)
KINDS = [QUICK, WITH_DECOYS, WITNESS, WITNESS_WITH_DECOYS, CERTIFYING]


class StudyMachine(RuleBasedStateMachine):
    @initialize(algorithm=st.sampled_from(KINDS), seed=st.integers(0, 3))
    def begin(self, algorithm: ac.Algorithm, seed: int) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "study"
        self.study = Study.open(self.path, ITEMS, algorithm, seed, now=ticking())
        self.twin = Twin(algorithm, seed)
        self.asks: list[StudyAsk] = []

    def teardown(self) -> None:
        if hasattr(self, "study"):
            self.study.close()
            shutil.rmtree(self.folder)

    @rule(n=st.integers(1, 12), avoid=st.booleans())
    def ask(self, n: int, avoid: bool) -> None:
        asks = self.study.ask(n, avoid=self.asks[-2:] if avoid else ())
        assert len(asks) <= n
        for ask in asks:
            assert ask.id == len(self.asks) + 1
            self.asks.append(ask)
            self.twin.flips[ask.id] = self.study._state.asks[ask.id].flipped
            self.twin.events.append(["ask", ask])
        state = self.twin.state()
        if state["finished"]:
            assert asks == []
        elif not state["open"]:
            raise AssertionError("nothing to do in a study that is not finished")

    @precondition(lambda self: self.asks)
    @rule(data=st.data(), answer=st.sampled_from(FORMS), voter=st.sampled_from(VOTERS))
    def tell_any(self, data: st.DataObject, answer: str, voter: str | None) -> None:
        self.tell(data.draw(st.sampled_from(self.asks)), answer, voter)

    @precondition(lambda self: self.asks)
    @rule(voter=st.sampled_from(VOTERS), most=st.integers(1, 20))
    def tell_truly(self, voter: str | None, most: int) -> None:
        for ask in self.study.outstanding[:most]:
            self.tell(ask, alphabetical(ask), voter)

    def tell(self, ask: StudyAsk, answer: str, voter: str | None) -> None:
        receipt = self.study.tell(ask, answer, voter=voter)
        self.twin.events.append(["answer", ask.id, answer, voter])
        assert self.twin.state()["votes"][-1] == (answer, voter, receipt.value)

    @precondition(lambda self: self.asks)
    @rule(data=st.data())
    def expire(self, data: st.DataObject) -> None:
        ask = data.draw(st.sampled_from(self.asks))
        settled = self.twin.state()["settled"]
        self.study.expire(ask)
        if ask.id not in settled:
            self.twin.events.append(["expire", ask.id])

    @rule(voter=st.sampled_from(VOTERS))
    def undo(self, voter: str | None) -> None:
        mine = [k for k, e in enumerate(self.twin.events) if e[0] == "answer" and e[3] == voter]
        if not mine:
            with pytest.raises(ProtocolError):
                self.study.undo(voter=voter)
            return
        ask = self.study.undo(voter=voter)
        assert ask.id == self.twin.events[mine[-1]][1]
        self.twin.undo(mine[-1])

    @rule(extra=st.integers(1, 50))
    def tell_of_nothing(self, extra: int) -> None:
        before = self.path.read_bytes()
        with pytest.raises(ProtocolError):
            self.study.tell(len(self.asks) + extra, "left")
        assert self.path.read_bytes() == before

    @rule(torn=st.integers(0, 30))
    def crash(self, torn: int) -> None:
        """The process dies, maybe while it writes a line, and the study is taken up again."""
        self.study.close()
        with self.path.open("ab") as stream:
            stream.write(b'{"event":"answer","ask":1,"answer":"left"'[:torn])
        self.study = Study.open(self.path, now=ticking())
        assert (self.study.note is not None) == (torn > 0)

    @invariant()
    def alike(self) -> None:
        if not hasattr(self, "study"):
            return
        state = self.twin.state()
        for study in (self.study, Study.read(self.path)):
            result = study.result()
            assert result.front == state["front"]
            assert result.certified == study.finished == state["finished"]
            assert result.duels == state["duels"]
            assert result.spare == study.progress.spare == state["spare"]
            assert result.lost == state["lost"]
            assert result.answers == state["answers"]
            assert list(study.outstanding) == state["open"]
            votes = [(vote.answer, vote.voter, vote.receipt) for vote in study.votes()]
            assert votes == state["votes"]


StudyMachine.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestStudyMachine = StudyMachine.TestCase
