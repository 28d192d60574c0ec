"""Overwrite entries of packs in place, so that nothing of a document stays on the disk.

    entry of a resource --zeros over its payload, synced--> its checksum is wrong now
                            --a head without a resource, synced--> a valid entry of zeros, which compaction drops

After a kill in between the head still names the resource, so the next erasure finds the entry again. On copy-on-write
file systems, and in snapshots, older blocks stay until the file system reuses them.
"""

from __future__ import annotations

import os
from pathlib import Path

from cormorant.base.errors import DataFolderError
from cormorant.store.blobs.pack_format import ERASED, HEAD_BYTES, head_bytes, pack_path
from cormorant.store.blobs.protocol import BlobPlace

_CHUNK = 1 << 20


def overwrite(directory: Path, place: BlobPlace) -> None:
    """Overwrite the entry at `place` with zeros, and sync. Does nothing if the pack is gone. Raises DataFolderError."""
    path = pack_path(directory, place.pack)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError as error:
        raise DataFolderError(f"The kept copies in {path} cannot be erased: {error.strerror}.") from error
    try:
        _put_zeros(descriptor, place)
    except OSError as error:
        raise DataFolderError(f"The kept copies in {path} cannot be erased: {error.strerror}.") from error
    finally:
        os.close(descriptor)


def _put_zeros(descriptor: int, place: BlobPlace) -> None:
    length = place.length - HEAD_BYTES
    for start in range(0, length, _CHUNK):
        part = bytes(min(_CHUNK, length - start))
        if os.pwrite(descriptor, part, place.offset + HEAD_BYTES + start) < len(part):
            raise OSError(0, "the disk took a part of the bytes only")
    os.fdatasync(descriptor)
    os.pwrite(descriptor, head_bytes(ERASED, bytes(length), 0.0, (place.pack, place.offset)), place.offset)
    os.fdatasync(descriptor)
