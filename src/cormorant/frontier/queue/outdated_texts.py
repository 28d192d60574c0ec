"""Queue of documents whose converter is newer than their text, to be converted again from their kept copies.

`refetch.outdate` adds them. A new text, `refetch.leave`, or a crawl that reads them first removes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from cormorant.frontier.queue import host_leases
from cormorant.frontier.state import refetch
from cormorant.model.resource import Resource
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, hidden, version
from cormorant.store.schema.documents import OUTDATED

_STANDS: Final = sa.and_(
    OUTDATED,
    content.c.indexed.is_not(sa.false()),
    ~sa.exists().where(hidden.c.id == content.c.id),
    ~sa.exists().where(version.c.id == content.c.id),
)
"""Documents that are neither about to leave the index nor about to be replaced by another version.

The condition on `indexed` differs from that of its index, which would otherwise be read from its beginning for every
few documents.
"""


def counts(tx: Tx) -> dict[int, int]:
    """Count the documents to be converted again, by source; sources without any are left out."""
    found = sa.select(content.c.source_id, sa.func.count()).where(OUTDATED).group_by(content.c.source_id)
    return {row[0]: row[1] for row in tx.rows(found.order_by(content.c.source_id))}


def read(tx: Tx, source: int, most: int) -> list[Resource]:
    """Return the next documents of a source, at most 500."""
    columns = content.c
    chosen = sa.select(columns.id).where(_STANDS, columns.source_id == source).order_by(columns.id).limit(most)
    return host_leases.by_number(tx, [row.id for row in tx.rows(chosen)])


def claim(tx: Tx, documents: Sequence[Resource]) -> set[int]:
    """Return those of at most 500 documents that have not changed since they were read, and lock them."""
    before = {each.id: each.before for each in documents}
    chosen = sa.select(content.c.id, content.c.text_hash).where(content.c.id.in_(list(before)), _STANDS)
    if not tx.sqlite:  # SQLite has one writer
        chosen = chosen.order_by(content.c.id).with_for_update(of=content)
    return {row.id for row in tx.rows(chosen) if refetch.text_before(row.text_hash) == before[row.id]}
