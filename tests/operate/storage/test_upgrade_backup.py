"""A database of PostgreSQL is upgraded once its rows are kept, and comes back from them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.commands.restore import restore
from cormorant.app.settings import InstallationSettings
from cormorant.base.clock import SystemClock
from cormorant.base.errors import ConflictError
from cormorant.operate.storage import archive, upgrade_backup
from cormorant.operate.storage.archive import ArchiveChunk
from cormorant.store.catalog import sources
from cormorant.store.db import migrate
from cormorant.store.db.database import Store, Tx
from cormorant.store.db.migrate import Upgraded
from cormorant.store.schema import SCHEMA_VERSION, site
from tests.clocks import HANG_S
from tests.store.older import BEFORE_0017
from tests.stores import Postgres

KEPT = f"cormorant.before-{SCHEMA_VERSION}.tar"


@pytest.fixture
def plan(postgres: Postgres, tmp_path: Path) -> Iterator[BuildPlan]:
    """An installation as version 0015 left it, with a source and a site."""
    with postgres.database() as url:
        made = BuildPlan(tmp_path / "data", InstallationSettings(store=url))
        with opened(made, new=True) as house, house.store.begin() as tx:
            sources.add(tx, "web", "docs", {"depth": 2})
            tx.execute(sa.insert(site).values(key="old.example"))
            for change in BEFORE_0017:
                tx.driver(change)
        yield made


def tables(path: Path) -> set[str]:
    return {part.table for part in archive.parts(path, archive.Manifest()) if isinstance(part, ArchiveChunk)}


def test_its_rows_are_kept_and_come_back(plan: BuildPlan) -> None:
    done: list[Upgraded] = []
    with opened(plan, on_upgrade=done.append) as house, house.store.begin() as tx:
        sources.add(tx, "web", "later", {})
    assert [(each.before, each.now, each.backup) for each in done] == [("0015", SCHEMA_VERSION, plan.folder / KEPT)]
    found = archive.check(plan.folder / KEPT)
    assert (found.about.schema, found.about.store, found.about.copies) == ("0015", "postgresql", False)
    assert {"source", "site", "stream_head"} <= tables(plan.folder / KEPT)
    assert "session" not in tables(plan.folder / KEPT)
    assert (plan.folder / KEPT).stat().st_mode & 0o777 == 0o600
    restore(plan, plan.folder / KEPT, yes=True, copies=False)
    with opened(plan, on_upgrade=done.append) as house, house.store.read() as tx:
        assert [(row.name, row.settings) for row in sources.every(tx)] == [("docs", {"depth": 2})]
        assert tx.driver("SELECT key FROM site").scalar_one() == "old.example"
    assert len(done) == 1, "what came back was brought up on its way"


def test_without_a_place_for_them_it_is_left_as_it_was(plan: BuildPlan) -> None:
    (plan.folder / KEPT).write_bytes(b"something else")
    with pytest.raises(ConflictError, match=f"{KEPT} exists, and is no backup of cormorant"), opened(plan):
        pass
    store = Store.open(plan.store_url, SystemClock())
    with store.read() as tx:
        assert tx.driver("SELECT version_num FROM alembic_version").scalar_one() == "0015"
        assert tx.driver("SELECT key FROM site").scalar_one() == "old.example"
    store.close()


def test_nobody_writes_what_would_not_be_kept(plan: BuildPlan) -> None:
    """Whoever writes meanwhile waits until the database is of today."""
    kept, wrote = threading.Event(), threading.Event()
    store, other = (Store.open(plan.store_url, SystemClock()) for _ in range(2))

    def write() -> None:
        kept.wait(HANG_S)
        with other.begin() as tx:
            tx.driver("INSERT INTO site (key) VALUES ('between')")
        wrote.set()

    def keep(tx: Tx, schema: str) -> Path:
        kept.set()
        assert not wrote.wait(1.0)
        return upgrade_backup.keep(plan.folder, tx, schema)

    writer = threading.Thread(target=write)
    writer.start()
    migrate.prepare(store, keep)
    writer.join(HANG_S)
    assert wrote.is_set()
    (rows,) = (
        part.rows for part in archive.parts(plan.folder / KEPT, archive.Manifest())
        if isinstance(part, ArchiveChunk) and part.table == "site"
    )  # fmt: skip
    assert len(rows) == 1
    store.close()
    other.close()
