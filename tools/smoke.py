"""A first look at an installed antichain, from any folder: `python smoke.py VERSION EXTRA,EXTRA`.

It uses nothing but the standard library and the package. What needs an extra must work where the
extra is installed; elsewhere it must say in one sentence how to install it, with exit code 2.
"""

import json
import re
import signal
import struct
import subprocess
import sys
import sysconfig
import time
import zlib
from importlib.util import find_spec
from pathlib import Path

BIN = Path(sys.executable).parent
COMMAND = str(BIN / "antichain")
VOTES = "left,right,winner\n" + "tea,milk,left\ncoffee,milk,left\ntea,coffee,left\n" * 40
FIND = """
import antichain as ac
arena = ac.SimulatedArena(ac.posets.layered(2, 3, 3, seed=0), decoy_gap=0.1)
result = ac.find_front(arena, ac.Witness(delta=0.01, decoy_gap=0.1))
assert set(result.front) == set(arena.model.front)
"""
LIBRARY = """
import sys
import antichain as ac
from antichain import _pools
try:
    {}
except ac.errors.MissingExtraError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""
GRAPH = "assert ac.posets.layered(2, 3, 3, seed=0).poset.to_networkx().number_of_nodes() == 8"


MODULES = {
    "plots": "matplotlib", "tables": "polars", "cluster": "distributed", "images": "PIL",
    "graphs": "networkx", "serve": "fastapi",
}  # fmt: skip


def call(*words: str) -> subprocess.CompletedProcess[str]:
    """What a command printed, and its exit code."""
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=600)


def works(*words: str, codes: tuple[int, ...] = (0,)) -> str:
    """What a command printed that must succeed."""
    done = call(*words)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def check_core(version: str) -> None:
    """Use what needs no extra, and compiles nothing."""
    assert works(COMMAND, "--version") == f"antichain {version}\n"
    assert "I have votes" in works(sys.executable, "-m", "antichain", "--help")
    assert call(sys.executable, "-m", "antichain", "nonsense").returncode == 2
    works(COMMAND, "generate", "--front", "2", "--width", "2", "--height", "2", "-o", "poset.json")


def check_finding() -> None:
    """Find a front in votes and by duels; in a fresh installation, most of it is compiled first."""
    Path("votes.csv").write_text(VOTES, "utf-8")
    found = json.loads(works(COMMAND, "front", "votes.csv", "--json", codes=(0, 1)))
    assert found["votes"] == 120, found
    works(sys.executable, "-c", FIND)


def check_serving() -> None:
    """Start a server, read its links, and stop it."""
    words = [COMMAND, "serve", "drinks.txt", "--port", "0", "--json"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        assert set(json.loads(server.stdout.readline())) >= {"vote", "owner"}
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)


def check_extra(extra: str, here: bool) -> None:
    """Use what needs the extra, and see that it works or says what is missing."""
    if extra == "serve" and here:
        check_serving()
        return
    words = {
        "plots": [COMMAND, "draw", "poset.json", "-o", "hasse.svg"],
        "tables": [COMMAND, "front", "votes.parquet"],
        "cluster": [sys.executable, "-c", LIBRARY.format("_pools._distributed().Client")],
        "images": [COMMAND, "decoys", "make", "dot.png", "--kind", "image", "--how", "blur",
                   "--strength", "0.8", "-o", "decoys"],
        "graphs": [sys.executable, "-c", LIBRARY.format(GRAPH)],
        "serve": [COMMAND, "serve", "drinks.txt"],
    }[extra]  # fmt: skip
    done = call(*words)
    missing = re.search(r"pip install 'antichain\[([\w,]+)\]'", done.stderr)
    if here:
        assert not missing, done.stderr
        # The file is no table: what is tried is whether there is a reader.
        assert done.returncode == (2 if extra == "tables" else 0), done.stderr
    else:
        assert missing, (extra, done.stderr)
        assert missing[1] == extra, done.stderr
        assert done.returncode == 2, done.returncode
        assert len(done.stderr.splitlines()) == 1, done.stderr


def write_samples() -> None:
    """Write a list, a picture and something that claims to be a table."""
    Path("drinks.txt").write_text("tea\ncoffee\nmilk\n", "utf-8")
    Path("votes.parquet").write_bytes(b"PAR1" + bytes(64) + b"PAR1")

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = b"".join(b"\0" + bytes((89 * x * y) % 256 for x in range(64)) for y in range(64))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0))
    Path("dot.png").write_bytes(
        b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )


def seconds(*words: str) -> float:
    """The shortest of some runs: what else the machine does only adds to it."""
    taken = []
    for _ in range(7):
        started = time.perf_counter()
        works(*words)
        taken.append(time.perf_counter() - started)
    return min(taken)


def report_size() -> None:
    """Print what the installation takes on the disk, before anything is compiled."""
    place = Path(sysconfig.get_paths()["purelib"])
    sizes = {
        folder.name: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        for folder in place.iterdir() if folder.is_dir()
    }  # fmt: skip
    ours = sizes.pop("antichain")
    rest = sum(size for name, size in sizes.items() if not name.startswith(("pip", "setuptools")))
    print(f"  size: antichain {ours / 1e6:.1f} MB, its dependencies {rest / 1e6:.0f} MB")


def report_times() -> None:
    """Print how long it takes to import the package, compared with numpy."""
    bare = seconds(sys.executable, "-c", "pass")
    numpy = seconds(sys.executable, "-c", "import numpy") - bare
    for code in ("import antichain", "from antichain import find_front, front"):
        ratio = (seconds(sys.executable, "-c", code) - bare) / numpy
        print(f"  {code}: {ratio:.2f} times `import numpy`")
    ratio = (seconds(COMMAND, "--help") - bare) / numpy
    print(f"  antichain --help: {ratio:.2f} times `import numpy`")


def main() -> None:
    """Try everything, and report on an installation without extras."""
    version, installed = sys.argv[1], sys.argv[2].split(",")
    if installed == ["none"]:
        report_size()
    write_samples()
    check_core(version)
    for extra, module in MODULES.items():
        here = find_spec(module) is not None  # an extra may bring along what another is for
        assert here or extra not in installed, (extra, module)
        check_extra(extra, here)
    if installed == ["none"] or len(installed) > 1:  # in the others it would be the same again
        check_finding()
    if installed == ["none"]:
        report_times()


if __name__ == "__main__":
    main()
