"""Lines and histograms whose words come from elsewhere."""

import pytest

from antichain.plots import _curves


@pytest.mark.parametrize("words", [r"$\frac{$", "$x$", "\x1b[31m\u202e", "two\nlines", ""])
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_any_words_can_be_drawn(words, suffix):
    line = _curves.Line(words, _curves.LOOKS[0], [1, 2], [1, 2], [None, None], [None, None])
    panel = _curves.Panel(words, words, words, [line], ticks=[(1, words), (2, "b")])
    figure = _curves.render([panel], words, words, suffix)
    marks = [(words, 1.0)]
    bars = _curves.histogram([1.0, 2.0], marks, title=words, x_label=words, suffix=suffix)
    for picture in (figure, bars) if suffix == "svg" else ():
        assert not set("\x1b\u202e") & set(picture.decode())
