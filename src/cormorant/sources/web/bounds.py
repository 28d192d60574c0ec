"""What may be set on a web source about where links may lead, besides its rules?"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cormorant.model.address import origin_of
from cormorant.model.settings import SourceSettings

WIDE = ("suffix:", "host:*", "contains:", "regex:", "ip:", "any")
"""Beginnings of include rules that let in hosts which nobody has named."""


class BoundsSettings(SourceSettings):
    """Settings about links and hosts."""

    start: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_hosts: Annotated[int, Field(ge=1)] | Literal["unlimited"] = Field(
        default=100,
        description="Hosts of one domain, like those below example.org, that links may lead to besides the named ones.",
    )
    exclude_actions: bool | Literal["auto"] = Field(
        default="auto",
        description="Whether links that look like logout, delete or remove are left out; auto: when it logs in.",
    )

    @property
    def logs_in(self) -> bool:
        """Does a visit carry credentials, so that a link may do what their owner may?"""
        return any(getattr(self, name, None) for name in ("credentials", "login", "client_certificate"))

    @property
    def leaves_actions(self) -> bool:
        """Are links left out that look like actions?"""
        return self.logs_in if self.exclude_actions == "auto" else self.exclude_actions

    @property
    def host_limit(self) -> int | None:
        """Hosts of one domain at the most, None where every host that is let in was named."""
        wide = any(rule.strip().lower().startswith(WIDE) for rule in self.include)
        return None if self.max_hosts == "unlimited" or not wide else self.max_hosts

    @property
    def listed_hosts(self) -> frozenset[str]:
        """Hosts that somebody has named, so that they are not counted against the limit."""
        rules = (rule.strip().partition(":") for rule in self.include)
        named = {value.strip().partition(":")[0].lower() for kind, _, value in rules if kind.strip().lower() == "host"}
        return frozenset(named | {origin_of(each).host for each in self.start})

    @property
    def refused_ranges(self) -> list[str]:
        """Ranges of addresses that `ip:` rules exclude: no name that leads there is connected to either."""
        rules = (rule.strip().partition(":") for rule in self.exclude)
        return [value.strip().strip("[]") for kind, _, value in rules if kind.strip().lower() == "ip"]
