"""Settings of table sources, and the sentences for those that cannot be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.errors import BadSetting, Unreachable, UsageError
from cormorant.plugins import source_kind, source_settings
from cormorant.sources.table.place import DatabasePlace, read_place
from cormorant.sources.table.query_check import check_query
from cormorant.sources.table.settings import TableSettings

DESK = {"database": "postgresql://ada@db.example/desk", "table": "tickets"}


def settings(**given: Any) -> TableSettings:
    """Settings as a person gives them."""
    found = source_settings("table", {**DESK, **given})
    assert isinstance(found, TableSettings)
    return found


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("postgresql://ada@db.example/desk", ("postgresql", "psycopg", "db.example", 5432, "desk", "ada")),
        ("postgres://[::1]:6543/desk", ("postgresql", "psycopg", "::1", 6543, "desk", "")),
        ("mariadb+pymysql://db.example/desk", ("mysql", "pymysql", "db.example", 3306, "desk", "")),
        ("mssql://db.example/desk", ("mssql", "pyodbc", "db.example", 1433, "desk", "")),
        ("oracle://db.example/DESK", ("oracle", "oracledb", "db.example", 1521, "DESK", "")),
        ("sqlite:////srv/a b.db", ("sqlite", "pysqlite", "", 0, "/srv/a b.db", "")),
        ("odd+driver://db.example:99/x", ("odd", "driver", "db.example", 99, "x", "")),
    ],
)
def test_addresses_of_databases(text: str, place: tuple[str, str, str, int, str, str]) -> None:
    assert read_place(text) == DatabasePlace(*place)


def test_a_socket_is_named_by_its_folder() -> None:
    place = read_place("postgresql:///desk?host=/run/postgresql")
    assert (place.host, place.socket_folder, place.name) == ("", "/run/postgresql", "desk")
    assert place.shown == "desk at /run/postgresql"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("desk", "it is no address of a database"),
        ("postgresql://ada:canary@db.example/desk", "a password is never written here"),
        ("postgresql://ada:can@ry@db.example/desk", "a password is never written here"),
        ("postgresql:///desk", "it names no host"),
        ("postgresql:///desk?host=elsewhere.example", "host= takes the folder of a socket"),
        ("postgresql://db.example/desk?hostaddr=10.0.0.1", "the parameter 'hostaddr', which is not used"),
        ("postgresql+asyncpg://db.example/desk", "read with the driver psycopg"),
        ("mysql://db.example/desk?unix_socket=/x", "the parameter 'unix_socket'"),
        ("sqlite:///desk.db", "four slashes"),
        ("sqlite://", "four slashes"),
        ("odd://db.example/x", "it names no port"),
        ("postgresql://db.example:port/desk", "it is no address"),
    ],
)
def test_what_is_no_address(text: str, words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        settings(database=text)
    assert words in refused.value.sentence
    assert "canary" not in refused.value.sentence
    assert "can@ry" not in refused.value.sentence


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"query": "SELECT 1"}, "Name either a table"),
        ({"table": ""}, "Name either a table"),
        ({"table": "", "query": "SELECT 1"}, "A query needs the columns that tell its rows apart"),
        ({"incremental": "modified"}, "name the column"),
        ({"incremental": "log", "log_table": "x"}, "name the log table and the key"),
        ({"user": "bob"}, "Write it once"),
        ({"attributes": "author"}, "is not a column and an attribute"),
        ({"attributes": "author=Odd name"}, "is not a column and an attribute"),
        ({"display_url": "https://x.example/"}, "it has no column"),
        ({"display_url": "javascript:{id}"}, "begins with no scheme"),
        ({"display_url": "https://x.example/{id"}, "is not closed"),
        ({"title": "{}"}, "names no column"),
        ({"password": "canary"}, "a secret is never written here"),
        ({"network": "nonsense"}, "network"),
        ({"colums": "a"}, "colums"),
    ],
)
def test_what_cannot_be_set(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        settings(**given)
    assert words in refused.value.sentence
    assert "canary" not in refused.value.sentence


def test_names_that_people_take_for_others() -> None:
    for taken, meant in (("view", "table"), ("primary_key", "key"), ("text", "content"), ("jdbc_url", "database")):
        with pytest.raises(BadSetting, match=f"Did you mean '{meant}'"):
            settings(**{taken: "x"})


def test_secrets_and_ways_in() -> None:
    found = settings(password="secret:desk")
    assert found.secrets == {"desk"}
    assert found.ways_in == ("password",)
    assert found.named_hosts == (("db.example", 5432),)
    assert settings(password="secret:desk", grants_column="readers").ways_in == ()
    assert settings().common_acl is not None
    assert settings(denies_column="x").common_acl is None


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1", "select 1; ", "WITH a AS (SELECT 1) SELECT * FROM a", "(SELECT 1)", "VALUES (1)",
        "SELECT ';' AS a, \";\" AS b -- ;\n/* ; */ FROM t", "-- all\nSELECT 1", "SELECT '\\d' AS a",
    ],
)  # fmt: skip
def test_queries_that_read(query: str) -> None:
    assert check_query(query) == query.strip().rstrip(";").rstrip()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT 1; DELETE FROM t", "more than one statement"),
        ("SELECT '\\'; DELETE FROM t; --'", "more than one statement"),
        ("SELECT 1 /*! ; DELETE FROM t */", "more than one statement"),
        ("DELETE FROM t", "it is no SELECT"),
        ("/* x */ UPDATE t SET a = 1", "it is no SELECT"),
        ("SELECT 1) x, (SELECT 2", ""),
        ("SELECT 1)", "parentheses do not match"),
        ("SELECT '" + "x" * 100_001 + "'", "100,000 characters"),
    ],
)
def test_queries_that_do_not(query: str, words: str) -> None:
    if not words:
        assert check_query(query)  # balanced by count: the database refuses it
        return
    with pytest.raises(BadSetting) as refused:
        settings(table="", query=query, key="id")
    assert words in refused.value.sentence


def test_a_place_is_looked_at_when_it_is_added(tmp_path: Path) -> None:
    look = source_kind("table").look
    with pytest.raises(Unreachable, match="is not there"):
        look(settings(database=f"sqlite:///{tmp_path}/desk.db"))
    with pytest.raises(BadSetting, match="is a folder"):
        look(settings(database=f"sqlite:///{tmp_path}"))
    with pytest.raises(BadSetting, match="No installed package reads odd"):
        look(settings(database="odd://db.example:99/x"))
    (tmp_path / "desk.db").touch()
    look(settings(database=f"sqlite:///{tmp_path}/desk.db"))


def test_a_driver_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cormorant.sources.table.driver_check.find_spec", lambda _: None)
    with pytest.raises(BadSetting, match=r'pip install "cormorant\[postgres\]"'):
        source_kind("table").look(settings())


def test_a_library_that_a_driver_needs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyodbc.py").write_text("raise ImportError('libodbc.so.2: no such file')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pyodbc", raising=False)
    with pytest.raises(BadSetting, match=r"pyodbc cannot be loaded: libodbc\.so\.2: no such file\. Install unixODBC"):
        source_kind("table").look(settings(database="mssql://db.example/desk"))


def test_scripts_that_cannot_be_written() -> None:
    write = source_kind("table").script
    assert write is not None
    with pytest.raises(UsageError, match="no script for oracle"):
        write(settings(database="oracle://db.example/x", key="id"))
    with pytest.raises(UsageError, match="whose key is set"):
        write(settings())
    assert 'GRANT SELECT ON "tickets_changes" TO "ada"' in write(settings(key="id"))
