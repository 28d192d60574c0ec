"""Which sitemaps has a source, what did each bring, and how much more may they bring (fault R12)?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import sqlalchemy as sa

from cormorant.frontier import admission, hiding, order
from cormorant.frontier.admission import Admission, Arrival, SiteNumbers
from cormorant.frontier.claims import Claim
from cormorant.frontier.facts import FOR_EVER, Fact
from cormorant.model.content import Entry
from cormorant.model.resource import Resource, Role, State
from cormorant.store.database import Tx
from cormorant.store.schema import content, resource, site_fact
from cormorant.store.schema.frontier import SITEMAPS

MAX_FILES = 500
"""Sitemaps of a source."""
MAX_ADDRESSES = 5_000_000
"""Addresses that all sitemaps of a source may bring, those that a gate excludes included."""
NAME = "sitemap:"
"""How the names of facts begin that tell what a sitemap brought; its number follows."""


@dataclass(slots=True)
class Tally:
    """What came of a sitemap when it was last read.

    Of its `entries`, `new` became resources, `known` were, `excluded` a gate kept out. `unusable` had no address that
    could be visited; `over` were left out because there are too many. `truncated`: it did not come to its end.
    """

    form: str = ""
    entries: int = 0
    new: int = 0
    known: int = 0
    excluded: int = 0
    unusable: int = 0
    over: int = 0
    truncated: bool = False

    def fact(self, sitemap: Resource) -> Fact:
        """The fact that keeps it."""
        value = json.dumps(asdict(self)).encode()
        return Fact(sitemap.site, sitemap.source, f"{NAME}{sitemap.id}", value, FOR_EVER)


@dataclass(slots=True)
class Told:
    """What a sitemap told beside new documents: other sitemaps, what it claims of pages, and how much there was.

    A large one is told in parts: `left` are the entries that come after this part. `reordered` are sites whose
    resources, or the order of their visits, are not what they were.
    """

    resource: Resource
    tally: Tally
    left: Sequence[Entry] = ()
    sitemaps: list[Arrival] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    reordered: set[int] = field(default_factory=set)

    def claim(self, claim: Claim) -> None:
        """Keep what an entry says of its page, if it says anything."""
        entry = claim.entry
        if entry.modified_at is not None or entry.every_s or entry.weight is not None:
            self.claims.append(claim)


def room(tx: Tx, source: int, sitemap: int) -> int:
    """How many addresses a sitemap may name, beside those that the others of its source do."""
    return MAX_ADDRESSES - sum(each.entries for number, each in tallies(tx, source).items() if number != sitemap)


def files_left(tx: Tx, source: int) -> int:
    """How many more sitemaps a source may have. Two retrievers that ask at once may both be told so."""
    files = tx.execute(sa.select(sa.func.count()).where(SITEMAPS, resource.c.source_id == source)).scalar_one()
    return max(MAX_FILES - int(files), 0)


def tallies(tx: Tx, source: int) -> dict[int, Tally]:
    """What each sitemap of a source brought, by its number."""
    columns = site_fact.c
    statement = sa.select(columns.name, columns.value).where(
        columns.scope == source, columns.name.startswith(NAME, autoescape=True)
    )
    return {int(row.name.removeprefix(NAME)): Tally(**json.loads(row.value)) for row in tx.rows(statement)}


def every(tx: Tx, source: int) -> Sequence[Any]:
    """The rows of a source's sitemaps, by their numbers."""
    return tx.rows(sa.select(resource).where(SITEMAPS, resource.c.source_id == source).order_by(resource.c.id))


def turn(tx: Tx, numbers: SiteNumbers, asked: Admission, arrivals: Sequence[Arrival]) -> set[int]:
    """Make sitemaps of known addresses that were taken for documents, as a link to one is. Returns their sites.

    A document that may be found leaves with the run, like one that is gone.
    """
    keys = {each.key: each.found for each in arrivals}
    sites = numbers.of(tx, {found.site for found in keys.values()})
    columns = resource.c
    taken = sa.and_(
        columns.site_id.in_(sorted(sites.values())), columns.hash.in_(list(keys)), columns.role == int(Role.DOCUMENT)
    )
    rows = tx.rows(sa.select(columns.id, columns.site_id).where(taken))
    ids = [row.id for row in rows]
    if not ids:
        return set()
    found = tx.rows(sa.select(content.c.id).where(content.c.id.in_(ids), content.c.indexed))
    hiding.hide(tx, [(row.id, asked.source, asked.run) for row in found])
    values = {"role": int(Role.SITEMAP), "state": int(State.READY), "outcome": 0, "status": 0, "validator": None}
    due = order.due(asked.generation, 0)
    admission.wake(tx, asked.source, set(sites.values()), asked.generation)
    tx.execute(sa.update(resource).where(columns.id.in_(ids)).values(**values, due=due, not_before=0.0))
    return {row.site_id for row in rows}
