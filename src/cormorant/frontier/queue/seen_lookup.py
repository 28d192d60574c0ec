"""Lookup of the URL keys that the store has for a site: page by page, or for some keys."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec
import sqlalchemy as sa

from cormorant.frontier.queue.seen_urls import LARGE
from cormorant.store.db import bulk
from cormorant.store.schema import resource

if TYPE_CHECKING:
    from cormorant.store.db.database import Store, Tx

AT_ONCE: Final = LARGE
_SOME = (
    sa.select(resource.c.hash)
    .where(resource.c.site_id == sa.bindparam("site"), resource.c.hash > sa.bindparam("behind"))
    .order_by(resource.c.hash)
    .limit(AT_ONCE)
    .subquery()
)
_GATHERED = sa.select(sa.func.json_agg(_SOME.c.hash).cast(sa.Text))
_GATHERED_SQLITE = sa.select(sa.func.json_group_array(_SOME.c.hash))
"""Aggregated, since one row for each key would take twice as long."""
_NUMBERS = msgspec.json.Decoder(list[int])
_FIRST: Final = -(1 << 63)
"""The least key. A URL with exactly this key is missing from a page: it would be admitted again, without effect."""


def page(tx: Tx, site: int, behind: int = _FIRST) -> array[int]:
    """Return the next keys of a site after `behind`, in rising order; fewer than `AT_ONCE` at the end.

    The query reads only the covering index.
    """
    gathered = tx.execute(_GATHERED_SQLITE if tx.sqlite else _GATHERED, {"site": site, "behind": behind}).scalar_one()
    # The order of an aggregation is not guaranteed.
    return array("q", sorted(_NUMBERS.decode(gathered)) if gathered else ())


class Lookup:
    """Queries the store at any time."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def among(self, site: int, keys: Sequence[int]) -> set[int]:
        """Return those of these keys that are known for a site."""
        with self._store.read() as tx:
            found = bulk.select_numbered(tx, resource, ("hash",), "hash", keys, besides=f"site_id = {site}")
        return {row[0] for row in found}
