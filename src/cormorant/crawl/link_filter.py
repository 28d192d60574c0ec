"""Link filter: decides which links of a document may be followed.

Pure: known addresses are dropped first, then the gates decide about the new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cormorant.frontier.policy import priority as url_priority
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.frontier.sitemaps.registry import SitemapContent
from cormorant.frontier.state.enqueue import NewUrl
from cormorant.model.content import PageLink
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Resource, Role
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.url import fingerprint, front_of, origin_of
from cormorant.sources.protocol import Source, UrlFilters
from cormorant.store.journal.visits import Exclusion


class FilteredLinks(NamedTuple):
    """The links of a document to follow, those not to follow (by their rel, or as the page says of all), and how."""

    follow: Sequence[PageLink] = ()
    unfollowed: Sequence[PageLink] = ()
    how: DiscoveredBy = DiscoveredBy.LINK


class Screened(NamedTuple):
    """New resources, and new addresses that a gate excluded; `sitemap` is set for a visit to a sitemap."""

    arrivals: list[NewUrl]
    exclusions: list[Exclusion]
    sitemap: SitemapContent | None = None


NOFOLLOW = Ruling(False, Gate.LINK, "rel=nofollow", Status.NOFOLLOW_ONLY)
NOFOLLOW_PAGE = Ruling(False, Gate.LINK, "nofollow, said by the page of all its links", Status.NOFOLLOW_ONLY)


class SiteKeys:
    """Site keys of addresses, cached by the part of the address before the path."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}

    def of(self, address: str) -> str:
        """The key of the site an address belongs to."""
        front = front_of(address)
        key = self._keys.get(front)
        if key is None:
            if len(self._keys) > 100_000:
                self._keys.clear()
            key = self._keys[front] = origin_of(address).site
        return key


def screen(
    source: Source, resource: Resource, links: FilteredLinks, seen: SeenUrls, keys: SiteKeys, run: int
) -> Screened:
    """Sort the links of a visited resource into new resources and exclusions; known addresses are neither.

    A link is one level deeper than its page; the target of a redirect is as deep as the redirect.
    """
    number, depth, follow = (
        source.number,
        resource.depth + (links.how is not DiscoveredBy.REDIRECT),
        source.gates.follow,
    )
    level = source.settings.level
    arrivals: list[NewUrl] = []
    exclusions: list[Exclusion] = []
    strange = seen.strange(number, links.follow)
    named = [(keys.of(link.address), fingerprint(link.address, number)) for link in strange]
    seen.meet(named)
    for link, (site, key) in zip(strange, named, strict=True):
        if not seen.first_time(site, key):
            continue
        ruling = follow(address := link.address, depth)
        priority = url_priority.usual(level(address)) if ruling.admitted else url_priority.USUAL
        found = DiscoveredUrl(
            address, site, depth, links.how, referrer=resource.id, priority=priority, display=link.display
        )
        if ruling.admitted:
            arrivals.append(NewUrl(found, key))
        else:
            exclusions.append(excluded(number, key, found, ruling, run))
    named = [(keys.of(link.address), fingerprint(link.address, number)) for link in links.unfollowed]
    seen.meet(named)
    for link, (site, key) in zip(links.unfollowed, named, strict=True):
        if seen.first_unfollowed(site, key):
            found = DiscoveredUrl(link.address, site, depth, DiscoveredBy.LINK, referrer=resource.id)
            exclusions.append(excluded(number, key, found, NOFOLLOW if link.nofollow else NOFOLLOW_PAGE, run))
    return Screened(arrivals, exclusions)


def may_become(gates: UrlFilters, found: DiscoveredUrl) -> Ruling:
    """Return the ruling of the gates on whether a discovered URL may become a resource."""
    judge = gates.consult if found.role is Role.SITEMAP else gates.follow
    return judge(found.address, found.depth)


def excluded(source: int, key: int, found: DiscoveredUrl, ruling: Ruling, run: int) -> Exclusion:
    """The journal's row for an address that a gate excluded."""
    return Exclusion(
        source, key, found.address, ruling.gate, ruling.rule, ruling.status, run, found.depth, found.referrer
    )
