"""Integrity check of the index files on the disk.

Every file of a segment ends with the engine's own footer: JSON with the CRC-32 of what stands before it, the footer's
length and a magic number. The engine writes them and never verifies them; this module does.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from cormorant.base.errors import IndexDamaged

_PARTS = ("idx", "pos", "term", "store", "fast", "fieldnorm")
_TAIL = struct.Struct("<II")
_MAGIC = 1337
_CHUNK = 1 << 20
_LONGEST_FOOTER = 4096

REBUILD = "Run `cormorant index rebuild`; it needs no source."
_ALTERED = f"The index contains data that Cormorant never wrote. {REBUILD}"


def is_of_engine(kind: type[BaseException]) -> bool:
    """Say whether the engine reports its failures by this class of error.

    It raises ValueError or OSError, and panics where it does not expect damage. The panic's class is not exported and
    is no Exception, so it is recognized by its name.
    """
    return issubclass(kind, ValueError | OSError | KeyError) or kind.__name__ == "PanicException"


class Readable:
    """A boundary around the engine's reads of its files: every error of the engine in it means damage.

    Searches have another (`salvage.EngineCall`), since the engine reports a query that it refuses in the same way.
    """

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind and is_of_engine(kind):
            raise IndexDamaged(f"The index cannot be read ({str(error)[:200]}). {REBUILD}") from error


class Sound:
    """A boundary around the decoding of stored values: a value that cannot be decoded is damage.

    It encloses the decoding alone, so that errors of the program elsewhere are reported as such.
    """

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind and issubclass(kind, ValueError | TypeError | LookupError | OverflowError):
            raise altered() from error


def altered() -> IndexDamaged:
    """Return the error for a value that differs from the one that was written."""
    return IndexDamaged(_ALTERED)


def segments(generation: Path) -> list[dict[str, Any]]:
    """Return the segments in the engine's table of contents. Raises IndexDamaged."""
    with Readable():
        return list(json.loads((generation / "meta.json").read_bytes())["segments"])


def check(generation: Path, budget_bytes: int | None) -> None:
    """Raise IndexDamaged unless every file is there and whole.

    All checksums are computed when the files together are no larger than `budget_bytes` (None: however large they are),
    else only their ends are read.
    """
    with Readable():
        files = list(_files(generation))
        size = sum(file.stat().st_size for file in files)
        every_byte = budget_bytes is None or size <= budget_bytes
        harmed = next((file for file in files if not _whole(file, every_byte=every_byte)), None)
    if harmed is not None:
        raise IndexDamaged(f"A file of the index is damaged: {harmed.name}. {REBUILD}")


def _files(generation: Path) -> Iterator[Path]:
    """Yield the files that the committed state consists of."""
    for segment in segments(generation):
        name = segment["segment_id"].replace("-", "")
        yield from (generation / f"{name}.{part}" for part in _PARTS)
        if segment["deletes"]:
            yield generation / f"{name}.{segment['deletes']['opstamp']}.del"


def _whole(path: Path, *, every_byte: bool) -> bool:
    """Say whether a file ends as it should and, if asked, holds what its checksum says."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size < _TAIL.size:
            return False
        file.seek(size - _TAIL.size)
        length, magic = _TAIL.unpack(file.read())
        body = size - _TAIL.size - length
        if magic != _MAGIC or body < 0 or length > _LONGEST_FOOTER:
            return False
        file.seek(body)
        try:
            expected = int(json.loads(file.read(length))["crc"])
        except (ValueError, KeyError, TypeError):
            return False
        if not every_byte:
            return True
        file.seek(0)
        checksum, left = 0, body
        while left and (chunk := file.read(min(left, _CHUNK))):
            checksum = zlib.crc32(chunk, checksum)
            left -= len(chunk)
        return left == 0 and checksum == expected
