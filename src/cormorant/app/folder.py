"""Is this folder an installation, and whose turn is it?

DIR/cormorant.json   says that it is one, and of which format
DIR/cormorant.db     the store, unless it is a server
DIR/cache, DIR/index, DIR/logs
DIR/owner.lock       held by the one supervisor that crawls and delivers
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from pathlib import Path

from cormorant.base.errors import DataFolderError, NotPermitted

FORMAT = 1
_MARK, _DATABASE = "cormorant.json", "cormorant.db"
_SQLITE = b"SQLite format 3\0"
"""How every file begins that is a database of SQLite, unless it is empty."""


def prepare(folder: Path) -> None:
    """Make the folder, or check that it is one of ours.

    Raises DataFolderError for a file in its place, somebody else's folder, or a newer format; NotPermitted when the
    operating system says no.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise DataFolderError(f"{folder} is a file, not a folder. Name another with --data.") from None
    except OSError as error:
        raise _refused(folder, error) from None
    mark = folder / _MARK
    try:
        if not mark.exists():
            _begin(folder, mark)
        said = json.loads(mark.read_text())
    except OSError as error:
        raise _refused(folder, error) from None
    except ValueError:
        raise DataFolderError(f"{mark} cannot be read. Restore it from a backup of the data folder.") from None
    if said.get("format", 0) > FORMAT:
        raise DataFolderError(
            f"{folder} has format {said['format']}, and this program knows {FORMAT}. "
            "Install a newer version of cormorant."
        )
    if not os.access(folder, os.W_OK):
        raise NotPermitted(f"{folder} may only be read. Check who owns it, or name another with --data.")


def refuse_remains(folder: Path) -> None:
    """Raise DataFolderError for a folder that holds a database and no mark: what is left of an installation."""
    database = folder / _DATABASE
    try:
        with database.open("rb") as file:
            begins = file.read(len(_SQLITE))
    except FileNotFoundError:
        return
    except OSError as error:
        raise _refused(folder, error) from None
    if begins and begins != _SQLITE:
        raise DataFolderError(
            f"{database} is damaged or not a database of ours, and {_MARK} is missing beside it. "
            "Restore a backup of the data folder, or name another with --data."
        )
    raise DataFolderError(
        f"{folder} holds a database, but {_MARK} is missing beside it. "
        "Restore a backup of the data folder, or name another with --data."
    )


def _begin(folder: Path, mark: Path) -> None:
    """Make the parts of a new data folder; refuse one that holds something else."""
    refuse_remains(folder)
    others = [each.name for each in folder.iterdir() if each.name not in ("cache", "index", "logs", "owner.lock")]
    if others:
        raise DataFolderError(
            f"{folder} holds something else ({others[0]}), so it cannot become a data folder. "
            "Name an empty one with --data."
        )
    for part in ("cache", "index", "logs"):
        (folder / part).mkdir(mode=0o700, exist_ok=True)
    mark.write_text(json.dumps({"format": FORMAT}) + "\n")


def _refused(folder: Path, error: OSError) -> DataFolderError | NotPermitted:
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return NotPermitted(
            f"{folder} cannot be written: {error.strerror}. Check who owns it, or name another with --data."
        )
    if error.errno == errno.ENOSPC:
        return DataFolderError(f"The disk that holds {folder} is full. Free some space and try again.")
    return DataFolderError(f"{folder} cannot be used: {error.strerror}.")


def take_lock(folder: Path) -> int | None:
    """Become the owner: returns a file descriptor that holds the lock as long as any process has it open, or None."""
    descriptor = os.open(folder / "owner.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
