"""Retrievers that race, by hand: who takes what, and in which order visits are settled, is drawn by chance.

The decisions and the store are the product's own; only fetching is not: a web is a mapping of pages to their links.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import deque
from collections.abc import Mapping

import sqlalchemy as sa

from cormorant.crawl.commit import batch
from cormorant.crawl.link_filter import SiteKeys, screen
from cormorant.crawl.run import exact_depth
from cormorant.frontier.links.codec import pack
from cormorant.frontier.policy import priority
from cormorant.frontier.policy.transition import VisitConditions, fate
from cormorant.frontier.queue import host_leases
from cormorant.frontier.state import enqueue, writes
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.model.content import PageLink
from cormorant.model.outcome import Excluded, Gone, Moved, Ok, Outcome, OutcomeKind
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Resource, UrlState
from cormorant.model.ruling import Prerequisite
from cormorant.model.run import Refresh
from cormorant.model.url import fingerprint
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import runs, visits
from cormorant.store.schema import (
    claim,
    content,
    exclusion,
    inlinks,
    outlinks,
    resource,
    run,
    run_count,
    site,
    site_source,
)
from tests.crawl.samples import SOURCE, a_content, a_document, web_source
from tests.frontier.books import nothing_seen

HOST = "https://a.example"
Web = Mapping[int, tuple[int, ...]]
"""Pages by number with what each links to; 0 is the start. One that links to itself alone has moved there: `MOVES`."""
_TABLES = (claim, content, exclusion, inlinks, outlinks, resource, run, run_count, site, site_source)


def address(number: int) -> str:
    return f"{HOST}/{number}"


def distances(web: Web, moves: Mapping[int, int]) -> dict[int, int]:
    """Steps from the start by the shortest way; a move is no step. Plainly, by relaxing until nothing changes."""
    found, waiting = {0: 0}, deque([0])
    while waiting:
        page = waiting.popleft()
        steps = {moves[page]: 0} if page in moves else dict.fromkeys(web.get(page, ()), 1)
        for target, step in steps.items():
            if found[page] + step < found.get(target, 1 << 30):
                found[target] = found[page] + step
                waiting.append(target)
    return found


class Race:
    """A source with two retrievers that visit a web. `exact`: it asks for exact depth."""

    def __init__(self, store: Store, limit: int, seed: int, *, exact: bool = True) -> None:
        self.store, self._chance, self._exact = store, random.Random(seed), exact
        self.source = web_source(start=[address(0)], depth=limit, depth_exact=exact)
        self.web: Web = {}
        self.moves: Mapping[int, int] = {}
        self.gone: frozenset[int] = frozenset()
        self.asked: list[int] = []
        with store.begin() as tx:
            for table in _TABLES:
                tx.execute(sa.delete(table))
            while sources.numbered(tx, SOURCE) is None:
                sources.add(tx, "web", f"docs-{len(sources.every(tx))}", {})

    def crawl(self) -> int:
        """One run over the web as it is; returns how often ways were looked up."""
        self.asked, self._keys = [], SiteKeys()
        self._seen, self._numbers = [nothing_seen(), nothing_seen()], SiteNumbers()
        with self.store.begin() as tx:
            tx.execute(sa.update(run).values(state="finished"))
            generation = sources.next_generation(tx, SOURCE)
            number = runs.request(tx, SOURCE, json.dumps({}), Refresh.ALL, force=False)
            runs.change(tx, number, generation=generation)
            row = runs.get(tx, number)
        asyncio.run(exact_depth.catch_up(self.store, row, lambda _: self.source, generation))
        with self.store.begin() as tx:
            start = [
                NewUrl(DiscoveredUrl(address(0), "a.example", 0, DiscoveredBy.SEED), fingerprint(address(0), SOURCE))
            ]
            self._order = Admission(SOURCE, generation, number)
            enqueue.admit(tx, self._numbers, self._order, enqueue.unknown(tx, self._numbers, start))
        for times in range(1, 50):
            self._retrieve()
            if not self._exact or not asyncio.run(exact_depth.reopen(self.store, row, self.source, complete=True)):
                return times
        raise AssertionError("it never ends")

    def _retrieve(self) -> None:
        """Visit until nothing is left: some are taken, others settled meanwhile, in any order."""
        taken: list[Resource] = []
        with self.store.begin() as tx:  # one for all, which no order depends on, and a disk is waited for once
            while True:
                due = [each for each in self._due(tx) if each.id not in {held.id for held in taken}]
                taken += self._chance.sample(due, self._chance.randint(0, len(due)))
                if not (due or taken):
                    return
                self._chance.shuffle(taken)
                self._settle(tx, [taken.pop() for _ in range(self._chance.randint(0, len(taken)))])

    def _due(self, tx: Tx) -> list[Resource]:
        places = [row.id for row in tx.rows(sa.select(site.c.id))]
        windows = [host_leases.ReadWindow(place, SOURCE, self._order.generation) for place in places]
        return [each for window in windows for each in host_leases.read(tx, window)]

    def _settle(self, tx: Tx, some: list[Resource]) -> None:
        for each in some:
            outcome = self._outcome(each)
            seen = self._chance.choice(self._seen)
            links = batch.links_to_follow(outcome, self.source.rename)
            screened = screen(self.source, each, links, seen, self._keys, self._order.run)
            enqueue.admit(tx, self._numbers, self._order, screened.arrivals)
            visits.exclude(tx, screened.exclusions)
            become = fate(each, outcome, VisitConditions(self._order.generation, lists=False, now=tx.now()))
            writes.fates(tx, [(each, become, tx.now())], self._order.run)
            if isinstance(outcome, Ok):
                writes.links(tx, [(each.id, self._order.run, False, pack(outcome.follow))])

    def _outcome(self, each: Resource) -> Outcome:
        ruling = self.source.gates.visit(each, {})
        assert not isinstance(ruling, Prerequisite)
        if not ruling.admitted:
            return Excluded(ruling, ruling.status)
        number = int(each.address.rpartition("/")[2])
        self.asked.append(number)
        if number in self.gone:
            return Gone()
        if number in self.moves:
            return Moved(address(self.moves[number]))
        links = tuple(PageLink(address(target)) for target in self.web.get(number, ()))
        return Ok(a_content(), a_document(), links)

    def known(self) -> dict[int, tuple[OutcomeKind, int]]:
        """How the last visit of every page ended, and how deep it is."""
        columns = resource.c
        with self.store.read() as tx:
            assert not tx.rows(
                sa.select(columns.id).where(
                    columns.state == int(UrlState.READY), columns.due < priority.limit(self._order.generation)
                )
            ), "nothing is left"
            found = tx.rows(sa.select(columns.address, columns.outcome, columns.depth))
        return {int(row.address.rpartition("/")[2]): (OutcomeKind(row.outcome), row.depth) for row in found}
