"""Reads entries by place, and verifies their checksums."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from pathlib import Path

from cormorant.base.errors import CacheDamaged, DataFolderError
from cormorant.store.blobs.pack_format import HEAD_BYTES, MAX_PAYLOAD, fits, pack_path, parse_head
from cormorant.store.blobs.protocol import BlobPlace, OutOfSight
from cormorant.store.blobs.record import MAX_DECODED, Frame, decode

_OPEN_PACKS = 64
"""Descriptors held open: 16 GiB of packs, a small part of the usual limit of 1,024."""

_LEAST, _MOST = HEAD_BYTES, HEAD_BYTES + MAX_PAYLOAD


class PackReader:
    """Keeps the most recent packs open. May be used by several threads, which read one after another."""

    def __init__(self, directory: Path, *, open_packs: int = _OPEN_PACKS) -> None:
        self._directory, self._limit = directory, open_packs
        self._open: OrderedDict[int, int] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, place: BlobPlace, max_bytes: int = MAX_DECODED, *, body: bool = True) -> Frame:
        """Return the frame at a place, with or without its body.

        Raises CacheDamaged if it is altered, or would take more than `max_bytes`; OutOfSight if its pack is missing or
        cannot be read; DataFolderError if the pack exists but this process cannot open it.
        """
        return decode(self.payload(place), max_bytes, body=body)

    def close(self) -> None:
        """Close all packs."""
        with self._lock:
            while self._open:
                os.close(self._open.popitem()[1])

    def payload(self, place: BlobPlace) -> bytes:
        """Return the encoded frame at a place, verified by its checksum. Raises as `read` does."""
        if min(place) < 0 or max(place.pack, place.offset) >> 63 or not _LEAST <= place.length <= _MOST:
            raise _damaged(place, "no entry can be there")
        data = self._bytes(place)
        head = parse_head(data, place.pack, place.offset)
        if isinstance(head, str):
            raise _damaged(place, head)
        payload = data[HEAD_BYTES:]
        if head.place != place or not fits(head, payload):
            raise _damaged(place, "its checksum does not fit")
        return payload

    def _bytes(self, place: BlobPlace) -> bytes:
        """Read an entry's bytes; a failed read is damage that may pass, a failed opening is none."""
        with self._lock:
            descriptor = self._descriptor(place)
            try:
                return os.pread(descriptor, place.length, place.offset)
            except OSError as error:
                raise _damaged(place, os.strerror(error.errno or 0), OutOfSight) from error

    def _descriptor(self, place: BlobPlace) -> int:
        """Return the descriptor of the pack, opened now or before."""
        descriptor = self._open.get(place.pack)
        if descriptor is not None:
            self._open.move_to_end(place.pack)
            return descriptor
        while len(self._open) >= self._limit:
            os.close(self._open.popitem(last=False)[1])
        path = pack_path(self._directory, place.pack)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise _damaged(place, "its pack is gone", OutOfSight) from None
        except OSError as error:
            raise DataFolderError(
                f"The kept copies in {path} cannot be opened: {os.strerror(error.errno or 0)}."
            ) from error
        self._open[place.pack] = descriptor
        return descriptor


def _damaged(place: BlobPlace, reason: str, kind: type[CacheDamaged] = CacheDamaged) -> CacheDamaged:
    """Return the error for users, with the place for the administrator of the disk."""
    return kind(
        f"The kept copy at {place.offset} in pack {place.pack:016x} cannot be shown: {reason}. `cormorant crawl "
        "--force` fetches it again."
    )
