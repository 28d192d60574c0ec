"""Tokens and sessions lie alike in both databases."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from cormorant.access import tokens
from cormorant.base.errors import NotFoundError, StoreError
from cormorant.model.scope import Scope
from cormorant.store.db.database import Store
from cormorant.store.schema import token


def test_tokens_and_their_sessions(store: Store, other: Store) -> None:
    ada, bob, browser = (tokens.digest(each) for each in ("a", "b", "c"))
    with store.begin() as tx:
        tokens.add(tx, "ada", ada, Scope.ADMIN)
        tokens.add(tx, "bob", bob, Scope.SEARCH)
        tokens.begin(tx, "ada", browser, 60)
        tokens.use(tx, "ada")
    with other.read() as tx:
        assert [(row.name, bytes(row.digest)) for row in tokens.every(tx)] == [("ada", ada), ("bob", bob)]
        found = tokens.hashing_to(tx, bob)
        assert found is not None
        assert (found.name, found.used_at, found.scope) == ("bob", None, Scope.SEARCH)
        assert tokens.hashing_to(tx, browser) is None
        assert tokens.named(tx, "ada").used_at is not None
        assert tokens.token_of(tx, browser) == "ada"
        assert tokens.token_of(tx, ada) is None
    with other.begin() as tx:
        tokens.change(tx, "bob", Scope.OPERATE)
        assert (tokens.named(tx, "ada").scope, tokens.named(tx, "bob").scope) == (Scope.ADMIN, Scope.OPERATE)
        tokens.delete(tx, "ada")
    with store.read() as tx:
        assert tokens.token_of(tx, browser) is None
        assert [row.name for row in tokens.every(tx)] == ["bob"]


def test_a_session_that_is_over_counts_for_nothing(store: Store) -> None:
    with store.begin() as tx:
        tokens.begin(tx, "ada", b"old", -1)
        assert tokens.token_of(tx, b"old") is None
        tokens.begin(tx, "ada", b"new", 60)
        assert tokens.token_of(tx, b"new") == "ada"
        tokens.end(tx, b"new")
        assert tokens.token_of(tx, b"new") is None


def test_only_a_token_that_is_there_gets_another_scope(store: Store) -> None:
    with store.begin() as tx, pytest.raises(NotFoundError, match="There is no token 'eve'"):
        tokens.change(tx, "eve", Scope.ADMIN)


def test_a_scope_that_nobody_knows_opens_nothing(store: Store) -> None:
    with store.begin() as tx:
        tokens.add(tx, "ada", b"a", Scope.SEARCH)
        tx.execute(sa.update(token).values(scope="root"))
        with pytest.raises(StoreError, match="'ada' has the scope 'root'"):
            tokens.hashing_to(tx, b"a")
        tx.execute(sa.delete(token))
