"""Raw connections to databases, one opener for each driver. Each only reads.

    sqlite      pysqlite3, the file opened read-only, an authorizer that lets nothing but reading through
    postgresql  psycopg, at an address that was judged (`hostaddr`); the name stays for TLS
    mysql       pymysql, over a socket that was opened to such an address; the name stays for TLS
    mssql       pyodbc with Microsoft's driver, at such an address; the name stays for TLS (HostNameInCertificate)
    oracle      oracledb, at such an address; with TLS by the name, which was judged before
    others      the host is judged, then SQLAlchemy's dialect connects by its name

Every opener raises what its driver raises; `client.py` says what that means.
"""

from __future__ import annotations

import hashlib
import os
import ssl
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import sqlalchemy as sa

from cormorant.base.clock import Clock
from cormorant.base.errors import BadSetting, Unreachable
from cormorant.net.egress.dialer import Dialer
from cormorant.sources.table.place import MSSQL, MYSQL, ORACLE, POSTGRESQL, SQLITE, DatabasePlace

PROGRAM: Final = "cormorant"
"""The name by which administrators of a server see our connections."""
DIGEST: Final = "cormorant_digest"
"""The function that SQLite is given for SHA-256, in hexadecimal."""
_ODBC: Final = ("ODBC Driver 18 for SQL Server", "ODBC Driver 17 for SQL Server")
"""Names of drivers as unixODBC lists them, the best first."""
_STEPS: Final = 20_000
"""Instructions of SQLite's machine between two looks at the clock."""
_AUTHORITIES: Final = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/cert.pem", "/etc/ssl/cert.pem")


class DatabaseLogin(NamedTuple):
    """Login to a database. `tls` and `ca` are as in the settings, `seconds` is the longest silence."""

    password: str
    tls: str
    ca: str
    connect_s: float
    seconds: float


def open_raw(place: DatabasePlace, login: DatabaseLogin, dialer: Dialer | None) -> Any:
    """Return a new connection of the driver. Raises what that raises, Unreachable and BadSetting."""
    if place.dialect == SQLITE:
        return _open_sqlite(place, login)
    if place.socket_folder:
        return _open_postgresql(place, login, ())
    if place.host and dialer is None:
        raise Unreachable(f"{place.shown} is not connected to, since this process has no way out.")
    if dialer is not None and place.dialect == MYSQL:
        return _open_mysql(place, login, dialer)
    addresses = dialer.pinned(place.host, place.port).addresses if dialer is not None and place.host else ()
    return _OPENERS.get(place.dialect, _open_other)(place, login, addresses)


def _open_sqlite(place: DatabasePlace, login: DatabaseLogin) -> Any:
    from pysqlite3 import dbapi2 as sqlite  # noqa: PLC0415 - seldom needed

    if not Path(place.name).is_file():
        raise Unreachable(f"The database {place.name} is not there. Check its disk or mount, or the setting database.")
    raw = sqlite.connect(
        f"file:{quote(os.fsencode(place.name))}?mode=ro", uri=True, check_same_thread=False, timeout=login.connect_s,
        isolation_level=None,
    )  # fmt: skip
    raw.text_factory = _decoded
    for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON"):
        raw.execute(f"PRAGMA {pragma}")
    raw.create_function(DIGEST, 1, _digest, deterministic=True)
    raw.set_authorizer(_authorizer(sqlite))
    return raw


def _decoded(text: bytes) -> str:
    """Return a text of SQLite, which may hold any bytes."""
    return text.decode("utf-8", "surrogateescape")


def _digest(value: object) -> str | None:
    """SHA-256 of a cell; None for none."""
    if value is None:
        return None
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).hexdigest()


def _authorizer(sqlite: Any) -> Callable[..., int]:
    """Let a SQLite connection read its own database, and nothing else."""
    reads = frozenset((sqlite.SQLITE_SELECT, sqlite.SQLITE_READ, sqlite.SQLITE_TRANSACTION, 33))  # 33: a recursive CTE
    pragmas = frozenset(
        (
            "table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "table_list", "read_uncommitted",
            "foreign_key_list",
        )
    )  # fmt: skip
    function, pragma, fine, denied = sqlite.SQLITE_FUNCTION, sqlite.SQLITE_PRAGMA, sqlite.SQLITE_OK, sqlite.SQLITE_DENY

    def may(action: int, first: str | None, second: str | None, *_: object) -> int:
        if action == function:
            allowed = (second or "").lower() not in ("load_extension", "fts3_tokenizer")
        else:
            allowed = action in reads or (action == pragma and (first or "").lower() in pragmas)
        return int(fine if allowed else denied)

    return may


def limit_sqlite(raw: Any, clock: Clock, seconds: float) -> None:
    """Have statements of a SQLite connection end that are not done in so many seconds from now."""
    until = clock.monotonic() + seconds
    raw.set_progress_handler(lambda: clock.monotonic() > until, _STEPS)


def _open_postgresql(place: DatabasePlace, login: DatabaseLogin, addresses: tuple[str, ...]) -> Any:
    import psycopg  # noqa: PLC0415 - an extra

    tls: dict[str, Any] = {"sslmode": "disable" if login.tls == "off" else "prefer"}
    if (checked := _checked(login.tls, addresses)) == "verify":
        tls = {"sslmode": "verify-full", "sslrootcert": login.ca or _authorities()}
    elif checked == "require":
        tls = {"sslmode": "require"}
    where: dict[str, Any] = {"host": place.socket_folder}
    if not place.socket_folder:
        where = {"host": ",".join([place.host] * len(addresses)), "hostaddr": ",".join(addresses)}
    if place.port:
        where["port"] = place.port
    return psycopg.connect(
        **where, **tls, user=place.user or None, password=login.password or None, dbname=place.name or None,
        connect_timeout=max(2, round(login.connect_s)), application_name=PROGRAM, client_encoding="UTF8",
        gssencmode="disable", target_session_attrs="any",
        options="-c default_transaction_read_only=on -c TimeZone=UTC -c DateStyle=ISO",
    )  # fmt: skip


def _open_mysql(place: DatabasePlace, login: DatabaseLogin, dialer: Dialer) -> Any:
    from pymysql.connections import Connection  # noqa: PLC0415 - an extra

    socket = dialer.connect(place.host, place.port, login.connect_s)
    try:
        tls = _checked(login.tls, (str(socket.getpeername()[0]),))
        raw: Any = Connection(
            host=place.host, port=place.port, user=place.user, password=login.password, database=place.name or None,
            charset="utf8mb4", connect_timeout=max(1, round(login.connect_s)), read_timeout=login.seconds,
            write_timeout=login.seconds, local_infile=False, autocommit=False, program_name=PROGRAM, defer_connect=True,
            ssl=_context(tls, login.ca), ssl_disabled=tls == "off",
        )  # fmt: skip
        raw.connect(socket)
    except BaseException:
        socket.close()
        raise
    return raw


def _open_mssql(place: DatabasePlace, login: DatabaseLogin, addresses: tuple[str, ...]) -> Any:
    import pyodbc  # noqa: PLC0415 - an extra

    there = pyodbc.drivers()
    driver = next((each for each in _ODBC if each in there), None)
    if driver is None:
        raise BadSetting(
            f"SQL Server is read with Microsoft's ODBC driver, which is not installed. Install {_ODBC[0]}."
        )
    tls = _checked(login.tls, addresses)
    words = {
        "DRIVER": driver, "SERVER": f"{addresses[0]},{place.port}", "DATABASE": place.name, "UID": place.user,
        "PWD": login.password, "APP": PROGRAM, "ApplicationIntent": "ReadOnly",
        "Encrypt": "no" if tls == "off" else "yes",
        "TrustServerCertificate": "no" if tls == "verify" else "yes",
    }  # fmt: skip
    if tls == "verify":
        words |= {"HostNameInCertificate": place.host, "ServerCertificate": login.ca}
    text = ";".join(f"{name}={{{value.replace('}', '}}')}}}" for name, value in words.items() if value)
    raw = pyodbc.connect(text, timeout=max(1, round(login.connect_s)))
    raw.timeout = round(login.seconds)
    return raw


def _open_oracle(place: DatabasePlace, login: DatabaseLogin, addresses: tuple[str, ...]) -> Any:
    import oracledb  # noqa: PLC0415 - an extra

    tls = _checked(login.tls, addresses)
    raw = oracledb.connect(
        user=place.user, password=login.password, port=place.port,
        host=place.host if tls == "verify" else addresses[0], protocol="tcp" if tls == "off" else "tcps",
        service_name=dict(place.options).get("service_name", place.name), ssl_server_dn_match=tls == "verify",
        tcp_connect_timeout=login.connect_s,
    )  # fmt: skip
    raw.call_timeout = round(login.seconds * 1000)
    return raw


def _open_other(place: DatabasePlace, login: DatabaseLogin, addresses: tuple[str, ...]) -> Any:  # noqa: ARG001
    """Connect as the dialect of an installed package does. Its host was judged; it is resolved once more by the driver.

    TLS is not for us to set there, so it has to be left to that package in so many words.
    """
    if place.host and login.tls != "off":
        raise BadSetting(f"How {place.dialect} is encrypted is up to its driver. Set tls=off to agree to that.")
    url = sa.URL.create(
        f"{place.dialect}+{place.driver}" if place.driver != place.dialect else place.dialect, place.user or None,
        login.password or None, place.host or None, place.port or None, place.name or None,
    )  # fmt: skip
    dialect = url.get_dialect()()
    words, named = dialect.create_connect_args(url)
    return dialect.import_dbapi().connect(*words, **named)


_OPENERS: Final[dict[str, Callable[[DatabasePlace, DatabaseLogin, tuple[str, ...]], Any]]] = {
    POSTGRESQL: _open_postgresql, MSSQL: _open_mssql, ORACLE: _open_oracle,
}  # fmt: skip


def _checked(tls: str, addresses: tuple[str, ...]) -> str:
    """Return verify, require or off: what `auto` means depends on whether the server is this machine."""
    if tls != "auto":
        return tls
    return "off" if all(ip_address(each.partition("%")[0]).is_loopback for each in addresses) else "verify"


def _context(tls: str, ca: str) -> ssl.SSLContext | None:
    if tls == "off":
        return None
    try:
        context = ssl.create_default_context(cafile=ca or None)
    except (OSError, ssl.SSLError) as error:
        raise Unreachable(f"The authorities in {ca} cannot be read: {error}. Check the setting ca.") from None
    if tls == "require":
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _authorities() -> str:
    """Return the file of the authorities that this machine trusts; libpq's own word for them where none is found."""
    found = (ssl.get_default_verify_paths().cafile, *_AUTHORITIES)
    return next((each for each in found if each and Path(each).is_file()), "system")


def sqlite_driver() -> Any:
    """Return the driver of SQLite that the product itself uses."""
    from pysqlite3 import dbapi2  # noqa: PLC0415 - seldom needed

    return dbapi2
