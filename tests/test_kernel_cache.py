"""Kernels are cached where that is possible, and compiled anew where it is not."""

import errno
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from antichain import _kernels
from antichain._kernels import compiled


def halves(number):
    return number / 2


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A cache for this test alone."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def hits(kernel) -> int:
    return sum(kernel.stats.cache_hits.values())


def files(folder: Path, ending: str) -> list[Path]:
    return sorted(folder.rglob(f"*.{ending}"))


def test_the_second_process_compiles_nothing(folder: Path) -> None:
    assert compiled(halves)(3) == 1.5
    assert len(files(folder, "nbi")) == len(files(folder, "nbc")) == 1
    kernel = compiled(halves)
    assert (kernel(3), hits(kernel)) == (1.5, 1)


def garbled(content: bytes) -> bytes:
    return content[:-100] + bytes([content[-100] ^ 1]) + content[-99:]


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:20],
        lambda content: content[: len(content) // 2],
        lambda content: b"garbage" * 100,
        lambda content: pickle.dumps("something else"),
        lambda content: pickle.dumps(numba.__version__) + pickle.dumps(7),
        lambda content: (
            pickle.dumps(numba.__version__)
            + pickle.dumps((_kernels._sources_stamp(), ["no", "dictionary"]))
        ),
        garbled,
    ],
    ids=["empty", "cut", "half", "garbage", "text", "a number", "a list", "a bit"],
)
def test_damaged_files_are_made_anew(folder: Path, ending: str, damage) -> None:
    compiled(halves)(3)
    path = files(folder, ending)[0]
    path.write_bytes(damage(path.read_bytes()))
    kernel = compiled(halves)
    assert (kernel(3), hits(kernel)) == (1.5, 0)
    kernel = compiled(halves)
    assert (kernel(3), hits(kernel)) == (1.5, 1)


def test_a_file_for_other_types_is_not_taken(folder: Path) -> None:
    """As two processes leave it that save kernels for different types at once."""
    compiled(halves)(3)
    kernel = compiled(halves)
    kernel(3.0)
    first, second = files(folder, "nbc")
    first.write_bytes(second.read_bytes())
    kernel = compiled(halves)
    assert (kernel(3), kernel(5.0), hits(kernel)) == (1.5, 2.5, 1)


def test_a_full_disk_is_no_matter(folder: Path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("numba.core.caching.os.replace", full)
    assert compiled(halves)(3) == 1.5
    assert files(folder, "nbi") == files(folder, "nbc") == []


class TestReadOnly:
    """Neither the package nor the home folder can be written to."""

    @pytest.fixture(autouse=True)
    def _nowhere(self, tmp_path: Path, monkeypatch) -> None:
        def ensure(locator) -> None:
            if not locator.get_cache_path().startswith(str(tmp_path)):
                raise PermissionError(errno.EACCES, "Permission denied")
            Path(locator.get_cache_path()).mkdir(parents=True, exist_ok=True)

        monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", ensure)
        monkeypatch.setattr(numba.config, "CACHE_DIR", "")
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        _kernels._temporary_folder.cache_clear()
        yield
        _kernels._temporary_folder.cache_clear()

    def test_the_cache_is_in_a_temporary_folder(self, tmp_path: Path) -> None:
        assert compiled(halves)(3) == 1.5
        (own,) = tmp_path.iterdir()
        assert own.stat().st_mode & 0o777 == 0o700
        kernel = compiled(halves)
        assert (kernel(3), hits(kernel)) == (1.5, 1)
        assert numba.config.CACHE_DIR == ""

    @pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders belong to users")
    @pytest.mark.parametrize("whose", ["open to others", "a link", "a file"])
    def test_but_not_where_others_could_put_code(self, tmp_path: Path, whose: str) -> None:
        own = tmp_path / f"antichain-{os.getuid()}"
        if whose == "open to others":
            own.mkdir()
            own.chmod(0o777)
        elif whose == "a link":
            (tmp_path / "theirs").mkdir(mode=0o700)
            own.symlink_to(tmp_path / "theirs")
        else:
            own.write_text("mine")
        assert compiled(halves)(3) == 1.5
        assert files(tmp_path, "nbi") == []

    def test_without_any_place_it_compiles(self, monkeypatch) -> None:
        def nowhere() -> str:
            raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

        monkeypatch.setattr("tempfile.gettempdir", nowhere)
        kernel = compiled(halves)
        assert (kernel(3), hits(kernel)) == (1.5, 0)


def test_the_help_needs_no_compiler() -> None:
    program = (
        "import sys; from antichain.cli import main; main(['--help'])\n"
        "assert not {'numba', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
