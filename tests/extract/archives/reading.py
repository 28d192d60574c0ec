"""Shorthands for reading an archive in a test, and for damaging one."""

from __future__ import annotations

import random
from collections.abc import Iterator

from cormorant.extract.archives.archive import archive_embedded_files, extract_archive
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.model.content import Extraction


def task(name: str = "a.zip") -> ExtractionTask:
    return ExtractionTask("application/zip", f"file:///share/{name}", "", name)


def listed(body: bytes, name: str = "a.zip") -> Extraction:
    return extract_archive(body, task(name))


def members(body: bytes, name: str = "a.zip", start: int = 0) -> list[EmbeddedFile]:
    return list(archive_embedded_files(body, task(name), start))


def contents(body: bytes, name: str = "a.zip") -> dict[str, bytes]:
    return {each.path: each.body for each in members(body, name)}


def damaged(body: bytes, count: int) -> Iterator[bytes]:
    """Yield the archive with some bytes changed, or its end cut off; the same each time."""
    for seed in range(count):
        chance = random.Random(seed)
        made = bytearray(body)
        for _ in range(chance.randint(1, 6)):
            made[chance.randrange(len(made))] = chance.choice((0, 0xFF, chance.randrange(256)))
        if chance.random() < 0.3:
            del made[chance.randrange(len(made)) :]
        yield bytes(made)


def survives(body: bytes) -> bool:
    """Read an archive; return whether something was read. Raises whatever a reader may not raise."""
    try:
        listed(body)
        return bool(members(body))
    except (Unreadable, Protected):
        return False
