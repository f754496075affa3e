"""A chart of a simulation as SVG: tokens read anew, summed up turn by turn, a line for each placement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final

from lorewright.core.simulate import Measured

__all__ = ["draw_chart"]

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 720, 400, 70, 50, 40, 110
_COLOURS: Final = {"frozen": "#0b6e4f", "classic": "#c8553d", "none": "#6c757d"}


def draw_chart(runs: Mapping[str, Sequence[Measured]]) -> str:
    """The chart as the text of an SVG file."""
    lines = {name: list(accumulate(item.new_tokens for item in measured)) for name, measured in runs.items()}
    most = max(max(values) for values in lines.values()) or 1
    count = max(len(values) for values in lines.values())
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="13">',
        "<title>Prompt tokens that are read anew, by placement</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="24" font-size="15">Prompt tokens read anew, summed up</text>',
        f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#333333"/>',
        f'<text x="{_LEFT - 8}" y="{_TOP + 5}" text-anchor="end">{most}</text>',
        f'<text x="{_LEFT - 8}" y="{bottom + 4}" text-anchor="end">0</text>',
        f'<text x="{right}" y="{bottom + 20}" text-anchor="end">request {count}</text>',
    ]
    for name, values in lines.items():
        points = [
            (_LEFT + (right - _LEFT) * place / max(1, count - 1), bottom - (bottom - _TOP) * value / most)
            for place, value in enumerate(values)
        ]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        colour = _COLOURS.get(name, "#333333")
        x, y = points[-1]
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" fill="{colour}">{name} {values[-1]}</text>')
    return "\n".join([*parts, "</svg>", ""])
