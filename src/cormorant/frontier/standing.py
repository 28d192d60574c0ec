"""Is there a document at this address? Asked when a page says that it is only another one's copy."""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.model.address import fingerprint, origin_of
from cormorant.model.outcome import OutcomeKind
from cormorant.store.database import Store
from cormorant.store.schema import content, resource, site

_STANDS = (int(OutcomeKind.OK), int(OutcomeKind.UNCHANGED))


def stands(store: Store, source: int, address: str) -> bool:
    """Say whether this source has a document there that answered when it was last asked, and that search may find.

    One without a content hash calls itself a copy too, or is there for a time only: two pages that name each other
    would leave in turns.
    """
    known = sa.and_(
        resource.c.site_id == site.c.id,
        resource.c.hash == fingerprint(address, source),
        resource.c.source_id == source,
        resource.c.outcome.in_(_STANDS),
    )
    joined = site.join(resource, known).join(content, content.c.id == resource.c.id)
    asked = sa.select(resource.c.address).select_from(joined)
    with store.read() as tx:
        rows = tx.rows(
            asked.where(site.c.key == origin_of(address).site, content.c.indexed, content.c.content_hash != b"")
        )
    return any(row.address == address for row in rows)
