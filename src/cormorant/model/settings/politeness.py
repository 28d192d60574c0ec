"""Politeness settings of every source: crawl windows of the week, and the number of hosts at once."""

from __future__ import annotations

from functools import cached_property
from math import inf

from pydantic import Field, field_validator

from cormorant.model.schedule.timezones import zone_of
from cormorant.model.settings.bounded import Count
from cormorant.model.settings.crawl_windows import EXAMPLE, Calendar, read_windows
from cormorant.model.settings.source import SourceSettings


class PacingSettings(SourceSettings):
    """Settings of every kind that sends requests to servers."""

    AT_ONCE = SourceSettings.AT_ONCE | {"variable_delay", "time_zone", "hosts_at_once"}

    variable_delay: tuple[str, ...] = Field(
        default=(),
        description=f"Another delay, or none of our visits, at hours of the week: {EXAMPLE}. May repeat; where two "
        "overlap the slower holds.",
    )
    time_zone: str = Field(
        default="", description="The zone whose clock variable_delay means, like Europe/Berlin. Not set: the machine's."
    )
    hosts_at_once: Count | None = Field(
        default=None,
        description="Hosts visited at once at the most; the others wait. Not set: as many as can be.",
    )

    @field_validator("variable_delay")
    @classmethod
    def _windows(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        if Calendar(read_windows(lines)).opens_at(0.0) == inf:
            raise ValueError("together they suspend the whole week, so that no page would ever be visited.")
        return lines

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        zone_of(name)
        return name

    def suspended_until(self, now: float) -> float:
        """Return the end of the suspension by `variable_delay`, in epoch seconds; 0 if there is none."""
        opens_at = self.calendar.opens_at(now)
        return opens_at if opens_at > now else 0.0

    @property
    def most_hosts(self) -> int | None:
        """The most sites visited at once."""
        return self.hosts_at_once

    @cached_property
    def calendar(self) -> Calendar:
        """The windows of `variable_delay`."""
        return Calendar(read_windows(self.variable_delay), zone_of(self.time_zone))
