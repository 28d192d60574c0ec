"""Lookup of URL keys that the store knows of a site. In pages, or those among a few."""

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
"""A row for each key would take twice as long."""
_NUMBERS = msgspec.json.Decoder(list[int])
_FIRST: Final = -(1 << 63)
"""A key of just this is not told: it would be admitted again, which changes nothing."""


def page(tx: Tx, site: int, behind: int = _FIRST) -> array[int]:
    """The next keys of a site behind one, in rising order, from the covering index: the last ones if not `AT_ONCE`."""
    said = tx.execute(_GATHERED_SQLITE if tx.sqlite else _GATHERED, {"site": site, "behind": behind}).scalar_one()
    # In what order they are gathered nobody promises.
    return array("q", sorted(_NUMBERS.decode(said)) if said else ())


class Lookup:
    """Asks the store at any time."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def among(self, site: int, keys: Sequence[int]) -> set[int]:
        """Those of these keys that are known of a site."""
        with self._store.read() as tx:
            found = bulk.select_numbered(tx, resource, ("hash",), "hash", keys, besides=f"site_id = {site}")
        return {row[0] for row in found}
