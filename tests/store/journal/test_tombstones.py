from __future__ import annotations

import pytest

from cormorant.model.url import fingerprint
from cormorant.store.db.database import Store
from cormorant.store.journal import tombstones
from cormorant.store.journal.tombstones import MOVED, Tombstone


def a_stone(name: str, run: int = 1, source: int = 1, resource: int = 7, status: int = 404) -> Tombstone:
    address = f"file:///papers/{name}"
    return Tombstone(source, fingerprint(address, source), address, resource, run, run + 0.5, status, "it left")


def test_the_newest_of_an_address_stands(store: Store) -> None:
    with store.begin() as tx:
        tombstones.write(tx, [a_stone("a"), a_stone("b", status=MOVED)])
        tombstones.write(tx, [a_stone("a", run=4, resource=9)])
        assert tombstones.at(tx, 1, "file:///papers/a") == a_stone("a", run=4, resource=9)
        assert tombstones.at(tx, 2, "file:///papers/a") is None
        assert tombstones.at(tx, 1, "file:///papers/c") is None


def test_the_deletion_of_a_document_that_moved_before(store: Store) -> None:
    with store.begin() as tx:
        tombstones.write(tx, [a_stone("a", status=MOVED), a_stone("b", run=2), a_stone("c", resource=8, status=MOVED)])
        assert tombstones.deletion_of(tx, 7) == a_stone("b", run=2)
        assert tombstones.deletion_of(tx, 8) is None


def test_the_oldest_go(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tombstones, "MOST", 3)
    with store.begin() as tx:
        tombstones.write(tx, [a_stone("z", source=2)])
        for run, name in enumerate("abcde", 1):
            tombstones.write(tx, [a_stone(name, run=run)])
        assert tombstones.at(tx, 1, "file:///papers/a") is not None, "a write sorts nothing"
        tombstones.trim(tx, 1)
        assert [tombstones.at(tx, 1, f"file:///papers/{name}") is None for name in "abcde"] == [
            True,
            True,
            *[False] * 3,
        ]
        assert tombstones.forget(tx, 1, 4) == 2
        assert tombstones.at(tx, 1, "file:///papers/e") == a_stone("e", run=5)
        assert tombstones.at(tx, 2, "file:///papers/z") is not None
