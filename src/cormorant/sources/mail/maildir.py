"""Messages of a Maildir: a file each in `new` or `cur`, whose name keeps its flags behind `:2,`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

PLACES: Final = (b"cur", b"new")
_COMMON: Final = (b":2,", b":2,S", b"", b":2,RS", b":2,FS", b":2,FRS", b":2,F", b":2,R", b":2,PS")
"""Flags that most messages have, tried before a folder is searched."""
_MOST_FLAGS: Final = 256
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class MaildirMessage(NamedTuple):
    """A message: its unique name, its version, and when its file was written, in epoch seconds."""

    name: bytes
    version: str
    modified_at: float


def is_maildir(folder: int) -> bool:
    """Say whether an open folder is a Maildir."""
    for place in PLACES:
        try:
            os.close(os.open(place, _FOLDER, dir_fd=folder))
        except OSError:
            return False
    return True


def messages_of_maildir(folder: int) -> Iterator[MaildirMessage | None]:
    """Yield the messages of an open Maildir, None for another file. One that is just moved from new may come twice.

    Raises OSError.
    """
    for place in reversed(PLACES):
        with _place(folder, place) as fd, os.scandir(fd) as entries:
            yield from map(_message, entries)


@contextmanager
def _place(folder: int, name: bytes) -> Iterator[int]:
    fd = os.open(name, _FOLDER, dir_fd=folder)
    try:
        yield fd
    finally:
        os.close(fd)


def _message(entry: os.DirEntry[str]) -> MaildirMessage | None:
    name = os.fsencode(entry.name)
    if name.startswith(b".") or not entry.is_file(follow_symlinks=False):
        return None
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    version = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"
    return MaildirMessage(unique_name(name), version, status.st_mtime)


def unique_name(file: bytes) -> bytes:
    """Return the name of a message without its flags."""
    return file.partition(b":")[0]


class MaildirReader:
    """Opens messages by their unique names, whatever their flags are now. Learns which flags there are."""

    def __init__(self) -> None:
        self._flags = list(_COMMON)

    def open(self, folder: int, name: bytes) -> int:
        """Return a descriptor. Raises FileNotFoundError where there is no such message, and other OSErrors."""
        for place in PLACES:
            with _place(folder, place) as fd:
                found = self._tried(fd, name)
            if found is not None:
                return found
        for place in PLACES:
            with _place(folder, place) as fd:
                seen = _searched(fd, name)
                if seen is not None:
                    self._flags = [*self._flags, seen][-_MOST_FLAGS:]
                    return os.open(name + seen, _FILE, dir_fd=fd)
        raise FileNotFoundError(2, "no such message")

    def _tried(self, fd: int, name: bytes) -> int | None:
        for info in tuple(self._flags):
            with suppress(FileNotFoundError):
                return os.open(name + info, _FILE, dir_fd=fd)
        return None


def _searched(fd: int, name: bytes) -> bytes | None:
    """Return the flags of a message in an open folder, None where it is not in it."""
    with os.scandir(fd) as entries:
        files = (os.fsencode(each.name) for each in entries)
        return next((each[len(name) :] for each in files if unique_name(each) == name), None)
