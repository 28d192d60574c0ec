"""Meaning of the errors of database drivers: whose fault, for how long, and what to do about it."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import CormorantError, LoginRefused, Unreachable
from cormorant.sources.table.place import DatabasePlace


class DatabaseFault(Enum):
    """The sorts of errors."""

    LOGIN = "login"
    AWAY = "away"
    SLOW = "slow"
    LOCKED = "locked"
    MISSING = "missing"
    DENIED = "denied"
    OTHER = "other"


class FaultReport(NamedTuple):
    """An error of a driver: its sort, and the first line of what the driver says."""

    sort: DatabaseFault
    text: str


_STATES: Final[tuple[tuple[str, DatabaseFault], ...]] = (
    ("28", DatabaseFault.LOGIN), ("08", DatabaseFault.AWAY), ("57P", DatabaseFault.AWAY), ("53", DatabaseFault.AWAY),
    ("57014", DatabaseFault.SLOW), ("40", DatabaseFault.LOCKED), ("55P03", DatabaseFault.LOCKED),
    ("42P01", DatabaseFault.MISSING), ("42703", DatabaseFault.MISSING), ("3F000", DatabaseFault.MISSING),
    ("42S02", DatabaseFault.MISSING), ("42S22", DatabaseFault.MISSING), ("42501", DatabaseFault.DENIED),
    ("25006", DatabaseFault.DENIED), ("HYT", DatabaseFault.SLOW),
)  # fmt: skip
"""Beginnings of SQLSTATE, in PostgreSQL and ODBC."""
_NUMBERS: Final[dict[int, DatabaseFault]] = {
    **dict.fromkeys((1044, 1045, 1698, 1862, 4151, 18456, 1017, 28000), DatabaseFault.LOGIN),
    **dict.fromkeys((1040, 1053, 1077, 1079, 1129, 1130, 1203, 1226, 2002, 2003, 2006, 2013, 2055), DatabaseFault.AWAY),
    **dict.fromkeys((1969, 3024, 1317), DatabaseFault.SLOW),
    **dict.fromkeys((1205, 1213), DatabaseFault.LOCKED),
    **dict.fromkeys((1049, 1054, 1146, 942, 904), DatabaseFault.MISSING),
    **dict.fromkeys((1142, 1143, 1792, 1290), DatabaseFault.DENIED),
}  # fmt: skip
"""Numbers of MySQL and MariaDB; 18456 is SQL Server's, 1017, 28000, 942 and 904 are Oracle's."""
_WORDS: Final[tuple[tuple[re.Pattern[str], DatabaseFault], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), sort)
    for pattern, sort in (
        (
            r"password authentication failed|no password supplied|authentication failed|no pg_hba\.conf entry"
            r"|role \"[^\"]*\" does not exist|login failed|ORA-01017",
            DatabaseFault.LOGIN,
        ),
        (r"timeout|timed out|interrupted", DatabaseFault.SLOW),
        (r"locked|busy", DatabaseFault.LOCKED),
        (r"no such (?:table|column)|ORA-00942|ORA-00904", DatabaseFault.MISSING),
        (r"not authorized|prohibited|readonly|permission denied", DatabaseFault.DENIED),
        (
            r"connection|could not (?:connect|translate)|server closed|unable to open|does not exist|starting up"
            r"|shutting down|certificate|ssl",
            DatabaseFault.AWAY,
        ),
    )
)
"""Words of errors that have neither: of SQLite, and of libpq before the connection is made."""
_ADVICE: Final[dict[DatabaseFault, str]] = {
    DatabaseFault.AWAY: "Check that the database runs, its address, and the settings tls and ca.",
    DatabaseFault.SLOW: "Raise timeout_s or listing_s, or give the database an index on the columns that are read.",
    DatabaseFault.LOCKED: "Another program is writing to it; the next crawl tries again.",
    DatabaseFault.MISSING: "Check the settings table, query and the columns.",
    DatabaseFault.DENIED: "Let the account read what the source names; it needs no other right.",
    DatabaseFault.OTHER: "Check the settings of the source.",
}


def report(error: BaseException) -> FaultReport:
    """Return what an error of a driver, or SQLAlchemy's around it, means."""
    cause = getattr(error, "orig", None) or error
    lines = str(cause.args[1] if _number(cause) and len(cause.args) > 1 else cause).strip().splitlines()
    text = (lines[0] if lines else type(cause).__name__).strip().rstrip(".")[:300]
    state = str(getattr(cause, "sqlstate", None) or "")
    begun = (each for each in _STATES if state.startswith(each[0]))
    exact = max(begun, key=lambda each: len(each[0]), default=None)
    if exact is not None:
        return FaultReport(exact[1], text)
    if (number := _number(cause)) in _NUMBERS:
        return FaultReport(_NUMBERS[number], text)
    if state or (number and number < 1_000):
        return FaultReport(DatabaseFault.OTHER, text)
    said = "\n".join(lines)
    sort = next((sort for words, sort in _WORDS if words.search(said)), DatabaseFault.OTHER)
    if sort is DatabaseFault.OTHER and getattr(error, "connection_invalidated", False):
        sort = DatabaseFault.AWAY
    return FaultReport(sort, text)


def _number(cause: BaseException) -> int:
    """Return the number of an error of MySQL or Oracle, 0 for one without."""
    first = cause.args[0] if cause.args else 0
    number = first if isinstance(first, int) else getattr(first, "code", 0)
    return number if isinstance(number, int) and not isinstance(number, bool) else 0


def translate(error: BaseException, place: DatabasePlace) -> CormorantError:
    """Return the error that stops a discovery, in one sentence with a remedy.

    It is raised `from None`: a run takes an error with a driver's as its cause for one of the installation's database.
    """
    if isinstance(error, CormorantError):
        return error
    found = report(error)
    if found.sort is DatabaseFault.LOGIN:
        return LoginRefused(
            f"{place.shown} refuses the user {place.user or 'without a name'}: {found.text}. Check user and password."
        )
    return Unreachable(f"{place.shown} cannot be read: {found.text}. {_ADVICE[found.sort]}")


ERRORS: Final = (sa.exc.SQLAlchemyError, OSError, UnicodeError, ValueError)
"""Classes of errors that a database can cause; drivers raise the last two for cells that they cannot read."""
