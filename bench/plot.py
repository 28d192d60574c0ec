"""How are figures drawn? As bars in an SVG that reads on light and on dark ground, without anything that has to run."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _LABELS, _FIGURES = 780, 250, 70
_ROW, _BAR, _HEAD = 26, 16, 34
_STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #24333a; }
.head { font-weight: 600; }
.own { fill: #0b6e7f; } .other { fill: #8b9aa3; }
@media (prefers-color-scheme: dark) {
  text { fill: #d6e0e4; }
  .own { fill: #4fc0d0; } .other { fill: #7a8a93; }
}"""


class Bar(NamedTuple):
    """One figure: whose it is, how much, and whether it is ours."""

    label: str
    figure: float
    own: bool = False


class Panel(NamedTuple):
    """Figures of one kind, drawn to one scale that begins at nothing."""

    title: str
    bars: tuple[Bar, ...]


def drawn(title: str, panels: Sequence[Panel]) -> str:
    """The panels one below the other, each with its longest bar over the whole width."""
    parts: list[str] = []
    at = 0
    for panel in panels:
        parts += _panel(panel, at)
        at += _HEAD + _ROW * len(panel.bars)
    said = "; ".join(f"{bar.label}: {_figure(bar.figure)}" for panel in panels for bar in panel.bars)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {at + 8}" role="img">\n'
        f"<title>{escape(title)}</title>\n<desc>{escape(said)}</desc>\n<style>\n{_STYLE}\n</style>\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _panel(panel: Panel, top: int) -> list[str]:
    """The lines of one panel that begins at this height."""
    lines = [f'<text class="head" x="0" y="{top + 20}">{escape(panel.title)}</text>']
    most = max((bar.figure for bar in panel.bars), default=0.0) or 1.0
    room = _WIDTH - _LABELS - _FIGURES
    for number, bar in enumerate(panel.bars):
        y = top + _HEAD + _ROW * number
        width = max(1.0, room * bar.figure / most)
        lines += [
            f'<text x="{_LABELS - 10}" y="{y + 13}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect class="{"own" if bar.own else "other"}" x="{_LABELS}" y="{y}" width="{width:.1f}" '
            f'height="{_BAR}" rx="2"/>',
            f'<text x="{_LABELS + width + 8:.1f}" y="{y + 13}">{_figure(bar.figure)}</text>',
        ]
    return lines


def _figure(value: float) -> str:
    """A figure with three digits that say something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
