"""Egress consents: the class of addresses that a named host had when it was first resolved.

Only that one was consented to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import consent


class Settled(NamedTuple):
    """A host, a port, and a class of addresses it had; a host that had several has several."""

    host: str
    port: int
    address_class: str


def every(tx: Tx) -> list[Settled]:
    """All that was settled so far."""
    columns = consent.c
    return [Settled(*row) for row in tx.rows(sa.select(columns.host, columns.port, columns.address_class))]


def of(tx: Tx, host: str, port: int) -> frozenset[str]:
    """The classes that were settled for a host and port; none before its first resolution."""
    columns = consent.c
    statement = sa.select(columns.address_class).where(columns.host == host, columns.port == port)
    return frozenset(row[0] for row in tx.rows(statement))


def settle(tx: Tx, host: str, port: int, classes: Iterable[str]) -> frozenset[str]:
    """Keep what a first resolution gave, and return what holds: when somebody else was first, theirs."""
    if not tx.sqlite:  # there, nobody else writes meanwhile
        tx.execute(sa.text("LOCK TABLE consent IN EXCLUSIVE MODE"))
    if known := of(tx, host, port):
        return known
    now, names = tx.now(), ("host", "port", "address_class", "settled_at")
    bulk.insert(tx, consent, names, [(host, port, each, now) for each in classes])
    return frozenset(classes)
