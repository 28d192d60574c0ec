"""Items on both databases: numbers, bodies in pieces, names, and what goes."""

from __future__ import annotations

import hashlib

from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import items
from cormorant.store.journal.item_shelf import ItemShelf
from cormorant.store.journal.items import NewItem


def new(name: str, body: bytes = b"body", part: str = "", version: int | None = None) -> NewItem:
    return NewItem(name, part, version, hashlib.sha256(body).hexdigest()[:8], "", "{}", body)


def test_items_from_their_coming_to_their_going(store: Store) -> None:
    whole = b"".join(hashlib.sha256(str(n).encode()).digest() for n in range(10_000))
    with store.begin() as tx:
        number = sources.add(tx, "push", "desk", {})
        other = sources.add(tx, "push", "other", {})
        assert items.claim(tx, number) == 0
        items.put(tx, number, new("a", whole), (1, 0), None)
        items.put(tx, number, new("a", b"", "note"), (2, 0), None)
        items.put(tx, number, new("b", version=7), (3, 1), None)
        items.put(tx, other, new("a"), (1, 0), None)
        items.set_mark(tx, number, "key:x", "1")
    with store.begin() as tx:
        known = items.get(tx, number, "a")
        assert known is not None
        assert (items.body(tx, known), known.size) == (whole, len(whole))
        items.put(tx, number, new("a", b"short"), (4, 0), known)
        assert [(each.name, each.part) for each in items.since(tx, number, 1, 4, 10)] == [
            ("a", "note"), ("b", ""), ("a", ""),
        ]  # fmt: skip
        again = items.get(tx, number, "a")
        assert again is not None
        assert items.body(tx, again) == b"short"
        assert [each.name for each in items.unnamed(tx, number, 1, 10)] == ["a"]
        items.name_again(tx, [again.id], 1)
        assert items.unnamed(tx, number, 1, 10) == []
        items.drop(tx, items.named(tx, number, ["a"]), 5)
        assert (items.head(tx, number), items.count(tx, number), items.count(tx, other)) == (5, 1, 1)
        assert [each.name for page in items.there(tx, number, most=1) for each in page] == ["b"]
        items.set_mark(tx, number, "key:x", "2")
        assert items.mark(tx, number, "key:x") == "2"
        items.forget_marks(tx, number, "key:", tx.now() + 60)
        assert items.mark(tx, number, "key:x") is None


def test_a_shelf_shows_what_is_there_and_how_far_it_was_read(store: Store) -> None:
    with store.begin() as tx:
        number = sources.add(tx, "push", "desk", {})
        copy = sources.add(tx, "push", "copy", {}, test_of=number)
        for seq, name in enumerate("abc", 1):
            items.put(tx, number, new(name, name.encode()), (seq, 0), None)
    for shelf in (ItemShelf(store, number), ItemShelf(store, copy)):
        assert (shelf.head(), shelf.ahead()) == (3, 3)
        assert [each.name for page in shelf.since(1, 3) for each in page] == ["b", "c"]
        found = shelf.item("b")
        assert found is not None
        assert found[1] == b"b"
        assert shelf.item("z") is None
    with store.begin() as tx:
        sources.set_cursor(tx, number, "3")
    assert ItemShelf(store, number).ahead() == 0
