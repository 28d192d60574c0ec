"""Index consistency check: whether the index belongs to this database and is as new as its rows.

Search answers only from a consistent index.

    built from another database          -> it has none of these rows
    older than it was, or lost           -> later documents are missing
    empty, and the stream no longer has events for its documents: a restore was killed, or it was never built

Each of these is reported like an unreadable index, and repaired in the same way: by a rebuild from the kept copies.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from cormorant.base.errors import IndexDamaged
from cormorant.operate.installation import Installation
from cormorant.receivers import stream
from cormorant.search.index.protocol import IndexReader, IndexWriter
from cormorant.search.index.tantivy.integrity import REBUILD
from cormorant.store.catalog import receivers
from cormorant.store.db.database import Tx
from cormorant.store.schema import content

STRANGE: Final = "The index belongs to another database. Run `cormorant index rebuild`."
_OLDER: Final = "The index is missing, or has an older layout. Run `cormorant index rebuild`."
_UNMADE: Final = (
    "The index has yet to be built from the kept copies. The next `cormorant crawl` or `serve` does so before it "
    "delivers, `cormorant index rebuild` at once."
)
_INDEXED: Final = sa.select(content.c.id).where(content.c.indexed).limit(1)


def trouble(house: Installation) -> IndexDamaged | None:
    """Return the error with which search fails, None if it answers or there is no index."""
    if not house.searchable:
        return None
    try:
        index = house.index_reader()
        with house.store.read() as tx:
            return fault(tx, index)
    except IndexDamaged as error:
        return error
    except OSError as error:
        return IndexDamaged(f"The index cannot be read: {error.strerror}. {REBUILD}")


def is_healthy(house: Installation) -> bool:
    """Return whether search finds all documents, or will find them once they are delivered.

    It is False if a delivery to the index failed.
    """
    if trouble(house) is not None:
        return False
    with house.store.read() as tx:
        return not any(each.error for each in receivers.every(tx) if each.kind == receivers.INDEX)


def fault(tx: Tx, index: IndexReader) -> IndexDamaged | None:
    """Return why search may not use the index, None if it may. A fault is checked again after a refresh.

    Raises IndexDamaged if the refreshed index cannot be read.
    """
    found = _fault(tx, index)
    return _fault(tx, index) if found is not None and index.refresh() else found


def _fault(tx: Tx, index: IndexReader) -> IndexDamaged | None:
    if is_strange(tx, index):
        return IndexDamaged(STRANGE)
    if receivers.index_place(tx) > index.place:
        return IndexDamaged(_OLDER)
    if index.place == 0 and not stream.reaches(tx, 0) and knows_documents(tx):
        return IndexDamaged(_UNMADE)
    return None


def is_strange(tx: Tx, index: IndexReader | IndexWriter) -> bool:
    """Return whether the index was built from another database; False if one of them has no name."""
    return None not in (index.origin, name := stream.named(tx)) and index.origin != name


def knows_documents(tx: Tx) -> bool:
    """Return whether the database knows a document that search should find."""
    return bool(tx.rows(_INDEXED))
