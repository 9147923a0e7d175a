"""People at browsers: pages of a real Chromium."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.serve.served import Server

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
_PATIENCE = 240_000  # milliseconds, for the first use compiles kernels


def dashboard(server: Server) -> dict[str, Any]:
    with server.client("owner") as owner:
        return dict(owner.get("/api/dashboard").json())


def write_study(path: Path, items: list[str] | list[dict[str, str]], head: str = "") -> Path:
    """A study file with these items, or names of items, after what `head` says."""
    entries = [{"name": item} if isinstance(item, str) else item for item in items]
    text = head + "\n"
    for entry in entries:
        # What JSON writes of a string is a string in TOML, too.
        text += "\n[[items]]\n" + "".join(
            f"{k} = {json.dumps(v, ensure_ascii=False)}\n" for k, v in entry.items()
        )
    path.write_text(text, encoding="utf-8")
    return path


@contextmanager
def chromium() -> Iterator[Any]:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("There is no chromium on this machine: make browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Person:
    """Somebody at a page, with what the browser complains about and where it went."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(_PATIENCE)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}"))
        self.page.on("console", self._console)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    @property
    def ask(self) -> str | None:
        """The number of the duel on the screen; None if there is none."""
        return self.page.evaluate(
            "() => document.querySelector('#duel').hidden ? null"
            " : document.querySelector('#duel').dataset.ask"
        )

    @property
    def names(self) -> tuple[str, str]:
        left, right = self.page.locator(".card h2").all_inner_texts()
        return left, right

    def arrive(self) -> None:
        """Wait for a duel or for the end."""
        self.page.wait_for_selector("#duel:not([hidden]), #end:not([hidden])")

    def press(self, key: str) -> None:
        self._next(lambda: self.page.keyboard.press(key))

    def click(self, answer: str) -> None:
        self.page.wait_for_timeout(260)  # a new duel does not take the click meant for the last
        self._next(lambda: self.page.locator(f'button[data-answer="{answer}"]').click())

    def tap(self, answer: str) -> None:
        self.page.wait_for_timeout(260)
        self._next(self.page.locator(f'.card[data-answer="{answer}"]').tap)

    def _next(self, act: Any) -> None:
        before = self.ask
        act()
        self.page.wait_for_function(
            "before => { const [duel, end] = ['#duel', '#end'].map(s => document.querySelector(s));"
            " return duel.hidden ? !end.hidden && end.dataset.view !== 'sending'"
            " : duel.dataset.ask !== before; }",
            arg=before,
        )

    def saved(self) -> None:
        """Wait until all answers are confirmed."""
        self.page.wait_for_function(
            "() => Object.keys(localStorage).filter(key => / \\S+$/.test(key)"
            " && key.startsWith('antichain /') && !key.endsWith(' voter')).length === 0"
        )

    def serious(self) -> list[str]:
        """What axe finds wrong with the page, less what is minor."""
        from axe_playwright_python.sync_playwright import Axe

        self.page.wait_for_timeout(400)  # colours that fade in are judged at their end
        found = Axe().run(self.page).response["violations"]
        return [
            f"{one['impact']} {one['id']}: {[node['html'][:120] for node in one['nodes']]}"
            for one in found
            if one["impact"] != "minor"
        ]


@contextmanager
def person(browser: Any, address: str, **options: Any) -> Iterator[Person]:
    """Somebody who opens an address in a browser of their own."""
    context = browser.new_context(**(DESKTOP | options))
    try:
        someone = Person(context.new_page())
        someone.page.goto(address)
        yield someone
    finally:
        context.close()
