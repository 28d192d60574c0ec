"""A run begins whose documents are for others than those of the runs before it.

Where every document of a source has the same rights, nobody has to be asked for them: so those that do not answer, or
that the run does not come to, change hands with the rest, before the first visit.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cormorant.crawl.finish import link_graph
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import writes
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from cormorant.model.acl import ACL
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow

PAGE = 1_000


async def grant(store: Store, source: Source, row: RunRow) -> None:
    """Give every document the rights that all of the source have, when its settings were edited. Again after a kill."""
    acl = source.settings.common_acl
    with store.read() as tx:
        edited = any(each.settings != row.settings for each in runs.since_whole(tx, row))
    if acl is None or not edited:
        return
    while True:
        with store.begin() as tx:
            given = _give(tx, row, acl)
        if given < PAGE:
            return
        await asyncio.sleep(0)  # other runs go on meanwhile


def _give(tx: Tx, row: RunRow, acl: ACL) -> int:
    """Write the rights of the next documents that have others, out of sight until the index has them too.

    Receivers are told that each is changed, so that is counted as well.
    """
    number = ACLNumbers().of(tx, acl)
    others = pending_deletes.of_other_rights(tx, row.source_id, number, PAGE)
    if others:
        first = stream.append(tx, [NewEvent(row.source_id, each, row.id, Event.ACCESS) for each in others])
        writes.access(tx, [(number, each) for each in others])
        counters = runs.counted_by(tx, row.id, runs.ITSELF)
        counters.changed += len(others)
        runs.count(tx, row.id, runs.ITSELF, counters)
        link_graph.reweigh(tx, row.source_id, row.id, others)
        pending_deletes.hide_until(tx, [(each, row.source_id, row.id, first + n) for n, each in enumerate(others)])
    return len(others)
