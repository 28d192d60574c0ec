"""Changed rows by a log table that triggers write: only their keys are looked at.

    cursor (number of the last entry seen) -> newer entries, and those of `overlap_s` before the newest
        -> their rows, each with its version or missing

Entries get their number before their transaction ends, so one may show up behind others that were seen: the overlap
reads them again, which costs nothing where the version is the same. An entry without a key says that everything may
have changed. The version is the same as that of a complete listing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import Unreachable
from cormorant.sources.table.listing import SHORT, Spool, streamed, threshold, write_row
from cormorant.sources.table.relation import Relation, parse_table
from cormorant.sources.table.rows.row_key import key_value
from cormorant.sources.table.rows.row_version import ListedRow, RowVersions
from cormorant.sources.table.settings import TableSettings

NUMBER: Final = "cormorant_number"
"""The column of a log table that numbers its entries."""
MOMENT: Final = "cormorant_at"
"""The column that says when an entry was written."""


class LogPlace(NamedTuple):
    """The last entry of a log that was read: its number, and when it was written, as a text.

    0 when it had no entry, -1 when it was not read.
    """

    number: int = -1
    moment: str = ""


class ChangeLog:
    """The log table of a source, on one connection. Raises what the driver raises."""

    def __init__(self, connection: sa.Connection, relation: Relation, settings: TableSettings) -> None:
        self._connection, self._relation, self._settings = connection, relation, settings
        schema, name = parse_table(settings.log_table)
        if not schema and settings.table:
            schema = parse_table(settings.table)[0]
        columns = (NUMBER, MOMENT, *relation.roles.key)
        self._log = sa.table(name, *map(sa.column, columns), schema=schema or None)

    def end(self) -> LogPlace:
        """Return where the log ends now. Raises Unreachable when it has not the columns that are needed."""
        at = self._relation.cells.moment(sa.func.max(self._log.c[MOMENT]))
        try:
            found = self._connection.execute(sa.select(sa.func.max(self._log.c[NUMBER]), at)).one()
            self._connection.execute(sa.select(self._log).where(sa.false())).close()
        except sa.exc.DBAPIError as error:
            if error.connection_invalidated:
                raise
            raise Unreachable(
                f"The log table {self._settings.log_table} cannot be read as it should: {error.orig}. `cormorant "
                "source script NAME` prints the statements that make it and its triggers."
            ) from None
        return LogPlace(int(found[0] or 0), "" if found[1] is None else str(found[1]))

    def is_whole(self, since: LogPlace) -> bool:
        """Return whether nothing behind a place was removed from the log, and no entry says that all may differ."""
        number = self._log.c[NUMBER]
        first, last = self._connection.execute(sa.select(sa.func.min(number), sa.func.max(number))).one()
        if since.number > 0 and (last is None or int(last) < since.number or int(first or 0) > since.number + 1):
            return False
        bare = sa.or_(*(self._log.c[each].is_(None) for each in self._relation.roles.key))
        unnamed = sa.select(sa.func.count()).select_from(self._log).where(number > since.number, bare)
        return not self._connection.execute(unnamed).scalar()

    def write(self, spool: Spool, since: LogPlace) -> None:
        """Write every row that an entry behind `since` names; one that is not there any more has no version."""
        newer: sa.ColumnElement[bool] = self._log.c[NUMBER] > since.number
        if since.moment:
            earliest = threshold(since.moment, self._settings.overlap_s)
            newer = sa.or_(newer, self._log.c[MOMENT] >= sa.bindparam("since", earliest, type_=sa.types.NullType()))
        keys = self._relation.roles.key
        named = sa.select(*(self._log.c[each].label(f"k{n}") for n, each in enumerate(keys))).where(newer).distinct()
        changed = named.subquery("changed")
        logged = [self._relation.cells.key(changed.c[f"k{n}"]).label(f"l{n}") for n in range(len(keys))]
        same = sa.and_(*(changed.c[f"k{n}"] == self._relation[each] for n, each in enumerate(keys)))
        versions = RowVersions(self._relation, self._settings, whole=True)
        joined = changed.outerjoin(self._relation.source, same)
        statement = sa.select(*logged, *versions.cells).select_from(joined)
        for cells in streamed(self._connection, statement, short=self._settings.place.dialect in SHORT):
            write_row(spool, _row(cells[: len(keys)], versions.row(cells[len(keys) :])))


def _row(logged: Sequence[Any], row: ListedRow | None) -> ListedRow | None:
    if row is not None or any(each is None for each in logged):
        return row
    return ListedRow(tuple(map(key_value, logged)), "", "")
