from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, strategies as st
from pysqlite3 import dbapi2 as sqlite

from cormorant.base.clock import SystemClock
from cormorant.base.errors import (
    CormorantError,
    DataFolderError,
    NoRoom,
    NotPermitted,
    StoreError,
    TooManyFiles,
    Unreachable,
    UsageError,
)
from cormorant.store.db import bulk, drivers
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import site
from tests.scarcity import few_files
from tests.stores import prepare, within

ON_SQLITE = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
ON_POSTGRES = pytest.mark.parametrize("kind", ["postgresql"], indirect=True)

IN_FORCE = {
    "journal_mode": "wal", "synchronous": 2, "page_size": 4096, "cache_size": -2048, "wal_autocheckpoint": 1000,
    "mmap_size": 0, "busy_timeout": 30_000, "foreign_keys": 0, "temp_store": 2,
}  # fmt: skip


def opened(url: str) -> Store:
    return Store.open(url, SystemClock())


def failure(url: str) -> CormorantError:
    """What the first use of a database says."""
    store = opened(url)
    with pytest.raises(CormorantError) as caught, store.begin() as tx:
        tx.driver("SELECT 1")
    store.close()
    return caught.value


@ON_SQLITE
def test_the_measured_settings_are_in_force_on_every_connection(store: Store) -> None:
    with store.read() as one, store.read() as two, store.begin() as three:
        for tx in (one, two, three):
            assert {name: tx.driver(f"PRAGMA {name}").scalar_one() for name in IN_FORCE} == IN_FORCE


@ON_POSTGRES
def test_no_query_waits_for_a_compiler(store: Store) -> None:
    with store.read() as tx:
        assert tx.driver("SHOW jit").scalar_one() == "off"


def test_the_sqlite_that_came_along_is_new_enough() -> None:
    assert sqlite.sqlite_version_info >= drivers.OLDEST_SQLITE


def test_an_old_sqlite_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(drivers, "OLDEST_SQLITE", (99, 1, 0))
    with pytest.raises(StoreError, match=r"can corrupt .* 99\.1\.0 or newer"):
        opened(f"sqlite:///{tmp_path / 'store.db'}")


@pytest.mark.parametrize("url", ["mysql://ada:secret@db/x", "store.db", "", "postgresqlx://ada:secret@db/x"])
def test_another_kind_of_database_is_a_usage_error(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        opened(url)
    assert "sqlite:///PATH" in caught.value.sentence
    assert "secret" not in caught.value.sentence


@pytest.mark.parametrize("url", ["postgres://a@h/x", "postgresql://a@h/x", "postgresql+psycopg://a@h/x"])
def test_every_way_to_write_postgresql_is_taken(url: str) -> None:
    assert not opened(url).sqlite


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada:s%3Ac@db:5432/x", "postgresql://ada:***@db:5432/x"),
        ("postgresql://ada@db/x?host=/run/pg", "postgresql://ada@db/x?host=/run/pg"),
        ("postgresql://db:5432,two:5433/x", "postgresql://***"),
        ("postgresql://[::1]:5432/x", "postgresql://[::1]:5432/x"),
        ("sqlite:////srv/a:b@c.db", "sqlite:////srv/a:b@c.db"),
        ("store.db", "store.db"),
        ("postgresql://ada:s3@cret@db/x", "postgresql://ada:***@db/x"),
        ("postgresql://ada:s3/cr?et@db:1/x", "postgresql://ada:***@db:1/x"),
        ("postgresql://ada:1?s3@db/x", "postgresql://ada:***@db/x"),
        ("postgresql://:s3cret@/x", "postgresql://:***@/x"),
        ("postgresql://db/x?user=ada&password=s3@cret", "postgresql://db/x?user=ada&password=***"),
        ("postgresql://ada@db:1/x?Pass%77ord=s3@cret&a=b", "postgresql://ada@db:1/x?Pass%77ord=***&a=b"),
        ("postgresql://db/x?passfile=/s3cret", "postgresql://db/x?passfile=***"),
        ("postgresql://ada:s3@db/x?sslpassword=s3cret", "postgresql://ada:***@db/x?sslpassword=***"),
        ("postgresql://ada:s3cret", "postgresql://***"),
        ("ada:s3cret@db/x", "***"),
        ("host=db user=ada password=s3cret", "***"),
    ],
)
def test_a_password_is_masked(url: str, shown: str) -> None:
    assert drivers.mask(url) == shown


awkward = st.text(st.sampled_from("@:/?&=%#s3é "), min_size=1, max_size=12).map(lambda text: f"zq{text}zq")


@given(awkward, st.sampled_from(["postgresql://ada:{}@db/x", "postgresql://ada:{}@db:1/x?a=b", "mysql://a:{}@db"]))
def test_no_sign_in_a_password_shows_it(password: str, url: str) -> None:
    assert "zq" not in drivers.mask(url.format(password))


@pytest.mark.parametrize("password", ["s3@cret", "s3@:cret", "s3@cr:et"])
def test_a_password_that_must_be_escaped_is_a_usage_error(password: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(UsageError, match="%40") as caught:
        opened(f"postgresql://ada:{password}@db/x")
    assert "s3" not in str(caught.value) + repr(caught.value.__cause__)
    assert "et" not in caught.value.sentence.partition("'")[2].partition("'")[0]
    assert not opened("postgresql://ada:s3%40cret@db/x").sqlite


def read_within(store: Store, work: Callable[[Tx], None]) -> None:
    with store.read() as tx:
        work(tx)


@ON_SQLITE
def test_a_database_that_another_writes_for_long_is_busy(store: Store, other: Store) -> None:
    def work(tx: Tx) -> None:
        tx.driver("PRAGMA busy_timeout=0")
        tx.driver("DELETE FROM site")

    with store.begin() as writing:
        writing.driver("DELETE FROM site")
        with pytest.raises(StoreError, match="is busy: another process"):
            read_within(other, work)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    error = failure(f"sqlite:///{tmp_path / 'nowhere' / 'store.db'}")
    assert isinstance(error, DataFolderError)
    assert str(tmp_path / "nowhere" / "store.db") in error.sentence


@pytest.mark.parametrize("content", [b"A letter, not a database. " * 400, b"SQLite format 3\0" + b"\xff" * 8176])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(content)
    error = failure(f"sqlite:///{path}")
    assert isinstance(error, DataFolderError)
    assert "damaged or not a database" in error.sentence
    assert path.read_bytes() == content


def test_a_damaged_database(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    prepare(f"sqlite:///{path}")
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    store = opened(f"sqlite:///{path}")
    with pytest.raises(DataFolderError, match="cormorant store restore FILE"), store.read() as tx:
        tx.rows(sa.select(site))
    store.close()


@ON_SQLITE
def test_a_full_disk_writes_nothing(store: Store) -> None:
    def work(tx: Tx) -> None:
        tx.driver("PRAGMA max_page_count=1")
        bulk.insert(tx, site, ("key",), [("x" * 3000 + str(n),) for n in range(2000)])

    with pytest.raises(DataFolderError, match=r"full\. Free some space"):
        within(store, work)
    with store.read() as tx:
        assert tx.execute(sa.select(sa.func.count()).select_from(site)).scalar_one() == 0


@pytest.mark.parametrize("said", ["disk I/O error", "disk I/O error (10)"])
def test_a_disk_that_fails_is_told_of_with_what_to_do(said: str) -> None:
    found = drivers.translate(sqlite.OperationalError(said), "sqlite:////srv/cormorant.db")
    assert isinstance(found, DataFolderError)
    assert "/srv/cormorant.db" in found.sentence
    assert "Check that it may be written and has room" in found.sentence


@ON_SQLITE
@pytest.mark.parametrize("name", ["locked", "readonly", "malformed", "I/O error", "is full", "unable to open"])
def test_a_word_in_a_name_is_no_fault_of_the_disk(name: str, store: Store) -> None:
    with pytest.raises(StoreError, match="refused a statement"), store.read() as tx:
        tx.driver(f'SELECT s."{name}" FROM site s')


# Everything is imported before root, whom no permission stops, becomes somebody else.
READ_ONLY = """
import os, pwd, sys
from cormorant.base.clock import SystemClock
from cormorant.base.errors import NotPermitted
from cormorant.store.db.database import Store, Tx
with Store.open(sys.argv[1], SystemClock()).read() as tx:
    tx.driver("SELECT 1")
if os.geteuid() == 0:
    os.setgid(pwd.getpwnam("nobody").pw_gid)
    os.setuid(pwd.getpwnam("nobody").pw_uid)
try:
    with Store.open(sys.argv[1], SystemClock()).begin() as tx:
        tx.driver("DELETE FROM site")
except NotPermitted as error:
    print(error.sentence)
"""


def test_a_file_that_may_only_be_read() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        prepare(f"sqlite:///{path}")
        path.chmod(0o444)
        path.parent.chmod(0o777)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, f"sqlite:///{path}"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.stdout.startswith(f"The database {path} may only be read."), done.stderr


@pytest.mark.parametrize("url", ["postgresql://ada:secret@127.0.0.1:1/x", "postgresql://ada:secret@/x?host=/nowhere"])
def test_a_server_that_does_not_answer(url: str) -> None:
    pytest.importorskip("psycopg")
    error = failure(url)
    assert isinstance(error, Unreachable)
    assert "secret" not in error.sentence


@pytest.mark.parametrize(
    "said",
    [
        "FATAL:  sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute",
        'FATAL:  too many connections for role "cormorant"',
    ],
)
def test_a_server_without_a_free_connection_is_waited_for(said: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    error = drivers.translate(psycopg.OperationalError(f"connection failed: {said}\n"), "postgresql://ada:secret@/x")
    assert isinstance(error, Unreachable)
    assert "has no connection free" in error.sentence
    assert "max_connections" in error.sentence
    assert "secret" not in error.sentence


def test_a_full_disk_is_no_damage(tmp_path: Path) -> None:
    psycopg = pytest.importorskip("psycopg")
    assert isinstance(drivers.translate(psycopg.errors.DiskFull("No space left"), "postgresql://ada@/x"), NoRoom)
    url = f"sqlite:///{tmp_path / 'store.db'}"
    prepare(url)
    store = opened(url)

    def work(tx: Tx) -> None:
        tx.driver("PRAGMA max_page_count=1")  # as full as a disk gets: not a page more
        bulk.insert(tx, site, ("key",), [(f"{number}" * 100,) for number in range(2_000)])

    with pytest.raises(NoRoom, match="is full"):
        within(store, work)
    with store.read() as tx:
        assert tx.driver("SELECT count(*) FROM site").scalar_one() == 0
    store.close()


def hang_up(tx: Tx, other: Store) -> None:
    """Somebody ends the connection of a transaction."""
    number = tx.driver("SELECT pg_backend_pid()").scalar_one()
    within(other, lambda ending: ending.driver(f"SELECT pg_terminate_backend({number}, 5000)"))


@ON_POSTGRES
@pytest.mark.parametrize("copying", [False, True])
def test_a_connection_that_breaks_is_unreachable_and_the_next_one_is_new(
    store: Store, other: Store, copying: bool
) -> None:
    def work(tx: Tx) -> None:
        hang_up(tx, other)
        if copying:
            bulk.insert(tx, site, ("key",), [("a",)])
        tx.driver("SELECT 1")

    with pytest.raises(Unreachable):
        within(store, work)
    with store.begin() as tx:
        assert tx.driver("SELECT 1").scalar_one() == 1


@ON_POSTGRES
def test_what_a_server_forbids_is_not_permitted(store: Store) -> None:
    def work(tx: Tx) -> None:
        tx.driver("SET TRANSACTION READ ONLY")
        tx.driver("DELETE FROM site")

    with pytest.raises(NotPermitted, match="read-only"):
        within(store, work)


@ON_POSTGRES
def test_what_a_server_gives_up_is_no_missing_server(store: Store) -> None:
    def work(tx: Tx) -> None:
        tx.driver("SET LOCAL statement_timeout = 1")
        tx.driver("SELECT pg_sleep(5)")

    with pytest.raises(StoreError, match="statement timeout"):
        within(store, work)


@ON_POSTGRES
def test_what_the_driver_cannot_send_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="0x00"):
        within(store, lambda tx: bulk.insert(tx, site, ("key",), [("a\0b",)]))


@pytest.mark.parametrize(
    ("url", "places"),
    [
        ("sqlite:////srv/cormorant.db", []),
        ("postgresql://ada@db.example/c", [("db.example", 5432)]),
        ("postgresql+psycopg://ada:x@db.example:6000/c", [("db.example", 6000)]),
        ("postgres://ada@[fd00::1]:6000/c", [("fd00::1", 6000)]),
        ("postgresql:///c", [("localhost", 5432)]),
        ("postgresql://ada@/c?host=/run/postgresql&port=6001", [("localhost", 6001)]),
        ("postgresql://ada@/c?host=one:6001&host=two:6002", [("one", 6001), ("two", 6002)]),
        ("postgresql://ada@/c?host=a,b&port=61,62", [("a", 61), ("a", 62), ("b", 61), ("b", 62)]),
        ("postgresql://ada@name/c?hostaddr=10.0.0.1", [("name", 5432), ("10.0.0.1", 5432)]),
        ("what is this", []),
    ],
)  # fmt: skip
def test_where_a_database_is_reached(url: str, places: list[tuple[str, int]]) -> None:
    assert list(drivers.places_of(url)) == places


def test_too_few_files_are_told_of_with_what_to_do() -> None:
    def said() -> CormorantError:
        return drivers.translate(
            sqlite.OperationalError("unable to open database file"), "sqlite:////srv/cormorant.db"
        )  # fmt: skip

    with few_files(2):
        found = said()
    assert isinstance(found, TooManyFiles)
    assert "raise `ulimit -n`" in found.sentence
    assert isinstance(said(), DataFolderError)
