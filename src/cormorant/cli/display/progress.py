"""Crawl progress: a live display on a terminal, otherwise a line from time to time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cormorant.base.clock import SystemClock
from cormorant.cli.display.rates import FOLLOWING, Course, awaited, expected, waiting
from cormorant.cli.formatting import duration, plural
from cormorant.model.run import OPEN_STATES

if TYPE_CHECKING:
    from cormorant.app.commands.follow import Watcher
    from cormorant.base.errors import CormorantError
    from cormorant.cli.terminal import Terminal
    from cormorant.operate.installation import Installation
    from cormorant.operate.runs.live import LiveView

LINE_S = 5.0
"""Seconds between lines without a terminal."""
RARE_S = 60.0
"""Longest time between lines while nothing changes."""
AGAIN = "The database answers again; the crawl continues."
SPARING = 50
"""Reading counters may take this fraction of the time, if there is much to count."""


class Lines:
    """Prints a line now and then for every run under way, for a log; a run that has ended gets a last line."""

    def __init__(self, say: Terminal, numbers: Sequence[int]) -> None:
        self._say, self._courses = say, [Course(number) for number in numbers]
        self._clock = SystemClock()
        self._next = self._clock.monotonic() + LINE_S
        self._before: list[tuple[object, ...]] = []
        self._every_s = LINE_S
        self._away = False

    def begin(self, *, owner: bool) -> None:
        """Print whose processes do the work."""
        if not owner:
            self._say.note(FOLLOWING)

    def away(self, error: CormorantError) -> None:
        """Print once why there are no figures."""
        if not self._away:
            self._say.note(waiting(error))
        self._away = True

    def look(self, house: Installation) -> None:
        """Print the progress, if it is time."""
        if self._away:
            self._away = False
            self._say.note(AGAIN)
        if self._clock.monotonic() < self._next or self._say.asked.verbosity < 0:
            return
        began = self._clock.monotonic()
        figures: list[tuple[object, ...]] = []
        for course in list(self._courses):
            seen = course.look(house)
            figures.append(tuple(seen.report[name] for name in ("run", "state", "fetched", "to_fetch", "index_writes")))
            self._say.note(line(course, seen))
            if seen.report["state"] not in OPEN_STATES:
                self._courses.remove(course)
        now = self._clock.monotonic()
        self._every_s = interval(self._every_s, same=figures == self._before)
        self._before = figures
        self._next = now + max(self._every_s, SPARING * (now - began))


def interval(before_s: float, *, same: bool) -> float:
    """Return the seconds until the next line; `same` means that the current line equals the last one."""
    return min(before_s * 2, RARE_S) if same else LINE_S


def line(course: Course, seen: LiveView) -> str:
    """Return the progress of a run as one line."""
    report = seen.report
    if report["state"] not in OPEN_STATES:
        ended = f"{report['source']}: {report['state']} after {duration(report['seconds'])}"
        return f"{ended}, {plural(report['fetched'], 'document')} fetched, {report['index_writes']:,} indexed"
    pace = f"{course.rate or report['pages_per_s']:.1f} a second"
    parts = [
        f"{report['source']}: {report['state']}",
        f"{plural(report['fetched'], 'document')} fetched",
        f"{report['to_fetch']:,} to go",
        f"{report['index_writes']:,} indexed",
        pace,
        *([] if seen.all_wait else [expected(course.ahead(seen)), course.bottleneck(seen)]),
    ]
    return "; ".join(part for part in (", ".join(part for part in parts if part), awaited(seen)) if part)


@contextmanager
def watcher(say: Terminal, numbers: Sequence[int]) -> Iterator[Watcher]:
    """Show the progress of these runs for the length of a block."""
    if not say.live:
        yield Lines(say, numbers)
        return
    from cormorant.cli.display.live import Display

    display = Display(numbers)
    try:
        yield display
    finally:
        display.end()
