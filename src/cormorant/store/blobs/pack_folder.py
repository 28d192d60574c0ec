"""Packs as whole files, for backup, restore and compaction.

    backup    held -> sizes -> chunks of each pack, up to the last byte that a row names
    restore   held alone -> stage every pack -> install each: nothing changes before that
    compact   held alone -> copy the entries of rows -> commit rows -> remove packs that no row names

A pack is never changed in place, so a backup needs no pause of the writers. No pack may vanish during a backup, so a
process that removes or replaces packs holds the folder alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from cormorant.base.durability import sync_folder
from cormorant.base.errors import ConflictError, DataFolderError
from cormorant.store.blobs.pack_format import EntryHeader, is_being_written, pack_numbers, pack_path, packs_folder
from cormorant.store.blobs.protocol import BlobEntry
from cormorant.store.blobs.verify import walk

_STAGED = ".part"
_CHUNK = 1 << 20
_LOCK = "packs.lock"
_RETIRED = "retired.json"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


class PackFolder:
    """The packs below `directory`, which need not exist."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @contextmanager
    def held(self, *, alone: bool) -> Iterator[None]:
        """Prevent the removal of packs meanwhile; `alone`: allow it to this process only.

        Raises ConflictError if others hold it.

        Writers go on: no earlier row names the bytes that they append.
        """
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.directory / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._take(descriptor, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield
        finally:
            os.close(descriptor)

    def _take(self, descriptor: int, how: int) -> None:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConflictError(
                f"The kept copies in {self.directory} are being backed up, restored or compacted. Wait until that ends."
            ) from None

    def sizes(self) -> dict[int, int]:
        """Return the size of every pack in bytes, by its number."""
        return {number: pack_path(self.directory, number).stat().st_size for number in pack_numbers(self.directory)}

    def chunks(self, pack: int, size: int) -> Iterator[bytes]:
        """Yield the first `size` bytes of a pack in pieces. Raises DataFolderError if it has fewer."""
        left = size
        try:
            with pack_path(self.directory, pack).open("rb") as file:
                while left and (chunk := file.read(min(left, _CHUNK))):
                    left -= len(chunk)
                    yield chunk
        except OSError as error:
            raise DataFolderError(f"The kept copies in {error.filename} cannot be read: {error.strerror}.") from error
        if left:
            raise DataFolderError(f"The kept copies in {pack_path(self.directory, pack)} end before they should.")

    def begins_with(self, pack: int, size: int, digest: bytes) -> bool:
        """Return whether the pack exists and its first `size` bytes have this SHA-256.

        Then it need not be replaced.
        """
        found = hashlib.sha256()
        try:
            for chunk in self.chunks(pack, size):
                found.update(chunk)
        except DataFolderError:
            return False
        return found.digest() == digest

    def stage(self, pack: int, chunks: Iterable[bytes]) -> None:
        """Write a pack under a temporary name, and sync it. Raises DataFolderError."""
        path = pack_path(self.directory, pack)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(path.with_suffix(_STAGED), _NEW, 0o600), "wb") as file:
                for chunk in chunks:
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DataFolderError(f"Copies could not be put into {self.directory}: {error.strerror}.") from error

    def install(self, pack: int) -> None:
        """Rename a staged pack to its final name, atomically."""
        path = pack_path(self.directory, pack)
        path.with_suffix(_STAGED).replace(path)
        for folder in (path.parent, path.parent.parent, self.directory):
            sync_folder(folder)

    def remove(self, pack: int) -> bool:
        """Remove a pack that no row names, unless a writer holds it; returns whether it is gone."""
        path = pack_path(self.directory, pack)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return True
        try:
            if is_being_written(descriptor):
                return False
            path.unlink()
        finally:
            os.close(descriptor)
        sync_folder(path.parent)
        return True

    def retired(self) -> dict[int, float]:
        """Return the emptied packs and when they were emptied (epoch seconds); {} if the list cannot be read."""
        try:
            stored = json.loads((self.directory / _RETIRED).read_bytes())
            return {int(number, 16): float(since) for number, since in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def retire(self, packs: Mapping[int, float]) -> None:
        """Store the list of emptied packs. If the disk refuses it, these packs stay."""
        path = self.directory / _RETIRED
        with suppress(OSError):
            path.with_suffix(_STAGED).write_text(json.dumps({f"{number:x}": since for number, since in packs.items()}))
            path.with_suffix(_STAGED).replace(path)

    def strays(self) -> list[Path]:
        """Return foreign files among the packs: from an interrupted restore, or from another program."""
        packs = {pack_path(self.directory, number) for number in pack_numbers(self.directory)}
        return [
            each for each in sorted(packs_folder(self.directory).rglob("*")) if each.is_file() and each not in packs
        ]

    def left_by_us(self) -> list[Path]:
        """Return those foreign files that an interrupted restore has left."""
        return [each for each in self.strays() if each.suffix == _STAGED]

    def versions(self, resource: int) -> list[BlobEntry]:
        """Return every copy of a resource that still exists, oldest first, with or without a row. Reads only heads."""
        found = [
            BlobEntry(piece.resource, piece.place, piece.kept_at)
            for pack in pack_numbers(self.directory)
            for piece in walk(self.directory, pack)
            if isinstance(piece, EntryHeader) and piece.resource == resource
        ]
        return sorted(found, key=lambda entry: (entry.kept_at, entry.place))
