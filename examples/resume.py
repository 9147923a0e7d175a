"""A run that is interrupted and taken up again ends exactly as if it had not been."""

import tempfile
from pathlib import Path

import antichain as ac

model = ac.posets.layered(front=3, width=6, height=4, seed=2)
algorithm = ac.Witness(delta=0.01, decoy_gap=0.05)


def arena() -> ac.SimulatedArena:
    return ac.SimulatedArena(model, decoy_gap=0.05, seed=2)


def give_up(progress: ac.Progress) -> None:
    if progress.duels > 5_000:
        raise KeyboardInterrupt


with tempfile.TemporaryDirectory() as folder:
    recording = Path(folder) / "run.jsonl"
    try:
        ac.find_front(arena(), algorithm, record=recording, progress=give_up)
    except KeyboardInterrupt:
        print("interrupted; the recording has", len(recording.read_text().splitlines()), "lines")
    resumed = ac.find_front(arena(), algorithm, record=recording, resume=True)

never_stopped = ac.find_front(arena(), algorithm)
print("same result:", resumed == never_stopped, "with", f"{resumed.duels:,}", "duels")
