"""Drawing Hasse diagrams."""

import itertools
import struct
import sys
import warnings

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from antichain.errors import FileError, MissingExtraError, ParameterError
from antichain.orders import Poset, _generators
from antichain.orders._hasse_layout import hasse_layout
from antichain.plots import _hasse, _layout

POSETS = {
    "layered": lambda: _generators.layered(front=5, width=10, height=10, seed=0).poset,
    "total order": lambda: _generators.total_order(12, seed=0).poset,
    "antichain": lambda: _generators.antichain(20).poset,
    "one item": lambda: _generators.antichain(1).poset,
    "ten chains": lambda: _generators.chains(10, 8, seed=0).poset,
    "a hundred points": lambda: _generators.dominance(100, 2, seed=1).poset,
    "many chains": lambda: _generators.layered(10, 49, 4, seed=1).poset,
    "a long front": lambda: _generators.antichain(150).poset,
    "long names": lambda: Poset.from_relations(
        [("The Shawshank Redemption (1994)", "W" * 40), ("$x_1", "W" * 40), ("$", "$$")]
    ),
}


@pytest.mark.parametrize("name", POSETS)
def test_no_two_labels_touch_and_all_lie_inside(name):
    poset = POSETS[name]()
    figure = _hasse.draw(*_hasse.laid_out(poset, "a title"), _hasse.styles(poset), "a title")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    boxes = [text.get_bbox_patch() or text for text in figure.axes[0].texts]
    frames = [box.get_window_extent(renderer) for box in boxes]
    assert len(frames) >= len(poset) + 2  # the items, a legend and the title
    for one, other in itertools.combinations(frames, 2):
        assert not one.overlaps(other)
    for frame in frames:
        assert figure.bbox.x0 <= frame.x0 <= frame.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= frame.y0 <= frame.y1 <= figure.bbox.y1


def test_undecided_items_are_neither_found_nor_missed():
    poset = Poset.from_relations([("tea", "rain"), ("fog", "rain"), ("tea", "mud")])
    look = _hasse.styles(poset, ["tea", "rain"], ["rain", "fog"])
    captions = {name: style.caption for name, style in look.items()}
    assert captions == {
        "tea": "front, found", "fog": "undecided", "rain": "undecided", "mud": "dominated",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("suffix", "start", "marks"),
    [
        ("png", b"\x89PNG", [b"antichain", b"antichain-hasse 1"]),
        ("svg", b"<?xml", [b"antichain", b"antichain-hasse 1"]),
        ("pdf", b"%PDF", [b"antichain", b"antichain-hasse 1"]),
    ],
)
def test_each_kind_of_file_says_what_it_is_and_is_the_same_every_time(suffix, start, marks):
    poset = POSETS["ten chains"]()
    content = _hasse.render(poset, suffix, title="chains")
    assert content.startswith(start)
    for mark in marks:
        assert mark in content
    assert _hasse.render(poset, suffix, title="chains") == content


def boxes_and_lines(poset):
    figure = _hasse.draw(*_hasse.laid_out(poset), _hasse.styles(poset))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    axes = figure.axes[0]
    frames = {
        text.get_text(): text.get_bbox_patch().get_window_extent(canvas.get_renderer())
        for text in axes.texts
    }
    lines = [
        (path, axes.transData.transform(line))
        for path, line in zip(
            hasse_layout(poset).paths, axes.collections[0].get_segments(), strict=True
        )
    ]
    return frames, lines


@pytest.mark.parametrize("seed", range(3))
def test_no_line_passes_behind_an_item_that_it_does_not_join(seed):
    poset = _generators.random_dag(25, 0.15, seed=seed).poset
    frames, lines = boxes_and_lines(poset)
    for (upper, lower), line in lines:
        assert line[0][1] >= frames[upper].y0  # it does begin at its own box, and not below it
        assert line[-1][1] <= frames[lower].y1
        for share in np.linspace(0, 1, 41):
            points = line[:-1] + share * (line[1:] - line[:-1])
            for name in poset.items:
                if name not in (upper, lower):
                    assert not any(frames[name].contains(*point) for point in points)


def test_layers_stand_further_apart_where_many_lines_cross():
    frames, _ = boxes_and_lines(_generators.layered(8, 16, 3, seed=0).poset)
    busy = frames["front-1"].y0 - frames["c1-1"].y0
    calm = frames["c1-1"].y0 - frames["c1-2"].y0
    assert busy > 1.5 * calm


def height_of(content):
    return struct.unpack(">II", content[16:24])[1]


def test_a_title_takes_the_room_it_needs_and_none_without_one():
    poset = Poset.from_relations([("a", "b")])
    bare, short, long = (
        height_of(_hasse.render(poset, "png", title=title)) for title in (None, "one", "many " * 30)
    )
    assert bare < short < long
    lines = _layout.title_lines("many " * 500, 5.5)
    assert len(lines) == 4
    assert lines[-1].endswith("…")


@pytest.mark.parametrize("title", ["many words " * 12, "W" * 200])
def test_a_long_title_stays_inside_the_picture(title):
    poset = Poset.from_relations([("a", "b")])
    figure = _hasse.draw(*_hasse.laid_out(poset, title), _hasse.styles(poset), title)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for text in figure.axes[0].texts:
        frame = text.get_window_extent(canvas.get_renderer())
        assert figure.bbox.x0 <= frame.x0 <= frame.x1 <= figure.bbox.x1


@pytest.mark.parametrize(
    "text", ["", " \n", "two\nlines", "\x1b[31m", r"$\frac{$", "$x$", r"\$", "\u202e", "x" * 10_000]
)
@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_any_title_and_any_name_can_be_drawn(text, suffix):
    poset = Poset.from_relations([(text or "a", "b")])
    drawn = _hasse.render(poset, suffix, title=text)
    if suffix == "svg":
        assert not set("\x1b\u202e") & set(drawn.decode())
    if not text.strip():
        assert drawn == _hasse.render(poset, suffix)


@pytest.mark.parametrize("name", ["a hundred points", "many chains", "a long front"])
def test_a_crowded_diagram_fits_on_a_page_and_keeps_letters_that_can_be_read(name):
    _, scale = _hasse.laid_out(POSETS[name]())
    assert scale.width <= 16
    assert scale.height <= 24
    assert scale.letters >= 6


def test_a_long_chain_keeps_to_a_printable_size():
    content = _hasse.render(_generators.total_order(300, seed=0).poset, "png")
    width, height = struct.unpack(">II", content[16:24])
    assert width <= 50 * 150
    assert height <= 50 * 150


def test_found_and_true_front_give_four_looks():
    poset = Poset.from_relations([("a", "b"), ("c", "d")])
    look = _hasse.styles(poset, found=["a", "d"])
    assert {name: style.caption for name, style in look.items()} == {
        "a": "front, found",
        "b": "dominated",
        "c": "front, missed",
        "d": "found, not front",
    }
    assert len({(style.line, style.weight, style.fill) for style in look.values()}) == 4


def test_a_found_item_must_be_in_the_poset():
    with pytest.raises(ParameterError, match="'z'"):
        _hasse.render(Poset.from_relations([("a", "b")]), "png", found=["a", "z"])


def test_letters_without_a_glyph_are_drawn_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _hasse.render(Poset.from_relations([("千と千尋", "b")]), "png")


@pytest.mark.parametrize("path", ["a.jpg", "a", "png", "a.svg.gz"])
def test_other_suffixes_are_refused(path):
    with pytest.raises(FileError, match=r"\.svg, \.png or \.pdf"):
        _hasse.suffix_of(path)


def test_suffixes_are_read_in_any_case():
    assert _hasse.suffix_of("out/A.PNG") == "png"
    with pytest.raises(ParameterError, match="'gif'"):
        _hasse.render(POSETS["one item"](), "gif")


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'antichain\[plots\]'"):
        _hasse.render(POSETS["one item"](), "png")
