"""Settings for where the links of a web source may lead, besides its rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

from pydantic import Field

from cormorant.base.errors import BadAddress
from cormorant.model.settings.bounded import Count, Minutes, Size
from cormorant.model.settings.budget import SiteBudget, Watched
from cormorant.model.settings.secret_name import SECRET
from cormorant.model.settings.source import SourceSettings
from cormorant.model.url import origin_of
from cormorant.sources.rules import host_name, split_port

WIDE = ("suffix", "contains", "regex", "ip", "any")
"""Types of include rules that let in hosts which nobody has named; a `*` in a host does so too."""


class BoundsSettings(SourceSettings):
    """Settings about links and hosts."""

    start: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_hosts: Count | Literal["unlimited"] = Field(
        default=100,
        description="Hosts of one domain, like those below example.org, that links may lead to besides the named ones.",
    )
    exclude_actions: bool | Literal["auto"] = Field(
        default="auto",
        description="Whether links that look like logout, delete or remove are left out; auto: when it logs in.",
    )

    @property
    def logs_in(self) -> bool:
        """Return whether a visit carries credentials, so that a link may do what their owner may."""
        if any(SECRET in each for each in getattr(self, "headers", ())):
            return True
        return any(getattr(self, name, None) for name in ("credentials", "login", "client_certificate"))

    @property
    def leaves_actions(self) -> bool:
        """Return whether links that look like actions are left out."""
        return self.logs_in if self.exclude_actions == "auto" else self.exclude_actions

    @property
    def host_limit(self) -> int | None:
        """Hosts of one domain at the most, None where every host that is let in was named."""
        wide = any(kind in WIDE or "*" in _host_in(kind, value) for kind, value in _rules(self.include))
        return None if self.max_hosts == "unlimited" or not wide else self.max_hosts

    def starts(self) -> list[str]:
        """All start addresses. Raises BadAddress for those of a file that cannot be read."""
        return list(self.start)

    @property
    def hosts_in_rules(self) -> list[tuple[str, int | None]]:
        """Hosts that `host:` rules name, as they stand in addresses, each with its port if one is given."""
        found = []
        for kind, value in _rules(self.include):
            if kind == "host" and "*" not in value:
                name, port = split_port(value)
                try:
                    found.append((host_name(name), port))
                except BadAddress:  # the boundary says so
                    continue
        return found

    @cached_property
    def listed_hosts(self) -> frozenset[str]:
        """Hosts that the settings name, so that they are not counted against the limit."""
        try:
            starts = self.starts()
        except BadAddress:  # the file is away: perhaps for a moment
            starts = list(self.start)
        return frozenset({*(host for host, _ in self.hosts_in_rules), *(origin_of(each).host for each in starts)})

    @property
    def refused_ranges(self) -> list[str]:
        """Ranges of addresses that `ip:` rules exclude: no name that leads there is connected to either."""
        return [value.strip("[]") for kind, value in _rules(self.exclude) if kind == "ip"]


def _rules(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The type and the value of each rule, as far as they are known."""
    for text in texts:
        kind, _, value = text.strip().partition(":")
        yield kind.strip().lower(), value.strip()


def _host_in(kind: str, value: str) -> str:
    """The host that a rule names, with a `*` where it names several."""
    return value if kind == "host" else value.partition("//")[2].partition("/")[0] if kind == "prefix" else ""


class BudgetSettings(SourceSettings):
    """Settings that hold back what goes on for ever."""

    max_host_documents: Count | None = Field(
        default=None, description="Documents asked for of one host in one run at the most."
    )
    max_host_bytes: Size | None = Field(
        default=None, description="Bytes received of one host in one run at the most, about: like 500MB."
    )
    max_host_minutes: Minutes | None = Field(
        default=None, description="Minutes from the first document of one host in one run to the last."
    )
    traps: Literal["throttle", "ignore"] = Field(
        default="throttle",
        description="Whether pages made alike that say nothing new and lead nowhere else are visited seldom.",
    )

    @property
    def watched(self) -> Watched | None:
        """Templates, and what is asked of a host where there is a limit."""
        throttle = self.traps == "throttle"
        most = SiteBudget(self.max_host_documents, self.max_host_bytes, self.max_host_minutes)
        limited = most != SiteBudget()
        return Watched(throttle, most if limited else None) if throttle or limited else None
