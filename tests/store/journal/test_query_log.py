"""Searches and clicks as they lie in the store, on each of them."""

from __future__ import annotations

import pytest

from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import query_log
from cormorant.store.journal.query_log import DAY_S, ClickRow, Counted, Face, QueryReport, QueryRow, together


def asked(text: str, at: float, total: int = 3, token: str = "", page: int = 1, face: Face = Face.PAGE) -> QueryRow:
    return QueryRow(
        at, token or f"{text}{at}", text, together(text), text, total, 1.5, page, "anonymous", '["docs"]', face
    )


def now(tx: Tx) -> float:
    return tx.now()


def test_searches_are_listed_newest_first_with_their_clicks(store: Store) -> None:
    with store.begin() as tx:
        query_log.write(tx, [asked("first", 1.0, token="a"), asked("Second  one", 2.0, token="b")], [])
        query_log.write(tx, [], [ClickRow(2.5, "b", 7, 1), ClickRow(2.6, "b", 8, 2), ClickRow(2.7, "none", 8, 2)])
        query_log.write(tx, [], [])
        newest, oldest = query_log.listed(tx, None, 10)
        assert (newest["text"], newest["clicks"], newest["sources"]) == ("Second  one", 2, ["docs"])
        assert (oldest["text"], oldest["clicks"], oldest["face"]) == ("first", 0, "page")
        assert [each["text"] for each in query_log.listed(tx, newest["id"], 10)] == ["first"]
        assert [each["text"] for each in query_log.listed(tx, None, 1)] == ["Second  one"]


def test_any_text_is_kept(store: Store) -> None:
    with store.begin() as tx:
        query_log.write(tx, [asked("a\0b \udcff \u00e9", 1.0, token="a")], [])
        assert query_log.listed(tx, None, 1)[0]["text"] == "ab ? \u00e9"


@pytest.fixture
def full(store: Store) -> Store:
    with store.begin() as tx:
        at = now(tx)
        query_log.write(tx, [
            asked("Ferry", at, 5, "f1"), asked(" ferry ", at - 10, 2, "f2"), asked("ferry", at - 5, 5, page=2),
            asked("zeppelin", at - 20, 0), asked("ZEPPELIN", at - 15, 0), asked("tide", at - 30, 4, "t"),
            asked("moon", at - 40, 9, face=Face.API), asked("", at, 0), asked("old", at - 40 * DAY_S, 0),
        ], [ClickRow(at, "f1", 7, 1), ClickRow(at, "f1", 8, 2)])  # fmt: skip
    return store


def test_most_asked(full: Store) -> None:
    with full.begin() as tx:
        found = query_log.report(tx, QueryReport.TOP, 30, 10)
        at = now(tx)
        assert [(each.words, each.times, each.total, each.clicks) for each in found] == [
            ("ferry", 2, 5, 2), ("zeppelin", 2, 0, 0), ("moon", 1, 9, 0), ("tide", 1, 4, 0),
        ]  # fmt: skip
        assert at - 5 < found[0].last_at <= at
        assert [each.words for each in query_log.report(tx, QueryReport.TOP, 90, 10)][-1] == "tide"
        assert len(query_log.report(tx, QueryReport.TOP, 30, 1)) == 1
        assert isinstance(found[0], Counted)


def test_asked_without_a_result(full: Store) -> None:
    with full.begin() as tx:
        assert [(each.words, each.times) for each in query_log.report(tx, QueryReport.ZERO, 30, 10)] == [
            ("zeppelin", 2)
        ]


def test_asked_without_a_click(full: Store) -> None:
    with full.begin() as tx:
        assert [each.words for each in query_log.report(tx, QueryReport.UNCLICKED, 30, 10)] == ["tide"]


def test_what_is_old_goes(full: Store) -> None:
    with full.begin() as tx:
        query_log.write(tx, [], [ClickRow(now(tx) - 40 * DAY_S, "old", 1, 1)])
        assert query_log.trim(tx, 30) == 1
        assert "old" not in [each["text"] for each in query_log.listed(tx, None, 100)]
        assert query_log.trim(tx, 0) == 8
        assert query_log.listed(tx, None, 100) == []


def test_there_are_never_more_than_so_many(full: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_log, "MOST_ROWS", 2)
    with full.begin() as tx:
        query_log.trim(tx, 3_650)
        assert [each["text"] for each in query_log.listed(tx, None, 100)] == ["old", ""]
