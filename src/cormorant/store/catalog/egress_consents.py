"""Egress consents: the class of addresses that a named host had at its first resolution.

The administrator consented to that class only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import consent


class Settled(NamedTuple):
    """A host, a port, and a class of its addresses; a host with several classes has several."""

    host: str
    port: int
    address_class: str


def every(tx: Tx) -> list[Settled]:
    """Return all consents so far."""
    columns = consent.c
    return [Settled(*row) for row in tx.rows(sa.select(columns.host, columns.port, columns.address_class))]


def of(tx: Tx, host: str, port: int) -> frozenset[str]:
    """Return the consented classes of a host and port; none before its first resolution."""
    columns = consent.c
    statement = sa.select(columns.address_class).where(columns.host == host, columns.port == port)
    return frozenset(row[0] for row in tx.rows(statement))


def settle(tx: Tx, host: str, port: int, classes: Iterable[str]) -> frozenset[str]:
    """Store the classes of a first resolution, and return the valid ones: those of another process, if it was first."""
    if not tx.sqlite:  # SQLite has one writer
        tx.execute(sa.text("LOCK TABLE consent IN EXCLUSIVE MODE"))
    if known := of(tx, host, port):
        return known
    now, names = tx.now(), ("host", "port", "address_class", "settled_at")
    bulk.insert(tx, consent, names, [(host, port, each, now) for each in classes])
    return frozenset(classes)
