"""A table source: lists the rows of a table, view or query, and reads them one by one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import quote

from cormorant.base.errors import CormorantError, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Failed, Outcome
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Removal, Resource
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.url import canonical, origin_of
from cormorant.sources.base import BaseFilters, BaseSource, Batches, absence_of
from cormorant.sources.kind import SourceKind, Tools
from cormorant.sources.protocol import Discovery
from cormorant.sources.table.change_log import ChangeLog, LogPlace
from cormorant.sources.table.client import DatabaseClient
from cormorant.sources.table.driver_check import ADVICE, look
from cormorant.sources.table.faults import ERRORS, translate
from cormorant.sources.table.listing import Spool, TableListing, read_rows, spooled
from cormorant.sources.table.relation import inspect
from cormorant.sources.table.rows.recent_rows import RecentRows
from cormorant.sources.table.rows.row_key import RowAddress, read_path, row_path
from cormorant.sources.table.rows.row_reader import RowReader
from cormorant.sources.table.rows.row_version import ListedRow, version_of
from cormorant.sources.table.settings import TableSettings
from cormorant.sources.table.triggers import trigger_script

BATCH: Final = 1_000
"""Rows of a batch."""
_UNNAMED: Final = "?without-a-key"
_NO_KEY = Ruling(False, Gate.ADDRESS, "a column of the key has no value (NULL)", Status.OUTSIDE_BOUNDARY)


class ListingState(NamedTuple):
    """State of a discovery for the next one: which rows it listed, whether there were any, and the end of the log.

    `runs` counts those since all rows were listed. `recent` are the newest rows (`RecentRows.as_json`).
    """

    place: str
    empty: bool
    log: LogPlace = LogPlace()
    runs: int = 0
    recent: object = None


class TableFilters(BaseFilters):
    """Rulings that admit every row whose address can be read, and say why one without a key is left out."""

    def follow(self, address: str, depth: int) -> Ruling:
        """Rule whether an address may be visited."""
        return _NO_KEY if address.endswith(_UNNAMED) else super().follow(address, depth)


class TableSource(BaseSource[TableSettings]):
    """Rows of a table, a view or a query."""

    kind: ClassVar[str] = "table"
    about: ClassVar[str] = "Rows of a table, view or query in a database."
    Settings = TableSettings
    advice: ClassVar[Mapping[int, str]] = ADVICE
    noun: ClassVar[str] = "row"

    def __init__(self, number: int, settings: TableSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self.shows_otherwise = bool(settings.display_url)
        self._gates = TableFilters([self._beginning])
        self._client = DatabaseClient(settings, tools)
        self._reader = RowReader(self._client, settings, self._address)
        self._is_feed = settings.incremental == "log"
        self._site = origin_of(self._beginning).site

    @classmethod
    def look(cls, settings: TableSettings) -> None:
        """See whether the driver is installed and a SQLite database is there."""
        look(settings)

    @property
    def discovery(self) -> Discovery:  # type: ignore[override] # with a log table it is known after `discover`
        """With a log table a feed, but for the runs that list all rows."""
        return Discovery.FEED if self._is_feed else Discovery.LISTING

    def discover(self, cursor: str) -> Batches:
        """Yield rows in batches: all of them, or with a log table those that changed.

        Raises Unreachable when they cannot all be listed, when two have the same key, and when there are suddenly none.
        """
        self.next_cursor = ""
        before, found = self._remembered(cursor), _Findings()
        unnamed = 0
        try:
            for spool in spooled(lambda written: self._look(written, before, found)):
                if spool is None:
                    yield []
                    continue
                for batch in _batched(read_rows(spool)):
                    named = [each for each in batch if each is not None]
                    unnamed += len(batch) - len(named)
                    yield [each for row in named for each in self._entries(row, found)]
                    found.rows += sum(1 for each in named if each.version)
        except ERRORS as error:
            raise translate(error, self._client.place) from None
        if unnamed:
            yield [DiscoveredUrl(self._beginning + _UNNAMED, self._site, how=DiscoveredBy.LISTING)]
        self._is_feed = not found.whole
        if found.whole and not found.rows and before is not None and not before.empty:
            raise Unreachable(
                f"{self._named} of {self._client.place.shown} has no rows, and had some before. If it was emptied on "
                "purpose, crawl with --force."
            )
        runs = 0 if found.whole or before is None else before.runs + 1
        empty = not found.rows if found.whole or before is None else before.empty
        self.next_cursor = json.dumps(ListingState(self._place, empty, found.log, runs, found.recent.as_json()))

    def _look(self, spool: Spool, before: ListingState | None, found: _Findings) -> None:
        """Write the rows to a file, in one transaction."""
        with self._client.listing() as connection:
            relation = inspect(connection, self.settings)
            found.attachments = relation.roles.attachments
            if self.settings.incremental == "log":
                log = ChangeLog(connection, relation, self.settings)
                found.log = log.end()
                continues = before is not None and before.log.number >= 0 and before.runs + 1 < self.settings.full_every
                if before is not None and continues and log.is_whole(before.log):
                    found.whole = False
                    log.write(spool, before.log)
                    return
            known = RecentRows.of_json(before.recent if before is not None else None)
            found.recent = TableListing(connection, relation, self.settings).write(spool, known)

    def _entries(self, row: ListedRow, found: _Findings) -> Iterator[DiscoveredUrl | Removal]:
        """Yield a row and its attachments; of a feed, what is not there any more as well."""
        if row.version:
            yield self._listed(RowAddress(row.key), row.version, row.display)
            for column, version in row.attachments:
                shown = f"{row.display}#{quote(column, safe='')}" if row.display else ""
                yield self._listed(RowAddress(row.key, column), version, shown)
        if found.whole:
            return
        if not row.version:
            yield Removal(self._address(RowAddress(row.key)))
        there = {column for column, _ in row.attachments}
        for column in found.attachments:
            if column not in there:
                yield Removal(self._address(RowAddress(row.key, column)))

    def _listed(self, where: RowAddress, version: str, display: str) -> DiscoveredUrl:
        return DiscoveredUrl(
            self._address(where), self._site, how=DiscoveredBy.LISTING, validator=version, display=display
        )

    def _address(self, where: RowAddress) -> str:
        return canonical(self._beginning + row_path(where))

    @property
    def _named(self) -> str:
        return self.settings.table or "The query"

    @property
    def _place(self) -> str:
        """A word for which rows are listed: other settings, other rows."""
        return version_of((self.settings.database, self.settings.table, self.settings.query, *self.settings.key))

    def _remembered(self, cursor: str) -> ListingState | None:
        """Read a cursor; None when it tells of other rows."""
        if not cursor:
            return None
        place, empty, log, runs, *more = json.loads(cursor)
        return ListingState(place, empty, LogPlace(*log), runs, *more[:1]) if place == self._place else None

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Read one row, or one attachment. Requests are HTTP's, so none are counted."""
        where = read_path(resource.address.removeprefix(self._beginning))
        if where is None:
            return Failed(Status.BAD_REQUEST, "This is not the address of a row.")
        try:
            async with asyncio.timeout(self.settings.timeout_s + self.settings.connect_timeout_s):
                outcome, size = await asyncio.to_thread(self._reader.read, where)
        except TimeoutError:
            reason = f"The row was not read within {self.settings.timeout_s:g} seconds. Check the database."
            return Deferred(Status.READ_TIMEOUT, reason, whole_site=True)
        except CormorantError as error:
            return Deferred(Status.IO_ERROR, error.sentence, whole_site=True)
        wire.received += size
        wire.decoded += size
        return outcome

    async def close(self) -> None:
        """Close the connections."""
        self._client.pool.close()


class _Findings:
    """Findings of a discovery beside the rows. `whole`: it listed all of them."""

    def __init__(self) -> None:
        self.whole = True
        self.rows = 0
        self.log = LogPlace()
        self.recent = RecentRows({})
        self.attachments: Sequence[str] = ()


def _batched(rows: Iterator[ListedRow | None]) -> Iterator[list[ListedRow | None]]:
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


TABLE: Final = SourceKind(
    TableSource.kind,
    TableSource.about,
    TableSettings,
    TableSource,
    look,
    scheme="table:",
    advice=ADVICE,
    script=trigger_script,
    unlisted=absence_of,
    noun=TableSource.noun,
)
