"""At the end of a run out-links become in-links. Only pages that the run wrote are read, or all after some edits."""

from __future__ import annotations

import asyncio

from cormorant.frontier import inversion
from cormorant.store.database import Store


def invert(store: Store, source: int) -> int:
    """Turn the new out-links of a source into in-links; returns resources whose in-links changed.

    In chunks: a kill in between costs a chunk, which is then inverted again with the same result.
    """
    changed = 0
    while True:
        with store.read() as tx:
            pages, known = inversion.chunk(tx, source), inversion.fronts(tx, source)
        if not pages:
            return changed
        difference = inversion.difference(source, known, pages)
        with store.begin() as tx:
            changed += inversion.apply(tx, [page[0] for page in pages], difference)


async def again(store: Store, source: int) -> None:
    """Have all links of a source inverted anew at the end of the run, in chunks. May be repeated after a kill."""
    while True:
        with store.begin() as tx:
            pages = inversion.inverted(tx, source)
            inversion.again(tx, source, pages)
        if not pages:
            return
        await asyncio.sleep(0)  # other runs go on meanwhile
