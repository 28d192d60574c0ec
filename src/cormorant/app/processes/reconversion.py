"""Start the reconverter beside the visits of a retriever, and end it with them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from cormorant.base.log import logger
from cormorant.crawl.worker.reconverter import Reconverter, ReconverterConfig
from cormorant.extract.detect.reader_versions import reader_versions

if TYPE_CHECKING:
    from cormorant.crawl.context import WorkerContext
    from cormorant.crawl.resource_guard import DiskGuard
    from cormorant.crawl.visit.convert import Converter
    from cormorant.operate.installation import Installation

_log = logger(__name__)


@asynccontextmanager
async def rereading(
    house: Installation, means: WorkerContext, reader: Converter, room: DiskGuard, stop: asyncio.Event
) -> AsyncIterator[None]:
    """Reread documents for the length of the block. An unexpected error ends the rereading, but no visit."""
    types = reader.tika.types if reader.tika is not None else None
    config = ReconverterConfig(
        means.owner, means.store, means.cache, house.clock, reader, room, house.source, partial(reader_versions, types)
    )
    task = asyncio.create_task(Reconverter(config).work(stop))
    task.add_done_callback(_noted)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _noted(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("fault", exc_info=error)
