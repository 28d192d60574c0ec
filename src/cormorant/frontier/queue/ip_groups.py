"""Sites that share an address share its pace. Who may visit them?

A site enters its lane once its address is known, before anything is asked of it. One retriever has all sites of a lane
that are leased, so that its desk keeps the distance between requests.
"""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.store.db.database import Tx
from cormorant.store.schema import site


def enter(tx: Tx, owner: str, number: int, lane: str, lapsed: float) -> float | None:
    """A leased site turns out to be at an address ("": it shares its pace with none); leases until `lapsed` are over.

    Returns when anything at that address was last asked for (store time, 0: never). None when another process has
    leased a site there: then this one is to be given back, and is not leased again before that one is.
    """
    tx.execute(sa.update(site).where(site.c.id == number).values(lane=lane or None))
    if not lane:
        return 0.0
    if is_others(tx, owner, number, lane, lapsed):
        return None
    here = sa.and_(site.c.lane == lane, site.c.id != number)
    return float(tx.execute(sa.select(sa.func.max(site.c.requested_at)).where(here)).scalar_one() or 0.0)


def is_others(tx: Tx, owner: str, number: int, lane: str, lapsed: float) -> bool:
    """Return whether another process than the owner of a site has leased one in its lane.

    None does before this is committed.
    """
    if not tx.sqlite:  # there, nobody else writes meanwhile
        tx.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(lane))))
    others = sa.select(sa.func.count()).where(
        site.c.lane == lane, site.c.id != number, site.c.owner.is_not(None), site.c.owner != owner,
        site.c.lease_until > lapsed,
    )  # fmt: skip
    return bool(tx.execute(others).scalar_one())


def is_taken(owner: sa.ColumnElement[str], lapsed: sa.ColumnElement[float]) -> sa.ColumnElement[bool]:
    """Return the condition that another process has leased a site at the same address.

    Leases until `lapsed` are over.
    """
    other = site.alias("other")
    others = sa.and_(other.c.owner.is_not(None), other.c.owner != owner, other.c.lease_until > lapsed)
    taken = sa.and_(other.c.lane == site.c.lane, others)
    return sa.select(sa.literal_column("1")).select_from(other).where(taken).correlate(site).exists()
