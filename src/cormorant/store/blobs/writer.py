"""The only appender of packs: one write and one fdatasync for each batch, before it is acknowledged."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from cormorant.base.clock import Clock, random_token
from cormorant.base.durability import FULL, sync_folder, too_many
from cormorant.base.errors import DataFolderError, NoRoom
from cormorant.store.blobs.pack_format import HEAD_BYTES, ROTATE_BYTES, head_bytes, pack_number, pack_path
from cormorant.store.blobs.protocol import BlobPlace

_MAX_PARTS = 1000
"""Linux accepts 1,024 pieces in one writev (IOV_MAX)."""


class PackWriter:
    """Appends entries to packs of its own, each created exclusively and locked while it is written.

        (none) --append--> open --append--> open --256 MiB--> (none)
                             |--no space--> truncated back, open, or left behind: (none)
                             `--any other failure--> broken, for good

    A failed fdatasync is a lost write: the pack is left behind and never written again. `broken` is then the sentence
    that every later `append` raises; after a lack of space it stays None, and a later `append` may succeed.
    """

    def __init__(
        self,
        directory: Path,
        clock: Clock,
        *,
        token: Callable[[], str] = random_token,
        rotate_bytes: int = ROTATE_BYTES,
    ) -> None:
        self.broken: str | None = None
        self._directory, self._clock, self._token, self._rotate = directory, clock, token, rotate_bytes
        self._descriptor = -1
        self._pack = 0
        self._size = 0
        self._whole = True

    @property
    def pack(self) -> int | None:
        """The number of the present pack, None between packs."""
        return self._pack if self._descriptor >= 0 else None

    def append(self, items: Sequence[tuple[int, bytes]]) -> list[BlobPlace]:
        """Append entries (resource, payload), all or none, and return their places once they are on disk.

        The payloads of a batch are in memory together: the caller limits the bytes of a batch. Raises DataFolderError.
        """
        if self.broken is not None:
            raise DataFolderError(self.broken)
        if not items:
            return []
        self._begin()
        now = self._clock.now()
        parts: list[bytes] = []
        places: list[BlobPlace] = []
        offset = self._size
        for resource, payload in items:
            parts.append(head_bytes(resource, payload, now, (self._pack, offset)))
            parts.append(payload)
            places.append(BlobPlace(self._pack, offset, HEAD_BYTES + len(payload)))
            offset += HEAD_BYTES + len(payload)
        self._write(parts)
        self._size = offset
        return places

    def close(self) -> None:
        """End the present pack. The next `append` begins another."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1
        self._whole = True

    def _write(self, parts: Sequence[bytes]) -> None:
        """Write and sync, or undo the append. `_whole` is false while the end of the pack is unknown."""
        self._whole = False
        try:
            _write_all(self._descriptor, parts)
        except OSError as error:
            self._give_back()
            self._fail(error)
        try:
            _sync(self._descriptor)
        except OSError as error:
            self.close()
            self._fail(error)
        self._whole = True

    def _give_back(self) -> None:
        """Cut off a partial append; if that fails too, leave the pack with a torn tail, which readers skip."""
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            self.close()
        self._whole = True

    def _begin(self) -> None:
        """Create a pack if there is none that can take a batch."""
        if not self._whole or self._size >= self._rotate:
            self.close()
        if self._descriptor < 0:
            try:
                self._create()
            except OSError as error:
                self.close()
                self._fail(error)

    def _create(self) -> None:
        """Create a new pack, lock it, and sync its folders so that its name survives a power cut."""
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
        self._pack = pack_number(self._clock.now(), self._token())
        self._size = 0
        path = pack_path(self._directory, self._pack)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = os.open(path, flags, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        for folder in (path.parent, path.parent.parent, self._directory, self._directory.parent):
            sync_folder(folder)

    def _fail(self, error: OSError) -> NoReturn:
        """Raise an error with a remedy; any cause but a lack of space or of open files ends this writer."""
        many = too_many(error, f"Copies could not be kept in {self._directory}")
        if many is not None:
            raise many from error
        about = f"Copies could not be kept in {self._directory}: {os.strerror(error.errno or 0)}."
        if error.errno in FULL:
            raise NoRoom(
                f"{about} Nothing of this batch was kept; free some space, and the crawl continues."
            ) from error
        self.broken = f"{about} Nothing more is written here until the program restarts; check the disk first."
        raise DataFolderError(self.broken) from error


def _write_all(descriptor: int, parts: Sequence[bytes]) -> None:
    """Write the pieces, in as few calls as the system allows."""
    for start in range(0, len(parts), _MAX_PARTS):
        some = parts[start : start + _MAX_PARTS]
        written = os.writev(descriptor, some)
        if written < sum(map(len, some)):
            rest = memoryview(b"".join(some))[written:]
            while rest:
                rest = rest[os.write(descriptor, rest) :]


def _sync(descriptor: int) -> None:
    """Sync the data and the length of the file."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    else:  # macOS
        os.fsync(descriptor)
