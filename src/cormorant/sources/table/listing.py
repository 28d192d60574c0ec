"""Complete listings of a relation: every row with its version, read to the end before any of it is handed on.

    checksum   the version of a row is a digest of all that its documents are made of
    modified   it is the modification time and the readers; of rows without a time the digest, see also `RecentRows`

The database is read by a thread of its own into a file of texts, as fast as it gives rows. So its transaction is short
however slowly documents are admitted, a connection that is lost on the way costs nothing but this run, and the listing
goes on to say that it goes on.
"""

from __future__ import annotations

import datetime
import json
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from decimal import Decimal
from typing import IO, Any, Final, Protocol

import sqlalchemy as sa

from cormorant.base.errors import Unreachable
from cormorant.sources.table.place import ORACLE
from cormorant.sources.table.relation import Relation
from cormorant.sources.table.rows.cell_text import parsed_moment
from cormorant.sources.table.rows.recent_rows import MOST, RecentRow, RecentRows
from cormorant.sources.table.rows.row_key import RowAddress, key_value, read_path, row_path
from cormorant.sources.table.rows.row_version import ListedRow, RowVersions, version_of
from cormorant.sources.table.settings import TableSettings

FETCHED: Final = 500
"""Rows that come from the server at once, where cells are short."""
FETCHED_WHOLE: Final = 20
"""The same where the cells themselves come."""
_WAIT_S: Final = 2.0
_KEPT: Final = 1 << 20
"""Bytes of a listing that are held in memory before a file is used."""


class Spool(Protocol):
    """A file that rows are written to."""

    def write(self, text: str, /) -> object:
        """Write a text. Raises Unreachable when nobody waits for it any more."""
        ...


Look = Callable[[Spool], None]


def spooled(look: Look) -> Iterator[IO[str] | None]:
    """Run `look` in a thread with a file to write to; yields None while it runs, then the file, from its beginning.

    Raises what `look` raises.
    """
    spool: IO[str] = tempfile.SpooledTemporaryFile(_KEPT, "w+", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
    thread = ThreadPoolExecutor(1, thread_name_prefix="table-listing")
    given_up = threading.Event()
    looking = thread.submit(look, _Guarded(spool, given_up))
    try:
        while not wait((looking,), _WAIT_S).done:
            yield None
        looking.result()
        spool.seek(0)
        yield spool
    finally:
        given_up.set()
        thread.shutdown(wait=False, cancel_futures=True)
        looking.add_done_callback(lambda _: spool.close())


class _Guarded:
    """A file to write to, until nobody waits for it any more."""

    def __init__(self, spool: IO[str], given_up: threading.Event) -> None:
        self._spool, self._given_up = spool, given_up

    def write(self, text: str) -> None:
        if self._given_up.is_set():
            raise Unreachable("Nobody waits for this listing any more.")
        self._spool.write(text)


def write_row(spool: Spool, row: ListedRow | None) -> None:
    """Write a row as a line; an empty one for a row that cannot be named."""
    kept = None if row is None else [row_path(RowAddress(row.key)), row.version, row.display, row.attachments]
    spool.write(json.dumps(kept) + "\n")


def read_rows(spool: IO[str]) -> Iterator[ListedRow | None]:
    """Yield the rows of a file."""
    for line in spool:
        kept = json.loads(line)
        if kept is None:
            yield None
            continue
        address = read_path(kept[0])
        if address is not None:
            yield ListedRow(address.key, kept[1], kept[2], tuple((column, version) for column, version in kept[3]))


class TableListing:
    """Lists every row of a relation on one connection."""

    def __init__(self, connection: sa.Connection, relation: Relation, settings: TableSettings) -> None:
        self._connection, self._relation, self._settings = connection, relation, settings

    def write(self, spool: Spool, before: RecentRows) -> RecentRows:
        """Write every row; returns the newest ones, to be given the next time.

        Raises Unreachable when keys do not tell rows apart, and what the driver raises.
        """
        self._see_twins()
        column, newest = self._newest()
        if column is None or newest is None:
            self._select(spool, None, whole=True)
            return RecentRows({})
        recent = self._recent(column, threshold(newest, self._settings.overlap_s), before)
        self._select(spool, recent, column.is_not(None), whole=False)
        self._select(spool, None, column.is_(None), whole=True)
        return recent

    def _newest(self) -> tuple[sa.ColumnElement[Any] | None, Any]:
        """Return the column of the modification time and its last value; None and None where it does not count."""
        if self._settings.incremental != "modified":
            return None, None
        column = self._relation[self._relation.roles.modified]
        last = sa.select(self._relation.cells.moment(sa.func.max(column))).select_from(self._relation.source)
        return column, self._connection.execute(last).scalar()

    def _recent(self, column: sa.ColumnElement[Any], since: Any, before: RecentRows) -> RecentRows:
        """Return the rows that are among the newest now, or were at the listing before."""
        bounds = [since] if before.since == "" else [since, before.since]
        among = sa.or_(*(column >= sa.bindparam(None, each, type_=sa.types.NullType()) for each in bounds))
        whole, plain = (RowVersions(self._relation, self._settings, whole=each) for each in (True, False))
        cells = [each.label(f"w{number}") for number, each in enumerate(whole.cells)]
        statement = (
            sa.select(*plain.cells, *cells)
            .select_from(self._relation.source).where(among).order_by(column.desc()).limit(MOST)
        )  # fmt: skip
        found, width = dict[str, RecentRow](), len(plain.cells)
        for each in streamed(self._connection, statement, short=self._short):
            row, content = plain.row(each[:width]), whole.row(each[width:])
            if row is not None and content is not None:
                path = row_path(RowAddress(row.key))
                found[path] = before.followed_by(path, row.version, version_of(content))
        return RecentRows(found, since if isinstance(since, int | float | str) else self._as_text(since))

    def _as_text(self, since: Any) -> str:
        """Return a time that the database reads from a text; "" where it does not."""
        is_time = isinstance(since, datetime.date | Decimal)
        return str(since) if is_time and self._settings.place.dialect != ORACLE else ""

    @property
    def _short(self) -> bool:
        return self._settings.place.dialect in SHORT

    def _see_twins(self) -> None:
        """Raise Unreachable when two rows have one key."""
        if self._relation.unique:
            return
        keys = [self._relation[each] for each in self._relation.roles.key]
        twins = (
            sa.select(*self._relation.keys, sa.func.count().label("times"))
            .select_from(self._relation.source).where(*(each.is_not(None) for each in keys))
            .group_by(*keys).having(sa.func.count() > 1).limit(1)
        )  # fmt: skip
        found = self._connection.execute(twins).first()
        if found is not None:
            named, values = (
                " and ".join(self._relation.roles.key),
                ", ".join(str(key_value(each)) for each in found[:-1]),
            )
            raise Unreachable(
                f"{found[-1]} rows have the key {values} in {named}, so they cannot be told apart. Name further "
                "columns with --set key=... ."
            )

    def _select(self, spool: Spool, recent: RecentRows | None, *where: sa.ColumnElement[bool], whole: bool) -> None:
        versions = RowVersions(self._relation, self._settings, whole=whole)
        statement = sa.select(*versions.cells).select_from(self._relation.source).where(*where)
        for cells in streamed(self._connection, statement, short=self._short):
            row = versions.row(cells)
            write_row(spool, row if row is None or recent is None else recent.named(row))


SHORT: Final = frozenset(("sqlite", "postgresql", "mysql"))
"""Dialects that digest cells in the database."""


def streamed(connection: sa.Connection, statement: sa.Select[Any], *, short: bool) -> Iterator[Any]:
    """Yield the rows of an answer as they come, by a cursor on the server where there is one."""
    at_once = FETCHED if short else FETCHED_WHOLE
    with connection.execute(statement, execution_options={"stream_results": True, "yield_per": at_once}) as answer:
        yield from answer


def threshold(newest: Any, overlap_s: float) -> Any:
    """Return what lies `overlap_s` seconds before the newest change; that itself where nothing can be taken away.

    Texts that are moments stay texts of the same form; numbers count seconds.
    """
    if isinstance(newest, bool | bytes | bytearray | memoryview):
        return newest
    if isinstance(newest, Decimal):
        return newest - Decimal(overlap_s)
    if isinstance(newest, int | float):
        return newest - overlap_s
    try:
        if isinstance(newest, datetime.datetime | datetime.date):
            return newest - datetime.timedelta(seconds=overlap_s)
        moment = parsed_moment(str(newest))
        if moment is None:
            return _number_before(str(newest), overlap_s)
        earlier = str(moment - datetime.timedelta(seconds=overlap_s)).replace(" ", "T" if "T" in str(newest) else " ")
    except OverflowError:
        return newest
    return earlier[: len(str(newest))] if moment.tzinfo is None else earlier  # as many digits, to compare as texts


def _number_before(newest: str, overlap_s: float) -> str:
    """The same for a number that came as a text."""
    try:
        number = Decimal(newest)
    except ArithmeticError:
        return newest
    return f"{number - Decimal(overlap_s):f}" if number.is_finite() else newest
