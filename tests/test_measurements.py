"""The measured tables of the documentation: each has a command, which writes it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.doc_pages import PAGES, ROOT, name_of

sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "benchmarks")]
import measurements  # noqa: E402

MARKER = re.compile(r"<!-- measured: (\S+) -->")


def test_every_marked_table_has_its_command_and_every_command_its_table():
    marked = [(name, name_of(page)) for page in PAGES for name in MARKER.findall(page.read_text())]
    assert sorted(marked) == sorted((one.name, one.page) for one in measurements.MEASURED)


@pytest.mark.parametrize("one", measurements.MEASURED, ids=lambda one: one.name)
def test_what_stands_between_the_markers_says_how_it_was_made(one):
    block = measurements.marked(one.name).search((ROOT / one.page).read_text())
    assert block is not None, f"{one.page} has no end for {one.name}"
    assert block[2].rpartition("Made by ")[2] == one.source().partition("Made by ")[2] + "\n"


def test_an_entry_is_made_again_from_its_benchmark_and_nothing_else_changes(tmp_path):
    (tmp_path / "docs" / "theory").mkdir(parents=True)
    (tmp_path / "benchmarks").symlink_to(ROOT / "benchmarks")
    page = tmp_path / "docs" / "theory" / "limit.md"
    before = "# Limit\n\n<!-- measured: limits -->\n\nold\n\n<!-- end -->\n\nafter\n"
    page.write_text(before)
    kept = tmp_path / "out" / "measurements"
    program = [sys.executable, str(ROOT / "tools" / "measurements.py"), "--only", "limits"]

    def run(*more):
        done = [*program, "--root", str(tmp_path), *more]
        return subprocess.run(done, check=True, capture_output=True, text=True).stdout

    quick = run("--quick")
    assert page.read_text() == before
    table = quick.partition("\n\n")[2].partition("\n\n")[0]
    assert "| total order of 50 | 50 |" in table
    # The output of few posets, under the name of the full command: enough to see it written.
    (few,) = kept.iterdir()
    (full,) = next(one for one in measurements.MEASURED if one.name == "limits").commands
    few.rename(kept / f"{measurements.slug(full)}.txt")
    run("--stored")
    after = page.read_text()
    assert after.startswith("# Limit\n\n<!-- measured: limits -->\n\n" + table)
    assert after.endswith(f"Made by `{full}`.\n\n<!-- end -->\n\nafter\n")


def test_what_commands_have_in_common_is_said_once():
    one = measurements.MEASURED[0]
    assert one.source().startswith(
        "Seeds 0 to 99. Made by `antichain simulate --json --runs 100` with"
    )
    assert one.source().endswith("`--faithful`, `--algorithm unchained` and `--algorithm uniform`.")


def test_a_page_without_the_marker_is_named(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing")
    with pytest.raises(SystemExit, match=r"page\.md has 0 places marked"):
        measurements.rewrite(page, "limits", "table")


def test_json_lines_a_json_text_and_csv_are_read():
    assert measurements.parsed('{"a": 1}\n{"a": 2}\n') == [{"a": 1}, {"a": 2}]
    assert measurements.parsed('{\n "a": 1\n}\n') == [{"a": 1}]
    assert measurements.parsed("a,b\n1,2\n") == [{"a": "1", "b": "2"}]


def test_every_benchmark_is_in_make_bench():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    listed = makefile.partition("define BENCHMARKS\n")[2].partition("endef")[0]
    programs = {
        path.name
        for path in (ROOT / "benchmarks").glob("*.py")
        if '__name__ == "__main__"' in path.read_text("utf-8")
    }
    assert {line.split()[0] for line in listed.splitlines()} == programs
