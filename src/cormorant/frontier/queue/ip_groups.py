"""IP groups: sites that share an IP address, and therefore one pace and one owner.

A site enters its group (`lane`) when its address is known, before the first request. One retriever owns all leased
sites of a group, so that its workbench keeps the delay between requests.
"""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.store.db.database import Tx
from cormorant.store.schema import site


def enter(tx: Tx, owner: str, number: int, lane: str, lapsed: float) -> float | None:
    """Store the IP group of a leased site ("": it shares its pace with no other); leases until `lapsed` have ended.

    Returns the store time of the newest request to the group (0: none). Returns None if another process has leased a
    site of the group: then this site must be released, and is not leased again before that one is released.
    """
    tx.execute(sa.update(site).where(site.c.id == number).values(lane=lane or None))
    if not lane:
        return 0.0
    if is_others(tx, owner, number, lane, lapsed):
        return None
    here = sa.and_(site.c.lane == lane, site.c.id != number)
    return float(tx.execute(sa.select(sa.func.max(site.c.requested_at)).where(here)).scalar_one() or 0.0)


def is_others(tx: Tx, owner: str, number: int, lane: str, lapsed: float) -> bool:
    """Return whether another process than `owner` has leased a site of the IP group.

    No process can lease one before this transaction commits.
    """
    if not tx.sqlite:  # SQLite has one writer
        tx.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(lane))))
    others = sa.select(sa.func.count()).where(
        site.c.lane == lane, site.c.id != number, site.c.owner.is_not(None), site.c.owner != owner,
        site.c.lease_until > lapsed,
    )  # fmt: skip
    return bool(tx.execute(others).scalar_one())


def is_taken(owner: sa.ColumnElement[str], lapsed: sa.ColumnElement[float]) -> sa.ColumnElement[bool]:
    """Return the condition that another process has leased a site at the same address.

    Leases until `lapsed` have ended.
    """
    other = site.alias("other")
    others = sa.and_(other.c.owner.is_not(None), other.c.owner != owner, other.c.lease_until > lapsed)
    taken = sa.and_(other.c.lane == site.c.lane, others)
    return sa.select(sa.literal_column("1")).select_from(other).where(taken).correlate(site).exists()
