"""Hot statements use the indexes that were made for them: a scan is not seen before there are a million rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.frontier.links import inlinks, late_inlinks, orphans
from cormorant.frontier.progress import remaining
from cormorant.frontier.queue import host_leases, seen_lookup
from cormorant.frontier.queue.host_leases import ReadWindow
from cormorant.frontier.staging import pending_deletes
from cormorant.store.db.database import Store, Tx

ON_POSTGRESQL = pytest.mark.parametrize("kind", ["postgresql"], indirect=True)
ON_SQLITE = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)


def plan_of(tx: Tx, work: Callable[[Tx], object]) -> str:
    """How the database goes about the statements of some work: of SQLite a line a table."""
    raw: Any = tx.connection.connection.dbapi_connection
    explained, column = ("EXPLAIN QUERY PLAN", 3) if tx.sqlite else ("EXPLAIN", 0)
    lines: list[str] = []

    def explain(_c: object, _u: object, sql: str, bound: Any, _x: object, _m: object) -> None:
        lines.extend(row[column] for row in raw.execute(f"{explained} {sql}", bound))

    sa.event.listen(tx.connection, "before_cursor_execute", explain)
    work(tx)
    return "\n".join(lines)


@ON_SQLITE
@pytest.mark.parametrize(
    ("work", "planned"),
    [
        (
            lambda tx: host_leases.read(tx, ReadWindow(1, 1, 1)),
            "USING INDEX ix_resource_ready (site_id=? AND source_id=?",
        ),
        (
            lambda tx: host_leases.earliest(tx, ReadWindow(1, 1, 1)),
            "USING INDEX ix_resource_ready (site_id=? AND source_id=?",
        ),
        (
            lambda tx: host_leases.read(tx, ReadWindow(1, 1, 1, 0, 9)),
            "USING INDEX ix_resource_ready (site_id=? AND source",
        ),
        (lambda tx: remaining.awake(tx, 1, 1), "COVERING INDEX ix_resource_ready (site_id=? AND source_id=?"),
        (lambda tx: remaining.awake(tx, 1, 1, 9), "USING INDEX ix_resource_ready (site_id=? AND source_id=?"),
        (lambda tx: seen_lookup.page(tx, 1), "COVERING INDEX sqlite_autoindex_resource_1 (site_id=? AND"),
        (lambda tx: host_leases.at_address(tx, 1, 1, "x"), "sqlite_autoindex_resource_1 (site_id=? AND hash=?)"),
        (lambda tx: remaining.to_fetch(tx, 1, 1), "COVERING INDEX ix_resource_ready (site_id=? AND source_id=?"),
        (lambda tx: pending_deletes.indexed_count(tx, 1), "COVERING INDEX ix_content_indexed"),
        (lambda tx: pending_deletes.absent(tx, 1, 1, 10, 0), "ix_content_indexed (source_id=? AND rowid>?)"),
        (
            lambda tx: pending_deletes.gone_before(tx, 1, 1),
            "USING INDEX ix_resource_astray (source_id=? AND outcome=?)",
        ),
        (lambda tx: pending_deletes.stray(tx, 1, 1, 10, 0), "USING INDEX ix_resource_troubled (source_id=?"),
        (lambda tx: pending_deletes.stray(tx, 1, 1, 10, 0), "ix_resource_excluded (source_id=? AND run>? AND run<?"),
        (
            lambda tx: pending_deletes.absent_count(tx, 1, 1),
            "USING INDEX ix_resource_astray (source_id=? AND outcome=?)",
        ),
        (lambda tx: inlinks.chunk(tx, 1), "USING INDEX ix_outlinks_changed"),
        (lambda tx: orphans.count(tx, 1), "ix_content_indexed"),
        (lambda tx: late_inlinks.some(tx, 1), "ix_inlinks_stale"),
        (lambda tx: late_inlinks.some(tx, 1), "ix_content_indexed"),
        (lambda tx: pending_deletes.unreached_count(tx, 1), "SEARCH resource USING INTEGER PRIMARY KEY"),
        (lambda tx: pending_deletes.waiting_by_rule(tx, 1), "SEARCH resource USING INTEGER PRIMARY KEY"),
    ],
    ids=[
        "read",
        "earliest",
        "read new",
        "awake",
        "awake new",
        "a page of keys",
        "at_address",
        "to_fetch",
        "indexed_count",
        "absent",
        "gone_before",
        "stray failed",
        "stray excluded",
        "absent_count",
        "chunk",
        "unlinked",
        "entered linked",
        "entered bare",
        "unreached_count",
        "waiting_by_rule",
    ],
)
def test_no_hot_statement_looks_at_every_row(store: Store, work: Callable[[Tx], object], planned: str) -> None:
    with store.begin() as tx:
        plan = plan_of(tx, work)
    assert planned in plan
    for table in ("resource", "content"):
        assert f"SCAN {table}" not in plan


@ON_SQLITE
def test_the_order_of_visits_comes_from_the_index(store: Store) -> None:
    with store.begin() as tx:
        assert "TEMP B-TREE" not in plan_of(tx, lambda tx: host_leases.read(tx, ReadWindow(1, 1, 1)))
        assert "TEMP B-TREE" not in plan_of(tx, lambda tx: host_leases.read(tx, ReadWindow(1, 1, 1, 0, 9)))
        assert "TEMP B-TREE" not in plan_of(tx, lambda tx: seen_lookup.page(tx, 1))


@ON_POSTGRESQL
def test_what_is_due_alike_is_not_sorted_to_find_the_next(store: Store) -> None:
    with store.begin() as tx:
        for way in ("seqscan", "bitmapscan"):
            tx.driver(f"SET LOCAL enable_{way} = off")
        plan = plan_of(tx, lambda tx: host_leases.read(tx, ReadWindow(1, 1, 1)))
    assert "Index Scan using ix_resource_ready" in plan
    assert "Sort" not in plan
