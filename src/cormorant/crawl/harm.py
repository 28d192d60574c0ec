"""What becomes of a document whose kept copy is found to be damaged, by whoever wanted to read it?

It is fetched and kept anew, by the crawl under way or by the next one. What was told of it before stays until then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cormorant.frontier import recall
from cormorant.journal import runs

if TYPE_CHECKING:
    from cormorant.crawl.delivery import Found
    from cormorant.store.database import Store, Tx


def fetch_anew(tx: Tx, numbers: Iterable[int]) -> None:
    """Have these documents fetched and kept anew, each once however often its damage is met."""
    if lost := set(numbers):
        begun = {each.source_id: each.started_at or each.requested_at for each in reversed(runs.open_runs(tx))}
        recall.mend(tx, lost, begun)


def fetch_spoilt_anew(store: Store, found: Iterable[Found]) -> None:
    """The same for those of these whose copy is not as it was."""
    if spoilt := {each.event.resource for each in found if each.spoilt}:
        with store.begin() as tx:
            fetch_anew(tx, spoilt)
