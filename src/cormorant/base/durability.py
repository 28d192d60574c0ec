"""Durable file writes across power cuts, and error messages for disk failures."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from cormorant.base.errors import CormorantError, DataFolderError, NoRoom, TooManyFiles
from cormorant.base.exhaustion import of_files

FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of a full disk, or of an exhausted quota."""
_FAILING: Final = (errno.EIO, errno.EROFS, errno.ENXIO, errno.ENODEV, errno.ESTALE)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable: of new and renamed files."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def too_many(error: BaseException, what: str) -> TooManyFiles | None:
    """Return a `TooManyFiles` error that says `what` failed, if too many files are open; else None."""
    lack = of_files(error)
    if lack is None:
        return None
    cure = f"{lack.cure[0].upper()}{lack.cure[1:]}"
    return TooManyFiles(f"{what}: too many open files. {cure}; running work then continues.")


def reportable(error: BaseException) -> CormorantError | None:
    """Return the error to report for a disk or system limit failure, which is no program error; else None."""
    many = too_many(error, f"{_named(error)} could not be opened")
    if many is not None:
        return many
    if not isinstance(error, OSError) or error.errno not in (*FULL, *_FAILING):
        return None
    advice = "Free some space" if error.errno in FULL else "Check the disk, and that it may be written"
    kind = NoRoom if error.errno in FULL else DataFolderError
    return kind(
        f"{_named(error)} could not be read or written: {os.strerror(error.errno or 0)}. All earlier data is kept. "
        f"{advice}, then run the same command again."
    )


def _named(error: BaseException) -> str:
    name = error.filename if isinstance(error, OSError) else None
    return os.fspath(name) if isinstance(name, str | os.PathLike) else "A file"
