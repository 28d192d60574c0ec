"""Time and randomness, passed in so that tests can replace them.

Only this module asks the operating system for the time or for random bytes.
"""

from __future__ import annotations

import random
import secrets
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The current time: wall-clock and monotonic.

    A caller may rely on `monotonic` never going back within a process, but not on `now`, and must not compare
    `monotonic` between processes. Lease deadlines are compared in the store's own time, not in this one.
    """

    def now(self) -> float:
        """Seconds since 1970-01-01T00:00:00Z."""
        ...

    def monotonic(self) -> float:
        """Seconds since some point, for intervals."""
        ...


class SystemClock:
    """The operating system's clock."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds, never going back."""
        return time.monotonic()


def pause(seconds: float) -> None:
    """Sleep, for the few synchronous loops that wait for another process."""
    time.sleep(seconds)


def cpu_ns() -> int:
    """CPU nanoseconds this process has used, user and system; for the step table."""
    return time.process_time_ns()


FIRST_S, LAST_S = -62_135_596_800.0, 253_402_300_799.0
"""The first and the last second that a date can express, of the years 1 and 9999."""


def date_of(seconds: float) -> datetime | None:
    """The moment in UTC of epoch seconds, None outside the range of dates: servers and file systems report anything."""
    return datetime.fromtimestamp(seconds, tz=UTC) if FIRST_S <= seconds <= LAST_S else None


def rfc3339(seconds: float | None) -> str | None:
    """Format epoch seconds as RFC 3339 in UTC with milliseconds; None for None and outside the range of dates."""
    moment = date_of(seconds) if seconds is not None else None
    if moment is None:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc_stamp(seconds: float) -> str:
    """Format epoch seconds as ISO 8601 in its basic format, in UTC: 20261128T150500Z."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%dT%H%M%SZ")


def timestamp(seconds: float) -> str:
    """Format a time from Cormorant's own clock, which always is a date, as `rfc3339` does."""
    return rfc3339(seconds) or ""


def jitter(spread: float) -> float:
    """A factor in [1 - spread, 1 + spread], so that many waiters do not wake together."""
    return 1.0 + random.uniform(-spread, spread)  # noqa: S311 - spreads waiters, guards nothing


def random_token(size_bytes: int = 16) -> str:
    """An unguessable hexadecimal token of `size_bytes` random bytes."""
    return secrets.token_hex(size_bytes)
