"""Database drivers and their settings.

SQLite by the pysqlite3 wheel, PostgreSQL by psycopg 3.

SQLite before 3.51.3 can corrupt a WAL with two writing connections, so an older library is refused. The settings are
those of a measured comparison: page size 4096, WAL, synchronous FULL (NORMAL loses acknowledged commits in a power
cut), a cache of 2 MB a connection (more gained nothing), no mmap.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Any, Final
from urllib.parse import quote, unquote_plus

import sqlalchemy as sa
from pysqlite3 import dbapi2 as sqlite
from sqlalchemy import event

from cormorant.base.clock import SystemClock, pause
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
from cormorant.base.exhaustion import of_files_now

OLDEST_SQLITE = (3, 51, 3)
BUSY_TIMEOUT_MS = 30_000
POSTGRES_PORT = 5432
_PRAGMAS = (
    "PRAGMA page_size=4096",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA cache_size=-2048",
    "PRAGMA wal_autocheckpoint=1000",
    "PRAGMA mmap_size=0",
    "PRAGMA foreign_keys=OFF",
    "PRAGMA temp_store=MEMORY",
)


def sqlite_version() -> tuple[int, ...]:
    """Return the version of SQLite that opens database files, even if it is too old."""
    return tuple(sqlite.sqlite_version_info)


def engine(url: str, *, made: bool = False) -> sa.Engine:
    """Make an engine for a database URL. With `made` a missing file is not created.

    Raises UsageError for an unknown kind of database.
    """
    if url.startswith("sqlite:"):
        return _sqlite_engine(url, made=made)
    if re.match(r"postgres(ql)?(\+psycopg)?://", url):
        return _postgres_engine(url)
    raise UsageError(
        f"The store {mask(url)!r} is not a database we know. Use sqlite:///PATH or postgresql://USER@HOST/DATABASE."
    )


_SECRETS = ("password", "passfile", "sslpassword")
"""URL parameters with secret values."""
_PLACE = r"(?P<place>(?:[^@?/:]*|\[[^@?/\]]*\])(?::\d*)?(?:/[^@?]*)?)(?:\?(?P<query>.*))?"
_READINGS = (
    re.compile(r"(?P<scheme>[^:/?@]*://)(?:(?P<user>[^:/?@]*)(?P<password>:[^/?@]*)?@)?" + _PLACE, re.DOTALL),
    re.compile(r"(?P<scheme>[^:/?@]*://)(?:(?P<user>[^:/?@]*)(?P<password>:.*)@)" + _PLACE, re.DOTALL),
)
"""A well-formed URL, then one whose password has unescaped reserved characters."""


def mask(url: str) -> str:
    """Return the URL without its password, for messages and logs.

    A URL that cannot be parsed reliably is hidden as a whole.
    """
    if url.startswith("sqlite:") or not re.search("@|://|pass", url, re.IGNORECASE):
        return url
    for reading in _READINGS:
        parts = reading.fullmatch(url)
        query = "&".join(map(_masked, parts["query"].split("&"))) if parts and parts["query"] else ""
        if parts and "@" not in query:
            user = f"{parts['user']}{':***' if parts['password'] else ''}@" if parts["user"] is not None else ""
            return f"{parts['scheme']}{user}{parts['place']}{'?' if query else ''}{query}"
    scheme, ends, _ = url.partition("://")
    return f"{scheme}://***" if ends else "***"


def secrets_of(url: str) -> tuple[str, ...]:
    """Return the secrets of this database URL, plain and percent-encoded, to be masked in every text about it."""
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        return (url,)
    words = [str(each) for each in (parsed.password, *map(parsed.query.get, _SECRETS)) if each]
    return tuple(dict.fromkeys(form for word in words for form in (word, quote(word, safe=""))))


def places_of(url: str) -> tuple[tuple[str, int], ...]:
    """Return hosts and ports of a database; `localhost` for a socket in a folder. None for a file."""
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        return ()
    if not parsed.drivername.startswith("postgres"):
        return ()
    hosts = [parsed.host or "", *(host for name in ("host", "hostaddr") for host in _values(parsed, name))]
    ports = [int(port) for port in (str(parsed.port or ""), *_values(parsed, "port")) if port.isdigit()] or [
        POSTGRES_PORT
    ]
    found = dict[tuple[str, int], None]()
    for each in filter(None, hosts) if any(hosts) else [""]:
        host, colon, port = each.rpartition(":")
        apart = bool(colon) and port.isdigit() and not each.startswith("/") and (":" not in host or host[-1:] == "]")
        name = host if apart else each
        local = not name or name.startswith(("/", "@"))
        for number in [int(port)] if apart else ports:
            found["localhost" if local else name, number] = None
    return tuple(found)


def _values(url: sa.URL, name: str) -> list[str]:
    """Return the values of a URL parameter: separated by commas, or one for each occurrence."""
    given = url.query.get(name, ())
    return [part for each in ((given,) if isinstance(given, str) else given) for part in each.split(",")]


def _masked(parameter: str) -> str:
    """Return a URL parameter without its value, if that is a secret."""
    name, equals, _ = parameter.partition("=")
    return f"{name}=***" if equals and unquote_plus(name).strip().lower() in _SECRETS else parameter


def _sqlite_engine(url: str, *, made: bool) -> sa.Engine:
    if sqlite.sqlite_version_info < OLDEST_SQLITE:
        wanted = ".".join(map(str, OLDEST_SQLITE))
        raise StoreError(
            f"SQLite {sqlite.sqlite_version} can corrupt a database that two processes write. "
            f"Install a pysqlite3 with SQLite {wanted} or newer."
        )
    address = f"file:{quote(url.partition(':///')[2])}?mode=rw"
    connect = partial(sqlite.connect, address, uri=True, check_same_thread=False)
    engine = sa.create_engine(
        url,
        module=sqlite,
        **({"creator": connect} if made else {}),
        poolclass=sa.pool.QueuePool,
        pool_size=2,
        pool_use_lifo=True,  # one connection does most of the work, and only its cache is large
        max_overflow=6,
        connect_args={"check_same_thread": False},
        execution_options={"compiled_cache": STATEMENTS},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(raw: Any, _record: object) -> None:
    raw.isolation_level = None
    raw.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    for pragma in _PRAGMAS:
        _execute_when_free(raw, pragma)


def _execute_when_free(raw: Any, pragma: str) -> None:
    """Retry for a while: SQLite refuses instead of waiting if several processes turn a new database to WAL at once."""
    clock = SystemClock()
    until = clock.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            raw.execute(pragma)
        except sqlite.OperationalError as error:
            if _sqlite_code(error) not in (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED) or clock.monotonic() > until:
                raise
            pause(0.01)
        else:
            return


def _postgres_engine(url: str) -> sa.Engine:
    try:
        import psycopg  # noqa: F401, PLC0415 - an extra; the sentence below is better than a traceback
    except ImportError:
        raise UsageError("PostgreSQL needs psycopg. Install it with: pip install 'cormorant[postgres]'") from None
    try:
        address = sa.make_url(re.sub(r"^postgres(ql)?(\+psycopg)?://", "postgresql+psycopg://", url))
    except (sa.exc.ArgumentError, ValueError):  # their message may hold a part of the password
        address = None
    if address is None or "@" in (address.host or ""):
        raise UsageError(
            f"The store {mask(url)!r} cannot be read. Use postgresql://USER:PASSWORD@HOST:PORT/DATABASE, "
            "with %40 for an @ and %3A for a : in the password."
        )
    return sa.create_engine(
        address,
        pool_size=2,
        max_overflow=6,
        pool_pre_ping=True,
        connect_args={"options": "-c jit=off", "connect_timeout": 10},
        execution_options={"compiled_cache": STATEMENTS},
    )


@cache
def errors() -> tuple[type[Exception], ...]:
    """Return the error classes of all installed database drivers."""
    ours: tuple[type[Exception], ...] = (sa.exc.SQLAlchemyError, sqlite.Error)
    try:
        import psycopg  # noqa: PLC0415 - an extra
    except ImportError:
        return ours
    return (*ours, psycopg.Error)


def translate(error: BaseException | None, url: str) -> CormorantError:
    """Return our error for a driver's error, with a remedy."""
    lines = str(error).strip().splitlines()
    text = (lines[0] if lines else type(error).__name__).rstrip(".")
    if url.startswith("sqlite:"):
        return _of_sqlite(_sqlite_code(error), text, url.partition(":///")[2])
    return _of_postgres(error, text, url)


_WORDS: Final[dict[str, int]] = {
    "unable to open": sqlite.SQLITE_CANTOPEN, "readonly": sqlite.SQLITE_READONLY, "is full": sqlite.SQLITE_FULL,
    "I/O error": sqlite.SQLITE_IOERR, "malformed": sqlite.SQLITE_CORRUPT, "not a database": sqlite.SQLITE_NOTADB,
    "locked": sqlite.SQLITE_BUSY,
}  # fmt: skip
"""Result codes of messages without a code; in a message with a code such a word may be the name of a column."""


def _sqlite_code(error: BaseException | None) -> int:
    """Return the primary result code of an error."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        return int(code) & 0xFF
    return next((code for words, code in _WORDS.items() if words in str(error)), int(sqlite.SQLITE_ERROR))


def _of_sqlite(code: int, text: str, path: str) -> CormorantError:
    if code == sqlite.SQLITE_CANTOPEN and (lack := of_files_now()) is not None:
        return TooManyFiles(f"The database {path} cannot be opened. {lack.said}")
    if code == sqlite.SQLITE_CANTOPEN:
        return DataFolderError(
            f"The database {path} cannot be opened: {text}. Check that the folder exists and is yours."
        )
    if code == sqlite.SQLITE_READONLY:
        return NotPermitted(f"The database {path} may only be read. Check who owns it and its permissions.")
    if code == sqlite.SQLITE_FULL:
        return NoRoom(
            f"The disk that holds {path} is full. Free some space; nothing was lost, and the work then continues."
        )
    if code == sqlite.SQLITE_IOERR:
        return DataFolderError(
            f"The disk that holds {path} fails: {text}. Check that it may be written and has room, then start again; "
            "no acknowledged commit is lost."
        )
    if code in (sqlite.SQLITE_CORRUPT, sqlite.SQLITE_NOTADB):
        return DataFolderError(
            f"{path} is damaged or not a database of cormorant: {text}. `cormorant store restore FILE` replaces it by "
            "a backup."
        )
    if code in (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED):
        return StoreError(
            f"The database {path} is busy: another process has been writing to it for {BUSY_TIMEOUT_MS // 1000} "
            "seconds. Wait for that one to end; the upgrade of a large database takes some minutes."
        )
    return StoreError(f"The database {path} refused a statement: {text}.")


_AWAY = ("08", "57P")
"""Prefixes of SQLSTATE: the connection is lost, the server is shutting down."""
_FORBIDDEN = ("28", "42501", "25006")
"""A wrong password, a missing right, a read-only server."""
_CROWDED = re.compile("too many (?:clients|connections)|remaining connection slots")
_CROWDED_STATE, _FULL_STATE = "53300", "53100"
"""If a connection is refused the driver has no SQLSTATE, only the server's message."""


def _of_postgres(error: BaseException | None, text: str, url: str) -> CormorantError:
    import psycopg  # noqa: PLC0415 - an extra, and here already

    state = getattr(error, "sqlstate", None) or ""
    if state.startswith(_FORBIDDEN):
        return NotPermitted(f"The database {mask(url)} does not permit it: {text}. Check the user's rights there.")
    if state == _CROWDED_STATE or (not state and _CROWDED.search(text)):
        return Unreachable(
            f"The database {mask(url)} has no connection free: {text}. The work continues when there is one; raise "
            "max_connections there, or let other programs take fewer."
        )
    if state == _FULL_STATE:
        return NoRoom(f"The disk of the database {mask(url)} is full: {text}. Free some space there; nothing was lost.")
    unanswered = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and not state
    if unanswered or state.startswith(_AWAY):
        return Unreachable(f"The database {mask(url)} does not answer: {text}. Check its address and that it runs.")
    return StoreError(f"The database {mask(url)} refused a statement: {text}.")


MOST: Final = 500
"""Statements that are cached, as in SQLAlchemy's own cache; it is trimmed at half as many again."""


class Compiled(sa.util.LRUCache[Any, Any]):
    """Cache for the engine option `compiled_cache`: keys are SQLAlchemy's own, of a dialect and the rest."""

    __slots__ = ()

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the compiled statement of any engine of the same dialect."""
        return super().get(_by_kind(key), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_by_kind(key), value)


def _by_kind(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return (key[0].name, *key[1:])


STATEMENTS = Compiled(MOST)
"""The cache of this process: shared by all engines, so that a fork inherits it."""
