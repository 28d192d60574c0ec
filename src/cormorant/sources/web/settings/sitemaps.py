"""Sitemaps and feeds that a web source reads. Those that robots.txt names, or none, or those of its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pydantic import Field, field_validator

from cormorant.base.errors import BadAddress
from cormorant.model.resource import BY_FACT, DiscoveredBy, DiscoveredUrl, Role
from cormorant.model.settings.source import Settings
from cormorant.model.url import canonical, join, origin_of

MAX_DEPTH = 3
"""Sitemaps that may lead to another one (fault R12)."""
MAX_BYTES = 50 << 20
"""Bytes of a sitemap once decompressed; what is behind them is left out (https://www.sitemaps.org/protocol.html)."""
ROBOTS, OFF = "robots", "off"


def web_address(text: str) -> str:
    """The canonical form of an address as an administrator typed it; ValueError says what is wrong with it."""
    if _has_login(text):
        raise ValueError("a user name is not written into an address: use the setting credentials.")
    try:
        address = canonical(text)
    except BadAddress as error:
        raise ValueError(error.sentence) from None
    if not address.startswith(("http://", "https://")):
        raise ValueError(f"{text!r} is not a web address: it must begin with http:// or https://.")
    return address


def _has_login(text: str) -> bool:
    """Return whether a URL names a user. A password in it must not be kept, nor repeated."""
    return "@" in text.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0]


class SitemapSettings(Settings):
    """Settings of a web source about sitemaps."""

    sitemaps: tuple[str, ...] = Field(
        default=(ROBOTS,),
        description=(
            "The sitemaps and feeds that are read for addresses: robots, those that robots.txt names; off, none; or "
            "their addresses; may repeat."
        ),
    )

    @field_validator("sitemaps")
    @classmethod
    def _sitemaps(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        """Canonicalise addresses; off stands alone."""
        if not given or (OFF in given and len(given) > 1):
            raise ValueError("write robots, off, or the addresses of sitemaps.")
        return tuple(dict.fromkeys(each if each in (ROBOTS, OFF) else web_address(each) for each in given))

    @property
    def named_sitemaps(self) -> list[str]:
        """The addresses among them."""
        return [each for each in self.sitemaps if each not in (ROBOTS, OFF)]


def named(settings: SitemapSettings) -> list[DiscoveredUrl]:
    """The sitemaps of the settings: as much a place to begin at as a start address is."""
    return [
        DiscoveredUrl(each, origin_of(each).site, 0, DiscoveredBy.SEED, Role.SITEMAP, priority=0)
        for each in settings.named_sitemaps
    ]


def in_robots(facts: Mapping[str, bytes], lines_of: Callable[[str, bytes], Sequence[str]]) -> Sequence[DiscoveredUrl]:
    """The sitemaps that the robots.txt files of a site name, which may be relative, or of other sites.

    `lines_of` returns those of an origin and its robots.txt, as written.
    """
    found: dict[str, DiscoveredUrl] = {}
    for name, body in facts.items():
        kind, _, origin = name.partition(":")
        lines = lines_of(origin, body) if kind == ROBOTS and body else ()
        for _, address in join(f"{origin}/robots.txt", lines) if lines else ():
            site = origin_of(address).site
            found.setdefault(
                address, DiscoveredUrl(address, site, 0, DiscoveredBy.ROBOTS, Role.SITEMAP, BY_FACT, priority=0)
            )
    return tuple(found.values())
