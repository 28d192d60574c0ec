"""Addresses of databases as administrators write them: SQLAlchemy URLs without a password."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import sqlalchemy as sa


class DialectDriver(NamedTuple):
    """The driver that connects to databases of a dialect.

    `module` is imported, `extra` is what installs it. `port` is the usual one, 0 for databases in files. `options` are
    the parameters that an address may have.
    """

    name: str
    module: str
    extra: str
    port: int
    options: frozenset[str] = frozenset()


SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"
MYSQL: Final = "mysql"
MSSQL: Final = "mssql"
ORACLE: Final = "oracle"
DRIVERS: Final[Mapping[str, DialectDriver]] = MappingProxyType(
    {
        SQLITE: DialectDriver("pysqlite", "pysqlite3", "", 0),
        POSTGRESQL: DialectDriver("psycopg", "psycopg", "postgres", 5432, frozenset(("host",))),
        MYSQL: DialectDriver("pymysql", "pymysql", "mysql", 3306),
        MSSQL: DialectDriver("pyodbc", "pyodbc", "mssql", 1433),
        ORACLE: DialectDriver("oracledb", "oracledb", "oracle", 1521, frozenset(("service_name",))),
    }
)
"""Built-in dialects. For others SQLAlchemy looks for an installed package."""
_SAME: Final = MappingProxyType({"mariadb": MYSQL, "postgres": POSTGRESQL})
EXAMPLE: Final = "postgresql://db.example/desk or sqlite:////srv/desk.db"


class DatabasePlace(NamedTuple):
    """A database: its dialect and driver, its host and port ("" and 0 for a file), its name, and who signs in.

    `name` is the path of a SQLite database. `socket_folder` is where PostgreSQL has its socket, else "".
    """

    dialect: str
    driver: str
    host: str
    port: int
    name: str
    user: str
    socket_folder: str = ""
    options: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """The database in words for people."""
        if self.dialect == SQLITE:
            return self.name
        return f"{self.name or 'the database'} at {self.host or self.socket_folder or 'this machine'}"

    @property
    def known(self) -> DialectDriver | None:
        """Its driver, None for a dialect that an installed package adds."""
        return DRIVERS.get(self.dialect)


def read_place(text: str) -> DatabasePlace:
    """Read the address of a database. Raises ValueError, without the address: a password may stand in it."""
    import sqlalchemy as sa  # noqa: PLC0415 - it takes long, and kinds are listed without it

    try:
        url = sa.make_url(text.strip())
        port = url.port or 0
    except (sa.exc.ArgumentError, ValueError):
        raise ValueError(f"it is no address of a database. Write it like {EXAMPLE}.") from None
    if url.password is not None or "@" in (url.host or ""):
        raise ValueError(
            "a password is never written here. Keep it with `cormorant secret add NAME`, and write "
            "--set password=secret:NAME."
        )
    name, _, driver = url.drivername.partition("+")
    dialect = _SAME.get(name, name)
    known = DRIVERS.get(dialect)
    if known is not None and driver not in ("", known.name):
        raise ValueError(f"{dialect} is read with the driver {known.name}. Write {name}:// alone.")
    options = {key: value if isinstance(value, str) else value[0] for key, value in url.query.items()}
    _see_options(options, known)
    folder = options.pop("host", "")
    if folder and not folder.startswith("/"):
        raise ValueError("host= takes the folder of a socket, like /run/postgresql. Write a host before the database.")
    if dialect == SQLITE:
        return DatabasePlace(dialect, "pysqlite", "", 0, _sqlite_path(url), "")
    host = "" if folder else (url.host or "")
    if known is not None and not host and not folder:
        raise ValueError(f"it names no host. Write it like {dialect}://db.example/desk.")
    port = port or (known.port if known is not None else 0)
    if host and not port:
        raise ValueError(f"it names no port. Write it like {dialect}://db.example:1234/desk.")
    kept = tuple(sorted(options.items()))
    driver = known.name if known is not None else driver or name
    return DatabasePlace(dialect, driver, host, port, url.database or "", url.username or "", folder, kept)


def _see_options(options: Mapping[str, str], known: DialectDriver | None) -> None:
    """Refuse parameters that might lead elsewhere, or switch off a check."""
    allowed = known.options if known is not None else frozenset[str]()
    strange = sorted(options.keys() - allowed)
    if strange:
        may = f" It takes {', '.join(sorted(allowed))}." if allowed else ""
        raise ValueError(f"it has the parameter {strange[0]!r}, which is not used.{may} TLS is set by tls and ca.")


def _sqlite_path(url: sa.URL) -> str:
    path = url.database or ""
    if url.host or not path.startswith("/") or "\0" in path:
        raise ValueError("a SQLite database is named by its whole path, with four slashes: sqlite:////srv/desk.db.")
    return path


def url_of(place: DatabasePlace) -> sa.URL:
    """Return the URL by which SQLAlchemy chooses the dialect; it holds no host and no password."""
    import sqlalchemy as sa  # noqa: PLC0415 - as above

    return sa.URL.create(f"{place.dialect}+{place.driver}" if place.driver != place.dialect else place.dialect)
