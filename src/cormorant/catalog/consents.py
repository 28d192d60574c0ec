"""Which class of addresses did a named host have when it was first resolved? Only that one was consented to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.store import bulk
from cormorant.store.database import Tx
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


def settle(tx: Tx, found: Iterable[Settled]) -> None:
    """Keep what a first resolution gave, unless another process was first."""
    if not tx.sqlite:  # there, nobody else writes meanwhile
        tx.execute(sa.text("LOCK TABLE consent IN EXCLUSIVE MODE"))
    known = {(each.host, each.port) for each in every(tx)}
    new = [(*each, tx.now()) for each in found if (each.host, each.port) not in known]
    names = ("host", "port", "address_class", "settled_at")
    bulk.insert(tx, consent, names, new)
