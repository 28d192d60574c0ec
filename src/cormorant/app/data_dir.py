"""Data folder of an installation: its mark, its layout, and the lock of its owner.

DIR/cormorant.json   marks the folder: its format, the database it is in use with, and where the cached copies
                     are if not in DIR/cache
DIR/cormorant.db     the store, unless it is a server
DIR/cache (unless the setting `cache` names another folder), DIR/index, DIR/logs
DIR/secret.key       the key of the secrets in the store (store/catalog/keyring.py)
DIR/owner.lock       held by the one supervisor that crawls and delivers, with the port of its pages, if it has any; or
                     by a command that has to be alone, with that word
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from cormorant.base.clock import SystemClock, pause
from cormorant.base.durability import sync_folder
from cormorant.base.errors import DataFolderError, NoRoom, NotPermitted
from cormorant.store.blobs.pack_format import packs_folder
from cormorant.store.db.drivers import mask

FORMAT = 1
TRIED_S, AGAIN_S = 0.2, 0.01
"""Seconds for which a process tries to own a folder, and between two tries."""
_MARK, _DATABASE, _LOCK = "cormorant.json", "cormorant.db", "owner.lock"
_ALONE = b"alone\n"
_OURS = ("cache", "index", "logs", _LOCK, "secret.key", "cormorant.new")
_SQLITE = b"SQLite format 3\0"
"""The first bytes of an SQLite database, unless it is empty."""


def prepare(folder: Path) -> None:
    """Create the folder, or check that it is one of ours.

    Raises DataFolderError for a file in its place, a folder with other contents, or a newer format; NotPermitted if
    the operating system refuses.
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


def prepare_cache(cache: Path) -> None:
    """Create the folder of the cached copies. Raises NotPermitted and DataFolderError if that or writing fails."""
    way = "Name another with CORMORANT_CACHE."
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise DataFolderError(f"Kept copies cannot go to {cache}, which is no folder. {way}") from None
    except OSError as error:
        raise NotPermitted(f"Kept copies cannot go to {cache}: {error.strerror}. {way}") from None
    if not os.access(cache, os.W_OK | os.X_OK):
        raise NotPermitted(f"Kept copies cannot go to {cache}, which may only be read. {way}")


def is_there(folder: Path) -> bool:
    """Return whether a path is a folder. Raises NotPermitted if that cannot be determined."""
    try:
        return folder.is_dir()
    except OSError as error:
        raise NotPermitted(f"{folder} cannot be opened: {error.strerror}. Check who owns it, and its disk.") from None


def copies_at(folder: Path) -> Path:
    """Return the folder where an installation keeps its copies."""
    return Path(json.loads((folder / _MARK).read_text()).get("cache") or folder / "cache")


def put_copies_at(folder: Path, cache: Path) -> None:
    """Record the folder of the cached copies. The default folder is not recorded: it moves with the data folder."""
    said = json.loads((folder / _MARK).read_text()) | {"cache": str(cache)}
    if cache == folder / "cache":
        del said["cache"]
    _write(folder / _MARK, said)


def note_store(folder: Path, url: str) -> None:
    """Record the database of the folder, so that an empty one is not taken for a new one from now on.

    The default database moves with the folder; of other databases no password is recorded. On a full disk the next
    command does it.
    """
    said = json.loads((folder / _MARK).read_text())
    if said.get("store") != (store := _named(folder, url)):
        with suppress(OSError):
            _write(folder / _MARK, said | {"store": store})


def _named(folder: Path, url: str) -> str:
    """Return the name under which the mark records a database; secrets in its URL are masked."""
    return _DATABASE if url == f"sqlite:///{folder / _DATABASE}" else mask(url)


def refuse_new(folder: Path, url: str) -> None:
    """Raise DataFolderError for an empty database that cannot be a new one, since the folder has been in use."""
    noted, store = json.loads((folder / _MARK).read_text()).get("store"), _named(folder, url)
    if noted is None and not _holds_documents(folder):
        return
    lost = str(folder / _DATABASE) if store == _DATABASE else store.removeprefix("sqlite:///")
    if noted in (None, store):
        raise DataFolderError(
            f"{folder} has been in use, and its database {lost} is missing or empty. Is its disk mounted? Put it "
            "back, or restore a backup with `cormorant store restore FILE`; --data names another folder to begin in."
        )
    was = str(folder / _DATABASE) if noted == _DATABASE else noted
    way = "Unset CORMORANT_STORE" if noted == _DATABASE else "Set CORMORANT_STORE to that one"
    raise DataFolderError(
        f"{folder} has been in use with the database {was}, and {lost} is missing or empty. {way}, fill the other "
        "with `cormorant store import FILE`, or name another folder with --data."
    )


def refuse_lost(folder: Path, url: str) -> None:
    """Do the same for a database file, before any process opens it and so creates an empty one."""
    file = Path(url.removeprefix("sqlite:///"))
    try:
        lost = url.startswith("sqlite:") and not (file.exists() and file.stat().st_size)
    except OSError:
        return  # opening it reports the error
    if lost:
        refuse_new(folder, url)


def _holds_documents(folder: Path) -> bool:
    """Return whether the folder has an index or any cached copy.

    That shows the use of a folder by versions that did not record the database.
    """
    return any((folder / "index").glob("*/meta.json")) or any(packs_folder(copies_at(folder)).rglob("*.pack"))


def is_prepared(folder: Path) -> bool:
    """Return whether a folder holds an installation. Raises NotPermitted if it cannot be entered."""
    try:
        return (folder / _MARK).exists()
    except OSError as error:
        raise NotPermitted(
            f"{folder} cannot be entered: {error.strerror}. It may belong to a service: run the command as its account "
            "(sudo -u ACCOUNT ...), or name another with --data."
        ) from None


def refuse_remains(folder: Path) -> None:
    """Raise DataFolderError for a folder that holds a database and no mark: the remains of an installation."""
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
            f"{database} is damaged or not a database of cormorant, and {_MARK} is missing beside it. Restore a "
            "backup of the data folder, or name another with --data."
        )
    raise DataFolderError(
        f"{folder} holds a database, but {_MARK} is missing beside it. "
        "Restore a backup of the data folder, or name another with --data."
    )


def _begin(folder: Path, mark: Path) -> None:
    """Create the parts of a new data folder; refuse a folder with other contents."""
    refuse_remains(folder)
    others = [each.name for each in folder.iterdir() if each.name not in _OURS]
    if others:
        raise DataFolderError(
            f"{folder} has other contents ({others[0]}), so it cannot become a data folder. Name an empty one with "
            "--data."
        )
    for part in ("index", "logs"):
        (folder / part).mkdir(mode=0o700, exist_ok=True)
    _write(mark, {"format": FORMAT})


def _write(mark: Path, said: Mapping[str, object]) -> None:
    draft = mark.with_suffix(".new")
    with draft.open("w") as file:
        file.write(json.dumps(said) + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(mark)
    sync_folder(mark.parent)  # rows that belong to it may be durable elsewhere, in a database server


def _refused(folder: Path, error: OSError) -> DataFolderError | NotPermitted:
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return NotPermitted(
            f"{folder} cannot be written: {error.strerror}. Check who owns it, or name another with --data."
        )
    if error.errno == errno.ENOSPC:
        return NoRoom(f"The disk that holds {folder} is full. Free some space and try again.")
    return DataFolderError(f"{folder} cannot be used: {error.strerror}.")


def take_lock(folder: Path) -> int | None:
    """Become the owner: returns a file descriptor that holds the lock as long as any process has it open, or None.

    Tries for a moment, since other processes hold the lock briefly to check whether the folder is free.
    """
    clock = SystemClock()
    until = clock.monotonic() + TRIED_S
    while (lock := _locked(folder, fcntl.LOCK_EX)) is None and clock.monotonic() < until:
        pause(AGAIN_S)
    if lock is not None:
        os.ftruncate(lock, 0)
    return lock


def note_alone(lock: int) -> None:
    """Record that the owner is a command that has to be alone: no process crawls or delivers meanwhile."""
    os.write(lock, _ALONE)


def is_alone(folder: Path) -> bool:
    """Return whether the owner of the folder is a command that must run alone."""
    return (folder / _LOCK).read_bytes() == _ALONE


def note_port(folder: Path, port: int) -> None:
    """Record the port of the owner's pages, until the owner changes.

    Raises DataFolderError and NotPermitted, since sources must not reach an unrecorded port.
    """
    try:
        (folder / _LOCK).write_text(f"{port}\n", encoding="ascii")
    except OSError as error:
        raise _refused(folder, error) from None


def noted_ports(folder: Path) -> frozenset[int]:
    """The port of the owner's pages; empty without an owner, or without pages."""
    if is_free(folder):
        return frozenset()
    said = (folder / _LOCK).read_bytes()[:8].strip()
    return frozenset({int(said)} if said.isdigit() else ())


def is_free(folder: Path) -> bool:
    """Return whether no process owns the folder. Many processes may check at once."""
    lock = _locked(folder, fcntl.LOCK_SH)
    if lock is not None:
        os.close(lock)
    return lock is not None


def resting(folder: Path) -> str | None:
    """The node of a folder without an owner, so that none of its processes is at work; None for an owned folder."""
    return node(folder) if is_free(folder) else None


def _locked(folder: Path, how: int) -> int | None:
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def node(folder: Path) -> str:
    """Return a short name for this data folder on this machine: others may work on the same database."""
    return hashlib.blake2s(f"{socket.gethostname()}\n{folder.resolve()}".encode(), digest_size=4).hexdigest()
