"""Reset of a source to its documents, which stay searchable until a crawl has visited them again.

Addresses without a document are deleted, with exclusions, claims of sitemaps and host facts; the remaining documents
lose their validators.
"""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.frontier.links import inlinks as inlink_lists
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import (
    claim,
    content,
    exclusion,
    inlinks,
    original,
    outlinks,
    resource,
    site_fact,
    tombstone,
    version,
    visit,
)

CHUNK = 1000


def forget(tx: Tx, source: int) -> bool:
    """Delete one chunk. Returns whether there is more."""
    columns = resource.c
    found = sa.select(content.c.id).where(content.c.id == columns.id, content.c.indexed).exists()
    bare = sa.select(columns.id).where(columns.source_id == source, sa.not_(found)).limit(CHUNK)
    numbers = [row[0] for row in tx.rows(bare)]
    if numbers:
        inlink_lists.withdraw(tx, source, numbers)
        for table in (content, original, version, outlinks, inlinks, resource):
            tx.execute(sa.delete(table).where(table.c.id.in_(numbers)))
        tx.execute(sa.delete(visit).where(visit.c.resource_id.in_(numbers)))
        return True
    for each in (claim, exclusion, tombstone):
        tx.execute(sa.delete(each).where(each.c.source_id == source))
    tx.execute(sa.delete(site_fact).where(site_fact.c.scope == source))
    known = [row[0] for row in tx.rows(sa.select(content.c.id).where(content.c.source_id == source))]
    for start in range(0, len(known), CHUNK):
        rows = [("", "", number) for number in known[start : start + CHUNK]]
        bulk.update(tx, content, ("etag", "modified"), ("id",), rows)
    return False
