"""Servers that refuse a login, are away, may not be asked, or close a connection."""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import trustme
from pysqlite3 import dbapi2

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Outcome
from cormorant.model.resource import DiscoveredUrl
from cormorant.plugins import make_source
from cormorant.testing.sources import resource_of
from tests.sources.table.databases import (
    PASSWORD,
    Certificates,
    Database,
    ServerDatabase,
    SqliteFile,
    secure_front,
    values,
    ways,
)
from tests.sources.table.tickets import ONE, listed, made, read, text_of, tickets, visit


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


def test_certificates_are_checked(database: Database, tmp_path: Path) -> None:
    if isinstance(database, SqliteFile):
        pytest.skip("a file has none")
    assert isinstance(database, ServerDatabase)
    tickets(database, ONE)
    server = database.server
    if database.dialect == "mysql":
        _see_certificates(database, server.issued, tmp_path)
        return
    with secure_front(server.port, server.issued) as database.port:
        _see_certificates(database, server.issued, tmp_path)


def _see_certificates(database: ServerDatabase, issued: Certificates, tmp_path: Path) -> None:
    trusted = str(issued.authority)
    assert set(listed(made(database, tls="verify", ca=trusted))) == {"1"}
    assert set(listed(made(database, tls="require"))) == {"1"}
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(str(other))
    for wrong in ({"tls": "verify", "ca": str(other)}, {"tls": "verify"}):
        with pytest.raises(Unreachable, match="settings tls and ca") as refused:
            listed(made(database, **wrong))
        assert "certificate" in refused.value.sentence
    other_name = {**database.settings(), "table": "tickets", "tls": "verify", "ca": trusted}
    other_name["database"] = str(other_name["database"]).replace("127.0.0.1", "localhost")
    with pytest.raises(Unreachable, match=r"certificate|localhost"):
        listed(make_source("table", 3, other_name, ways(desk=PASSWORD)))


def test_a_huge_cell_is_not_fetched(database: Database) -> None:
    types = values(database)
    huge = {
        "sqlite": "zeroblob(100000000)",
        "postgresql": "decode(repeat('ff', 100000000), 'hex')",
        "mysql": "CAST(REPEAT('x', 100000000) AS BINARY)",
    }[database.dialect]
    database.run(
        f"CREATE TABLE tickets (id {types['id']}, body {types['text']}, scan {types['blob']})",
        f"INSERT INTO tickets SELECT 1, 'text', {huge}",
    )
    source = made(database, content="body", attachments="scan")
    tracemalloc.start()
    try:
        found = listed(source)
        got = visit(source, found["1?attachment=scan"])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(got, Excluded)
    assert got.status == 960
    assert peak < 20_000_000, peak
    assert "text" in text_of(read(source, "1"))


def test_a_statement_that_takes_too_long_is_ended(database: Database) -> None:
    tickets(database, ONE)
    slow = {
        "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS id FROM n",
        "postgresql": "SELECT 1 AS id, pg_sleep(30)",
        "mysql": "SELECT 1 AS id, SLEEP(30) AS s",
    }[database.dialect]
    began = time.monotonic()
    with pytest.raises(Unreachable, match="cannot be read"):
        listed(made(database, query=slow, key="id", content="id", listing_s="0.5"))
    assert time.monotonic() - began < 20


def test_a_locked_file_says_so(tmp_path: Path) -> None:
    database = SqliteFile(tmp_path / "desk.db")
    tickets(database, ONE)
    with closing(dbapi2.connect(str(database.path))) as other:
        other.execute("BEGIN EXCLUSIVE")
        source = make_source(
            "table", 3, {**database.settings(), "table": "tickets", "connect_timeout_s": "0.1"}, ways()
        )
        with pytest.raises(Unreachable, match="Another program is writing to it"):
            listed(source)
        got = visit(source, DiscoveredUrl("table://3/1", "table://3"))
        assert isinstance(got, Deferred)
        assert "locked" in got.reason
    assert set(listed(source)) == {"1"}


def test_a_database_of_our_own_is_refused(tmp_path: Path) -> None:
    database = SqliteFile(tmp_path / "own.db")
    database.run(
        *(f"CREATE TABLE {each} (id INTEGER PRIMARY KEY)" for each in ("resource", "stream_head", "site_source"))
    )
    with pytest.raises(Unreachable, match="database of Cormorant itself"):
        listed(made(database, table="resource"))


def test_what_sqlite_may_not_do(tmp_path: Path) -> None:
    database = SqliteFile(tmp_path / "desk.db")
    tickets(database, ONE)
    other = tmp_path / "other.db"
    SqliteFile(other).run("CREATE TABLE secret (id INTEGER PRIMARY KEY)")
    source = made(database)
    with source._client.listing() as connection:  # type: ignore[attr-defined]
        for statement in (
            "DELETE FROM tickets", f"ATTACH DATABASE '{other}' AS x", "PRAGMA query_only=OFF", "CREATE TABLE y (z)",
            "SELECT load_extension('x')", "VACUUM",
        ):  # fmt: skip
            with pytest.raises(sa.exc.DBAPIError, match=r"not authorized|prohibited|cannot VACUUM"):
                connection.exec_driver_sql(statement)
