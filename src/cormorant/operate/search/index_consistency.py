"""Index consistency check: whether the index is made of these rows and has come as far as they say.

Then search may answer from it.

    made of another database             -> not of these rows at all
    not as far as it once was, or lost   -> what came since is missing
    empty, and no event names any more what it lacks: a restore was killed, or it was never made

Each of them is shown and mended like an index that cannot be read: it is rebuilt of what is kept.
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
    """Why search does not answer, in the words that it would say itself; None also without an index."""
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


def is_told(house: Installation) -> bool:
    """Return whether search finds the documents found, or will find them once they are delivered.

    No where a delivery to the index failed.
    """
    if trouble(house) is not None:
        return False
    with house.store.read() as tx:
        return not any(each.error for each in receivers.every(tx) if each.kind == receivers.INDEX)


def fault(tx: Tx, index: IndexReader) -> IndexDamaged | None:
    """Why the index is not to be answered from, if so. It is looked at again, since others may have written it.

    Raises IndexDamaged where it cannot be read then.
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
    """Return whether the index was made of the rows of another database.

    Where one of them has no name, nobody can tell.
    """
    return None not in (index.origin, name := stream.named(tx)) and index.origin != name


def knows_documents(tx: Tx) -> bool:
    """Return whether the database knows a document that search should find."""
    return bool(tx.rows(_INDEXED))
