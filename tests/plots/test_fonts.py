"""Fonts for names in any script."""

import os
import subprocess
import sys
import warnings

from matplotlib import rcParams

from antichain.orders import Poset
from antichain.plots import _hasse, _pictures

IN_ANOTHER_FONT = "⌹"  # matplotlib brings it, but not in the font it usually draws with


def test_letters_of_the_usual_font_need_no_other():
    assert _pictures.families(["Ångström", "ω-front", "two\nlines"]) == list(
        rcParams["font.family"]
    )
    assert _pictures.missing(["Ångström", "ω-front", "two\nlines"]) == []


def test_other_letters_bring_in_a_font_that_has_them():
    usual = list(rcParams["font.family"])
    found = _pictures.families(["a", IN_ANOTHER_FONT])
    assert found[: len(usual)] == usual
    assert len(found) == len(usual) + 1
    assert _pictures.missing([IN_ANOTHER_FONT]) == []


def test_a_font_of_boxes_does_not_count():
    assert not any("last" in name.lower() for name in _pictures.families(["𒀀"]))


def test_letters_that_no_font_has_are_told_once_each(monkeypatch):
    monkeypatch.setattr(_pictures, "_is_upright", lambda entry: False)  # only the usual one is left
    assert _pictures.missing(["b", IN_ANOTHER_FONT * 2, "b"]) == [IN_ANOTHER_FONT]
    assert _pictures.families([IN_ANOTHER_FONT]) == list(rcParams["font.family"])


def test_the_font_is_used_in_the_picture():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        content = _hasse.render(Poset.from_relations([(IN_ANOTHER_FONT, "b")]), "svg").decode()
    # Letters are outlines in such a file, each named after its font.
    assert f'id="{_pictures.families([IN_ANOTHER_FONT])[-1].replace(" ", "")}' in content


def test_a_home_that_cannot_be_written_to_is_no_news(tmp_path):
    """matplotlib keeps its fonts elsewhere then; not even root can write to this home."""
    away = {"MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}
    kept = {name: value for name, value in os.environ.items() if name not in away}
    done = subprocess.run(
        [sys.executable, "-c", "from antichain.plots._pictures import *; require_matplotlib()"],
        env=kept | {"HOME": "/proc/nowhere", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
