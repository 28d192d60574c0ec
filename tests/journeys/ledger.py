"""After a crawl, is every document kept once and delivered once? Compares rows, copies, the index and logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import sqlalchemy as sa

from cormorant.base.errors import CacheDamaged, IndexDamaged
from cormorant.frontier.links import link_score
from cormorant.frontier.links.link_score import NOTHING, AnchorSummary
from cormorant.frontier.staging import duplicate_clusters
from cormorant.model.acl import ANYONE
from cormorant.model.resource import Role
from cormorant.operate.installation import Installation
from cormorant.search.index.protocol import IndexReader
from cormorant.search.index.query import Everything, Search
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.schema import content, resource
from tests.journeys.home import Home, found_in, received
from tests.journeys.pages import SECRET
from tests.journeys.site import Logged


class Truth(Protocol):
    """The documents that a crawl should have found, by number, each with a word that no other has."""

    @property
    def documents(self) -> int:
        """The number of documents."""
        ...

    def url(self, number: int) -> str:
        """The address of a document; it ends with its number."""
        ...

    def word(self, number: int) -> str:
        """The word that only this document has."""
        ...

    def log(self) -> list[Logged]:
        """Requests that were received."""
        ...


@dataclass(slots=True)
class Ledger:
    """Faults by kind; every list is empty if all is well. `fetched_again` is no fault but has a bound."""

    no_row: list[str] = field(default_factory=list)
    strange_row: list[str] = field(default_factory=list)
    no_copy: list[str] = field(default_factory=list)
    not_found: list[str] = field(default_factory=list)
    found_wrongly: list[str] = field(default_factory=list)
    in_index: list[str] = field(default_factory=list)
    other_links: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    repeats: list[str] = field(default_factory=list)
    not_delivered: list[str] = field(default_factory=list)
    delivered_twice: list[str] = field(default_factory=list)
    miscounted: list[str] = field(default_factory=list)
    fetched_again: int = 0

    def faults(self) -> dict[str, list[str]]:
        """The kinds that are not empty, with up to three examples each."""
        return {kind: some[:3] for kind, some in asdict(self).items() if isinstance(some, list) and some}

    def figures(self) -> dict[str, int]:
        """The number of faults of each kind."""
        return {kind: len(some) if isinstance(some, list) else some for kind, some in asdict(self).items()}


def audit(home: Home, site: Truth, lines: Path, words: int | None = None) -> Ledger:
    """Compare everything; `words` limits how many pages are searched for by their word.

    Behind the end of a run the stream has events that only the index gets: other receivers see gaps there.
    """
    ledger = Ledger()
    wanted = {site.url(number): number for number in range(site.documents)}
    with home.house() as house:
        _rows(ledger, house, site, wanted)
        index = house.index_reader()
        if index.count() != len(wanted):
            ledger.in_index.append(f"{index.count()} documents, {len(wanted)} expected")
        _links(ledger, house, index)
    _search(ledger, home, site, list(wanted)[:words])
    _lines(ledger, lines, wanted)
    new = sum(_counted(home, "new"))
    if new != len(wanted):
        ledger.miscounted.append(f"{new} counted as new")
    indexed = sum(_counted(home, "indexed"))
    if indexed != len(wanted):
        ledger.miscounted.append(f"{indexed} counted as indexed")
    asked = Counter((each.host, each.path) for each in site.log() if each.path.startswith("/p/"))
    ledger.fetched_again = sum(asked.values()) - len(asked)
    return ledger


def _rows(ledger: Ledger, house: Installation, site: Truth, wanted: dict[str, int]) -> None:
    """Check that every page has one row, and that its kept copy contains the page's word."""
    cache = house.cache()
    statement = (
        sa.select(resource.c.address, content.c.id, content.c.pack, content.c.pack_offset, content.c.pack_length)
        .select_from(resource.outerjoin(content, sa.and_(content.c.id == resource.c.id, content.c.indexed)))
        .where(resource.c.role == int(Role.DOCUMENT))
    )
    with house.store.read() as tx:
        rows = tx.rows(statement)
        orphans = tx.rows(sa.select(content.c.url).where(content.c.id.not_in(sa.select(resource.c.id))))
    counted = Counter(row.address for row in rows)
    ledger.no_row += [url for url in wanted if not counted[url]]
    known = {*wanted, site.url(0).partition("/p/")[0] + SECRET}
    ledger.strange_row += [url for url, times in counted.items() if times > 1 or url not in known]
    ledger.strange_row += [row.address for row in rows if row.id and row.address not in wanted]
    ledger.strange_row += [row.url for row in orphans]
    for row in rows:
        try:
            kept = cache.read(BlobPlace(row.pack, row.pack_offset, row.pack_length)).text if row.id else ""
        except CacheDamaged:
            kept = ""
        if row.address in wanted and site.word(wanted[row.address]) not in kept:
            ledger.no_copy.append(row.address)
    cache.close()


def _links(ledger: Ledger, house: Installation, index: IndexReader) -> None:
    """Check that index and database agree on each document's anchor texts, link score and duplicate cluster."""
    hits = index.search(Search(Everything(), ANYONE, limit=index.count(), fold=False)).hits
    numbers = {hit.id for hit in hits}
    with house.store.read() as tx:
        anchors, near = link_score.summaries_of(tx, numbers), duplicate_clusters.labels(tx, numbers)
    for hit in hits:
        has = AnchorSummary(hit.entry.anchors, hit.entry.link_score), hit.entry.near
        if has != (anchors.get(hit.id, NOTHING), near.get(hit.id)):
            ledger.other_links.append(hit.entry.url)


def _search(ledger: Ledger, home: Home, site: Truth, urls: list[str]) -> None:
    """Check that every page is found once, by the word that only it has."""
    with home.library() as library:
        for url in urls:
            try:
                found = found_in(library, site.word(_number(url)))
            except IndexDamaged:  # the index has noticed that it lacks documents that it had confirmed
                found = []
            if url not in found:
                ledger.not_found.append(url)
            ledger.found_wrongly += [each for each, times in Counter(found).items() if each != url or times > 1]


def _number(url: str) -> int:
    return int(url.rpartition("/")[2].partition(".")[0])


def _lines(ledger: Ledger, lines: Path, wanted: dict[str, int]) -> None:
    """Check that event numbers begin at 1, without repeats or gaps in a run, and that every page was new once."""
    events = received(lines)
    first = events[0]["run"] if events else 0
    for (before, run), (after, its) in pairwise([(0, first), *((each["seq"], each["run"]) for each in events)]):
        if after > before + 1 and run == its:
            ledger.gaps.append(f"{before} -> {after}")
        if after <= before:
            ledger.repeats.append(f"{before} -> {after}")
    new = Counter(each["url"] for each in events if each["event"] == "new")
    ledger.not_delivered += [url for url in wanted if not new[url]]
    ledger.delivered_twice += [url for url, times in new.items() if times > 1]


def _counted(home: Home, name: str) -> list[int]:
    """A counter of each run."""
    from cormorant.operate.runs import start

    with home.house() as house:
        reports: Sequence[Mapping[str, Any]] = start.listed(house)
        return [int(report[name]) for report in reports]
