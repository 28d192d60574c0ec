"""The live display: eight counters, rates, estimates, the bottleneck, the sites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cormorant.base.clock import SystemClock
from cormorant.cli.display.rates import FOLLOWING, Course, awaited, expected, waiting
from cormorant.cli.display.report import COUNTERS, label_of
from cormorant.cli.formatting import duration, plural, size
from cormorant.cli.terminal import clean

if TYPE_CHECKING:
    from cormorant.base.errors import CormorantError
    from cormorant.operate.installation import Installation
    from cormorant.operate.runs.live import LiveView, SiteLook

FRAME_S = 0.5
SPARING = 20
"""Reading counters may take this fraction of the time: a million addresses are not counted twice a second."""
DETAILED = 3
"""Runs shown with counters and sites; the others get a line."""


class Display:
    """Draws on standard error, and removes its drawing at the end. Without a thread, so that forks are safe."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._courses = [Course(number) for number in numbers]
        self._clock = SystemClock()
        self._next = 0.0
        self._note = ""
        self._live: Live | None = None

    def begin(self, *, owner: bool) -> None:
        """Note that the processes have started."""
        self._note = "" if owner else FOLLOWING

    def look(self, house: Installation) -> None:
        """Draw, if it is time."""
        began = self._clock.monotonic()
        if began < self._next:
            return
        parts = [self._run(house, course, number) for number, course in enumerate(self._courses)]
        if self._note:
            parts.insert(0, Text(self._note, style="dim"))
        self._draw(Group(*parts))
        now = self._clock.monotonic()
        self._next = now + max(FRAME_S, SPARING * (now - began))

    def away(self, error: CormorantError) -> None:
        """Show why there are no figures."""
        self._draw(Text(clean(waiting(error)), style="dim"))

    def _draw(self, shown: RenderableType) -> None:
        if self._live is None:
            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(shown, refresh=True)

    def end(self) -> None:
        """Remove the display."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _run(self, house: Installation, course: Course, place: int) -> Group | Text:
        """One run: counters and sites, or a line."""
        seen = course.look(house)
        report = seen.report
        head = Text(f"{clean(report['source'])} ", style="bold")
        head.append(f"{report['state']}, {duration(report['seconds'])}", style="not bold")
        if place >= DETAILED:
            return head.append(f", {report['fetched']:,} fetched, {report['to_fetch']:,} to go", style="not bold")
        parts: list[RenderableType] = [head, _counters(seen), _pace(course, seen)]
        if seen.sites:
            parts.append(_sites(seen))
        return Group(*parts, Text())


def _counters(seen: LiveView) -> Table:
    """The eight counters, four in a row."""
    table = Table.grid(padding=(0, 2))
    report: Mapping[str, Any] = seen.report
    for _ in range(4):
        table.add_column(style="dim", no_wrap=True)
        table.add_column(justify="right", min_width=6)
    for row in (COUNTERS[:4], COUNTERS[4:]):
        table.add_row(*(word for name in row for word in (label_of(name), f"{report[name]:,}")))
    return table


def _pace(course: Course, seen: LiveView) -> Text:
    """Rates, the estimate, the bottleneck."""
    report = seen.report
    rates = f"{course.rate:.1f} documents a second, {size(report['bytes'] / max(report['seconds'], 0.1))} a second"
    parts = [rates, "" if seen.all_wait else expected(course.ahead(seen))]
    if seen.backlog:
        parts.append(f"{plural(seen.backlog, 'change')} to be delivered")
    text = Text(", ".join(part for part in parts if part))
    held_up = "" if seen.all_wait else course.bottleneck(seen)
    if held_up:
        text.append(f"\nheld up by {held_up}", style="dim")
    if awaited(seen):
        text.append(f"\n{clean(awaited(seen))}", style="dim")
    return text


def _sites(seen: LiveView) -> Table:
    """The sites with the latest requests."""
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(style="dim")
    for each in seen.sites:
        table.add_row(clean(each.site), f"{each.left:,} to go", _state(each))
    if seen.site_count > len(seen.sites):
        table.add_row(f"and {seen.site_count - len(seen.sites):,} more", "", "")
    return table


def _state(site: SiteLook) -> str:
    """Return what a site is doing, or why it waits."""
    if site.trouble is not None:
        return site.trouble.what + (f", next attempt in {duration(site.resting_s)}" if site.resting_s else "")
    return "at work" if site.leased else "waits"
