"""Shortages of open files, memory or threads in this process, which are no fault of a server."""

from __future__ import annotations

import errno
import os
import resource
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

NEEDED: Final = 8
"""Files that a visit opens at once at most: a socket and libcurl's copy of it, certificates, name servers."""
_WAITS: Final = "Visits wait until there are enough again; then they continue."


class Shortage(StrEnum):
    """Resource in short supply; processes report it to each other by this name."""

    FILES = "files"
    ALL_FILES = "all_files"
    MEMORY = "memory"
    THREADS = "threads"

    @property
    def what(self) -> str:
        """The missing resource, in a few words."""
        return _WORDS[self].what

    @property
    def cure(self) -> str:
        """Remedy for an administrator, as a clause."""
        return _WORDS[self].cure

    @property
    def said(self) -> str:
        """A constant sentence for administrators: the shortage, and its remedy."""
        return f"{_WORDS[self].beginning}: {self.cure}. {_WAITS}"


class _Words(NamedTuple):
    """Texts of a shortage: the resource waited for, the beginning of the sentence, and the remedy as a clause."""

    what: str
    beginning: str
    cure: str


_WORDS: Final = {
    Shortage.FILES: _Words(
        "open files of a process (`ulimit -n`)", "Too many open files",
        "raise `ulimit -n` (LimitNOFILE= of a service), or lower width",
    ),
    Shortage.ALL_FILES: _Words(
        "open files of this machine (fs.file-max)", "Too many open files on this machine",
        "raise fs.file-max, or close other programs",
    ),
    Shortage.MEMORY: _Words(
        "memory of this machine", "Not enough memory", "give the machine more, or lower retrievers and width"
    ),
    Shortage.THREADS: _Words(
        "threads of this machine (`ulimit -u`)", "Too many threads",
        "raise `ulimit -u` (TasksMax= of a service), or lower retrievers",
    ),
}  # fmt: skip
_OF: Final = {
    errno.EMFILE: Shortage.FILES,
    errno.ENFILE: Shortage.ALL_FILES,
    errno.ENOBUFS: Shortage.MEMORY,
    errno.ENOMEM: Shortage.MEMORY,
}


def of_number(number: int | None) -> Shortage | None:
    """Return the shortage for a system error number (errno), or None for other errors."""
    return _OF.get(number or 0)


def of_files(error: BaseException) -> Shortage | None:
    """Return the shortage of open files for an error, or None for any other error."""
    number = error.errno if isinstance(error, OSError) else None
    return of_number(number) if number in (errno.EMFILE, errno.ENFILE) else None


def of_files_now() -> Shortage | None:
    """Return the shortage that keeps a visit from opening as many files as it needs, or None.

    Libraries seldom say why they fail, so this opens as many files.
    """
    opened: list[int] = []
    try:
        while len(opened) < NEEDED:
            opened.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return of_number(error.errno)
    finally:
        for each in opened:
            os.close(each)
    return None


def is_one_of_the_last(descriptor: int) -> bool:
    """Return whether a file descriptor is so high that a visit could not open all the files it needs.

    The system assigns the lowest free number.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft != resource.RLIM_INFINITY and descriptor >= soft - NEEDED


def spare_files() -> int | None:
    """Return how many more files this process may open, or None if there is no limit or it is unknown."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    with suppress(OSError):
        return max(soft - sum(1 for _ in Path("/dev/fd").iterdir()), 0)
    return None
