"""How the side shown first did in judgments in both orders: an interval on a scale from 0 to 1."""

from __future__ import annotations

from antichain._markup import svg, text
from antichain.certify._certificate import SideBias

_WIDTH, _LEFT, _SCALE = 350.0, 5.0, 340.0


def sides_chart(bias: SideBias) -> str:
    """Draw the mean score of the side shown first, its interval, and one half."""
    at = {name: _LEFT + _SCALE * getattr(bias, name) for name in ("low", "first", "high")}
    middle = _LEFT + _SCALE / 2
    css = "line in" if bias.low <= 0.5 <= bias.high else "line out"
    parts = [
        f'<line class="grid" x1="{_LEFT}" y1="24" x2="{_LEFT + _SCALE}" y2="24"/>',
        f'<line class="limit" x1="{middle}" y1="10" x2="{middle}" y2="38"/>',
        f'<line class="{css}" stroke-width="5" x1="{at["low"]:.1f}" y1="24" x2="{at["high"]:.1f}" '
        'y2="24"/>',
        f'<line class="{css}" stroke-width="3" x1="{at["first"]:.1f}" y1="15" '
        f'x2="{at["first"]:.1f}" y2="33"/>',
        text(_LEFT, 54, "second side always"),
        text(middle, 54, "even", "middle"),
        text(_LEFT + _SCALE, 54, "first side always", "end"),
    ]
    label = (
        f"The side shown first scored {bias.first:.3f}, with an interval from {bias.low:.3f} to "
        f"{bias.high:.3f}; 0.5 is even"
    )
    return svg(_WIDTH, 62, label, "".join(parts), "chart slim")
