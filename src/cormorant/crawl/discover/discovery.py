"""Discovery of resources: seeds pass the follow gate, listings are compared with known documents."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from cormorant.crawl import url_rewriting
from cormorant.crawl.commit import discovered_links
from cormorant.crawl.commit.moved_files import Newcomers
from cormorant.crawl.discover import declared_attributes, login_hold, readmit_excluded
from cormorant.crawl.discover.timed_iteration import drawn
from cormorant.crawl.finish import link_graph, sweep
from cormorant.crawl.link_filter import excluded, may_become
from cormorant.frontier.sitemaps import registry
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import enqueue, exposure, writes
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.model.exposure import ExposureTally
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Removal, Role
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.run import Counters
from cormorant.model.status import Status
from cormorant.model.url import fingerprint, is_below
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.sources.protocol import Discovery, IncrementalListing
from cormorant.store.catalog import sources
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.journal import runs, visits
from cormorant.store.journal.visits import Exclusion

if TYPE_CHECKING:
    from cormorant.model.acl import ACL
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow


_VETO = Ruling(False, Gate.PLUGIN, "a receiver said that it may not be entered", Status.VETOED)


class ListingResult(NamedTuple):
    """Result of a discovery: whether documents that it did not name are gone, and below which URLs that is unknown.

    `cursor` is handed to the source the next time, unless an administrator refuses this run.
    """

    complete: bool
    unlisted: list[str]
    cursor: str
    unlisted_reason: str = ""

    def as_values(self) -> dict[str, object]:
        """The result as columns of the run."""
        unlisted = runs.unlisted_text(self.unlisted, self.unlisted_reason)
        return {"lists": self.complete, "unlisted": unlisted, "cursor": self.cursor}


class Intake:
    """Admits the batches of one discovery, one transaction each, and counts them."""

    def __init__(self, store: Store, source: Source, row: RunRow) -> None:
        self._store, self._source, self._row, self._run = store, source, row, row.id
        self._order = Admission(row.source_id, row.generation, row.id, row.force, row.anew, row.new_of, row.mode)
        self._sites = SiteNumbers()
        self._counters = Counters()
        self._newcomers = Newcomers(store, source, self._order, self._sites)
        self._exposed, self._site = ExposureTally(), ""

    async def take_in(self) -> ListingResult:
        """Discover and admit. Raises the exceptions of the discovery: no document then counts as gone."""
        source = self._source
        await grant(self._store, source, self._row)
        with self._store.read() as tx:
            before = sources.numbered(tx, self._order.source)
            self._counters = runs.counted_by(tx, self._run, runs.ITSELF)
            login_hold.check(tx, source, self._row)
        if isinstance(source, IncrementalListing):
            source.names_all = self._order.forced or self._order.revisit or self._order.new_of is not None
        self._counters.unchanged = 0  # a discovery resumed after a kill names everything again
        try:
            async for batch in drawn(source.discover(before.cursor if before and self._remembers() else "")):
                self.admit(batch)
            await self._admit_newcomers()
        finally:
            await source.close()
        self._keep_exposure()
        declared_attributes.keep(self._store, source, before.name if before else "")
        self._exclude_vetoed(source.vetoed)
        self._admit_closed(source.closed)
        if source.discovery is Discovery.SEEDS:
            await readmit_excluded.readmit(self._store, source, self._order, self._sites, self._counters)
        if before is not None and not before.cursor:  # nothing is overwritten
            with self._store.begin() as tx:
                sources.set_cursor(tx, self._order.source, source.next_cursor)
        lists, unlisted = source.discovery is Discovery.LISTING, list(source.unlisted)
        return ListingResult(lists, unlisted, source.next_cursor, source.unlisted_reason)

    def _keep_exposure(self) -> None:
        """Count and keep the files that search shows to everyone although their folder restricts access to them."""
        if not self._source.settings.exposes or not self._site:
            return
        found = self._exposed.total(at_least=bool(self._source.unlisted), blind=self._source.blind)
        self._counters.exposed_files = found.files
        with self._store.begin() as tx:
            exposure.keep(tx, self._sites, self._order.source, self._site, found)
            runs.count(tx, self._run, runs.ITSELF, self._counters)

    def _remembers(self) -> bool:
        """Return whether the source gets the cursor it left after its last discovery.

        A listing gets it also if a run ignores everything else that is remembered.

        Only an administrator may confirm that another place is the right one.
        """
        return not (self._row.overrides if self._source.discovery is Discovery.LISTING else self._order.forced)

    def admit(self, batch: Sequence[DiscoveredUrl | Removal]) -> None:
        """Admit one batch."""
        last = {each.address: each for each in batch}.values()  # the last statement of a feed about an address counts
        found = [each for each in last if isinstance(each, DiscoveredUrl)]
        removed = [each.address for each in last if isinstance(each, Removal)]
        with self._store.begin() as tx:
            self._counters.gone += sweep.remove(tx, self._order.source, self._run, removed) if removed else 0
            arrivals = self._screen(tx, found)
            if self._source.discovery is not Discovery.SEEDS:
                self._admit_listed(tx, self._newcomers.hold(tx, arrivals))
            else:
                self._counters.discovered += self._admit_seeds(tx, arrivals)
            runs.count(tx, self._run, runs.ITSELF, self._counters)

    def _admit_listed(self, tx: Tx, listed: list[DiscoveredUrl]) -> None:
        """Admit listed documents that are known or certainly new."""
        audits = partial(self._source.settings.audits, now=tx.now())
        admitted = enqueue.admit_listing(tx, self._sites, self._order, listed, audits)
        self._counters.discovered += admitted.new
        self._counters.unchanged += admitted.unchanged
        self._counters.requests_audit += admitted.audited

    async def _admit_newcomers(self) -> None:
        """Decide on new files after the listing has ended: each was moved there, or is new.

        A discovery that names only changes cannot know which documents are absent.
        """
        behind: int | None = 0 if self._source.discovery is Discovery.LISTING else None
        while behind is not None:
            with self._store.begin() as tx:
                moved, behind = self._newcomers.move(tx, behind)
                self._counters.moved += moved
                runs.count(tx, self._run, runs.ITSELF, self._counters)
            await asyncio.sleep(0)
        for batch in self._newcomers.left():
            with self._store.begin() as tx:
                self._admit_listed(tx, batch)
                runs.count(tx, self._run, runs.ITSELF, self._counters)
            await asyncio.sleep(0)

    def _admit_seeds(self, tx: Tx, arrivals: Sequence[NewUrl]) -> int:
        """Admit new seeds; returns the number of new documents among them. A sitemap is none."""
        maps = [arrival for arrival in arrivals if arrival.found.role is Role.SITEMAP]
        if maps:
            registry.turn(tx, self._sites, self._order, maps, named=True)
        else:
            registry.restart(tx, self._sites, self._order, arrivals)
        fresh = enqueue.unknown(tx, self._sites, arrivals)
        new = enqueue.admit(tx, self._sites, self._order, fresh)
        return new - sum(arrival.found.role is Role.SITEMAP for arrival in fresh) if maps else new

    def _admit_closed(self, parts: Sequence[str]) -> None:
        """Have all documents visited in folders that the source may no longer enter: visits update access rights."""
        behind: int | None = 0 if parts else None
        while behind is not None:
            with self._store.begin() as tx:
                unnamed = pending_deletes.absent(tx, self._order.source, self._run, sweep.CHUNK, behind)
                closed = [number for number, address in unnamed if is_below(address, parts)]
                enqueue.admit_unlisted(tx, self._order, closed)
            behind = unnamed[-1][0] if len(unnamed) == sweep.CHUNK else None

    def _exclude_vetoed(self, folders: Sequence[str]) -> None:
        """Journal the folders that a plug-in excluded."""
        found = [DiscoveredUrl(each, "", 0, DiscoveredBy.LISTING) for each in folders]
        keys = [fingerprint(each.address, self._order.source) for each in found]
        rows = [
            excluded(self._order.source, key, each, _VETO, self._run) for key, each in zip(keys, found, strict=True)
        ]
        with self._store.begin() as tx:
            self._exclude(tx, rows)
            runs.count(tx, self._run, runs.ITSELF, self._counters)

    def _screen(self, tx: Tx, found: list[DiscoveredUrl]) -> list[NewUrl]:
        """Screen the URLs that a source names like any other link; journal and count the exclusions."""
        arrivals, refused = list[NewUrl](), list[Exclusion]()
        for named in found:
            each = url_rewriting.of_found(named, self._source)
            key = fingerprint(each.address, self._order.source)
            ruling = may_become(self._source.gates, each)
            if ruling.admitted:
                arrivals.append(NewUrl(each, key))
                self._site = each.site
                if each.closure is not None:
                    self._exposed.add(each.address, each.closure)
            else:
                refused.append(excluded(self._order.source, key, each, ruling, self._run))
        arrivals, taken = url_rewriting.unique(tx, self._source, arrivals, self._run)
        refused += taken
        self._exclude(tx, refused)
        return arrivals

    def _exclude(self, tx: Tx, rows: Sequence[Exclusion]) -> None:
        """Journal and count exclusions."""
        known = visits.known_before(tx, self._run, rows)
        discovered_links.count(self._counters, visits.exclude(tx, rows), known)


PAGE = 1_000


async def grant(store: Store, source: Source, row: RunRow) -> None:
    """Give all documents the source's common access rights after an edit. May be repeated after a kill."""
    acl = source.settings.common_acl
    with store.read() as tx:
        edited = any(each.settings != row.settings for each in runs.since_whole(tx, row))
    if acl is None or not edited:
        return
    while True:
        with store.begin() as tx:
            given = _give(tx, row, acl)
        if given < PAGE:
            return
        await asyncio.sleep(0)  # other runs go on meanwhile


def _give(tx: Tx, row: RunRow, acl: ACL) -> int:
    """Write the rights of the next documents whose rights differ; they are hidden until the index has them too.

    Receivers get an event for each, which counts as changed.
    """
    number = ACLNumbers().of(tx, acl)
    others = pending_deletes.of_other_rights(tx, row.source_id, number, PAGE)
    if others:
        first = stream.append(tx, [NewEvent(row.source_id, each, row.id, Event.ACCESS) for each in others])
        writes.access(tx, [(number, each) for each in others])
        counters = runs.counted_by(tx, row.id, runs.ITSELF)
        counters.changed += len(others)
        runs.count(tx, row.id, runs.ITSELF, counters)
        link_graph.reweigh(tx, row.source_id, row.id, others)
        pending_deletes.hide_until(tx, [(each, row.source_id, row.id, first + n) for n, each in enumerate(others)])
    return len(others)
