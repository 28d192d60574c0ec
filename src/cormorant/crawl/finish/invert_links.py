"""Invert the links of pages that a run read, and the links to documents that were admitted only in this run.

    pages written -> invert -> admitted after an exclusion? -> stored pages that link to it -> invert once more

An excluded URL is no resource, and a link to it no in-link. The page with that link may never be read again.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cormorant.crawl.finish import link_graph
from cormorant.frontier.links import inlinks, late_inlinks

if TYPE_CHECKING:
    from collections.abc import Set

    from cormorant.store.db.database import Store


SETTLED = 1_000
"""Admitted documents that are settled in one transaction."""


async def invert(store: Store, source: int, *, first: bool = False) -> None:
    """Invert links as drawn above. May be repeated after a kill.

    In a `first` crawl, no link was inverted before all documents had been admitted.
    """
    link_graph.invert(store, source)
    while not first:
        with store.read() as tx:
            came = late_inlinks.some(tx, source)
        if not came:
            return
        await _again(store, source, frozenset(came.values()))
        keys = list(came)
        for start in range(0, len(keys), SETTLED):
            with store.begin() as tx:
                late_inlinks.settle(tx, source, keys[start : start + SETTLED])
        link_graph.invert(store, source)


async def _again(store: Store, source: int, addresses: Set[str]) -> None:
    """Mark the pages that link to one of these addresses, to be inverted again."""
    behind: int | None = 0
    while behind is not None:
        with store.read() as tx:
            pages, behind = late_inlinks.linking(tx, source, addresses, behind)
        if pages:
            with store.begin() as tx:
                inlinks.again(tx, source, pages)
        await asyncio.sleep(0)  # other runs go on meanwhile
