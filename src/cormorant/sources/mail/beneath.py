"""Opening of files beneath a folder, without following a symbolic link on the way."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
PIECE: Final = 1 << 20
"""Bytes that are read at once."""


@contextmanager
def folder_beneath(root: bytes, names: Sequence[bytes]) -> Iterator[int]:
    """Open the folder with these names from the root down. Raises OSError."""
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names:
            if name in (b"", b".", b".."):
                raise FileNotFoundError(2, "no such folder")
            inner = os.open(name, _FOLDER, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd
    finally:
        os.close(fd)


@contextmanager
def file_beneath(root: bytes, names: Sequence[bytes]) -> Iterator[int]:
    """Open the regular file with these names from the root down; the root itself without any. Raises OSError."""
    if not names:
        fd = os.open(root, _FILE & ~os.O_NOFOLLOW)
    else:
        with folder_beneath(root, names[:-1]) as folder:
            fd = os.open(names[-1], _FILE, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise FileNotFoundError(2, "no regular file")
        yield fd
    finally:
        os.close(fd)


def read_range(fd: int, start: int, size: int) -> bytes:
    """Return the bytes of a file from `start` on, at most `size`."""
    pieces = list[bytes]()
    while size > 0 and (piece := os.pread(fd, min(size, PIECE), start)):
        pieces.append(piece)
        start, size = start + len(piece), size - len(piece)
    return b"".join(pieces)
