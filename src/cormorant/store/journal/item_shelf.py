"""Items of one source, for the source itself: each call is a transaction of its own, from any thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import items
from cormorant.store.journal.items import Item

PAGE = 1_000
"""Items that are read at once."""


class ItemShelf:
    """The items of one source. A copy that was made for a test reads those of its original."""

    def __init__(self, store: Store, source: int) -> None:
        self._store, self._source = store, source
        self._owner: int | None = None

    def head(self) -> int:
        """Return the newest number, 0 if there is no item."""
        with self._store.read() as tx:
            return items.head(tx, self._number(tx))

    def ahead(self) -> int:
        """Return the newest number if the last run did not reach it, else 0."""
        with self._store.read() as tx:
            number = self._number(tx)
            newest, read = items.head(tx, number), items.cursor(tx, number)
        return newest if newest > (int(read) if read.isdecimal() else 0) else 0

    def since(self, behind: int, upto: int) -> Iterator[list[Item]]:
        """Yield pages of items changed after a number and up to another one; memory is that of one page."""
        while True:
            with self._store.read() as tx:
                page = items.since(tx, self._number(tx), behind, upto, PAGE)
            if page:
                yield page
            if len(page) < PAGE:
                return
            behind = page[-1].seq

    def item(self, name: str, part: str = "") -> tuple[Item, bytes, Item | None] | None:
        """Return an existing item, its body, and the item that it is a part of; None if it is gone."""
        with self._store.read() as tx:
            number = self._number(tx)
            found = items.get(tx, number, name, part)
            if found is None or found.gone:
                return None
            whole = items.get(tx, number, name) if part else None
            return found, items.body(tx, found), whole

    @contextmanager
    def writing(self) -> Iterator[tuple[Tx, int]]:
        """Yield a transaction in which no other process changes the items, and the number of their source."""
        with self._store.begin() as tx:
            number = self._number(tx)
            items.claim(tx, number)
            yield tx, number

    def _number(self, tx: Tx) -> int:
        if self._owner is None:
            self._owner = items.owner(tx, self._source)
        return self._owner
