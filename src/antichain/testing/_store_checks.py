"""The contract of a store: lines are appended in turns, for good, all of a turn or none."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from antichain.errors import AntichainError, StoreError
from antichain.testing._contract import Check, checks_of, require, require_error, run_checks

if TYPE_CHECKING:
    from antichain.serve._stores import Store

_HEADER = {"format": "antichain-study", "version": 1, "items": ["å", "b"], "seed": 1}


def check_store(make: Callable[[], Store]) -> None:
    """Run the contract suite of stores; raise `ContractError` if it fails.

    Args:
        make: Opens a store that holds nothing yet.

    Example:
        >>> from antichain.serve import MemoryStore
        >>> from antichain.testing import check_store
        >>> check_store(MemoryStore)
    """
    run_checks(make, store_checks(make))


def store_checks(
    make: Callable[[], Store], again: Callable[[Store], Store] | None = None
) -> list[Check]:
    """The checks of `check_store`, one by one.

    Args:
        make: Opens a store that holds nothing yet.
        again: Closes a store and opens it anew; None if it does not outlive that.
    """
    return checks_of(_StoreSuite(make, again))


def _note(k: int, text: str = "") -> dict[str, Any]:
    return {"event": "note", "number": k, "text": text}


class _StoreSuite:
    def __init__(
        self, make: Callable[[], Store], again: Callable[[Store], Store] | None = None
    ) -> None:
        self._make, self._again = make, again

    def _begun(self) -> Store:
        store = self._make()
        store.begin(_HEADER)
        return store

    def _content(self, store: Store, after: int = 0) -> list[Any]:
        return [json.loads(line) for line in store.read(after)]

    def check_begins_once(self) -> None:
        store = self._make()
        require(store.header() is None, "A new store has a header before begin() is called.")
        store.begin(_HEADER)
        store.begin(_HEADER | {"seed": 2})
        require(
            store.header() == _HEADER, f"The header is {store.header()}, not the one given first."
        )
        require(
            self._content(store) == [_HEADER], "The header should be line 1, and the only line."
        )
        store.close()

    def check_begins_with_all_its_lines(self) -> None:
        store = self._make()
        store.begin(_HEADER, [_note(1), _note(2)])
        require(self._content(store, 1) == [_note(1), _note(2)], "begin() lost lines.")
        store.append(3, [_note(3)])
        store.close()

    def check_gives_back_what_was_appended(self) -> None:
        store = self._begun()
        lines = [_note(k, text) for k, text in enumerate(("", "å\u2028\n\"'", "😀", "x" * 100_000))]
        store.append(1, lines[:2])
        store.append(3, lines[2:])
        require(self._content(store) == [_HEADER, *lines], "What was appended comes back changed.")
        require(self._content(store, 3) == lines[2:], "read(3) does not begin with line 4.")
        require(self._content(store, 99) == [], "There are lines after the last one.")
        if self._again is not None:
            store = self._again(store)
            require(
                self._content(store) == [_HEADER, *lines],
                "Lines are lost when the store is closed.",
            )
        store.close()

    def check_many_lines_stay_in_order(self) -> None:
        store = self._begun()
        store.append(1, [_note(k) for k in range(12_000)])
        found = [line["number"] for line in self._content(store, 1)]
        require(found == list(range(12_000)), "Many lines do not come back in order.")
        store.close()

    def check_refuses_a_line_that_is_taken(self) -> None:
        store = self._begun()
        store.append(1, [_note(1)])
        require_error(StoreError, "2", lambda: store.append(1, [_note(2)]), "Line 2, given twice,")
        require(self._content(store, 1) == [_note(1)], "A refused append left something behind.")
        store.close()

    def check_a_turn_shows_what_is_new(self) -> None:
        store = self._begun()
        store.append(1, [_note(1), _note(2)])
        with store.turn(2) as turn:
            fresh = [json.loads(line) for line in turn.fresh]
            require(fresh == [_note(2)], "A turn does not show the lines that its writer missed.")
            turn.append([_note(3)])
            turn.append([_note(4)])
        notes = [_note(k) for k in (1, 2, 3, 4)]
        require(self._content(store, 1) == notes, "A turn did not append what it was given.")
        store.close()

    def check_a_turn_that_fails_leaves_nothing(self) -> None:
        store = self._begun()

        def fail() -> None:
            with store.turn(1) as turn:
                turn.append([_note(1)])
                raise AntichainError("on purpose")

        require_error(AntichainError, "on purpose", fail, "An error inside a turn")
        require(self._content(store, 1) == [], "A turn that failed left lines behind.")
        store.append(1, [_note(2)])
        require(self._content(store, 1) == [_note(2)], "Nothing can be appended after a failure.")
        store.close()

    def check_turns_do_not_mix(self) -> None:
        store = self._begun()
        failures: list[BaseException] = []

        def write(number: int) -> None:
            known = 1
            try:
                for k in range(20):
                    with store.turn(known) as turn:
                        known += len(turn.fresh)
                        turn.append([_note(number), _note(number + k)])
                        known += 2
            except BaseException as error:  # reported below, in the thread that checks
                failures.append(error)

        threads = [threading.Thread(target=write, args=(1000 * n,)) for n in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        require(not failures, f"Writers that take turns fail: {failures[:1]!r}.")
        numbers = [line["number"] for line in self._content(store, 1)]
        require(
            len(numbers) == 160, f"Only {len(numbers)} of the 160 lines of four writers are there."
        )
        writers = [number // 1000 for number in numbers]
        together = writers[::2] == writers[1::2]
        require(together, "The lines of one turn are not next to each other.")
        store.close()

    def check_redacts_lines_in_place(self) -> None:
        store = self._begun()
        store.append(1, [_note(1, "secret"), _note(2), _note(3, "secret")])
        before = store.edition()
        store.redact({2: _note(0), 4: _note(0)})
        require(store.edition() != before, "A redaction does not change the edition.")
        with store.turn(4) as turn:
            require(
                turn.edition == store.edition(), "A turn and its store have different editions."
            )
        require(
            self._content(store, 1) == [_note(0), _note(2), _note(0)], "Lines were not replaced."
        )
        store.append(4, [_note(5)])
        require(self._content(store, 4) == [_note(5)], "Nothing can be appended after a redaction.")
        if self._again is not None:
            store = self._again(store)
            require(len(self._content(store)) == 5, "A redacted store does not open again.")
        store.close()
