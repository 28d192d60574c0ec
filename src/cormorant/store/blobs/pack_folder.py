"""The packs as files, for whoever takes them whole: a backup, its return, and what gives unused room back.

    backup    held -> sizes -> chunks of each pack, up to the last byte that a row names
    restore   held alone -> stage every pack -> install each: until then nothing is changed
    compact   held alone -> copy what rows name -> commit rows -> remove packs that no row names

A pack is never changed in place, so a backup needs no pause of the writers. It may not lose a pack under its hands,
though: who removes or exchanges packs holds the folder alone.
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
    """The packs below `directory`, which need not be there."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @contextmanager
    def held(self, *, alone: bool) -> Iterator[None]:
        """See that no pack is removed meanwhile; `alone`: be the one who may. Raises ConflictError when others hold it.

        Writers go on: what they append is named by no row that was there before.
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
        """The size of every pack in bytes, by its number."""
        return {number: pack_path(self.directory, number).stat().st_size for number in pack_numbers(self.directory)}

    def chunks(self, pack: int, size: int) -> Iterator[bytes]:
        """The first `size` bytes of a pack, some at a time. Raises DataFolderError when there are fewer."""
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
        """Return whether the pack exists and its first `size` bytes have this SHA-256. Then no exchange is needed."""
        found = hashlib.sha256()
        try:
            for chunk in self.chunks(pack, size):
                found.update(chunk)
        except DataFolderError:
            return False
        return found.digest() == digest

    def stage(self, pack: int, chunks: Iterable[bytes]) -> None:
        """Write a pack beside where it will be, and sync it. Raises DataFolderError."""
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
        """Put a staged pack in its place, in one step."""
        path = pack_path(self.directory, pack)
        path.with_suffix(_STAGED).replace(path)
        for folder in (path.parent, path.parent.parent, self.directory):
            sync_folder(folder)

    def remove(self, pack: int) -> bool:
        """Remove a pack that no row names, unless somebody is writing it; says whether it is gone."""
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
        """The packs that were emptied, and when (epoch seconds); what cannot be read is as if none were."""
        try:
            said = json.loads((self.directory / _RETIRED).read_bytes())
            return {int(number, 16): float(since) for number, since in said.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def retire(self, packs: Mapping[int, float]) -> None:
        """Note that. A disk that refuses it has these packs stay."""
        path = self.directory / _RETIRED
        with suppress(OSError):
            path.with_suffix(_STAGED).write_text(json.dumps({f"{number:x}": since for number, since in packs.items()}))
            path.with_suffix(_STAGED).replace(path)

    def strays(self) -> list[Path]:
        """Files among the packs that are none: what an interrupted restore has left, or somebody put there."""
        packs = {pack_path(self.directory, number) for number in pack_numbers(self.directory)}
        return [
            each for each in sorted(packs_folder(self.directory).rglob("*")) if each.is_file() and each not in packs
        ]

    def left_by_us(self) -> list[Path]:
        """Those of the strays that an interrupted restore has left."""
        return [each for each in self.strays() if each.suffix == _STAGED]

    def versions(self, resource: int) -> list[BlobEntry]:
        """Every copy of a resource that is still there, oldest first, named by a row or not. Only heads are read."""
        found = [
            BlobEntry(piece.resource, piece.place, piece.kept_at)
            for pack in pack_numbers(self.directory)
            for piece in walk(self.directory, pack)
            if isinstance(piece, EntryHeader) and piece.resource == resource
        ]
        return sorted(found, key=lambda entry: (entry.kept_at, entry.place))
