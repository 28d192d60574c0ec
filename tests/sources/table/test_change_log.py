"""A log table that triggers write names what changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from cormorant.base.errors import Unreachable
from cormorant.model.resource import DiscoveredUrl, Removal
from cormorant.plugins import Discovery, source_kind, source_settings
from tests.sources.table.databases import Database, statements
from tests.sources.table.tickets import ONE, TWO, listed, made, tickets


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
