"""Tokens and sessions lie alike in both databases."""

from __future__ import annotations

from cormorant.access import keys, sessions, tokens
from cormorant.store.database import Store


def test_tokens_and_their_sessions(store: Store, other: Store) -> None:
    ada, bob, browser = (keys.digest(each) for each in ("a", "b", "c"))
    with store.begin() as tx:
        tokens.add(tx, "ada", ada)
        tokens.add(tx, "bob", bob)
        sessions.begin(tx, "ada", browser, 60)
        tokens.use(tx, "ada")
    with other.read() as tx:
        assert [(row.name, bytes(row.digest)) for row in tokens.every(tx)] == [("ada", ada), ("bob", bob)]
        found = tokens.hashing_to(tx, bob)
        assert found is not None
        assert (found.name, found.used_at) == ("bob", None)
        assert tokens.hashing_to(tx, browser) is None
        assert tokens.named(tx, "ada").used_at is not None
        assert sessions.token_of(tx, browser) == "ada"
        assert sessions.token_of(tx, ada) is None
    with other.begin() as tx:
        tokens.delete(tx, "ada")
    with store.read() as tx:
        assert sessions.token_of(tx, browser) is None
        assert [row.name for row in tokens.every(tx)] == ["bob"]


def test_a_session_that_is_over_counts_for_nothing(store: Store) -> None:
    with store.begin() as tx:
        sessions.begin(tx, "ada", b"old", -1)
        assert sessions.token_of(tx, b"old") is None
        sessions.begin(tx, "ada", b"new", 60)
        assert sessions.token_of(tx, b"new") == "ada"
        sessions.end(tx, b"new")
        assert sessions.token_of(tx, b"new") is None
