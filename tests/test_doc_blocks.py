"""What README and docs tell the reader to type, typed: a page that lies fails.

Each page is read from top to bottom in a directory of its own, with the files and functions that
its reader is supposed to have; `tests/doc_pages.py` says what becomes of which block.
"""

from __future__ import annotations

import ast
import csv
import glob
import importlib
import io
import json
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import antichain as ac
from antichain.algorithms import _registry
from antichain.cli import _app, main
from tests.doc_pages import PAGES, ROOT, Block, blocks, name_of
from tests.serve.served import free_port

# They simulate many runs, start one server after the other, or estimate many likely fronts.
SLOW = {"docs/gallery.md", "docs/guides/planning.md", "docs/guides/serve.md"} | {
    f"docs/tutorials/{name}.md" for name in ("colleagues", "csv", "judge", "scores")
}
FEWER = {  # the same commands, in less time
    "plan": ["--runs", "3"],
    "simulate": ["--runs", "2"],
    "reproduce": ["--runs", "1", "--algorithms", "unchained"],
}
LANGUAGES = {"sh", "python", "console", "text", "json", "toml", "csv"}
# A run that is done without a certified front is done all the same.
LEFT_OUT = "…"  # a line that stands for lines that the page does not show
UNFINISHED = {"vote", "study", "check"}

WITH_BLOCKS = [
    pytest.param(page, id=name_of(page), marks=[pytest.mark.slow] if name_of(page) in SLOW else [])
    for page in PAGES
    if blocks(page)
]
COMMAND = typer.main.get_command(_app.app)
QUOTED = re.compile(r"`([^`]+)`")
OPTION = re.compile(r"(?<!\S)(--?[a-z][\w-]*)")


# What the reader of a page has before reading it ------------------------------------------------

FILMS = ("Alien", "Saw", "Senna", "Cube", "Amy")
KIND = {"Alien": 0, "Saw": 0, "Cube": 0, "Senna": 1, "Amy": 1}
rng = random.Random(0)


def votes_for(left: str, right: str, duels: int) -> list[str]:
    """Votes of people: films of different kinds are even, else the one listed first is better."""
    bare = [name.removesuffix("-decoy") for name in (left, right)]
    chance = 0.5
    if KIND[bare[0]] == KIND[bare[1]]:
        first = FILMS.index(bare[0]) < FILMS.index(bare[1])
        chance = 0.85 if first or (bare[0] == bare[1] and right != bare[1]) else 0.15
    return ["left" if rng.random() < chance else "right" for _ in range(duels)]


def one_vote(left: str, right: str) -> str:
    return votes_for(left, right, 1)[0]


def names() -> dict[str, object]:
    """What the Python of a page may use without having made it."""
    model = ac.posets.layered(front=2, width=3, height=3, seed=0)
    search = ac.Witness(delta=0.05, decoy_gap=None, epsilon=0.1).start(FILMS[:3])
    return {
        "votes_for": votes_for,
        "ask_a_model": one_vote,
        "judge": one_vote,
        "show_to_somebody": one_vote,
        "arena": ac.DegradedArena(model, decoy_gap=0.2, seed=0),
        "search": search,
    }


def write_files(folder: Path) -> None:
    """Write the files that pages speak of without having made them."""
    pairs = [(a, b) for a in FILMS for b in FILMS if a != b]
    pairs += [(a, f"{b}-decoy") for a in FILMS for b in FILMS]
    rows = ["left,right,winner,prompt,worker"]
    for turn in range(40):
        for number, (left, right) in enumerate(pairs):
            prompt, worker = f"p{turn % 20}-{number % 7}", f"w{turn % 9}"
            rows.append(f"{left},{right},{one_vote(left, right)},{prompt},{worker}")
    (folder / "votes.csv").write_text("\n".join(rows) + "\n")
    (folder / "pairs.csv").write_text("left,right\nAlien,Senna\nSaw,Amy\n")
    listed = [{"item": film, "decoy": f"{film}-decoy"} for film in FILMS]
    (folder / "decoys.json").write_text(json.dumps({"decoys": listed}))
    (folder / "chances.txt").write_text("0.5 0.8 0.5\n0.2 0.5 0.5\n0.5 0.5 0.5\n")
    (folder / "poset.json").write_text('{"items": ["a", "b", "c"], "relations": [["a", "b", 0.3]]}')
    (folder / "films.toml").write_text(
        "".join(f'[[items]]\nname = "{film}"\n' for film in FILMS[:3])
    )
    scores = [
        "model,question,acc",
        *(f"m{k},q{q},{q * k % 3 // 2}" for q in range(60) for k in (1, 2, 3)),
    ]
    (folder / "scores.csv").write_text("\n".join(scores) + "\n")
    rows = [f"q{q},{q % 2},{q % 3},{q % 5}" for q in range(40)]
    (folder / "table.csv").write_text("\n".join(["task,m1,m2,m3", *rows]) + "\n")
    stars = ["who,what,stars"]
    stars += [f"u{u},{film},{rng.randint(1, 5)}" for u in range(200) for film in FILMS]
    (folder / "stars.csv").write_text("\n".join(stars) + "\n")
    (folder / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "films.csv", folder / "examples")
    (folder / "films").mkdir()
    from PIL import Image

    for shade, film in enumerate(FILMS):
        picture = Image.effect_mandelbrot((64, 48), (-2, -1 - shade / 9, 1, 1), 40)
        picture.save(folder / "films" / f"{film}.png")


# Running a page ----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_every_block_does_what_the_page_says(page, tmp_path, monkeypatch, capsys, request):
    write_files(tmp_path)
    if "-o poset.json" in page.read_text("utf-8"):  # its reader makes it
        (tmp_path / "poset.json").unlink()
    monkeypatch.chdir(tmp_path)
    # Modules and methods that the page makes are gone after it.
    monkeypatch.syspath_prepend(tmp_path)
    for name in (Path(block.file).stem for block in blocks(page) if block.file.endswith(".py")):
        request.addfinalizer(lambda name=name: sys.modules.pop(name, None))
    monkeypatch.setattr(_registry, "_registered", {})
    # Whoever votes at the terminal votes a little and quits.
    monkeypatch.setattr(sys, "stdin", io.StringIO("left\nright\ntie\nquit\n"))
    namespace = names()
    for block in blocks(page):
        if block.file:
            Path(block.file).write_text(block.text, "utf-8")
        if block.language == "python":
            read_python(block)
            if block.run and not block.file:
                # As many lines before it as on the page, so that a traceback names the right one.
                code = compile("\n" * block.line + block.text, str(page), "exec")
                exec(code, namespace)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "toml":
            tomllib.loads(block.text)
        for command, printed in commands(block):
            monkeypatch.setenv("COLUMNS", str(width(printed)))
            if block.run:
                run(block, command, printed, capsys)
            else:
                parse(block, command)


def commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """The commands of a block, each with the lines it is said to print."""
    if block.language == "sh":
        for line in block.text.splitlines():
            yield line, []
    elif block.language == "console":
        for part in block.text.removeprefix("$ ").split("\n$ "):
            command, *printed = part.splitlines()
            yield command, printed


def width(printed: list[str]) -> int:
    """How wide the reader's window is: as the table that is printed, or as most tables are."""
    return max((len(line) for line in printed if line.startswith("┃")), default=88)


def run(block: Block, command: str, printed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(command, comments=True)
    if words[0] != "antichain":
        other(block, command)
        return
    arguments = [name for word in words[1:] for name in sorted(glob.glob(word)) or [word]]
    if arguments[0] == "serve":
        serve(block, command, arguments)
        return
    code = main([*arguments, *FEWER.get(arguments[0], [])])
    out, err = capsys.readouterr()
    done = {0, 1} if UNFINISHED & set(arguments[:2]) else {0}
    assert code in done, f"{block}: {command}\n{err}"
    shown = {line.strip() for line in (out + err).splitlines()}
    missing = [line for line in printed if line.strip() not in {*shown, LEFT_OUT}]
    assert not missing, f"{block}: {command} prints\n{out}{err}"


def serve(block: Block, command: str, arguments: list[str]) -> None:
    """Serve until the links are there, and stop as Ctrl-C does."""
    program = "import sys; from antichain.cli import main; sys.exit(main())"
    options = ["--json", "--port", str(free_port())]
    with subprocess.Popen(
        [sys.executable, "-c", program, *arguments, *options], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            line = server.stdout.readline()  # type: ignore[union-attr]
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0, f"{block}: {command}"
        finally:
            server.kill()
    assert {"vote", "owner"} <= set(json.loads(line)), f"{block}: {command}"


def parse(block: Block, command: str) -> None:
    """Raise unless the command has the options and arguments it is given."""
    name, *arguments = shlex.split(command, comments=True)
    if name != "antichain":
        other(block, command)
        return
    step, context = COMMAND, COMMAND.make_context("antichain", list(arguments))
    while hasattr(step, "resolve_command"):
        name, step, arguments = step.resolve_command(context, arguments)
        context = step.make_context(name, list(arguments), parent=context)


def other(block: Block, command: str) -> None:
    """A command that is not antichain's: make has the target, the shell does the rest."""
    words = shlex.split(command, comments=True)
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert set(words[1:]) <= set(targets), f"{block}: {command}"
    else:
        assert block.run, f"{block}: {command} is neither run nor understood"
        if "asks.csv" in words:
            fill_in(Path("asks.csv"))
        subprocess.run(command, shell=True, check=True, timeout=60)


def fill_in(path: Path) -> None:
    """Vote on all that is asked for in a file, as its reader would."""
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        for row in rows:
            writer.writerow(row | {"winner": one_vote(row["left"], row["right"])})


def read_python(block: Block) -> None:
    """Raise unless the names of antichain that a block uses exist."""
    tree = ast.parse(block.text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("antichain"):
            module = importlib.import_module(node.module or "")
            for name in node.names:
                assert hasattr(module, name.name), f"{block}: {node.module} has no {name.name}"
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "ac":
            assert hasattr(ac, node.attr), f"{block}: there is no ac.{node.attr}"


# What pages say in passing -----------------------------------------------------------------------


@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_every_block_says_what_it_is(page):
    unknown = [(str(block), block.language) for block in blocks(page)]
    plain = [found for found in unknown if not found[1].startswith("{")]
    assert [found for found in plain if found[1] not in LANGUAGES] == []


def all_options() -> dict[str, set[str]]:
    """The options of each command, by its name; those of a group are those of its commands."""

    def options(command) -> set[str]:
        own = {
            name
            for parameter in command.params
            for name in (*parameter.opts, *parameter.secondary_opts)
        }
        for inner in getattr(command, "commands", {}).values():
            own |= options(inner)
        return own | {"-h", "--help"}

    return {name: options(command) for name, command in COMMAND.commands.items()}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_and_option_quoted_in_passing_exists(page):
    known = all_options()
    everywhere = set().union(*known.values(), {"--version"})
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    wrong = []
    for quote in QUOTED.findall(prose):
        words = quote.split()
        if words[:1] == ["antichain"] and len(words) > 1 and not words[1].startswith("-"):
            options = known.get(words[1])
        elif quote.startswith("--"):
            options = everywhere
        else:
            continue
        if options is None or not set(OPTION.findall(quote)) <= options:
            wrong.append(quote)
    assert wrong == []


def test_every_extra_named_can_be_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    known = set(project["optional-dependencies"])
    texts = [*PAGES, *(ROOT / "src").rglob("*.py")]
    named = {
        extra
        for path in texts
        for extras in re.findall(r"(?:antichain|'\.)\[([a-z,]+)\]", path.read_text("utf-8"))
        for extra in extras.split(",")
    }
    assert named
    assert named <= known
