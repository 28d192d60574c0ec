"""Rows of a table in every dialect: how they are named, read, changed and missed."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from cormorant.base.errors import Unreachable
from cormorant.model.acl import ACL
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Excluded, Gone
from cormorant.model.resource import DiscoveredUrl
from cormorant.plugins import Source
from cormorant.testing import SourceSuite
from tests.sources.table.databases import Database, values
from tests.sources.table.tickets import ONE, TWO, listed, made, read, text_of, tickets, visit


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
    assert before["2"].validator == after["2"].validator
    again = listed(made(database, content="body", **chosen))
    assert again == after


def test_a_change_within_one_tick_is_found(database: Database) -> None:
    tickets(
        database, ONE, (2, "b", "b", "b", "2026-11-01 10:05:00", None, None), (3, "c", "c", "c", None, None, None),
        (4, "d", "d", "d", "2026-11-01 10:05:00", b"scan", None),
    )  # fmt: skip
    chosen: dict[str, Any] = {
        "incremental": "modified", "modified_column": "changed_at", "content": "body", "attachments": "scan",
    }  # fmt: skip

    known = dict[str, str]()

    def after(statement: str, cursor: str, **other: str) -> tuple[set[str], str]:
        nonlocal known
        if statement:
            database.run(statement)
        source = made(database, **chosen, **other)
        found = listed(source, cursor)
        changed = {key for key in found if key not in known or known[key] != found[key].validator}
        known = {key: each.validator for key, each in found.items()}
        return changed, source.next_cursor

    everything, cursor = after("", "")
    assert everything == {"1", "2", "3", "4", "4?attachment=scan"}
    assert after("", cursor)[0] == set()
    changed, cursor = after("UPDATE tickets SET body = 'other' WHERE id IN (1, 3, 4)", cursor)
    assert changed == {"1", "3", "4", "4?attachment=scan"}
    late = "INSERT INTO tickets (id, body, changed_at) VALUES (5, 'late', '2026-12-01 10:00:00')"
    changed, cursor = after(late, cursor)
    assert changed == {"5"}, "rows that are no longer among the newest are not read again"
    changed, cursor = after("UPDATE tickets SET body = 'hidden' WHERE id = 2", cursor)
    assert changed <= {"1", "4", "4?attachment=scan"}, "what changed within a tick gets its plain version back, once"
    assert after("", cursor)[0] == set()


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
    with pytest.raises(Unreachable, match=r"no table or view 'ticket' .* Perhaps tickets is meant") as refused:
        listed(made(database, table="ticket"))
    assert refused.value.__cause__ is None, "a run would take it for a fault of the installation's own database"
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
