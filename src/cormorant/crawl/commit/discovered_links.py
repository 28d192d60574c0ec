"""URLs discovered by a visit or named by the facts of a site.

They are screened here and admitted by the transaction that settles the batch.

A page leads to its links; a sitemap to its entries, among them other sitemaps; a robots.txt to the sitemaps it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cormorant.crawl import url_rewriting
from cormorant.crawl.commit import batch as batch_rows, subdomain_limit
from cormorant.crawl.link_filter import Screened, excluded, may_become, screen
from cormorant.frontier.links import redirect_chains
from cormorant.frontier.policy.priority import at_level
from cormorant.frontier.sitemaps import lastmod_trust, registry
from cormorant.frontier.sitemaps.lastmod_trust import LastmodClaim
from cormorant.frontier.sitemaps.registry import SitemapContent, SitemapTally
from cormorant.frontier.state import enqueue, host_facts
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.frontier.state.host_facts import FOR_EVER, Fact
from cormorant.frontier.traps.detector import FACT
from cormorant.model.content import FeedEntry, Sitemap
from cormorant.model.outcome import Excluded, Moved, Ok, OutcomeKind, Unchanged
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Resource, Role
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.settings.priority import Level
from cormorant.model.status import Status
from cormorant.model.url import fingerprint
from cormorant.store.journal import visits
from cormorant.store.journal.visits import Exclusion

if TYPE_CHECKING:
    from cormorant.crawl.commit.batch import Batch, Visited
    from cormorant.crawl.context import WorkerContext
    from cormorant.crawl.visit.visit import VisitResult
    from cormorant.frontier.state.enqueue import Admission
    from cormorant.model.outcome import Outcome
    from cormorant.model.run import Counters
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Tx


PART = 2_000
"""Entries of a sitemap that are admitted at once: that takes about 40 ms, in which nothing else is settled."""
FIRST = 1
"""The depth of the entries of a sitemap: that of a link on a start page."""


def of_visit(source: Source, order: Admission, batch: Batch, report: VisitResult, means: WorkerContext) -> Screened:
    """Sort the URLs that a visit discovered into new resources and exclusions; known URLs are neither.

    Call it before the visit joins `batch`, and before any of the batch is written.
    """
    resource, outcome = report.task.resource, report.outcome
    if resource.role is not Role.SITEMAP:
        links = batch_rows.links_to_follow(outcome, source.rename)
        return screen(source, resource, links, means.seen, means.keys, order.run)
    if isinstance(outcome, Moved):
        said: Sitemap | None = Sitemap("", (FeedEntry(outcome.target, is_map=True),))
    else:
        said = outcome.sitemap if isinstance(outcome, Ok) else None
    if said is None:
        return Screened([], [])
    with means.store.read() as tx:
        room = registry.room(tx, source.number, resource.id)
    room = max(room - sum(sitemap.tally.entries for sitemap in batch.sitemaps), 0)
    tally = SitemapTally(said.form, min(len(said.entries), room), over=max(len(said.entries) - room, 0))
    tally.unusable, tally.truncated = said.unusable, said.truncated
    return next_part(source, order, SitemapContent(resource, tally, said.entries[:room]), means)


def next_part(source: Source, order: Admission, before: SitemapContent, means: WorkerContext) -> Screened:
    """Screen the next part of the entries of a sitemap; entries beyond the limit must not become known."""
    tally, resource, run = before.tally, before.resource, order.run
    sitemap, entries = SitemapContent(resource, tally, before.left[PART:]), before.left[:PART]
    arrivals, exclusions = list[NewUrl](), list[visits.Exclusion]()
    known = [_known_as(said, source) for said in entries]
    named = [(means.keys.of(entry.address), fingerprint(entry.address, source.number)) for entry, _ in known]
    means.seen.meet(named)
    for (entry, display), (site, key) in zip(known, named, strict=True):
        level = Level.NORMAL if entry.is_map else source.settings.level(entry.address)
        if not entry.is_map and not means.seen.first_time(site, key):
            tally.known += 1
            sitemap.named[key] = site
            sitemap.claim(LastmodClaim(key, site, entry, level))
            continue
        found = _found(entry, site, resource, level)._replace(display=display)
        ruling = may_become(source.gates, found)
        if not ruling.admitted:
            exclusions.append(excluded(source.number, key, found, ruling, run))
        elif entry.is_map:
            sitemap.sitemaps.append(NewUrl(found, key))
        else:
            arrivals.append(NewUrl(found, key))
            sitemap.named[key] = site
            sitemap.claim(LastmodClaim(key, site, entry, level, is_new=True))
    tally.new += len(arrivals)
    tally.excluded += len(exclusions)
    return Screened(arrivals, exclusions, sitemap)


def _known_as(entry: FeedEntry, source: Source) -> tuple[FeedEntry, str]:
    """An entry under its rewritten address, and the address to show, "" for the same."""
    known = None if entry.is_map else source.rename(entry.address)
    return (entry, "") if known is None else (entry._replace(address=known.address), known.display)


def _found(entry: FeedEntry, site: str, sitemap: Resource, level: Level) -> DiscoveredUrl:
    if entry.is_map:
        return DiscoveredUrl(
            entry.address, site, sitemap.depth + 1, DiscoveredBy.SITEMAP, Role.SITEMAP, sitemap.id, priority=0
        )
    priority = at_level(lastmod_trust.priority(entry), level)
    return DiscoveredUrl(entry.address, site, FIRST, DiscoveredBy.SITEMAP, referrer=sitemap.id, priority=priority)


def admit(tx: Tx, numbers: SiteNumbers, order: Admission, batch: Batch) -> int:
    """Admit the URLs that a batch discovered; returns the number of new documents, without sitemaps."""
    if not batch.sitemaps:
        return enqueue.admit(tx, numbers, order, batch.arrivals)
    changed, fresh, over = _fresh(tx, numbers, order, [each for sitemap in batch.sitemaps for each in sitemap.sitemaps])
    new = enqueue.admit(tx, numbers, order, [*batch.arrivals, *fresh])
    admitted = {arrival.key for arrival in batch.arrivals}  # nothing is kept of URLs that were refused since
    if said := [
        each for sitemap in batch.sitemaps for each in sitemap.claims if not each.is_new or each.key in admitted
    ]:
        changed |= lastmod_trust.keep(tx, numbers, order, said, {sitemap.resource.site for sitemap in batch.sitemaps})
    lastmod_trust.name_again(tx, order, {key for sitemap in batch.sitemaps for key in sitemap.named})
    for sitemap in batch.sitemaps:
        registry.name(tx, numbers, order.source, sitemap)
    batch.sitemaps[0].reordered = changed
    kept = {each.key for each in fresh}
    for sitemap in batch.sitemaps:
        sitemap.tally.new += sum(each.key in kept for each in sitemap.sitemaps)
        sitemap.tally.over += sum(each.key in over for each in sitemap.sitemaps)
    host_facts.write(tx, [sitemap.tally.fact(sitemap.resource) for sitemap in batch.sitemaps])
    return max(new - len(fresh), 0)


def _fresh(
    tx: Tx, numbers: SiteNumbers, order: Admission, found: Sequence[NewUrl]
) -> tuple[set[int], list[NewUrl], set[int]]:
    """Sort sitemaps: sites where a document became a sitemap, new sitemaps, and the keys of those beyond the limit."""
    if not found:
        return set(), [], set()
    keyed = {each.key: each for each in found}
    turned = registry.turn(tx, numbers, order, list(keyed.values())[: registry.MAX_FILES])
    new, room = enqueue.unknown(tx, numbers, list(keyed.values())), registry.files_left(tx, order.source)
    return turned, new[:room], {each.key for each in new[room:]}


def admit_found(
    tx: Tx, source: Source, order: Admission, counters: Counters, found: Sequence[DiscoveredUrl], means: WorkerContext
) -> tuple[list[int], set[int]]:
    """Admit the sitemaps that the facts of a site name.

    Returns the sites that may have new work, and the sites where documents became sitemaps.
    """
    number = order.source
    arrivals, exclusions = list[NewUrl](), list[visits.Exclusion]()
    for each in found:
        key, ruling = fingerprint(each.address, number), may_become(source.gates, each)
        if ruling.admitted:
            arrivals.append(NewUrl(each, key))
        else:
            exclusions.append(excluded(number, key, each, ruling, order.run))
    known = visits.known_before(tx, order.run, exclusions)
    count(counters, visits.exclude(tx, exclusions), known)
    turned, fresh, _ = _fresh(tx, means.sites, order, arrivals)
    enqueue.admit(tx, means.sites, order, fresh)
    return list(means.sites.of(tx, {each.found.site for each in fresh}).values()), turned


def put_right(tx: Tx, order: Admission, batch: Batch) -> set[int]:
    """Correct the roles of sitemaps that were taken for documents, and the other way round, so that they are revisited.

    A start address that is a feed was read as a feed at its visit. Call it after the visits are written.

    Returns the sites of these resources.
    """
    documents = {each.resource.id for each in batch.visited if each.resource.role is Role.DOCUMENT}
    none = [
        each.resource.id
        for each in batch.visited
        if each.resource.role is Role.SITEMAP
        and each.resource.outcome in (OutcomeKind.NONE, OutcomeKind.DEFERRED)
        and each.fate.outcome is OutcomeKind.FAILED
        and each.fate.status == Status.CONVERSION_FAILED
    ]
    registry.become(tx, [each.resource.id for each in batch.visited if _lists(each)])
    turned = registry.turn_again(tx, order, documents)
    return turned | registry.put_back(tx, order, none) if none else turned


def _lists(visited: Visited) -> bool:
    """Return whether a URL was known as a document but was read as a sitemap or other list of URLs."""
    outcome = visited.report.outcome
    return isinstance(outcome, Ok) and visited.resource.role is Role.SITEMAP and outcome.content.lists


def count(counters: Counters, refused: int, known: int) -> None:
    """Count addresses that a gate excluded before they became resources. Those `known` before were discovered then."""
    counters.excluded += refused
    counters.rejected += refused
    counters.discovered += max(0, refused - known)


def reordered(batch: Batch) -> set[int]:
    """The sites whose resources, or the order of their visits, changed when a batch was settled."""
    return {number for sitemap in batch.sitemaps for number in sitemap.reordered}


def sites(batch: Batch) -> set[str]:
    """The keys of the sites with new resources."""
    found = {arrival.found.site for arrival in batch.arrivals}
    return found.union(arrival.found.site for sitemap in batch.sitemaps for arrival in sitemap.sitemaps)


TOO_FAR = Ruling(False, Gate.LINK, f"more than {redirect_chains.MOST} redirects in a row", Status.REDIRECT_LOOP)


def sifted(tx: Tx, source: Source, batch: Batch, order: Admission) -> Batch:
    """Exclude hosts beyond the limit of a domain, display addresses that are taken, and endless redirects."""
    home = {visited.report.task.site.lease.key for visited in batch.visited}
    arrivals, crowded = subdomain_limit.sorted_out(tx, source, batch.arrivals, order.run, home)
    arrivals, taken = url_rewriting.unique(tx, source, arrivals, order.run)
    arrivals, far = near(tx, arrivals, order)
    refused = [*crowded, *taken, *far]
    return replace(batch, arrivals=arrivals, exclusions=[*batch.exclusions, *refused]) if refused else batch


def near(tx: Tx, arrivals: list[NewUrl], order: Admission) -> tuple[list[NewUrl], list[Exclusion]]:
    """Separate arrivals to be admitted from arrivals at the end of too many redirects."""
    from_there = {each.found.referrer for each in arrivals if each.found.how is DiscoveredBy.REDIRECT} - {None}
    far = redirect_chains.at_the_end(tx, from_there) if from_there else ()
    if not far:
        return arrivals, []
    stays, exclusions = list[NewUrl](), list[Exclusion]()
    for each in arrivals:
        if each.found.how is DiscoveredBy.REDIRECT and each.found.referrer in far:
            exclusions.append(excluded(order.source, each.key, each.found, TOO_FAR, order.run))
        else:
            stays.append(each)
    return stays, exclusions


class PartialSitemaps:
    """Sitemaps that are admitted in parts: those of which a part has not been admitted."""

    def __init__(self, order: Admission, means: WorkerContext) -> None:
        self._order, self._means = order, means
        self._later: list[tuple[Visited, SitemapContent]] = []

    def add(self, batch: Batch, source: Source, visited: Visited, found: Screened) -> None:
        """Add the URLs of a visit to a batch; and the visit too, unless more parts of the sitemap follow."""
        if found.sitemap is None or not found.sitemap.left:
            batch_rows.add(batch, source, visited, found, self._means.steps)
            return
        visited = batch_rows.lightened(visited)
        batch_rows.lead(batch, visited.resource, found)
        batch.partly.append(visited)
        self._later.append((visited, found.sitemap))

    def go_on(self, batch: Batch, source: Source, lost: set[int]) -> None:
        """Add the next parts of sitemaps to a new batch, except at lost sites."""
        later, self._later = self._later, []
        for visited, sitemap in later:
            if visited.resource.site not in lost:
                with self._means.steps("gates"):
                    found = next_part(source, self._order, sitemap, self._means)
                self.add(batch, source, visited, found)


def note(visited: Visited, outcome: Outcome, found: Screened) -> None:
    """Report received bytes and a document to the trap detector of its site, before the text is released."""
    resource, site = visited.resource, visited.report.task.site
    watch = site.watches.get(resource.source)
    if watch is None:
        return
    watch.received(visited.report.wire.received)
    if resource.role is not Role.DOCUMENT or not isinstance(outcome, Ok | Unchanged | Excluded):
        return
    document = outcome.document if isinstance(outcome, Ok | Unchanged) else None
    arrived = [arrival.found.address for arrival in found.arrivals if arrival.found.site == site.key]
    watch.met(resource.address, arrived, (document.title, document.text) if document else None)


def learned(batch: Batch) -> Iterator[Fact]:
    """Yield the facts that trap detectors learned about the sites of a batch, once each, to be stored with it."""
    watches = {(v.resource.site, v.resource.source): v.report.task.site.watches for v in batch.visited}
    for (site, source), at in watches.items():
        watch = at.get(source)
        if watch is not None and watch.changed:
            yield Fact(site, source, FACT, watch.pack(), FOR_EVER)
            watch.changed = False
