"""Sources of archives for tests, and all that is in them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import DiscoveredUrl
from cormorant.model.settings.source import parse_settings
from cormorant.sources.warc.settings import ArchiveSettings
from cormorant.sources.warc.source import ArchiveSource
from cormorant.testing import tools
from cormorant.testing.sources import resource_of


def source(path: Path, **more: Any) -> ArchiveSource:
    return ArchiveSource(3, parse_settings(ArchiveSettings, {"path": str(path), **more}), tools())


def listed(made: ArchiveSource, cursor: str = "") -> dict[str, DiscoveredUrl]:
    found = [each for batch in made.discover(cursor) for each in batch]
    assert all(isinstance(each, DiscoveredUrl) for each in found)
    return {made.key_of(each.address): each for each in found if isinstance(each, DiscoveredUrl)}


def fetched(made: ArchiveSource, found: DiscoveredUrl) -> Content | Outcome:
    async def visit() -> Content | Outcome:
        try:
            return await made.fetch(resource_of(found, made), VisitTrace())
        finally:
            await made.close()

    return asyncio.run(visit())


def bodies(made: ArchiveSource) -> dict[str, bytes | Outcome]:
    got = {key: fetched(made, each) for key, each in listed(made).items()}
    return {key: each.body if isinstance(each, Content) else each for key, each in got.items()}
