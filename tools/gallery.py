"""Make the pictures of docs/gallery.md with the package's own code.

    python tools/gallery.py [FOLDER] [--only WORD]

Pages are photographed with Chromium; without it, only their pictures are left as they are. The
same code gives the same pictures, except that the dashboard shows the time of its votes.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.doc_pages import blocks  # noqa: E402

import antichain as ac  # noqa: E402
from antichain.certify.report import page  # noqa: E402

FOLDER = ROOT / "docs" / "images" / "gallery"
LARGEST = 150_000  # bytes of a picture
NEARLY_GREY = 16  # between the largest and the smallest of red, green and blue, of 255
GENRES = (("Alien", "Saw", "Cube", "Ring"), ("Senna", "Amy", "Heat", "Rush"))
FILMS = [film for genre in GENRES for film in genre]
WIDE = {"width": 1000, "height": 760}
PHONE = {"width": 390, "height": 780}

WEATHER = [("tea", "rain"), ("tea", "fog"), ("sun", "fog"), ("sun", "snow")]
ORDERS: dict[int, Callable[[], ac.Poset]] = {
    5: lambda: ac.Poset.from_relations(WEATHER),
    20: lambda: ac.posets.dominance(20, 2, seed=1).poset,
    50: lambda: ac.posets.layered(6, 11, 5, seed=1).poset,
    150: lambda: ac.posets.dominance(150, 2, seed=1).poset,
    500: lambda: ac.posets.layered(10, 49, 11, seed=1).poset,
}


# -- votes ---------------------------------------------------------------------------------------


def chance(left: str, right: str) -> float:
    """How often the left film wins: films of one genre by their place in it, others are even."""
    for genre in GENRES:
        if left in genre and right in genre:
            lead = genre.index(right) - genre.index(left)
            return min(max(0.5 + 0.3 * lead, 0.1), 0.9)
    return 0.5


def film_votes(number: int, seed: int = 2) -> list[dict[str, str]]:
    """Votes on pairs of films, drawn at random."""
    rng = random.Random(seed)
    rows = []
    for _ in range(number):
        left, right = rng.sample(FILMS, 2)
        winner = left if rng.random() < chance(left, right) else right
        rows.append({"left": left, "right": right, "winner": winner})
    return rows


def as_csv(rows: list[dict[str, str]]) -> str:
    """The votes as the text of a file."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


# -- pictures that are drawn ---------------------------------------------------------------------


def orders(folder: Path) -> None:
    """Hasse diagrams of five to five hundred items."""
    for size, make in ORDERS.items():
        poset = make()
        assert len(poset) == size
        ac.plots.hasse(poset, title=f"{size} items").save(folder / f"hasse-{size}.png")


def found(folder: Path) -> None:
    """A front that was found, on the true order."""
    model = ac.posets.layered(3, 5, 4, seed=2)
    method = ac.Witness(delta=0.05, decoy_gap=0.1)
    result = ac.find_front(ac.SimulatedArena(model, decoy_gap=0.1), method, budget=1500)
    picture = ac.plots.hasse(model.poset, result, title=f"After {result.duels:,} duels")
    picture.save(folder / "found.png")


def likely(folder: Path) -> None:
    """Chances after few votes."""
    ac.plots.chances(ac.front(film_votes(120))).save(folder / "likely.png")


def forecast(folder: Path) -> None:
    """How many votes studies take."""
    ac.plots.forecast(ac.plan(items=8, front=2, runs=200)).save(folder / "forecast.png")


# -- pages that are photographed -----------------------------------------------------------------


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Any, address: str, size: dict[str, int], dark: bool = False) -> Iterator[Any]:
    """A page, as large and as dark as it should be."""
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport=size, color_scheme=scheme, device_scale_factor=1.5)
    shown = context.new_page()
    shown.set_default_timeout(240_000)
    shown.goto(address)
    try:
        yield shown
    finally:
        context.close()


def report(folder: Path) -> None:
    """The page of a certificate, and pictures out of it."""
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        votes = Path(scratch) / "votes.csv"
        votes.write_text(as_csv(film_votes(2000)), encoding="utf-8")
        address = _page_of(votes)
        for name, size, dark in (
            ("report", WIDE, False),
            ("report-dark", WIDE, True),
            ("report-phone", PHONE, False),
        ):
            with opened(browser, address, size, dark) as shown:
                _down_to(shown, "#items", folder / f"{name}.png")
        with opened(browser, address, WIDE) as shown:
            charts = {"evidence": "#evidence-over-time", "win-rates": "#win-rates"}
            for name, section in charts.items():
                shown.locator(f"{section} svg").last.screenshot(path=folder / f"{name}.png")


def _down_to(shown: Any, section: str, path: Path) -> None:
    """Photograph a page from its top down to a section, so that nothing is cut in two."""
    size = {"width": shown.viewport_size["width"]}
    clip = {"x": 0, "y": 0, **size, "height": shown.locator(section).bounding_box()["y"]}
    shown.screenshot(path=path, full_page=True, clip=clip)


def criteria(folder: Path) -> None:
    """Quality against price."""
    prices = {"Ada": 9, "Bo": 6, "Cy": 6.5, "Di": 1, "Eve": 3, "Flo": 8, "Gus": 2}
    quality = {"Ada": 2.6, "Bo": 2.0, "Cy": 0.6, "Di": 0.0, "Eve": 1.3, "Flo": 1.4, "Gus": 0.3}
    rng, rows = random.Random(3), []
    for _ in range(6000):
        left, right = rng.sample(list(prices), 2)
        better = 1 / (1 + 2.7 ** (quality[right] - quality[left]))
        winner = left if rng.random() < better else right
        rows.append({"left": left, "right": right, "winner": winner})
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        votes, table = Path(scratch) / "votes.csv", Path(scratch) / "models.csv"
        votes.write_text(as_csv(rows), encoding="utf-8")
        lines = ["model,price", *(f"{name},{price}" for name, price in prices.items())]
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        attributes = ac.read_attributes(table, {"price": "min"})
        _plane(browser, _page_of(votes, attributes=attributes), folder / "criteria.png")
        # The models of the guide, whose blocks have the names of these files.
        for block in blocks(ROOT / "docs" / "guides" / "criteria.md"):
            if block.file:
                (Path(scratch) / block.file).write_text(block.text, encoding="utf-8")
        attributes = ac.read_attributes(Path(scratch) / "models.csv", {"price": "min"})
        options = {"criterion": "about", "count": "count", "attributes": attributes}
        address = _page_of(Path(scratch) / "duels.csv", **options)
        _plane(browser, address, folder / "criteria-three.png")


def _plane(browser: Any, address: str, path: Path) -> None:
    """Photograph the picture of the criteria of a certificate."""
    with opened(browser, address, WIDE) as shown:
        box = shown.locator("#front svg").first.bounding_box()
        inner = {**box, "y": box["y"] + 3, "height": box["height"] - 3}  # not its frame
        shown.screenshot(path=path, full_page=True, clip=inner)


def _page_of(votes: Path, **options: Any) -> str:
    document = votes.with_suffix(".html")
    log = ac.read_votes(votes, **options)
    found = ac.front(votes, **options)
    document.write_text(page(found, log), encoding="utf-8")
    return document.as_uri()


def served(folder: Path) -> None:
    """The page that people vote on, and the owner's dashboard."""
    from tests.serve.browser import write_study
    from tests.serve.served import Server

    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        head = 'title = "Film night"\nquestion = "Which would you rather see?"\n'
        study = write_study(Path(scratch) / "films.toml", FILMS, head)
        with Server(study) as server:
            _vote(server, 400)
            address = f"{server.links['vote']}?voter=you"
            for name, size, dark in (
                ("voting", {"width": 900, "height": 520}, False),
                ("voting-phone", PHONE, True),
            ):
                with opened(browser, address, size, dark) as shown:
                    shown.wait_for_selector("#duel:not([hidden])")
                    shown.wait_for_timeout(800)  # until what fades in is there
                    shown.screenshot(path=folder / f"{name}.png")
            for name, dark in (("dashboard", False), ("dashboard-dark", True)):
                with opened(browser, server.links["owner"], WIDE, dark) as shown:
                    shown.wait_for_selector("#hasse-figure:not([hidden])")
                    shown.wait_for_timeout(1500)
                    _down_to(shown, "[aria-labelledby=undecided-heading]", folder / f"{name}.png")


def _vote(server: Any, votes: int) -> None:
    rng = random.Random(5)
    with server.client() as client:
        for k in range(votes):
            voter = f"voter {k % 40 + 1}"
            for ask in client.post("/api/asks", json={"voter": voter, "n": 1}).json()["asks"]:
                wins = rng.random() < chance(ask["left"], ask["right"])
                answer = {"answer": "left" if wins else "right"}
                client.post(f"/api/asks/{ask['id']}/answer", json=answer)


# -- all of them ---------------------------------------------------------------------------------


def shrunk(path: Path) -> None:
    """Make a picture as small as a page of the docs needs it."""
    for width, colours in ((1400, 128), (1300, 48), (1200, 24), (1100, 16), (1000, 12), (900, 10)):
        with Image.open(path) as opened_picture:
            picture = opened_picture.convert("RGB")
        if picture.width > width:
            height = round(picture.height * width / picture.width)
            picture = picture.resize((width, height), Image.Resampling.LANCZOS)
        # Maximum coverage keeps the few pixels of a colour that matter.
        few = picture.quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.putpalette(_greyed(few.getpalette() or []))
        stream = io.BytesIO()
        few.save(stream, "PNG", optimize=True)
        if stream.tell() <= LARGEST:
            path.write_bytes(stream.getvalue())
            return
    raise SystemExit(f"{path} is larger than {LARGEST:,} bytes, however small it is made")


def _greyed(palette: list[int]) -> list[int]:
    """The palette with each colour that is nearly grey made grey: few colours tint them."""
    greyed: list[int] = []
    for at in range(0, len(palette), 3):
        colour = palette[at : at + 3]
        near = max(colour) - min(colour) <= NEARLY_GREY
        greyed += [round(sum(colour) / 3)] * 3 if near else colour
    return greyed


MAKERS = {
    maker.__name__: maker for maker in (orders, found, likely, forecast, report, criteria, served)
}
PHOTOGRAPHED = {"report", "criteria", "served"}


def main() -> None:
    """Make the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--only", choices=MAKERS, help="only these pictures")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, make in MAKERS.items():
        if given.only not in (None, name):
            continue
        if name in PHOTOGRAPHED and shutil.which("chromium") is None:
            print(f"{name}: there is no Chromium, so these pictures stay as they are")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            make(Path(scratch))
            for picture in sorted(Path(scratch).glob("*.png")):
                shrunk(picture)
                shutil.move(picture, given.folder / picture.name)
                size = (given.folder / picture.name).stat().st_size
                print(f"{given.folder / picture.name}: {size:,} bytes", flush=True)


if __name__ == "__main__":
    main()
