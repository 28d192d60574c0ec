"""Reconverter: rereads documents whose reader is newer than their text, beside the visits of a retriever.

    leads? -> readers of another version than at the last start? -> their documents into the queue
           -> a source without a run at work -> some of its documents, one at a time -> settle ...

One retriever leads: the first by name that is alive. While any run is at work, it rests as long as it works. No request
is sent: its sources have no fetcher. A kill costs unsettled documents, which are reread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.base.polling import nap
from cormorant.crawl.commit.reconverted import ReconvertedBatch
from cormorant.crawl.visit.reconversion import Reconversion, reconvert
from cormorant.extract.detect.reader_versions import changes
from cormorant.frontier.queue import outdated_texts
from cormorant.frontier.state import refetch
from cormorant.model.outcome import Deferred
from cormorant.model.status import Status
from cormorant.sandbox import ServerGone
from cormorant.store.blobs.protocol import OutOfSight
from cormorant.store.catalog import readers, sources
from cormorant.store.db import heartbeats
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from cormorant.base.clock import Clock
    from cormorant.crawl.resource_guard import DiskGuard
    from cormorant.crawl.visit.convert import Converter
    from cormorant.model.resource import Resource
    from cormorant.sources.protocol import Source
    from cormorant.store.blobs.protocol import Cache
    from cormorant.store.catalog.sources import SourceRow
    from cormorant.store.db.database import Store, Tx

_log = logger(__name__)
LOOK_S: Final = 2.0
"""Seconds between checks of the queue while there is nothing to do."""
PUT_OFF_S: Final = 60.0
"""Seconds of rest for a source with unusable settings, or whose copies cannot be read now."""
AT_ONCE: Final = 50
"""Documents read from the queue and settled together."""
BATCH_BYTES: Final = 8 << 20
BATCH_S: Final = 2.0
"""Bytes of frames that wait to be settled at most, and seconds after which they are settled."""
MARKED: Final = 1_000
"""Documents marked in one transaction."""
_MEDIA: Final = ("audio/", "font/", "image/", "model/", "video/")


@dataclass(frozen=True, slots=True)
class ReconverterConfig:
    """Configuration of a reconverter.

    `owner` is the name of its retriever, `build` makes a source that cannot fetch, `versions` gives the versions of the
    installed readers (`extract.detect.reader_versions`).
    """

    owner: str
    store: Store
    cache: Cache
    clock: Clock
    reader: Converter
    room: DiskGuard
    build: Callable[[SourceRow], Source]
    versions: Callable[[], Mapping[str, str]]


class Reconverter:
    """Reads the queue of outdated texts, until it is cancelled."""

    def __init__(self, config: ReconverterConfig) -> None:
        self._config = config
        self._compared = False
        self._under_way: dict[int, tuple[SourceRow, int]] = {}
        self._left_alone: dict[int, float] = {}

    async def work(self, stop: asyncio.Event) -> None:
        """Reread documents from the queue until `stop` is set."""
        while not stop.is_set():
            try:
                worked = await self.step()
            except (CormorantError, ServerGone) as error:  # the store or the converters are unavailable for a moment
                _log.warning("reread postponed", extra={"reason": str(error)})
                worked = False
            await nap(0.0 if worked else LOOK_S, stop)

    async def step(self) -> bool:
        """Reread and settle some documents of one source; returns whether there were any. Raises ServerGone."""
        with self._config.store.read() as tx:
            leads = self._leads(tx)
        if not leads or self._config.room.lack():
            return False
        if not self._compared:
            await self._compare()
            self._compared = True
        with self._config.store.read() as tx:
            chosen = self._chosen(tx)
        return await self._read(*chosen) if chosen is not None else False

    def _leads(self, tx: Tx) -> bool:
        names = sorted(each.name for each in heartbeats.alive(tx, "retriever"))
        return names[:1] == [self._config.owner]

    async def _compare(self) -> None:
        """Queue documents whose readers changed since the last start. May be repeated after a kill."""
        store, now = self._config.store, self._config.versions()
        with store.read() as tx:
            before = readers.versions(tx)
        if before == now:
            return
        found = changes(before, now)
        if found.types:
            _log.info("readers changed", extra={"types": list(found.types)})
        behind: int | None = 0 if found.types else None
        while behind is not None:
            with store.begin() as tx:
                behind = refetch.outdate(tx, found.types, behind, MARKED)
            await asyncio.sleep(0)
        statuses = [Status.NO_CONVERTER, *([Status.NOT_HTML] if any(map(_is_media, found.gained)) else [])]
        behind = 0 if found.gained else None
        while behind is not None:
            with store.begin() as tx:
                behind = refetch.reconsider(tx, statuses, behind, MARKED)
            await asyncio.sleep(0)
        with store.begin() as tx:
            readers.replace(tx, now)

    def _chosen(self, tx: Tx) -> tuple[SourceRow, list[Resource]] | None:
        """Some documents of the first source that has queued ones and no run at work."""
        waiting, now = outdated_texts.counts(tx), self._config.clock.monotonic()
        self._note(waiting)
        busy = {row.source_id for row in runs.open_runs(tx)} if waiting else set()
        for number in waiting:
            row = sources.numbered(tx, number)
            if row is None or number in busy or self._left_alone.get(number, 0.0) > now:
                continue
            documents = outdated_texts.read(tx, number, AT_ONCE)
            if documents:
                self._begin(row, waiting[number])
                return row, documents
        return None

    def _begin(self, row: SourceRow, count: int) -> None:
        if row.id not in self._under_way:
            self._under_way[row.id] = row, count
            _log.info("reread began", extra={"source": row.name, "documents": count})

    def _note(self, waiting: Mapping[int, int]) -> None:
        """Log the sources whose queue has become empty."""
        for number in [number for number in self._under_way if number not in waiting]:
            row, count = self._under_way.pop(number)
            _log.info("reread ended", extra={"source": row.name, "documents": count})

    async def _read(self, row: SourceRow, documents: list[Resource]) -> bool:
        config = self._config
        try:
            source = config.build(row)
        except CormorantError as error:  # its settings are unusable now
            return self._leave_alone(row, error.sentence)
        batch, began = ReconvertedBatch(), config.clock.monotonic()
        lack = ""
        for resource in documents:
            at = config.clock.monotonic()
            lack = await self._take(batch, resource, source)
            await self._rest(config.clock.monotonic() - at)
            if lack or config.clock.monotonic() - began > BATCH_S or batch.size_bytes > BATCH_BYTES:
                break
        read = batch.settle(config.store, config.cache)
        _log.info("reread", extra={"source": row.name, "documents": read, "left": len(batch.left)})
        return self._leave_alone(row, lack) if lack else True

    async def _take(self, batch: ReconvertedBatch, resource: Resource, source: Source) -> str:
        """Reread one document into the batch; returns why none can be read now, "" if they can."""
        try:
            got = await reconvert(resource, source, self._config.reader)
        except OutOfSight as error:
            return error.sentence
        if isinstance(got, Deferred):
            return got.reason
        if isinstance(got, Reconversion):
            batch.add(got)
        else:
            batch.left.append(resource)
            _log.info("left to the next crawl", extra={"address": resource.address, "reason": got})
        return ""

    def _leave_alone(self, row: SourceRow, reason: str) -> bool:
        self._left_alone[row.id] = self._config.clock.monotonic() + PUT_OFF_S
        _log.warning("reread postponed", extra={"source": row.name, "reason": reason})
        return False

    async def _rest(self, took_s: float) -> None:
        """Rest as long as the work took if a run is at work."""
        with self._config.store.read() as tx:
            at_work = any(row.is_under_way for row in runs.open_runs(tx))
        await asyncio.sleep(took_s if at_work else 0)


def _is_media(mime: str) -> bool:
    return mime.startswith(_MEDIA)
