"""Reading of one row by its key."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome
from cormorant.model.status import Status
from cormorant.sources.table.client import DatabaseClient
from cormorant.sources.table.faults import ERRORS, DatabaseFault, report, translate
from cormorant.sources.table.place import SQLITE
from cormorant.sources.table.relation import Relation, inspect
from cormorant.sources.table.rows.row_key import RowAddress, key_value
from cormorant.sources.table.rows.row_page import RowCells, RowPages
from cormorant.sources.table.settings import TableSettings

_FIELD: Final = 1 << 20
"""Bytes of a cell that is no content; a larger one is left out of its page."""
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_NUMBER: Final = re.compile(r"-?[0-9]+\.[0-9]+(?:e[+-]?[0-9]+)?|-?[0-9]+e[+-]?[0-9]+")
_OUTCOMES: Final = {
    DatabaseFault.LOGIN: Status.UNAUTHORIZED, DatabaseFault.AWAY: Status.CONNECTION_REFUSED,
    DatabaseFault.SLOW: Status.READ_TIMEOUT, DatabaseFault.LOCKED: Status.IO_ERROR,
}  # fmt: skip


class RowContent(NamedTuple):
    """The result of reading a row, and the number of bytes read for it."""

    outcome: Content | Outcome
    size: int = 0


class RowReader:
    """Reads rows of one source, in any thread. The columns are looked at once, by the first that reads."""

    def __init__(
        self, client: DatabaseClient, settings: TableSettings, address_of: Callable[[RowAddress], str]
    ) -> None:
        self._client, self._settings, self._address_of = client, settings, address_of
        self._relation: Relation | None = None

    def read(self, where: RowAddress) -> RowContent:
        """Read a row, or one of its attachments. Never raises for what the database does."""
        first = self._tried(where)
        lost = isinstance(first.outcome, Deferred) and first.outcome.status == Status.CONNECTION_REFUSED
        return self._tried(where) if lost else first  # a kept connection may be one that the server closed meanwhile

    def _tried(self, where: RowAddress) -> RowContent:
        try:
            with self._client.pool.connection() as connection:
                return self._read(connection, where)
        except LoginRefused as error:
            return RowContent(Deferred(Status.UNAUTHORIZED, error.sentence, whole_site=True))
        except Unreachable as error:
            return RowContent(Deferred(Status.CONNECTION_REFUSED, error.sentence, whole_site=True))
        except ERRORS as error:
            return RowContent(self._outcome(error))

    def _outcome(self, error: BaseException) -> Outcome:
        found = report(error)
        sentence = translate(error, self._client.place).sentence
        if found.sort in (DatabaseFault.OTHER, DatabaseFault.SLOW):
            status = Status.READ_TIMEOUT if found.sort is DatabaseFault.SLOW else Status.UNREADABLE
            return Failed(status, sentence) if status == Status.UNREADABLE else Deferred(status, sentence)
        return Deferred(_OUTCOMES.get(found.sort, Status.IO_ERROR), sentence, whole_site=True)

    def _read(self, connection: sa.Connection, where: RowAddress) -> RowContent:
        with self._client.reading(connection, self._settings.timeout_s):
            if self._relation is None:
                self._relation = inspect(connection, self._settings)
        relation = self._relation
        roles = relation.roles
        if len(where.key) != len(roles.key) or (where.attachment and where.attachment not in roles.attachments):
            return RowContent(Gone())
        large = (where.attachment,) if where.attachment else roles.content
        columns = tuple(dict.fromkeys((*roles.page, *large))) if where.attachment else roles.page
        with self._client.reading(connection, self._settings.timeout_s):
            rows = connection.execute(self._statement(relation, where, columns, large)).fetchmany(3)
        wanted = list(where.key)
        rows = [each for each in rows if list(map(key_value, each[: len(wanted)])) == wanted]
        if not rows:
            return RowContent(Gone())
        if len(rows) > 1:
            return RowContent(Failed(Status.UNREADABLE, "Several rows have this key. Name further columns in key."))
        return self._content(where, columns, large, rows[0])

    def _content(self, where: RowAddress, columns: tuple[str, ...], large: tuple[str, ...], row: Any) -> RowContent:
        assert self._relation is not None  # noqa: S101 - it was looked at
        roles = self._relation.roles
        cells = list(row[len(roles.key) :])
        values = dict(zip(columns, cells, strict=False))
        sizes = dict(zip(large, cells[len(columns) :], strict=False))
        sizes_held = zip(roles.attachments, cells[len(columns) + len(large) :], strict=False)
        pages = RowPages(roles, self._settings, self._settings.table or "row")
        address, found = self._address_of(where), RowCells(values, sizes)
        made: Content | Outcome | None
        if where.attachment:
            made = pages.attachment(where, address, found)
        else:
            made = pages.document(where, address, found, [each for each, size in sizes_held if size])
        return RowContent(Gone() if made is None else made, sum(map(_weight, values.values())))

    def _statement(
        self, relation: Relation, where: RowAddress, columns: tuple[str, ...], large: tuple[str, ...]
    ) -> sa.Select[Any]:
        """Select the key, the cells, the sizes of large ones, and whether there are attachments."""
        cells = relation.cells
        selected = [*relation.keys]
        for each in columns:
            limit = self._settings.cell_limit if each in large else _FIELD
            selected.append(cells.value(relation[each], relation.codes[each], limit))
        selected += [_or_none(cells.size(relation[each], relation.codes[each])) for each in large]
        if not where.attachment:
            for each in relation.roles.attachments:
                size = cells.size(relation[each], relation.codes[each])
                there = relation[each].is_not(None)
                selected.append(sa.case((there, 1), else_=0) if size is None else size)
        keys = zip(relation.roles.key, where.key, strict=True)
        matches = (self._equals(relation[column], value) for column, value in keys)
        labelled = [each.label(f"c{number}") for number, each in enumerate(selected)]
        return sa.select(*labelled).select_from(relation.source).where(*matches)

    def _equals(self, column: sa.ColumnElement[Any], value: str | bytes) -> sa.ColumnElement[bool]:
        """Return the condition that a key column has a value; SQLite compares texts and numbers as they are stored."""
        if self._settings.place.dialect != SQLITE or isinstance(value, bytes):
            return column == _bound(value)
        if not value.isprintable() or any("\ud800" <= each <= "\udfff" for each in value):
            return column == sa.cast(_bound(value.encode("utf-8", "surrogateescape")), sa.Text)
        number = int(value) if _INTEGER.fullmatch(value) else float(value) if _NUMBER.fullmatch(value) else None
        same = column == _bound(value)
        return same if number is None else sa.or_(same, column == _bound(number))


def _bound(value: object) -> sa.BindParameter[Any]:
    """Return a bound value without a type of ours: the database compares it as its column is."""
    return sa.bindparam(None, value, type_=sa.types.NullType(), unique=True)


def _or_none(cell: sa.ColumnElement[Any] | None) -> sa.ColumnElement[Any]:
    return sa.null() if cell is None else cell


def _weight(value: object) -> int:
    """About how many bytes a cell had on the way."""
    if value is None:
        return 0
    return len(value) if isinstance(value, str | bytes | bytearray | memoryview) else 8
