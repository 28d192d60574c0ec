"""The figures of one run over the last minute: rates, estimate, bottleneck."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from cormorant.base.clock import SystemClock
from cormorant.cli.formatting import duration

if TYPE_CHECKING:
    from cormorant.base.errors import CormorantError
    from cormorant.operate.installation import Installation
    from cormorant.operate.runs.eta import Ahead
    from cormorant.operate.runs.live import LiveView
    from cormorant.store.journal.progress_samples import ProgressSample

FOLLOWING = "Another cormorant command, such as `serve`, is already running here and will do this crawl. Progress:"


class Course:
    """The figures of one run over the last minute."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._clock = SystemClock()
        self._samples: deque[ProgressSample] = deque()
        self._wanted: dict[int, float] = {}
        self.busy = 0.0

    def look(self, house: Installation) -> LiveView:
        """Read the run's figures and remember them."""
        from cormorant.crawl.run.progress import share
        from cormorant.operate.runs import live
        from cormorant.store.journal.progress_samples import LOOK_BACK_S

        seen = live.look(house, self.number)
        now, wanted = self._clock.monotonic(), live.processors_s(house)
        if self._samples:
            self.busy = share(self._wanted, wanted, now - self._samples[-1].at)
        self._wanted = wanted
        self._samples.append(live.sample(seen, now))
        while self._samples[0].at < now - LOOK_BACK_S:
            self._samples.popleft()
        return seen

    @property
    def rate(self) -> float:
        """Recent documents a second."""
        from cormorant.operate.runs.eta import rate

        return rate(self._samples)

    def ahead(self, seen: LiveView) -> Ahead | None:
        """Return the estimate of the remaining time and documents."""
        from cormorant.operate.runs import live

        return live.ahead(seen, list(self._samples))

    def bottleneck(self, seen: LiveView) -> str:
        """Return the bottleneck of the run."""
        from cormorant.operate.runs import live

        return live.bottleneck(seen, self.busy, list(self._samples))


def waiting(error: CormorantError) -> str:
    """The message that the command waits for the database."""
    return f"{error.sentence} Waiting meanwhile."


def awaited(seen: LiveView) -> str:
    """Describe what a run waits for, or which sites rest, why, and when it gives up. Return "" if none waits."""
    if seen.report["waits"]:
        return str(seen.report["reason"] or "")
    if seen.suspended_s:
        from cormorant.operate.runs.live import SUSPENDED

        return f"{SUSPENDED} at this hour; it continues in {duration(seen.suspended_s)}"
    if seen.waits is None:
        return ""
    which = "it is" if seen.waits.sites == 1 else "the first is"
    when = f"asked again in {duration(seen.waits.again_s)}" if seen.waits.again_s else "being asked now"
    gives_up_s = seen.waits.gives_up_s
    ends = "" if gives_up_s is None else f", the run gives up in {duration(gives_up_s)} at the latest"
    return f"{seen.waits.said}; {which} {when}{ends}"


def expected(ahead: Ahead | None) -> str:
    """A range of remaining time, in words."""
    if ahead is None:
        return ""
    if ahead.most_s is None:
        return f"{duration(ahead.least_s)} or more to go, because the crawl still finds new addresses"
    if duration(ahead.least_s) == duration(ahead.most_s):
        return f"about {duration(ahead.least_s)} to go"
    return f"{duration(ahead.least_s)} to {duration(ahead.most_s)} to go"
