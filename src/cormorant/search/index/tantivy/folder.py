"""Folder of the embedded index: its readers, and the one writer at a time.

open_writer(folder) -> EmbeddedWriter   one at a time, over all processes
open_reader(folder) -> EmbeddedReader   any number
rebuild(folder)     -> EmbeddedWriter   of an empty index aside, switched in at the end; may wait for another writer
forget(folder)                          removes the index
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cormorant.base.clock import SystemClock, pause
from cormorant.base.errors import ConflictError
from cormorant.search.index.tantivy import generations
from cormorant.search.index.tantivy.integrity import check
from cormorant.search.index.tantivy.reader import EmbeddedReader
from cormorant.search.index.tantivy.writer import EmbeddedWriter, Writable, make_empty

CHECKED_BYTES = 256_000_000
"""Up to this size every byte is checked when the writer opens, a quarter of a second; above, the ends of the files."""
AGAIN_S = 0.05
"""Seconds between two attempts to take the writer's lock."""


def open_writer(folder: Path, threads: int = 1) -> EmbeddedWriter:
    """Open the index in `folder` for writing by `threads` threads, creating it if there is none.

    Raises IndexDamaged if its files are altered, ConflictError if another process writes it, NoRoom on a full disk.
    """
    with ExitStack() as held:
        with Writable():
            held.enter_context(_locked(folder))
            generations.sweep(folder)
            generation = generations.current(folder)
            if generation is None:
                generation = generations.switch(folder, _aside(folder))
        check(generation, CHECKED_BYTES)
        writer = EmbeddedWriter(generation, release := ExitStack(), threads)
        release.push(held.pop_all())
        return writer


def open_reader(folder: Path) -> EmbeddedReader:
    """Open the index in `folder` for reading, also before there is one. Raises IndexDamaged."""
    return EmbeddedReader(folder)


@contextmanager
def rebuild(folder: Path, wait_s: float = 0.0, threads: int = 1) -> Iterator[EmbeddedWriter]:
    """Give a writer of an empty index beside the one in use, which is switched in when the block ends well.

    Readers use the old index until then, even if it is damaged. Uncommitted changes are not in the new one. Raises
    ConflictError if another process writes the index for longer than `wait_s`: the provider has to release it first,
    and resumes after the new index's place.
    """
    with _locked(folder, wait_s):
        aside = _aside(folder)
        writer = EmbeddedWriter(aside, ExitStack(), threads)
        try:
            yield writer
        finally:
            writer.close()
        generations.switch(folder, aside)


def forget(folder: Path) -> None:
    """Remove the index because its rows are about to be replaced. Raises ConflictError if another process writes it."""
    with _locked(folder):
        generations.forget(folder)


def _aside(folder: Path) -> Path:
    """Make an empty generation that is not in use yet."""
    aside = generations.begin(folder)
    make_empty(aside)
    return aside


@contextmanager
def _locked(folder: Path, wait_s: float = 0.0) -> Iterator[None]:
    """Be the only writer of this folder, until the process ends at the latest."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / "writer.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    clock = SystemClock()
    until = clock.monotonic() + wait_s
    try:
        while not _taken(descriptor):
            if clock.monotonic() >= until:
                still = f" and has not let go of it for {wait_s:g} seconds" if wait_s else ""
                raise ConflictError(f"Another process writes the index in {folder}{still}. Let it finish, or stop it.")
            pause(AGAIN_S)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
