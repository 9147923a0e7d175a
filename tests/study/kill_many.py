"""Kills writers of one study again and again, and prints what survived, as JSON.

    python kill_many.py FILE KILLS

Each writer is forked (so that only one process has to load everything), takes the study up, and
acknowledges each answer by a line on a pipe once `tell` has returned. It is killed with SIGKILL a
random while after its first acknowledgement, or before it.
"""

import json
import os
import random
import signal
import sys
import time

import antichain as ac
from antichain.study import Study

ENDLESS = ac.UnchainedBandits(delta=1e-9, decoy_gap=None, epsilon=0.001)


def write_on(path: str, seed: int, pipe: int) -> None:
    rng = random.Random(seed)
    with Study.open(path, list("abcdef"), ENDLESS) as study:
        while True:
            for ask in [*study.outstanding, *study.ask(3)]:
                answer = rng.choice(["left", "right", "tie"])
                study.tell(ask, answer, voter=str(seed))
                os.write(pipe, f"{ask.id} {answer}\n".encode())


def killed(path: str, seed: int, rng: random.Random) -> list[str]:
    """What one writer acknowledged before it was killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            write_on(path, seed, writer)
        finally:
            os._exit(1)
    os.close(writer)
    heard = b""
    if rng.random() < 0.9:
        heard = os.read(reader, 1 << 16)
    time.sleep(rng.random() * 0.02)
    os.kill(child, signal.SIGKILL)
    while chunk := os.read(reader, 1 << 16):
        heard += chunk
    os.close(reader)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "a writer ended by itself"
    return heard.decode().splitlines()


def main() -> None:
    path, kills = sys.argv[1], int(sys.argv[2])
    rng = random.Random(1)
    with Study.open(path, list("abcdef"), ENDLESS) as study:
        study.ask(1)
    acknowledged = lost = extra = most = 0
    alike = True
    for seed in range(kills):
        said = killed(path, seed, rng)
        with Study.open(path) as study:
            mine = [
                f"{answer.record.ask} {answer.record.answer.value}"
                for answer in study._state.answers
                if answer.record.voter == str(seed)
            ]
            alike = alike and study.progress == Study.read(path).progress
        lost += mine[: len(said)] != said
        acknowledged += len(said)
        extra += len(mine) - len(said)
        most = max(most, len(mine) - len(said))
    report = {
        "kills": kills,
        "acknowledged": acknowledged,
        "lost": lost,
        "unacknowledged": extra,
        "most_unacknowledged_at_once": most,
        "alike": alike,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
