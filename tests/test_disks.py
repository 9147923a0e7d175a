"""Locks and waiting for the disk, on this system and as they are written for others."""

import fcntl
import os
import subprocess
import sys

import pytest

from antichain import _disks

# What Windows lacks and has, as far as the package can notice; the libraries are loaded before,
# since they would look for more of it.
WINDOWS = """
import asyncio, logging.config, multiprocessing.resource_tracker, concurrent.futures, os, shutil
import signal, subprocess, sys, tempfile, tomllib, typer, rich.console, rich.table, types, zipfile
import numba, numpy, scipy.optimize, scipy.sparse.csgraph, scipy.special, scipy.stats, scipy.linalg

for missing in ("fcntl", "termios", "tty", "pwd", "grp", "resource"):
    sys.modules[missing] = None
for name in ("fchown", "chown", "getuid", "geteuid", "killpg", "nice", "major", "minor", "fork",
             "O_NONBLOCK", "O_NOCTTY", "O_NOFOLLOW", "O_CLOEXEC"):
    delattr(os, name)
for name in ("pthread_sigmask", "pthread_kill", "siginterrupt", "SIGHUP", "SIGKILL", "SIG_BLOCK",
             "SIG_SETMASK"):
    delattr(signal, name)

held = {}
def locking(descriptor, mode, count):
    place = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR)
    assert place[1] > 2**32, "the lock would cover content"
    held.pop(descriptor, None)  # the number of a file that was closed
    if place in held.values():
        raise PermissionError(13, "Permission denied")
    held[descriptor] = place

def open_as_windows(path, flags, mode=0o777, *, real=os.open):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", str(path))
    return real(path, flags, mode)

os.open = open_as_windows
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
sys.platform = "win32"
"""


def run_on_windows(program, folder):
    """The program's output where the package finds what it would find on Windows."""
    done = subprocess.run(
        [sys.executable, "-c", WINDOWS + program], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_study_on_windows_has_one_writer_and_loses_nothing(tmp_path):
    printed = run_on_windows(
        """
import antichain as ac
study = ac.Study.open("films.duels", items=["Alien", "Saw"])
for ask in study.ask(3):
    study.tell(ask, "left")
try:
    ac.Study.open("films.duels")
except ac.AntichainError as error:
    print(error)
study.close()
with ac.Study.open("films.duels") as again:
    print(len(list(again.votes())))
""",
        tmp_path,
    )
    refused, votes = printed.splitlines()
    assert "is being written by another process" in refused
    assert votes == "3"


@pytest.mark.slow
def test_commands_run_on_windows(tmp_path):
    (tmp_path / "votes.csv").write_text("left,right,winner\n" + "tea,milk,left\n" * 60, "utf-8")
    printed = run_on_windows(
        """
from antichain.cli import main
assert main(["front", "votes.csv", "-o", "certificate.json"]) in (0, 1)
assert main(["front", "votes.csv", "-o", "certificate.json"]) == 2  # it already exists
assert main(["verify", "certificate.json", "votes.csv"]) == 0
""",
        tmp_path,
    )
    assert "tea" in printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["certificate.json", "votes.csv"]


@pytest.fixture
def calls(monkeypatch):
    """The calls that wait for the disk, in order."""
    made = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: made.append("fsync"))
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda descriptor, command: made.append(command))
    return made


def test_macos_is_asked_to_empty_the_memory_of_the_drive(calls):
    _disks.sync(0)
    assert calls == [51]


def test_a_drive_without_that_call_is_synced_as_usual(calls, monkeypatch):
    def cannot(descriptor, command):
        raise OSError(45, "Operation not supported")

    monkeypatch.setattr(fcntl, "fcntl", cannot)
    _disks.sync(0)
    assert calls == ["fsync"]


def test_elsewhere_fsync_is_all_there_is(calls, monkeypatch):
    monkeypatch.delattr(fcntl, "F_FULLFSYNC")
    _disks.sync(0)
    assert calls == ["fsync"]
