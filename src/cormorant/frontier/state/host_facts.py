"""Host facts: known data of a site with an expiry.

robots.txt is stored for the installation (scope 0), cookies for one source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import site_fact, site_source

INSTALLATION = 0
FOR_EVER = 1e12
"""Expiry of counts, in epoch seconds: they hold until the next count, or until a forced run begins."""

MOST_HELD_S = 86_400.0 + 3_600.0
"""The longest validity of a robots.txt: a day (RFC 9309 section 2.4), and an hour of tolerance for clocks ahead.

A fact of the installation with a later expiry, other than FOR_EVER, was written by a clock that was set back since.
"""

CHUNK = 1_000
"""Sites of one statement."""


class Fact(NamedTuple):
    """One fact of a site, with the epoch seconds until it holds."""

    site: int
    scope: int
    name: str
    value: bytes
    valid_until: float


def write(tx: Tx, facts: Sequence[Fact]) -> None:
    """Store facts, replacing older ones of the same name; of several with one name the last counts."""
    facts = list({(fact.site, fact.scope, fact.name): fact for fact in facts}.values())
    conflict = bulk.OnConflict(key=("site_id", "scope", "name"), columns=("value", "valid_until"))
    bulk.insert(
        tx, site_fact, ("site_id", "scope", "name", "value", "valid_until"), [tuple(f) for f in facts], conflict
    )


def read(tx: Tx, sites: Sequence[int], scopes: Sequence[int]) -> list[Fact]:
    """Return the unexpired facts of these sites, for these scopes."""
    columns, now, found = site_fact.c, tx.now(), list[Fact]()
    statement = sa.select(columns.site_id, columns.scope, columns.name, columns.value, columns.valid_until)
    statement = statement.where(columns.scope.in_(scopes), columns.valid_until > now, sa.not_(_too_long(now)))
    for start in range(0, len(sites), CHUNK):
        found += [Fact(*row) for row in tx.rows(statement.where(columns.site_id.in_(sites[start : start + CHUNK])))]
    return found


def _too_long(now: float) -> sa.ColumnElement[bool]:
    """Return the condition for facts that are valid for longer than any fact may be."""
    until = site_fact.c.valid_until
    return sa.and_(site_fact.c.scope == INSTALLATION, until > now + MOST_HELD_S, until < FOR_EVER)


def shorten(tx: Tx) -> int:
    """Expire the facts that are valid for too long, and would be valid again later; returns their number."""
    return tx.execute(sa.update(site_fact).where(_too_long(tx.now())).values(valid_until=0.0)).rowcount


def expire(tx: Tx, source: int) -> None:
    """Expire all facts of a source's sites, so that a run requests them again."""
    columns = site_fact.c
    sites = sa.select(site_source.c.site_id).where(site_source.c.source_id == source)
    known = columns.site_id.in_(sites) & columns.scope.in_((INSTALLATION, source))
    tx.execute(sa.update(site_fact).where(known).values(valid_until=0.0))
