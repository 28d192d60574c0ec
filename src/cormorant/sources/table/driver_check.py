"""Checks of a source before anything is asked of its database: its driver, its file; and advice about its rows."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from cormorant.base.errors import BadSetting, Unreachable
from cormorant.model.status import Status
from cormorant.sources.table.place import SQLITE, DatabasePlace, url_of
from cormorant.sources.table.settings import TableSettings

ADVICE: Final[dict[int, str]] = {
    Status.NOT_FOUND: "Nothing to do if the row was deleted on purpose; otherwise check that table or query has it.",
    Status.GONE: "Nothing to do if the row was deleted on purpose; otherwise check that table or query has it.",
    Status.UNAUTHORIZED: "Check the user and the password of the source.",
    Status.OUTSIDE_BOUNDARY: "Give every row a value in each column of its key, or choose other columns.",
    Status.NOT_UNIQUE: "Have display_url name columns that tell rows apart.",
    Status.UNREADABLE: "Look at the reason; correct the row, or the query.",
    Status.READ_TIMEOUT: "Raise timeout_s, or give the database an index on the columns of the key.",
    Status.IO_ERROR: "Look at the reason; the next crawl tries again.",
    Status.CONNECTION_REFUSED: "Check that the database runs and that this machine reaches it.",
}
"""Advice on a status, by its number."""

_LIBRARIES: Final = {
    "pyodbc": "Install unixODBC (on Debian `apt install unixodbc`) and Microsoft's ODBC Driver 18 for SQL Server."
}
"""How to install the libraries of the system that a driver needs."""


def look(settings: TableSettings) -> None:
    """See whether the driver is installed and a SQLite database is there. Asks no server."""
    place = settings.place
    see_driver(place)
    if place.dialect != SQLITE:
        return
    if Path(place.name).is_dir():
        raise BadSetting(f"{place.name} is a folder. Name the file of the database.")
    if not Path(place.name).is_file():
        raise Unreachable(f"The database {place.name} is not there.")


def see_driver(place: DatabasePlace) -> None:
    """Raise BadSetting when the driver of a database, or the package of its dialect, is not installed."""
    known = place.known
    if known is not None:
        if find_spec(known.module) is None:
            raise BadSetting(
                f'{place.dialect} is read with {known.module}, which is not installed. pip install "cormorant'
                f'[{known.extra}]" installs it.'
            )
        try:
            import_module(known.module)
        except ImportError as error:  # a library of the system that it is linked with
            raise BadSetting(
                f"{known.module} cannot be loaded: {error}. {_LIBRARIES.get(known.module, '')}".strip()
            ) from None
        return
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415 - it takes long, and kinds are listed without it

    try:
        url_of(place).get_dialect()
    except ArgumentError:
        raise BadSetting(
            f"No installed package reads {place.dialect}. Install the SQLAlchemy dialect of that name, or write "
            "sqlite, postgresql, mysql, mssql or oracle."
        ) from None
