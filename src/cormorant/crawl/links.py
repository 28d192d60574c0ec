"""At the end of a run out-links become in-links. Only pages that the run wrote are read."""

from __future__ import annotations

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
