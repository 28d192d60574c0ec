"""Discovered URLs that a visit or the facts of a site lead to.

Screened here, admitted by the transaction that settles.

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
"""Entries of a sitemap that are admitted at once: that takes about 40 ms, in which nothing else goes on."""
FIRST = 1
"""The depth of what a sitemap names: that of a start address's link."""


def of_visit(source: Source, order: Admission, batch: Batch, report: VisitResult, means: WorkerContext) -> Screened:
    """Sort what a visit leads to into new resources and exclusions; what is known is neither.

    The visit is about to join `batch`, of which nothing was written yet.
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
    room = max(room - sum(told.tally.entries for told in batch.told), 0)
    tally = SitemapTally(said.form, min(len(said.entries), room), over=max(len(said.entries) - room, 0))
    tally.unusable, tally.truncated = said.unusable, said.truncated
    return next_part(source, order, SitemapContent(resource, tally, said.entries[:room]), means)


def next_part(source: Source, order: Admission, before: SitemapContent, means: WorkerContext) -> Screened:
    """Screen the next entries of a sitemap that there is room for; the others must not become known."""
    tally, resource, run = before.tally, before.resource, order.run
    told, entries = SitemapContent(resource, tally, before.left[PART:]), before.left[:PART]
    arrivals, exclusions = list[NewUrl](), list[visits.Exclusion]()
    known = [_known_as(said, source) for said in entries]
    named = [(means.keys.of(entry.address), fingerprint(entry.address, source.number)) for entry, _ in known]
    means.seen.meet(named)
    for (entry, display), (site, key) in zip(known, named, strict=True):
        level = Level.NORMAL if entry.is_map else source.settings.level(entry.address)
        if not entry.is_map and not means.seen.first_time(site, key):
            tally.known += 1
            told.named[key] = site
            told.claim(LastmodClaim(key, site, entry, level))
            continue
        found = _found(entry, site, resource, level)._replace(display=display)
        ruling = may_become(source.gates, found)
        if not ruling.admitted:
            exclusions.append(excluded(source.number, key, found, ruling, run))
        elif entry.is_map:
            told.sitemaps.append(NewUrl(found, key))
        else:
            arrivals.append(NewUrl(found, key))
            told.named[key] = site
            told.claim(LastmodClaim(key, site, entry, level, is_new=True))
    tally.new += len(arrivals)
    tally.excluded += len(exclusions)
    return Screened(arrivals, exclusions, told)


def _known_as(entry: FeedEntry, source: Source) -> tuple[FeedEntry, str]:
    """An entry under the address that it is known by, and the address to show, "" for the same."""
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
    """Admit what a batch of visits led to; returns how many documents are new. A sitemap is none."""
    if not batch.told:
        return enqueue.admit(tx, numbers, order, batch.arrivals)
    changed, fresh, over = _fresh(tx, numbers, order, [each for told in batch.told for each in told.sitemaps])
    new = enqueue.admit(tx, numbers, order, [*batch.arrivals, *fresh])
    admitted = {arrival.key for arrival in batch.arrivals}  # others were refused since: nothing is kept of them
    if said := [each for told in batch.told for each in told.claims if not each.is_new or each.key in admitted]:
        changed |= lastmod_trust.keep(tx, numbers, order, said, {told.resource.site for told in batch.told})
    lastmod_trust.name_again(tx, order, {key for told in batch.told for key in told.named})
    for told in batch.told:
        registry.name(tx, numbers, order.source, told)
    batch.told[0].reordered = changed
    kept = {each.key for each in fresh}
    for told in batch.told:
        told.tally.new += sum(each.key in kept for each in told.sitemaps)
        told.tally.over += sum(each.key in over for each in told.sitemaps)
    host_facts.write(tx, [told.tally.fact(told.resource) for told in batch.told])
    return max(new - len(fresh), 0)


def _fresh(
    tx: Tx, numbers: SiteNumbers, order: Admission, found: Sequence[NewUrl]
) -> tuple[set[int], list[NewUrl], set[int]]:
    """Sort sitemaps: sites where one was taken for a document, what is new, keys of what there is no room for."""
    if not found:
        return set(), [], set()
    keyed = {each.key: each for each in found}
    turned = registry.turn(tx, numbers, order, list(keyed.values())[: registry.MAX_FILES])
    new, room = enqueue.unknown(tx, numbers, list(keyed.values())), registry.files_left(tx, order.source)
    return turned, new[:room], {each.key for each in new[room:]}


def admit_found(
    tx: Tx, source: Source, order: Admission, counters: Counters, found: Sequence[DiscoveredUrl], means: WorkerContext
) -> tuple[list[int], set[int]]:
    """Admit the sitemaps that the facts of a site lead to.

    Returns the sites that may have something new to do, and those where documents have become sitemaps.
    """
    number = order.source
    arrivals, exclusions = list[NewUrl](), list[visits.Exclusion]()
    for each in found:
        key, ruling = fingerprint(each.address, number), may_become(source.gates, each)
        if ruling.admitted:
            arrivals.append(NewUrl(each, key))
        else:
            exclusions.append(excluded(number, key, each, ruling, order.run))
    count(counters, visits.exclude(tx, exclusions))
    turned, fresh, _ = _fresh(tx, means.sites, order, arrivals)
    enqueue.admit(tx, means.sites, order, fresh)
    return list(means.sites.of(tx, {each.found.site for each in fresh}).values()), turned


def put_right(tx: Tx, order: Admission, batch: Batch) -> set[int]:
    """Have visited as what they are documents that were taken for sitemaps, and sitemaps taken for documents.

    A start address that is a feed was read as one at its visit. Call it when the visits are written; returns the sites.
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


def count(counters: Counters, refused: int) -> None:
    """Count addresses that a gate excluded before they became resources."""
    counters.excluded += refused
    counters.rejected += refused
    counters.discovered += refused


def reordered(batch: Batch) -> set[int]:
    """The sites whose resources, or the order of their visits, are not what they were before a batch was settled."""
    return {number for told in batch.told for number in told.reordered}


def sites(batch: Batch) -> set[str]:
    """The keys of the sites at which something arrived."""
    found = {arrival.found.site for arrival in batch.arrivals}
    return found.union(arrival.found.site for told in batch.told for arrival in told.sitemaps)


TOO_FAR = Ruling(False, Gate.LINK, f"more than {redirect_chains.MOST} redirects in a row", Status.REDIRECT_LOOP)


def sifted(tx: Tx, source: Source, batch: Batch, order: Admission) -> Batch:
    """The batch without one host too many of a domain, a display address that is taken, or redirects without end.

    These are excluded.
    """
    home = {visited.report.task.site.lease.key for visited in batch.visited}
    arrivals, crowded = subdomain_limit.sorted_out(tx, source, batch.arrivals, order.run, home)
    arrivals, taken = url_rewriting.unique(tx, source, arrivals, order.run)
    arrivals, far = near(tx, arrivals, order)
    refused = [*crowded, *taken, *far]
    return replace(batch, arrivals=arrivals, exclusions=[*batch.exclusions, *refused]) if refused else batch


def near(tx: Tx, arrivals: list[NewUrl], order: Admission) -> tuple[list[NewUrl], list[Exclusion]]:
    """Part the arrivals into those to be admitted and those at the end of too many redirects (faults W11, W12)."""
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


class Telling:
    """The sitemaps of which a run has yet to tell a part."""

    def __init__(self, order: Admission, means: WorkerContext) -> None:
        self._order, self._means = order, means
        self._later: list[tuple[Visited, SitemapContent]] = []

    def tell(self, batch: Batch, source: Source, visited: Visited, found: Screened) -> None:
        """Put what a visit leads to into a batch; the visit too, unless there is more of a sitemap."""
        if found.told is None or not found.told.left:
            batch_rows.add(batch, source, visited, found, self._means.steps)
            return
        visited = batch_rows.lightened(visited)
        batch_rows.lead(batch, visited.resource, found)
        batch.partly.append(visited)
        self._later.append((visited, found.told))

    def go_on(self, batch: Batch, source: Source, lost: set[int]) -> None:
        """Put the next parts into a new batch, of sitemaps at sites that were not lost."""
        later, self._later = self._later, []
        for visited, told in later:
            if visited.resource.site not in lost:
                with self._means.steps("gates"):
                    found = next_part(source, self._order, told, self._means)
                self.tell(batch, source, visited, found)


def note(visited: Visited, outcome: Outcome, found: Screened) -> None:
    """Have its site's watch take note of what came, and of a document before its text is let go of."""
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
