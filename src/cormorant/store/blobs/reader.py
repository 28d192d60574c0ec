"""Reads entries by place, and believes only what fits its checksum."""

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
    """Keeps the packs read last open. May be used by several threads; they read one after another."""

    def __init__(self, directory: Path, *, open_packs: int = _OPEN_PACKS) -> None:
        self._directory, self._limit = directory, open_packs
        self._open: OrderedDict[int, int] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, place: BlobPlace, max_bytes: int = MAX_DECODED, *, body: bool = True) -> Frame:
        """Return the frame that was kept there, with or without its body.

        Raises CacheDamaged when it is not as it was, or would take more than `max_bytes`; OutOfSight when its pack is
        not there or cannot be read;
        DataFolderError when the pack is there but this process may not or cannot open it.
        """
        return decode(self.payload(place), max_bytes, body=body)

    def close(self) -> None:
        """Let go of all packs."""
        with self._lock:
            while self._open:
                os.close(self._open.popitem()[1])

    def payload(self, place: BlobPlace) -> bytes:
        """Return the encoded frame that was kept there, proven by its checksum. Raises as `read` does."""
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
        """Read an entry's bytes; what cannot be read is damage, what cannot be opened may not be."""
        with self._lock:
            descriptor = self._descriptor(place)
            try:
                return os.pread(descriptor, place.length, place.offset)
            except OSError as error:
                raise _damaged(place, os.strerror(error.errno or 0), OutOfSight) from error

    def _descriptor(self, place: BlobPlace) -> int:
        """Open the pack, or take it from those that are open."""
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
    """The error a person sees, with the place for who looks after the disk."""
    return kind(
        f"The kept copy at {place.offset} in pack {place.pack:016x} cannot be shown: {reason}. `cormorant crawl "
        "--force` fetches it again."
    )
