"""Rows of a table in every dialect: how they are named, read, changed and missed."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.extract.html.page import extract_html
from cormorant.model.acl import ACL
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Gone, Outcome
from cormorant.model.resource import DiscoveredUrl, Removal
from cormorant.plugins import Discovery, Source, make_source
from cormorant.testing import SourceSuite
from cormorant.testing.sources import resource_of
from tests.sources.table.databases import PASSWORD, Database, SqliteFile, statements, values, ways


def made(database: Database, **settings: Any) -> Source:
    """A source that reads the table `tickets`."""
    table = {} if "query" in settings else {"table": "tickets"}
    return make_source("table", 3, {**database.settings(), **table, **settings}, ways(desk=PASSWORD))


def tickets(database: Database, *rows: Sequence[Any], table: str = "tickets") -> None:
    """Make a table with these rows: id, subject, body, author, changed_at, scan, readers."""
    types = values(database)
    database.run(
        f"CREATE TABLE {table} (id {types['id']}, subject varchar(200), body {types['text']}, author varchar(80), "
        f"changed_at {types['time']}, scan {types['blob']}, readers varchar(200))",
        *((f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?)", each) for each in rows),
    )


ONE = (1, "Pump leaks", "The <pump> leaks.\n\nDaily.", "Ada", "2026-11-01 10:00:00", None, "everyone")
TWO = (2, "Valve", "It is stuck.", "Bob", "2026-11-02 10:00:00", b"\x89PNG..", "staff; user:ada")


def listed(source: Source, cursor: str = "") -> dict[str, DiscoveredUrl]:
    """The rows that a discovery names, by the end of their address."""
    found = [each for batch in source.discover(cursor) for each in batch]
    assert all(isinstance(each, DiscoveredUrl) for each in found)
    return {each.address.partition("/3/")[2]: each for each in found if isinstance(each, DiscoveredUrl)}


def visit(source: Source, found: DiscoveredUrl) -> Content | Outcome:
    """Fetch one row."""

    async def fetch() -> Content | Outcome:
        try:
            return await source.fetch(resource_of(found, source), VisitTrace())
        finally:
            await source.close()

    return asyncio.run(fetch())


def read(source: Source, key: str) -> Content:
    """Fetch the row with this key."""
    got = visit(source, DiscoveredUrl(f"table://3/{key}", "table://3"))
    assert isinstance(got, Content), got
    return got


def text_of(content: Content) -> str:
    """The words of a page."""
    return " ".join(extract_html(content.body, address=content.address, charset="utf-8").text.split())


class TestSuite(SourceSuite):
    @pytest.fixture(autouse=True)
    def place(self, database: Database) -> None:
        self.database = database
        tickets(database, ONE, TWO, (3, None, None, None, None, b"", None))

    def make(self) -> Source:
        return made(self.database, title="subject", content="body", attachments="scan")


class TestOtherChanges(TestSuite):
    def make(self) -> Source:
        return made(self.database, incremental="modified", modified_column="changed_at")


class TestQuery(TestSuite):
    def make(self) -> Source:
        return made(self.database, query="SELECT id AS k, subject, ':x' AS c FROM tickets -- all", key="K")


def test_a_row_is_a_page(database: Database) -> None:
    tickets(database, ONE)
    source = made(
        database, title="{subject} ({id})", content="body", attributes=["author=Author", "changed_at=changed_at"],
        modified_column="changed_at", display_url="https://desk.example/{id}?s={subject}",
    )  # fmt: skip
    found = listed(source)["1"]
    assert found.display == "https://desk.example/1?s=Pump%20leaks"
    content = read(source, "1")
    moment = datetime.datetime(2026, 11, 1, 10, tzinfo=datetime.UTC).timestamp()
    assert (content.title, content.mime, content.modified_at) == ("Pump leaks (1)", "text/html", moment)
    assert content.attributes == {"Author": "Ada", "changed_at": moment}
    text = text_of(content)
    assert "The <pump> leaks. Daily." in text
    assert "Author Ada" in text
    assert "Subject" not in text


def test_without_content_every_column_is_shown(database: Database) -> None:
    tickets(database, TWO)
    content = read(made(database), "2")
    for words in ("tickets 2", "subject Valve", "body It is stuck.", "readers staff; user:ada"):
        assert words in text_of(content), text_of(content)


def test_one_binary_column_is_the_document(database: Database) -> None:
    types = values(database)
    database.run(
        f"CREATE TABLE tickets (id {types['id']}, data {types['blob']}, kind varchar(50), name varchar(50))",
        ("INSERT INTO tickets VALUES (1, ?, 'Application/PDF; x=y', 'a.pdf')", (b"%PDF-1.4",)),
        "INSERT INTO tickets VALUES (2, NULL, NULL, 'none')",
    )
    source = made(database, content="data", type_column="kind", file_name_column="name", title="name")
    content = read(source, "1")
    assert (content.body, content.mime, content.file_name) == (b"%PDF-1.4", "application/pdf", "a.pdf")
    assert content.title == "a.pdf"
    assert read(source, "2").mime == "text/html"


def test_html_is_read_as_html(database: Database) -> None:
    tickets(database, (1, "text/html", "<p>One <b>two</b></p>", None, None, None, None))
    assert "One two" in text_of(read(made(database, content="body", type_column="subject"), "1"))


def test_attachments_are_documents_of_their_own(database: Database) -> None:
    tickets(database, ONE, TWO)
    source = made(database, title="subject", content="body", attachments="scan")
    assert set(listed(source)) == {"1", "2", "2?attachment=scan"}
    attachment = read(source, "2?attachment=scan")
    assert (attachment.body, attachment.given_name) == (b"\x89PNG..", "Valve, scan")
    assert "Attachments scan" in text_of(read(source, "2"))
    shown = made(database, attachments="scan", display_url="https://desk.example/{id}")
    assert listed(shown)["2?attachment=scan"].display == "https://desk.example/2#scan"
    gone = visit(source, DiscoveredUrl("table://3/1?attachment=scan", "table://3"))
    assert isinstance(gone, Gone)


@pytest.mark.parametrize("incremental", ["checksum", "modified"])
def test_only_what_changed_has_another_version(database: Database, incremental: str) -> None:
    tickets(database, ONE, TWO)
    chosen = {"incremental": incremental, "modified_column": "changed_at", "overlap_s": "0"}
    before = listed(made(database, content="body", **chosen))
    database.run(
        "UPDATE tickets SET body = 'other', changed_at = '2026-11-03 10:00:00' WHERE id = 1",
        "INSERT INTO tickets (id, body, changed_at) VALUES (4, 'new', '2026-11-02 10:00:00')",
    )
    after = listed(made(database, content="body", **chosen))
    assert set(after) == {"1", "2", "4"}
    assert before["1"].validator != after["1"].validator
    assert (before["2"].validator == after["2"].validator) == (incremental == "checksum")
    again = listed(made(database, content="body", **chosen))
    assert again == after


def test_a_change_within_one_tick_is_found(database: Database) -> None:
    tickets(database, ONE, (2, "b", "b", "b", "2026-11-01 10:05:00", None, None), (3, "c", "c", "c", None, None, None))
    chosen: dict[str, Any] = {"incremental": "modified", "modified_column": "changed_at", "content": "body"}
    before = listed(made(database, **chosen))
    database.run("UPDATE tickets SET body = 'other' WHERE id IN (1, 3)")
    after = listed(made(database, **chosen))
    assert {key for key in after if before[key].validator != after[key].validator} == {"1", "3"}
    narrow = {**chosen, "overlap_s": "60"}
    before = listed(made(database, **narrow))
    database.run("UPDATE tickets SET body = 'once more' WHERE id IN (1, 3)")
    after = listed(made(database, **narrow))
    assert {key for key in after if before[key].validator != after[key].validator} == {"3"}


def test_rows_with_one_modification_time_have_versions_of_their_own(database: Database) -> None:
    rows = [(n, "a", "a", "a", "2026-11-01 10:00:00", None, None) for n in range(1, 4)]
    newest = (9, "a", "a", "a", "2026-12-01 10:00:00", None, None)
    tickets(database, *rows, newest)
    found = listed(made(database, incremental="modified", modified_column="changed_at"))
    assert len({each.validator for each in found.values()}) == 4


def test_rights_of_a_row(database: Database) -> None:
    tickets(database, ONE, TWO, (3, "x", "x", "x", None, None, None))
    source = made(database, grants_column="readers", denies_column="author", denies="user:eve")
    assert read(source, "1").acl == ACL.of(["everyone"], ["group:Ada", "user:eve"])
    assert read(source, "2").acl == ACL.of(["group:staff", "user:ada"], ["group:Bob", "user:eve"])
    assert read(source, "3").acl == ACL.of([], ["group:x", "user:eve"])
    assert "staff" not in text_of(read(source, "2"))


@pytest.mark.parametrize("incremental", ["checksum", "modified"])
def test_other_rights_are_another_version(database: Database, incremental: str) -> None:
    tickets(database, ONE, (9, "a", "a", "a", "2027-01-01 10:00:00", None, None))
    chosen = {"incremental": incremental, "modified_column": "changed_at", "grants_column": "readers"}
    before = listed(made(database, content="body", **chosen))
    database.run("UPDATE tickets SET readers = 'staff' WHERE id = 1")
    after = listed(made(database, content="body", **chosen))
    assert before["1"].validator != after["1"].validator
    assert before["9"] == after["9"]


def test_a_row_that_vanished_is_gone(database: Database) -> None:
    tickets(database, ONE, TWO)
    source = made(database)
    found = listed(source)
    database.run("DELETE FROM tickets WHERE id = 2")
    assert isinstance(visit(source, found["2"]), Gone)


def test_what_is_too_big_is_not_read(database: Database) -> None:
    tickets(database, (1, "a", "x" * 3_000, "a", None, b"y" * 3_000, None), (2, *ONE[1:]))
    source = made(database, content="body", attachments="scan", max_size_bytes="2000")
    for key in ("1", "1?attachment=scan"):
        got = visit(source, DiscoveredUrl(f"table://3/{key}", "table://3"))
        assert isinstance(got, Excluded), got
        assert got.status == 960
    assert isinstance(read(source, "2"), Content)
    cut = read(made(database, content="body", attachments="scan", max_size_bytes="2000", too_big="cut"), "1")
    assert (len(cut.body), cut.truncated) == (2_000, True)


def test_odd_names_are_quoted(database: Database) -> None:
    mark = "`" if database.dialect == "mysql" else '"'

    def quoted(name: str) -> str:
        return mark + name + mark

    types = values(database)
    odd = ["select", "a b", "100%", "q?", ":colon", "Größe"]
    columns = ", ".join(f"{quoted(each)} varchar(20)" for each in odd)
    database.run(f"CREATE TABLE {quoted('my table; --')} (id {types['id']}, {columns})")
    names = ", ".join(map(quoted, odd))
    shown = ", ".join(f"'v{n}'" for n in range(len(odd)))
    if database.dialect != "sqlite":
        names = names.replace("%", "%%") if database.dialect == "mysql" else names
    database.run(f"INSERT INTO {quoted('my table; --')} (id, {names.replace('%%', '%')}) VALUES (1, {shown})")
    source = made(database, table='"my table; --"', content=odd, title="a b", display_url="https://x.example/{100%}")
    assert listed(source)["1"].display == "https://x.example/v2"
    content = read(source, "1")
    assert content.title == "v1"
    for number, each in enumerate(odd):
        assert f"{each} v{number}" in text_of(content)


def test_keys_of_any_characters(database: Database) -> None:
    database.run("CREATE TABLE tickets (a varchar(50), b varchar(50), c varchar(50), PRIMARY KEY (a, b))")
    keys = [
        ("a/b", "?#%"), ("", "."), ("..", "~"), ("~x6", "17"), ("é\u200b\U0001f600", "'; DROP TABLE tickets; --"),
        ("tab\there", "new\nline"), ("<b>", "#/x!/y"),
    ]  # fmt: skip
    database.run(*(("INSERT INTO tickets VALUES (?, ?, ?)", (*key, f"word{n}")) for n, key in enumerate(keys)))
    source = made(database, content="c")
    found = listed(source)
    assert len(found) == len(keys)
    texts = []
    for each in found.values():
        assert source.gates.follow(each.address, 0).admitted, each.address
        got = visit(source, each)
        assert isinstance(got, Content), (each.address, got)
        texts.append(text_of(got).split()[-1])
    assert sorted(texts) == [f"word{n}" for n in range(len(keys))]


def test_no_key_is_no_row(database: Database) -> None:
    database.run("CREATE TABLE tickets (a int, b varchar(9))", "INSERT INTO tickets VALUES (1, 'x'), (NULL, 'y')")
    source = made(database, key="a")
    found = [each for batch in source.discover("") for each in batch if isinstance(each, DiscoveredUrl)]
    rulings = [source.gates.follow(each.address, 0) for each in found]
    assert [(each.admitted, each.rule) for each in rulings] == [
        (True, rulings[0].rule), (False, "a column of the key has no value (NULL)"),
    ]  # fmt: skip


def test_keys_that_do_not_tell_rows_apart(database: Database) -> None:
    database.run(
        "CREATE TABLE tickets (a int, b varchar(9))", "INSERT INTO tickets VALUES (7, 'x'), (7, 'y'), (8, 'z')"
    )
    with pytest.raises(Unreachable, match="2 rows have the key 7 in a, so they cannot be told apart"):
        listed(made(database, key="a"))
    assert len(listed(made(database, key=["a", "b"]))) == 3
    with pytest.raises(Unreachable, match="has no primary key"):
        listed(made(database))


def test_missing_tables_and_columns_name_the_nearest(database: Database) -> None:
    tickets(database, ONE)
    with pytest.raises(Unreachable, match=r"no table or view 'ticket' .* Perhaps tickets is meant"):
        listed(made(database, table="ticket"))
    with pytest.raises(Unreachable, match=r"tickets has no column 'subjet'\. Perhaps subject is meant"):
        listed(made(database, title="subjet"))
    with pytest.raises(Unreachable, match="cannot be read"):
        listed(made(database, query="SELECT nonsense FROM tickets", key="id"))
    got = visit(made(database, title="subjet"), DiscoveredUrl("table://3/1", "table://3"))
    assert isinstance(got, Deferred)
    assert got.whole_site


def test_a_query_may_not_write(database: Database) -> None:
    tickets(database, ONE)
    if database.dialect == "postgresql":
        database.run("CREATE FUNCTION spoil() RETURNS int LANGUAGE sql AS 'DELETE FROM tickets RETURNING 1'")
        database.run("GRANT DELETE ON tickets TO reader", "ALTER FUNCTION spoil() SECURITY DEFINER")
        with pytest.raises(Unreachable, match="read-only"):
            listed(made(database, query="SELECT spoil() AS id", key="id"))
    with pytest.raises(Unreachable):
        listed(made(database, query="SELECT 1 AS id) x, (DELETE FROM tickets", key="id"))
    assert set(listed(made(database))) == {"1"}


def test_a_place_that_is_suddenly_empty(database: Database) -> None:
    tickets(database, ONE)
    source = made(database)
    listed(source)
    database.run("DELETE FROM tickets")
    again = made(database)
    with pytest.raises(Unreachable, match="has no rows, and had some before"):
        listed(again, source.next_cursor)
    assert not again.next_cursor
    emptied = made(database)
    assert not listed(emptied)
    assert not listed(made(database), emptied.next_cursor)
    other = made(database, query="SELECT * FROM tickets WHERE id > 5", key="id")
    assert not listed(other, source.next_cursor)


def test_cells_of_every_type(database: Database) -> None:
    if database.dialect == "postgresql":
        database.run(
            "CREATE TYPE mood AS ENUM ('sad', 'ok')",
            "CREATE TABLE tickets (id int primary key, a timestamp, b numeric, c text[], d jsonb, e mood, f int4range, "
            "g interval, h uuid, i inet, j bytea, k double precision, l date, m point, n bool, o text[])",
            "INSERT INTO tickets VALUES (1, 'infinity', 'NaN', '{x,y}', '{\"p\": [1]}', 'ok', '[1,5)', '1 mon', "
            "'00000000-0000-0000-0000-000000000001', '10.0.0.1', '\\x00ff', 'Infinity', '4713-01-01 BC', '(1,2)', "
            "true, '{staff,\"a,b\"}')",
            ("INSERT INTO tickets (id, b) VALUES (2, ?)", ("9" * 1_000,)),
        )
        words = [
            "a infinity",
            "b NaN",
            "c x, y",
            "e ok",
            "f [1,5)",
            "g 1 mon",
            "i 10.0.0.1",
            "k inf",
            "l 4713-01-01 BC",
        ]
    elif database.dialect == "mysql":
        database.run(
            "SET SESSION sql_mode = ''",
            "CREATE TABLE tickets (id int primary key, a datetime, b decimal(65, 30), c json, d set('x', 'y'), "
            "e bit(9), f time, g year, h geometry, j binary(4), o text)",
            "INSERT INTO tickets VALUES (1, '0000-00-00', 1.5, '{\"p\": [1]}', 'x,y', b'1', '-838:59:59', 2026, "
            "ST_GeomFromText('POINT(1 2)'), x'00ff', 'staff;b')",
        )
        words = ["a 0000-00-00", "d x,y", "g 2026"]
    else:
        database.run(
            "CREATE TABLE tickets (id int primary key, a odd_type, b, c, o)",
            "INSERT INTO tickets VALUES (1, 1.5, 'text', CAST(x'61ff62' AS TEXT), 'staff;b')",
        )
        words = ["a 1.5", "b text", "c a\N{REPLACEMENT CHARACTER}b"]
    source = made(database, grants_column="o", attributes=["b=Number"])
    assert set(listed(source)) >= {"1"}
    content = read(source, "1")
    text = text_of(content)
    assert not [each for each in words if each not in text], text
    assert content.acl is not None
    assert "group:staff" in content.acl.grants


def test_a_log_names_what_changed(database: Database) -> None:
    tickets(database, ONE, TWO, (3, "x", "x", "x", None, b"scan", None))
    chosen: dict[str, Any] = {
        "key": "id", "incremental": "log", "log_table": "ticket log", "content": "body", "attachments": "scan",
        "overlap_s": "0", "full_every": "3",
    }  # fmt: skip
    database.run(*script(database, chosen))
    first = made(database, **chosen)
    before = listed(first)
    assert first.discovery is Discovery.LISTING
    assert set(before) == {"1", "2", "2?attachment=scan", "3", "3?attachment=scan"}
    database.run(
        "UPDATE tickets SET body = 'other' WHERE id = 1", "DELETE FROM tickets WHERE id = 2",
        "UPDATE tickets SET scan = NULL, id = 33 WHERE id = 3", "INSERT INTO tickets (id, body) VALUES (5, 'new')",
    )  # fmt: skip
    second = made(database, **chosen)
    found = {each.address.partition("/3/")[2]: each for batch in second.discover(first.next_cursor) for each in batch}
    assert second.discovery is Discovery.FEED
    gone = {key for key, each in found.items() if isinstance(each, Removal)}
    assert {"2", "2?attachment=scan", "3", "3?attachment=scan"} <= gone
    named = {key: each for key, each in found.items() if isinstance(each, DiscoveredUrl)}
    assert set(named) == {"1", "5", "33"}
    assert named["1"].validator != before["1"].validator
    third = made(database, **chosen)
    assert {each.address.partition("/3/")[2] for batch in third.discover(second.next_cursor) for each in batch}
    assert third.discovery is Discovery.FEED
    fourth = made(database, **chosen)
    everything = listed(fourth, third.next_cursor)
    assert fourth.discovery is Discovery.LISTING
    assert set(everything) == {"1", "5", "33"}
    assert everything["1"].validator == named["1"].validator


def script(database: Database, chosen: Mapping[str, Any]) -> list[str]:
    """The statements that an administrator is given, one by one."""
    from cormorant.plugins import source_kind, source_settings

    settings = source_settings("table", {**database.settings(), "table": "tickets", **chosen})
    write = source_kind("table").script
    assert write is not None
    return statements(write(settings))


def test_a_log_without_its_end_lists_everything(database: Database) -> None:
    tickets(database, ONE, TWO)
    chosen: dict[str, Any] = {"key": "id", "incremental": "log", "log_table": "log", "overlap_s": "0"}
    database.run(*script(database, chosen))
    database.run("UPDATE tickets SET body = 'a'", "UPDATE tickets SET body = 'b'")
    first = made(database, **chosen)
    listed(first)
    assert json.loads(first.next_cursor)[2][0] > 0
    database.run("UPDATE tickets SET body = 'c'", "DELETE FROM log")
    second = made(database, **chosen)
    assert set(listed(second, first.next_cursor)) == {"1", "2"}
    assert second.discovery is Discovery.LISTING


def test_a_late_entry_is_read_again(database: Database) -> None:
    tickets(database, ONE, TWO)
    chosen: dict[str, Any] = {"key": "id", "incremental": "log", "log_table": "log", "content": "body"}
    database.run(*script(database, chosen))
    database.run("UPDATE tickets SET author = 'Eve' WHERE id = 1")
    first = made(database, **chosen)
    before = listed(first)
    second = made(database, **chosen)
    again = listed(second, first.next_cursor)
    assert second.discovery is Discovery.FEED
    assert again == {"1": before["1"]}


def test_a_log_table_that_is_missing_says_how_to_make_it(database: Database) -> None:
    tickets(database, ONE)
    with pytest.raises(Unreachable, match="`cormorant source script NAME`"):
        listed(made(database, key="id", incremental="log", log_table="log"))


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
