"""Exact depth of resources that were first reached by a long path.

Shortest paths are computed from the links that pages had when they were last read.

If depth is to be exact, and for a run that remembers nothing, repeated until everything within the depth is found:

    wait until nothing is left -> survey --some nearer--> lower their depth, reopen excluded URLs -> wait again
                                      `--else, in a complete run--> farther ones, too deep now, are visited again:
                                                                    their gate excludes them

The links of a page that is nearer than it seemed are taken from the store: no page is fetched twice for it. The survey
only reads the store, so a kill costs one survey.

Otherwise a crawl with limited depth begins with one survey, and uses the shorter paths that earlier runs have found.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from cormorant.base.log import logger
from cormorant.crawl import url_rewriting
from cormorant.crawl.commit import subdomain_limit
from cormorant.crawl.link_filter import excluded
from cormorant.crawl.run import completion, link_survey
from cormorant.crawl.run.completion import HeldUp, RetrievalEnd
from cormorant.crawl.run.link_survey import Stranger, Survey
from cormorant.frontier.links import depth_updates
from cormorant.frontier.links.depth_updates import Judges
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.model.run import WITHHELD, Mode, Refresh
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.sources.protocol import Discovery
from cormorant.store.journal import runs, visits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cormorant.crawl.resource_guard import DiskGuard
    from cormorant.frontier.links.shortest_paths import Reached
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow

_log = logger(__name__)


async def catch_up(store: Store, row: RunRow, build: Callable[[RunRow], Source], generation: int) -> None:
    """Before a run of this generation visits anything, apply the shorter paths that earlier runs have found.

    Only if depth is limited and everything is visited: that costs many times as much. Not after an edit: URLs that
    the edit admits are admitted without a survey, which would have to hold all of them.
    """
    if row.refresh is not Refresh.ALL or row.mode is Mode.INDEX_ONLY or row.anew or generation == 1:
        return
    source = build(row)
    if source.settings.bounds_depth and not source.settings.exact_depth:
        await reopen(store, replace(row, generation=generation), source, complete=False)


async def until_reached(store: Store, row: RunRow, build: Callable[[RunRow], Source], room: DiskGuard) -> RetrievalEnd:
    """Wait until nothing is left, and if depth is to be exact, until no path turns out to be shorter."""
    held_up = HeldUp(float)
    while True:
        ended = await completion.until_retrieved(store, row, build, room, held_up)
        with store.read() as tx:
            now = runs.again(tx, row)
        source = build(now)
        if now.state is not row.state or not _is_exact(now, source):
            return ended
        if not await reopen(store, now, source, complete=ended.complete):
            return ended


def _is_exact(row: RunRow, source: Source) -> bool:
    """Return whether depth is the shortest path when this run ends.

    It is for a run that remembers nothing, too.
    """
    scratch = row.refresh is Refresh.SCRATCH and source.discovery is Discovery.SEEDS
    return (source.settings.exact_depth or scratch) and row.mode is not Mode.INDEX_ONLY


async def reopen(store: Store, row: RunRow, source: Source, *, complete: bool) -> int:
    """Compute the shortest paths, and write changed depths; returns the number of addresses to visit now.

    A larger depth is written only by a `complete` run without nearer addresses left to visit: pages that were not read
    may still lead there by a shorter path.
    """
    survey = Survey(store, source)
    await survey.take()
    order = Admission(row.source_id, row.generation, row.id, row.force, row.anew, row.new_of, row.mode)
    wrong = list(survey.chart.changed())
    opened = await _correct(store, source, order, [each for each in wrong if each.now < each.was])
    opened += await _readmit(store, source, order, list(survey.strangers.values()))
    if complete and not opened:
        opened = await _correct(store, source, order, [each for each in wrong if each.now > each.was])
    _log.info("depths", extra={"run": row.id, "reopened": opened})
    return opened


async def _correct(store: Store, source: Source, order: Admission, wrong: Sequence[Reached]) -> int:
    """Write changed depths, one transaction a chunk."""
    opened = 0
    judges = Judges(source.gates.follow, source.settings.level)
    for start in range(0, len(wrong), link_survey.CHUNK):
        with store.begin() as tx:
            done = depth_updates.correct(tx, order, wrong[start : start + link_survey.CHUNK], judges)
            if done.found and order.mode not in WITHHELD:  # otherwise the index keeps the old depth
                stream.append(tx, [NewEvent(order.source, number, order.run, Event.LINKS) for number in done.found])
        opened += done.opened
        await asyncio.sleep(0)
    return opened


async def _readmit(store: Store, source: Source, order: Admission, strangers: Sequence[Stranger]) -> int:
    """Admit URLs that are no longer too deep, and journal those still excluded, one transaction a chunk."""
    opened, sites = 0, SiteNumbers()
    for start in range(0, len(strangers), link_survey.CHUNK):
        with store.begin() as tx:
            opened += _admit(tx, source, order, sites, strangers[start : start + link_survey.CHUNK])
        await asyncio.sleep(0)
    return opened


def _admit(tx: Tx, source: Source, order: Admission, sites: SiteNumbers, some: Sequence[Stranger]) -> int:
    """Readmit one chunk. URLs that this run had counted as excluded are no longer counted so."""
    may = [NewUrl(link_survey.found(each, source), each.key) for each in some if each.ruling.admitted]
    arrivals, crowded = subdomain_limit.sorted_out(tx, source, may, order.run)
    arrivals, taken = url_rewriting.unique(tx, source, arrivals, order.run)
    fresh = enqueue.unknown(tx, sites, arrivals) if arrivals else []
    new = enqueue.admit(tx, sites, order, fresh)
    before = visits.exclusions(tx, order.source, [each.key for each in fresh])
    again = sum(each.run == order.run for each in before)
    refused = [
        excluded(order.source, each.key, link_survey.found(each, source), each.ruling, order.run)
        for each in some
        if not each.ruling.admitted
    ]
    visits.rule_again(tx, [*crowded, *taken, *refused])
    if new:
        counters = runs.counted_by(tx, order.run, runs.ITSELF)
        counters.discovered += new - again
        counters.excluded -= again
        counters.rejected -= again
        runs.count(tx, order.run, runs.ITSELF, counters)
    return new
