"""The converters as of the newest start: a version for each media type."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import reader


def versions(tx: Tx) -> dict[str, str]:
    """Return the version of the converter of each media type, {} before the first start."""
    return {row.mime: row.version for row in tx.rows(sa.select(reader.c.mime, reader.c.version))}


def replace(tx: Tx, now: Mapping[str, str]) -> None:
    """Store these versions instead."""
    tx.execute(sa.delete(reader))
    bulk.insert(tx, reader, ("mime", "version"), list(now.items()))
