"""Real data that is no part of the repository: found where it is, skipped where it is not."""

import os
from pathlib import Path

import pytest


def shared_file(name: str) -> Path:
    """The shared file of that name; the test is skipped where there is none."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("ANTICHAIN_SHARED_DATA", beside)) / name
    if not path.is_file():
        pytest.skip(f"{name} is not in {path.parent}; ANTICHAIN_SHARED_DATA says where it is")
    return path
