"""SQL expressions by which a cell is measured, compared and read, as each dialect has them.

    key        its text in PostgreSQL, which takes the same text back; elsewhere the value itself
    version    SHA-256 made by the database, so that large cells stay there; only the size of one that is too large
    size       bytes; None where the dialect cannot tell, or the type has few
    value      the cell, or NULL where it is larger than the limit

Types are known by the numbers that PostgreSQL's driver gives (`pg_type.oid`); other dialects are not asked for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import sqlalchemy as sa

from cormorant.sources.table.place import MSSQL, MYSQL, POSTGRESQL, SQLITE
from cormorant.sources.table.settings import MAX_CELL
from cormorant.sources.table.wire import DIGEST

Cell = sa.ColumnElement[Any]
_BYTES: Final = 17
_SMALL: Final = frozenset((16, 20, 21, 23, 26, 700, 701, 1082, 1083, 1114, 1184, 1186, 1266, 1700, 2950))
"""Types whose cells are short: bool, integers, floats, dates, times, numeric, uuid."""
_PLAIN: Final = frozenset(
    (16, 20, 21, 23, 26, 700, 701, 1700, _BYTES, 19, 25, 1042, 1043, 1003, 1005, 1007, 1009, 1015, 1016, 1021, 1022)
)
"""Types that the driver reads whatever their value is, and arrays of these. Of others the text is read."""


class CellExpressions:
    """Expressions of one dialect."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._size: Callable[[Cell, int], Cell | None] = _SIZES.get(dialect, lambda _cell, _code: None)
        self._digest: Callable[[Cell, int], Cell] | None = _DIGESTS.get(dialect)

    def key(self, cell: Cell) -> Cell:
        """Return a key column as it is listed."""
        return _text(cell) if self._dialect == POSTGRESQL else cell

    def moment(self, cell: Cell) -> Cell:
        """Return the column of a modification time as it is compared."""
        return _text(cell) if self._dialect == POSTGRESQL else cell

    def size(self, cell: Cell, code: int) -> Cell | None:
        """Return the bytes of a cell."""
        return self._size(cell, code)

    def version(self, cell: Cell, code: int) -> Cell:
        """Return what changes when a cell does, and is short where the dialect can."""
        size = self._size(cell, code)
        if self._digest is None:
            return cell
        if size is None:
            return _text(cell)
        return sa.case((size > MAX_CELL, _as_text(size)), else_=self._digest(cell, code))

    def value(self, cell: Cell, code: int, limit: int) -> Cell:
        """Return the cell itself, NULL where it is larger than `limit` bytes."""
        read = _text(cell) if self._dialect == POSTGRESQL and code not in _PLAIN else cell
        size = self._size(cell, code)
        return read if size is None else sa.case((size <= limit, read), else_=sa.null())


def _text(cell: Cell) -> Cell:
    return sa.cast(cell, sa.Text)


def _as_text(size: Cell) -> Cell:
    return sa.cast(size, sa.String(20))


def _postgresql_size(cell: Cell, code: int) -> Cell | None:
    if code in _SMALL:
        return None
    return sa.func.octet_length(cell if code == _BYTES else _text(cell))


def _postgresql_digest(cell: Cell, code: int) -> Cell:
    own = sa.func.current_setting("server_encoding")
    data = cell if code == _BYTES else sa.func.convert_to(_text(cell), own)
    return sa.func.encode(sa.func.sha256(data), "hex")


_SIZES: Final[Mapping[str, Callable[[Cell, int], Cell | None]]] = MappingProxyType(
    {
        SQLITE: lambda cell, _: sa.func.octet_length(cell),
        POSTGRESQL: _postgresql_size,
        MYSQL: lambda cell, _: sa.func.octet_length(cell),
        MSSQL: lambda cell, _: sa.func.datalength(cell),
    }
)
_DIGESTS: Final[Mapping[str, Callable[[Cell, int], Cell]]] = MappingProxyType(
    {
        SQLITE: lambda cell, _: getattr(sa.func, DIGEST)(cell),
        POSTGRESQL: _postgresql_digest,
        MYSQL: lambda cell, _: sa.func.sha2(cell, 256),
    }
)
