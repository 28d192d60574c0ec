"""Servers that refuse a login, are away, may not be asked, or close a connection."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Outcome
from cormorant.model.resource import DiscoveredUrl
from cormorant.plugins import make_source
from cormorant.testing.sources import resource_of
from tests.sources.table.databases import PASSWORD, Database, SqliteFile, ways
from tests.sources.table.tickets import ONE, listed, made, tickets, visit


def test_a_wrong_password_is_refused_once(database: Database) -> None:
    if isinstance(database, SqliteFile):
        pytest.skip("SQLite has no passwords")
    tickets(database, ONE)
    source = make_source("table", 3, {**database.settings(), "table": "tickets"}, ways(desk="wrong-canary"))
    with pytest.raises(LoginRefused, match="Check user and password") as refused:
        listed(source)
    assert "canary" not in refused.value.sentence
    got = visit(source, DiscoveredUrl("table://3/1", "table://3"))
    assert isinstance(got, Deferred)
    assert (got.status, got.whole_site) == (401, True)


def test_a_server_that_is_away(database: Database) -> None:
    if isinstance(database, SqliteFile):
        settings: dict[str, Any] = {"database": "sqlite:////nowhere/desk.db"}
    else:
        settings = {**database.settings(), "database": f"{database.dialect}://reader@127.0.0.1:1/desk"}
    source = make_source("table", 3, {**settings, "table": "tickets"}, ways(desk=PASSWORD))
    with pytest.raises(Unreachable, match="Check"):
        listed(source)
    got = visit(source, DiscoveredUrl("table://3/1", "table://3"))
    assert isinstance(got, Deferred)
    assert got.whole_site


def test_an_address_that_may_not_be_asked_is_not_connected_to(database: Database) -> None:
    if isinstance(database, SqliteFile):
        pytest.skip("no address")
    tickets(database, ONE)
    with pytest.raises(Unreachable, match="may not be connected to by the network rules"):
        listed(made(database, network="public"))


def test_a_kept_connection_that_was_closed_is_made_anew(database: Database) -> None:
    if isinstance(database, SqliteFile):
        pytest.skip("nobody closes a file")
    tickets(database, ONE)
    source = made(database)

    async def twice() -> tuple[Content | Outcome, Content | Outcome]:
        resource = resource_of(DiscoveredUrl("table://3/1", "table://3"), source)
        try:
            first = await source.fetch(resource, VisitTrace())
            for kept, _ in source._client.pool._idle:  # type: ignore[attr-defined]
                kept.connection.dbapi_connection.close()
            return first, await source.fetch(resource, VisitTrace())
        finally:
            await source.close()

    first, second = asyncio.run(twice())
    assert isinstance(first, Content)
    assert isinstance(second, Content), second
