from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from pysqlite3 import dbapi2 as sqlite

from cormorant.access import tokens
from cormorant.base.clock import SystemClock
from cormorant.base.errors import DataFolderError, StoreError
from cormorant.frontier.state import writes
from cormorant.model.resource import Role
from cormorant.model.run import Mode, Refresh, RunState
from cormorant.model.scope import Scope
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers, sources
from cormorant.store.db import migrate
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import runs
from cormorant.store.schema import SCHEMA_VERSION, content, metadata, near, near_band, resource, site, stream_head
from tests.frontier.samples import a_content
from tests.store.older import BEFORE_0013, BEFORE_0015, BEFORE_0017, BEFORE_0024, BEFORE_0027, BEFORE_0029, BEFORE_0036
from tests.stores import keep, prepare, within

NEXT = '''"""A newer version."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{before}"


def upgrade() -> None:
    op.add_column("site", sa.Column("note", sa.Text, nullable=False, server_default="new"))
    {then}
'''


def opened(url: str) -> Store:
    return Store.open(url, SystemClock())


def version(tx: Tx) -> str:
    return str(tx.driver("SELECT version_num FROM alembic_version").scalar_one())


def index(said: Any) -> tuple[str, str, str]:
    where = {name: str(value) for name, value in said.get("dialect_options", {}).items()}
    return said["name"], str(said["column_names"]), str(where)


def shape(tx: Tx) -> dict[str, Any]:
    """Everything a database says about its tables, in an order of its own."""
    asked = sa.inspect(tx.connection)
    return {
        table: {
            "columns": [{**column, "type": str(column["type"])} for column in asked.get_columns(table)],
            "key": asked.get_pk_constraint(table)["constrained_columns"],
            "unique": sorted(each["column_names"] for each in asked.get_unique_constraints(table)),
            "indexes": sorted(map(index, asked.get_indexes(table))),
        }
        for table in asked.get_table_names()
    }


@pytest.fixture
def store(empty_url: str) -> Iterator[Store]:
    """A store of its own, since its schema is changed."""
    prepare(empty_url)
    store = opened(empty_url)
    yield store
    store.close()


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """This program, one version on; returns the file of its revision."""
    folder = tmp_path / "100% migrations"
    shutil.copytree(migrate.MIGRATIONS, folder)
    revision = folder / "versions" / "9999_next.py"
    revision.write_text(NEXT.format(before=SCHEMA_VERSION, then="pass"))
    monkeypatch.setattr(migrate, "MIGRATIONS", folder)
    monkeypatch.setattr(migrate, "SCHEMA_VERSION", "9999")
    return revision


def test_a_database_in_which_nothing_ever_was_may_be_refused(empty_url: str) -> None:
    def refuse() -> None:
        raise KeyError

    store = opened(empty_url)
    for names in (set[str](), set(metadata.tables)):
        with pytest.raises(KeyError):
            migrate.prepare(store, keep, refuse)
        with store.read() as tx:
            assert names == set(sa.inspect(tx.connection).get_table_names()) - {"alembic_version"}
        migrate.prepare(store, keep)
    within(store, stream.installation)
    migrate.prepare(store, keep, refuse)
    store.close()


def test_what_is_nearly_the_same_is_looked_for_anew_since_0024(store: Store) -> None:
    with store.begin() as tx:
        tx.execute(near.insert().values(id=1, source_id=1, acl_id=1, sketch=b"x" * 70, label=7, leads=True, seq=1))
        tx.execute(near_band.insert().values(key=9, id=1))
        for change in BEFORE_0024:
            tx.driver(change)
    migrate.prepare(store, keep)
    with store.read() as tx:
        assert tx.rows(near.select()) == tx.rows(near_band.select()) == []


def test_tokens_of_before_0036_open_everything_as_they_did_and_new_rows_the_least(store: Store) -> None:
    with store.begin() as tx:
        for name in ("ada", "first"):
            tokens.add(tx, name, name.encode(), Scope.SEARCH)
        for change in BEFORE_0036:
            tx.driver(change)
    migrate.prepare(store, keep)
    with store.begin() as tx:
        assert {row.name: row.scope for row in tokens.every(tx)} == {"ada": Scope.ADMIN, "first": Scope.ADMIN}
        tx.driver("INSERT INTO token (name, digest, created_at) VALUES ('bare', 'x', 0)")
        assert tokens.named(tx, "bare").scope is Scope.SEARCH


def test_a_source_and_a_run_of_before_0013_are_kept(store: Store) -> None:
    with store.begin() as tx:
        number = sources.add(tx, "web", "docs", {"depth": 2})
        runs.change(tx, runs.request(tx, number, "{}", Refresh.ALL, force=False), started_at=5.0, finished_at=7.5)
        for change in BEFORE_0013:
            tx.driver(change)
    migrate.prepare(store, keep)
    with store.begin() as tx:
        assert version(tx) == SCHEMA_VERSION
        assert (sources.named(tx, "docs").settings, sources.agreed(tx, number, tx.now())) == ({"depth": 2}, {})
        assert runs.get(tx).seconds(100.0) == 2.5
        sources.edit(tx, number, {}, {"boundary: exclude path:/x": 3})
        assert sources.agreed(tx, number, tx.now()) == {"boundary: exclude path:/x": 3}
        assert sources.agreed(tx, number, tx.now() - 60) == {}, "not in a run that was asked for before"


def test_a_receiver_and_a_stream_of_before_0015_are_kept(store: Store) -> None:
    with store.begin() as tx:
        number = receivers.add(tx, "jsonlines", "out", None, {"path": "/x"}, 0)
        stream.append(tx, [NewEvent(1, 2, 3, Event.NEW)])
        for change in BEFORE_0015:
            tx.driver(change)
    migrate.prepare(store, keep)
    with store.begin() as tx:
        (row,) = receivers.every(tx)
        assert (row.id, row.failures, row.try_at, row.resend, row.lent_until) == (number, 0, None, None, None)
        assert [each.resource for each in stream.after(tx, 0, 9, 1, number)] == [2]
        assert stream.installation(tx) == stream.installation(tx) != ""


def test_a_source_and_a_run_of_before_0017_are_kept(store: Store) -> None:
    with store.begin() as tx:
        number = sources.add(tx, "web", "docs", {"depth": 2})
        runs.request(tx, number, "{}", Refresh.ALL, force=True)
        for change in BEFORE_0017:
            tx.driver(change)
    migrate.prepare(store, keep)
    with store.begin() as tx:
        row, before = sources.named(tx, "docs"), runs.get(tx)
        assert (version(tx), row.settings, row.test_of) == (SCHEMA_VERSION, {"depth": 2}, None)
        assert (before.mode, before.forget, before.force) == (Mode.ACCEPT, False, True)


def test_runs_of_before_0024_go_on_where_they_were_left_and_wait_as_they_did(store: Store) -> None:
    with store.begin() as tx:
        begun, unbegun, under_way, waiting = (runs.request(tx, 1, "{}", Refresh.ALL, force=False) for _ in range(4))
        for number, state, asked in (
            (begun, RunState.SUSPENDED, "retrieving"), (unbegun, RunState.SUSPENDED, "waiting"),
            (under_way, RunState.SWEEPING, "accept"), (waiting, RunState.WAITING, None),
        ):  # fmt: skip
            runs.change(tx, number, state=state, asked=asked)
        for change in BEFORE_0024:
            tx.driver(change)
    migrate.prepare(store, keep)
    with store.begin() as tx:
        rows = [runs.get(tx, number) for number in (begun, unbegun, under_way, waiting)]
        assert [row.goes_on for row in rows] == [RunState.RETRIEVING, None, None, None]
        assert [row.asked for row in rows] == [None, None, "accept", None]
        assert [(row.is_queued, row.is_under_way) for row in rows[2:]] == [(False, True), (True, False)]


def test_of_runs_of_before_0027_it_is_known_what_was_refused(store: Store) -> None:
    told = ("the deletion was refused", "the change was refused", "the deletion was accepted", None)
    with store.begin() as tx:
        numbers = [runs.request(tx, 1, "{}", Refresh.ALL, force=False) for _ in told]
        for number, reason in zip(numbers, told, strict=True):
            runs.change(tx, number, state=RunState.FINISHED, reason=reason)
        for change in BEFORE_0027:
            tx.driver(change)
    migrate.prepare(store, keep)
    with store.begin() as tx:
        assert [runs.get(tx, number).asked for number in numbers] == [runs.REFUSE, runs.REFUSE, None, None]


def test_sitemaps_of_before_0029_are_read_once_more(store: Store) -> None:
    """One that always was a sitemap, one that was taken for a document, and a document."""
    roles = {1: Role.SITEMAP, 2: Role.SITEMAP, 3: Role.DOCUMENT}
    with store.begin() as tx:
        for number, role in roles.items():
            tx.execute(resource.insert().values(
                id=number, source_id=1, site_id=1, hash=number, role=int(role), state=0, due=0, depth=0, how=0,
                address=f"https://a.example/{number}", validator='"1"\nMonday',
            ))  # fmt: skip
        writes.contents(tx, [a_content(number, 1)._replace(etag='"1"', modified="Monday") for number in (2, 3)])
        for change in BEFORE_0029:
            tx.driver(change)
    migrate.prepare(store, keep)
    with store.read() as tx:
        validators = {row.id: row.validator for row in tx.rows(sa.select(resource.c.id, resource.c.validator))}
        assert validators == {1: None, 2: None, 3: '"1"\nMonday'}
        kept = {row.id: (row.etag, row.modified) for row in tx.rows(sa.select(content))}
        assert kept == {2: ("", ""), 3: ('"1"', "Monday")}


def test_a_new_database_has_every_table_and_today_s_version(empty_url: str) -> None:
    store = opened(empty_url)
    migrate.prepare(store, keep)
    with store.read() as tx:
        assert set(sa.inspect(tx.connection).get_table_names()) == {*metadata.tables, "alembic_version"}
        assert version(tx) == SCHEMA_VERSION
        assert tuple(tx.execute(sa.select(stream_head.c.id, stream_head.c.seq)).one()) == (1, 0)
    store.close()


def test_what_is_of_today_is_left_alone(store: Store, tmp_path: Path) -> None:
    with store.begin() as tx:
        tx.execute(sa.insert(site).values(key="kept"))
    migrate.prepare(store, keep)
    with store.read() as tx:
        assert tx.execute(sa.select(site.c.key)).scalar_one() == "kept"
    assert not list(tmp_path.glob("*before*"))


def test_the_revisions_alone_make_the_same_database(store: Store) -> None:
    with store.read() as tx:
        made = shape(tx)
    with store.begin() as tx:
        metadata.drop_all(tx.connection)
        tx.driver("DROP TABLE alembic_version")
        config = Config()
        config.set_main_option("script_location", str(migrate.MIGRATIONS))
        config.attributes["connection"] = tx.connection
        command.upgrade(config, "head")
        assert shape(tx) == made
        assert version(tx) == SCHEMA_VERSION
        assert tuple(tx.execute(sa.select(stream_head.c.id, stream_head.c.seq)).one()) == (1, 0)


def test_the_program_knows_the_newest_revision() -> None:
    scripts = ScriptDirectory(str(migrate.MIGRATIONS))
    assert scripts.get_heads() == [SCHEMA_VERSION]
    revisions = [each.revision for each in scripts.walk_revisions()]
    names = [path.name[:4] for path in (migrate.MIGRATIONS / "versions").glob("*.py")]
    assert sorted(revisions) == sorted(names), "a revision is the number its file begins with"


def test_a_newer_database_is_refused_and_left_alone(store: Store) -> None:
    with store.begin() as tx:
        tx.driver("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DataFolderError, match=f"of version 9999, and this program knows {SCHEMA_VERSION}"):
        migrate.prepare(store, keep)
    with store.read() as tx:
        assert version(tx) == "9999"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (("ALTER TABLE content DROP COLUMN language",), "lacks content.language: an unreleased version of cormorant"),
        (("DROP TABLE visit", "ALTER TABLE run DROP COLUMN asked"), "lacks visit, run.asked: "),
        (tuple(f"DROP TABLE {name}" for name in ("visit", "hidden", "consent", "acl")), " and 1 more: "),
    ],
)
def test_a_database_that_is_not_what_its_version_says_is_refused(
    changes: tuple[str, ...], says: str, store: Store
) -> None:
    with store.begin() as tx:
        for change in changes:
            tx.driver(change)
    with pytest.raises(DataFolderError, match=re.escape(says)) as raised:
        migrate.prepare(store, keep)
    assert f"of version {SCHEMA_VERSION}, but" in raised.value.sentence
    assert "crawl again into another data folder (--data)" in raised.value.sentence


def test_an_upgrade_of_what_is_not_what_it_says_is_taken_back(store: Store, newer: Path) -> None:
    with store.begin() as tx:
        tx.driver("ALTER TABLE content DROP COLUMN language")
    with pytest.raises(DataFolderError, match=r"lacks content\.language"):
        migrate.prepare(store, keep)
    with store.read() as tx:
        assert version(tx) == SCHEMA_VERSION


def test_a_column_more_does_no_harm(store: Store) -> None:
    with store.begin() as tx:
        tx.driver("ALTER TABLE site ADD COLUMN note TEXT")
    migrate.prepare(store, keep)


def test_an_older_database_is_brought_up_with_its_rows(store: Store, newer: Path, tmp_path: Path) -> None:
    with store.begin() as tx:
        tx.execute(sa.insert(site).values(key="old"))
    migrate.prepare(store, keep)
    with store.read() as tx:
        assert tuple(tx.driver("SELECT key, note FROM site").one()) == ("old", "new")
        assert version(tx) == "9999"
    if not store.sqlite:
        return
    backup = opened(f"sqlite:///{tmp_path / 'store.before-9999.db'}")
    with backup.read() as tx:
        assert version(tx) == SCHEMA_VERSION
        assert tx.driver("SELECT key FROM site").scalar_one() == "old"
    backup.close()


def test_a_revision_that_fails_leaves_the_old_version(store: Store, newer: Path, tmp_path: Path) -> None:
    newer.write_text(NEXT.format(before=SCHEMA_VERSION, then='op.execute("SELECT 1 FROM nowhere")'))
    with store.read() as tx:
        before = shape(tx)
    with pytest.raises(StoreError, match="nowhere"):
        migrate.prepare(store, keep)
    with store.read() as tx:
        assert version(tx) == SCHEMA_VERSION
        assert shape(tx) == before


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_backup_is_made_anew_each_time(store: Store, newer: Path, tmp_path: Path) -> None:
    (tmp_path / "store.before-9999.part").write_bytes(b"a copy that was interrupted")
    (tmp_path / "store.before-9999.db").write_bytes(b"a copy of long ago")
    migrate.prepare(store, keep)
    backup = opened(f"sqlite:///{tmp_path / 'store.before-9999.db'}")
    with backup.read() as tx:
        assert version(tx) == SCHEMA_VERSION
    backup.close()
    assert not list(tmp_path.glob("*.part"))


# Arguments: the database, the folder of the migrations, and `wait` to stop before the backup until a line comes.
UPGRADE = """
import sys
from pathlib import Path
from cormorant.access import tokens
from cormorant.base.clock import SystemClock
from cormorant.store.db import migrate
from cormorant.store.db.database import Store

copy = Store.copy_to

def copying(store, target):
    print("copies", flush=True)
    if sys.argv[3] == "wait":
        sys.stdin.readline()
    copy(store, target)

Store.copy_to = copying
migrate.MIGRATIONS, migrate.SCHEMA_VERSION = Path(sys.argv[2]), "9999"
store = Store.open(sys.argv[1], SystemClock())
print("begins", flush=True)
migrate.prepare(store, lambda *_: None)
print("ends", flush=True)
"""


def upgrading(url: str, how: str) -> subprocess.Popen[str]:
    """Another process that upgrades, at the moment when it begins to."""
    command = [sys.executable, "-c", UPGRADE, url, str(migrate.MIGRATIONS), how]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    return process


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_nobody_writes_or_upgrades_between_the_backup_and_the_upgrade(
    store: Store, newer: Path, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    with store.begin() as tx:
        tx.execute(sa.insert(site).values(key="old"))
    first = upgrading(store.url, "wait")
    assert first.stdout is not None
    assert first.stdout.readline() == "copies\n"
    with closing(sqlite.connect(path, timeout=0)) as writer, pytest.raises(sqlite.OperationalError, match="locked"):
        writer.execute("INSERT INTO site (key) VALUES ('between')")
    second = upgrading(store.url, "at once")
    assert first.communicate("go on\n")[0] == "ends\n"
    assert second.communicate()[0] == "ends\n", "the second finds it done and makes no backup"
    assert (first.returncode, second.returncode) == (0, 0)
    with store.read() as tx:
        assert version(tx) == "9999"
    backup = opened(f"sqlite:///{tmp_path / 'store.before-9999.db'}")
    with backup.read() as tx:
        assert version(tx) == SCHEMA_VERSION
        assert tx.driver("SELECT key FROM site").scalar_one() == "old"
    backup.close()


def at_once(url: str, many: int) -> list[BaseException]:
    """Prepare one database from several connections at the same moment; returns what went wrong."""
    wrong: list[BaseException] = []
    start = threading.Barrier(many)

    def prepare() -> None:
        store = opened(url)
        start.wait()
        try:
            migrate.prepare(store, keep)
        except StoreError as error:
            wrong.append(error)
        store.close()

    threads = [threading.Thread(target=prepare) for _ in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def test_many_new_databases_of_several_openers_each(tmp_path: Path) -> None:
    """SQLite does not wait while another connection turns a new database to WAL."""
    assert [at_once(f"sqlite:///{tmp_path}/{number}.db", 6) for number in range(20)] == [[]] * 20


def test_processes_that_start_together_make_one_schema(empty_url: str) -> None:
    assert at_once(empty_url, 4) == []
    store = opened(empty_url)
    with store.read() as tx:
        assert version(tx) == SCHEMA_VERSION
        assert tx.execute(sa.select(sa.func.count()).select_from(stream_head)).scalar_one() == 1
    store.close()


def test_rows_of_the_frontier_have_room_to_be_updated_in_place(store: Store) -> None:
    """Visits update them, and an update that leaves its page makes every index of PostgreSQL longer."""
    with store.read() as tx:
        if not tx.sqlite:
            options = tx.driver("SELECT reloptions FROM pg_class WHERE relname = 'resource'").scalar_one()
            assert options == ["fillfactor=85"]


def test_what_runs_on_a_file_loads_nothing_of_the_other_database() -> None:
    asked = (
        "import sys, cormorant.app.processes.session, cormorant.app.processes.entrypoints; "
        "print([m for m in sys.modules if 'postgres' in m])"
    )
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout == "[]\n"
