"""Is there a document at this address? Asked when a page says that it is only another one's copy."""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.model.address import fingerprint, origin_of
from cormorant.model.outcome import OutcomeKind
from cormorant.store.database import Store
from cormorant.store.schema import content, resource, site

_ANSWERED = (int(OutcomeKind.OK), int(OutcomeKind.UNCHANGED))
_LEFT = (int(OutcomeKind.GONE), int(OutcomeKind.MOVED), int(OutcomeKind.EXCLUDED))


def stands(store: Store, source: int, address: str) -> bool | None:
    """Say whether this source has a document there that search may find, None when that cannot be told today.

    One that does not answer is found still, or its copies would come and go with every outage. One without a content
    hash calls itself a copy too, or is there for a time only: two pages that name each other would leave in turns. But
    it may also be one that was to be read anew, and did not answer.
    """
    known = sa.and_(
        resource.c.site_id == site.c.id,
        resource.c.hash == fingerprint(address, source),
        resource.c.source_id == source,
        resource.c.outcome.not_in(_LEFT),
    )
    joined = site.join(resource, known).join(content, content.c.id == resource.c.id)
    asked = sa.select(resource.c.address, resource.c.outcome, content.c.content_hash).select_from(joined)
    with store.read() as tx:
        rows = tx.rows(asked.where(site.c.key == origin_of(address).site, content.c.indexed))
    for row in rows:
        if row.address == address:
            return True if row.content_hash else (False if row.outcome in _ANSWERED else None)
    return False
