"""Sitemap registry of a source: the tally of each sitemap, and the number of further URLs allowed."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import sqlalchemy as sa

from cormorant.base import stored_json
from cormorant.frontier.policy import priority
from cormorant.frontier.sitemaps.lastmod_trust import LastmodClaim
from cormorant.frontier.state import batch_lookup, enqueue, host_facts
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.frontier.state.host_facts import FOR_EVER, Fact
from cormorant.model.content import FeedEntry
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, Resource, Role, UrlState
from cormorant.model.status import Status
from cormorant.store.db.database import Tx
from cormorant.store.schema import resource, site_fact
from cormorant.store.schema.frontier import SITEMAPS

MAX_FILES = 500
"""The most sitemaps of a source."""
MAX_ADDRESSES = 5_000_000
"""The most addresses in all sitemaps of a source, including those that a gate excludes."""
NAME = "sitemap:"
"""Prefix of the names of facts with tallies; the sitemap's number follows."""
NONE_S = 30 * 86_400.0
"""Seconds for which a document that was named as a sitemap, and is none, is not read as one again."""
SLACK_S = 3_600.0
"""Seconds by which that may be longer, since a clock was set back; a longer time is ignored."""
_NAMED = (DiscoveredBy.SEED, DiscoveredBy.SITEMAP, DiscoveredBy.ROBOTS)
"""Ways of discovery of resources that were sitemaps from the beginning."""


@dataclass(slots=True)
class SitemapTally:
    """Sitemap tally: the counts of a sitemap's last reading.

    Of its `entries`, `new` became resources, `known` were resources, and a gate `excluded` some. `unusable` had no
    valid address; `over` exceeded the limit. `truncated`: its end was not read.
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
        """Return the fact that stores the tally."""
        value = json.dumps(asdict(self)).encode()
        return Fact(sitemap.site, sitemap.source, f"{NAME}{sitemap.id}", value, FOR_EVER)


@dataclass(slots=True)
class SitemapContent:
    """Sitemap content besides new documents: other sitemaps, claims about pages, and the tally.

    A large sitemap is delivered in parts: `left` are the entries after this part. `named` are the keys of its admitted
    documents with their sites; those of other sites may be known though this process counts them as new. `reordered`
    are sites whose resources, or the order of their visits, have changed.
    """

    resource: Resource
    tally: SitemapTally
    left: Sequence[FeedEntry] = ()
    sitemaps: list[NewUrl] = field(default_factory=list)
    named: dict[int, str] = field(default_factory=dict)
    claims: list[LastmodClaim] = field(default_factory=list)
    reordered: set[int] = field(default_factory=set)

    def claim(self, claim: LastmodClaim) -> None:
        """Add the claim of an entry, if it claims anything."""
        entry = claim.entry
        if entry.modified_at is not None or entry.every_s or entry.weight is not None:
            self.claims.append(claim)


def room(tx: Tx, source: int, sitemap: int) -> int:
    """Return the number of addresses that a sitemap may name, besides those in the other sitemaps of its source."""
    return MAX_ADDRESSES - sum(each.entries for number, each in tallies(tx, source).items() if number != sitemap)


def files_left(tx: Tx, source: int) -> int:
    """Return the number of further sitemaps that a source may have. Concurrent retrievers may get the same number."""
    files = tx.execute(sa.select(sa.func.count()).where(SITEMAPS, resource.c.source_id == source)).scalar_one()
    return max(MAX_FILES - int(files), 0)


def tallies(tx: Tx, source: int) -> dict[int, SitemapTally]:
    """Return the tally of each sitemap of a source, by its number."""
    columns = site_fact.c
    statement = sa.select(columns.name, columns.value).where(
        columns.scope == source, columns.name.startswith(NAME, autoescape=True)
    )
    return {int(row.name.removeprefix(NAME)): stored_json.read(SitemapTally, row.value) for row in tx.rows(statement)}


def forget(tx: Tx, source: int, numbers: Sequence[int]) -> None:
    """Delete the tallies of these resources before they are purged: other sitemaps have room again."""
    columns, names = site_fact.c, [f"{NAME}{number}" for number in numbers]
    sites = sa.select(resource.c.site_id).where(resource.c.id.in_(numbers))
    gone = sa.and_(columns.site_id.in_(sites), columns.scope == source, columns.name.in_(names))
    tx.execute(sa.delete(site_fact).where(gone))


def every(tx: Tx, source: int) -> Sequence[Any]:
    """Return the rows of a source's sitemaps, by their numbers."""
    return tx.rows(sa.select(resource).where(SITEMAPS, resource.c.source_id == source).order_by(resource.c.id))


def turn(
    tx: Tx, numbers: SiteNumbers, asked: Admission, arrivals: Sequence[NewUrl], *, named: bool = False
) -> set[int]:
    """Turn known documents into sitemaps, as the target of a sitemap link may be one. Returns their sites.

    The naming page may be wrong: search finds the document until it was read as a sitemap, and a document that is none
    is put back. Start addresses are not turned, nor are documents that recently proved to be none, unless the settings
    name them.
    """
    found = _documents(tx, numbers, arrivals, named=named)
    if found and not named:
        known = _known_to_be_none(tx, asked.source, found)
        found = {number: place for number, place in found.items() if number not in known}
    _visit(tx, asked, found, Role.SITEMAP)
    return set(found.values())


def name(tx: Tx, numbers: SiteNumbers, source: int, content: SitemapContent) -> None:
    """Mark documents known by a link as named by a sitemap: without links they are not orphans."""
    sites, columns = numbers.there(tx, {*content.named.values()}), resource.c
    by_link = (
        sa.update(resource)
        .where(columns.site_id.in_(sa.bindparam("sites", expanding=True)))
        .where(columns.hash.in_(sa.bindparam("keys", expanding=True)))
        .where(columns.source_id == source, columns.how == int(DiscoveredBy.LINK), columns.role == int(Role.DOCUMENT))
        .values(how=int(DiscoveredBy.SITEMAP), referrer=content.resource.id)
    )
    for chunk in batch_lookup.chunks({key: sites[place] for key, place in content.named.items() if place in sites}):
        tx.execute(by_link, chunk)


_OF_SOURCE = sa.select(resource.c.id, resource.c.site_id).where(
    SITEMAPS, resource.c.source_id == sa.bindparam("source", type_=sa.Integer)
)


def become(tx: Tx, numbers: Sequence[int]) -> None:
    """Turn documents into sitemaps whose visit as a sitemap has just been written."""
    if numbers:
        tx.execute(sa.update(resource).where(resource.c.id.in_(numbers)).values(role=int(Role.SITEMAP)))


def restart(tx: Tx, numbers: SiteNumbers, asked: Admission, starts: Sequence[NewUrl]) -> None:
    """Turn start addresses back into documents that were feeds and were none at their last visit."""
    sites, columns = numbers.there(tx, {each.found.site for each in starts}), resource.c
    statement = sa.select(columns.id, columns.site_id).where(
        columns.site_id.in_(sa.bindparam("sites", expanding=True)),
        columns.hash.in_(sa.bindparam("keys", expanding=True)),
        columns.role == int(Role.SITEMAP), columns.how == int(DiscoveredBy.SEED),
        columns.outcome == int(OutcomeKind.FAILED), columns.status == Status.CONVERSION_FAILED,
    )  # fmt: skip
    places = {each.key: sites[each.found.site] for each in starts if each.found.site in sites}
    found = {row.id: row.site_id for chunk in batch_lookup.chunks(places) for row in tx.rows(statement, chunk)}
    _visit(tx, asked, found, Role.DOCUMENT)


def turn_again(tx: Tx, asked: Admission, visited: Collection[int]) -> set[int]:
    """Have documents read as sitemaps that became sitemaps during their visit. Returns their sites."""
    found = {row.id: row.site_id for row in tx.rows(_OF_SOURCE, {"source": asked.source}) if row.id in visited}
    _visit(tx, asked, found, Role.SITEMAP)
    return set(found.values())


def put_back(tx: Tx, asked: Admission, visited: Sequence[int]) -> set[int]:
    """Turn resources back into documents that never were sitemaps, to be visited now. Returns their sites."""
    columns = resource.c
    turned = sa.and_(columns.role == int(Role.SITEMAP), columns.how.not_in([int(each) for each in _NAMED]))
    statement = sa.select(columns.id, columns.site_id).where(columns.id.in_(visited), turned)
    read = {number for number, tally in tallies(tx, asked.source).items() if tally.form}
    found = {row.id: row.site_id for row in tx.rows(statement) if row.id not in read}
    _visit(tx, asked, found, Role.DOCUMENT)
    until, nothing = tx.now() + NONE_S, json.dumps(asdict(SitemapTally())).encode()
    host_facts.write(
        tx, [Fact(place, asked.source, f"{NAME}{number}", nothing, until) for number, place in found.items()]
    )
    return set(found.values())


def _documents(tx: Tx, numbers: SiteNumbers, arrivals: Sequence[NewUrl], *, named: bool) -> dict[int, int]:
    """Return those of the addresses that are known as documents: resource -> site."""
    sites = numbers.there(tx, {each.found.site for each in arrivals})
    columns = resource.c
    statement = sa.select(columns.id, columns.site_id).where(
        columns.site_id.in_(sa.bindparam("sites", expanding=True)),
        columns.hash.in_(sa.bindparam("keys", expanding=True)),
        columns.role == int(Role.DOCUMENT), sa.true() if named else columns.how != int(DiscoveredBy.SEED),
    )  # fmt: skip
    places = {each.key: sites[each.found.site] for each in arrivals if each.found.site in sites}
    return {row.id: row.site_id for chunk in batch_lookup.chunks(places) for row in tx.rows(statement, chunk)}


def _known_to_be_none(tx: Tx, source: int, found: Mapping[int, int]) -> set[int]:
    columns, names = site_fact.c, {f"{NAME}{number}": number for number in found}
    statement = sa.select(columns.name).where(
        columns.site_id.in_({*found.values()}), columns.scope == source, columns.name.in_(list(names)),
        columns.valid_until.between(tx.now(), tx.now() + NONE_S + SLACK_S),
    )  # fmt: skip
    return {names[row.name] for row in tx.rows(statement)}


def _visit(tx: Tx, asked: Admission, found: Mapping[int, int], role: Role) -> None:
    """Have these resources (number -> site) visited in this generation, in another role, as if for the first time."""
    if not found:
        return
    due = priority.due(asked.generation, 0) if role is Role.SITEMAP else priority.due(asked.generation)
    values = {
        "role": int(role),
        "state": int(UrlState.READY),
        "outcome": 0,
        "status": 0,
        "attempts": 0,
        "validator": None,
    }
    enqueue.wake(tx, asked.source, set(found.values()), asked.generation)
    tx.execute(sa.update(resource).where(resource.c.id.in_(list(found))).values(**values, due=due, not_before=0.0))
