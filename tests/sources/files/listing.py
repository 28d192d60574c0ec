"""What the tests of the files source stand on: a source for a folder, its listing, and another user's eyes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import DiscoveredUrl, Resource, Role
from cormorant.model.settings.source import parse_settings
from cormorant.sources.files import FilesSettings, FilesSource
from cormorant.sources.files.openat import open_root

NOBODY = 65534


def source(folder: Path, **settings: object) -> FilesSource:
    return FilesSource(1, parse_settings(FilesSettings, {"path": str(folder), **settings}), SystemClock())


def found(place: FilesSource, cursor: str = "") -> list[DiscoveredUrl]:
    """Everything a source yields, in order."""
    return [each for batch in place.discover(cursor) for each in batch if isinstance(each, DiscoveredUrl)]


def listed(place: FilesSource, cursor: str = "") -> dict[str, str]:
    """The validators of everything a source yields, by the address below the folder."""
    everything = found(place, cursor)
    start = "file://" + str(place.settings.path) + "/"
    names = {each.address.removeprefix(start): each.validator for each in everything}
    assert len(names) == len(everything), "an address was yielded twice"
    return names


def resource(address: str) -> Resource:
    """A file that was never visited."""
    return Resource(1, 1, 1, address, Role.DOCUMENT, 0, 0, 0, 0, "", "", "", b"", b"", 0, indexed=False)


def fetched(place: FilesSource, name: str, wire: VisitTrace | None = None) -> Content | Outcome:
    """Fetch the file of that name, percent-encoded, below the folder."""

    async def once() -> Content | Outcome:
        try:
            return await place.fetch(resource(f"file://{place.settings.path}/{name}"), wire or VisitTrace())
        finally:
            await place.close()

    return asyncio.run(once())


def content(place: FilesSource, name: str) -> Content:
    got = fetched(place, name)
    assert isinstance(got, Content), got
    return got


@contextmanager
def as_nobody() -> Iterator[None]:
    """See with the eyes of a user who owns nothing. Root may read everything, so rights only show to somebody else."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def descriptors() -> int:
    """How many are open, this look not counted."""
    return len(os.listdir("/proc/self/fd")) - 1  # noqa: PTH208 - of numbers, not of paths


@contextmanager
def chain(folder: Path, levels: int) -> Iterator[None]:
    """Folders in folders, each with a folder beside the next one that has a file. Deeper than a path can be long."""
    at = open_root(os.fsencode(folder))
    for _ in range(levels):
        for name in ("down", "side"):
            os.mkdir(name, dir_fd=at)
        os.close(os.open("side/file", os.O_CREAT | os.O_WRONLY, dir_fd=at))
        below = os.open("down", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    try:
        yield
    finally:
        _cut(folder, levels)


def _cut(folder: Path, levels: int) -> None:
    """Take a chain away. Renaming each folder to the top before removing it keeps every path short."""
    for _ in range(levels):
        for path in (folder / "side" / "file",):
            path.unlink()
        (folder / "side").rmdir()
        (folder / "down").rename(folder.parent / "next")
        folder.rmdir()
        (folder.parent / "next").rename(folder)
