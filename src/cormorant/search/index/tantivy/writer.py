"""Writer of changes to one generation of the embedded index."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from sys import getsizeof
from types import TracebackType
from typing import assert_never

import tantivy

from cormorant.base.durability import sync_folder
from cormorant.base.errors import DataFolderError, NoRoom
from cormorant.search.index.document import Change, Delete, IndexedDocument, UpdateLinks, Upsert
from cormorant.search.index.tantivy.integrity import Readable
from cormorant.search.index.tantivy.schema import MARK, Mark, mark_in, register, schema, to_document, to_entry, to_mark

HEAP_BYTES = 24_000_000
"""Memory of one thread of the engine before it writes a segment; usually a commit comes before it is full."""
MOST_READ = 50
"""After this number of entries read back the searcher is reopened: it caches a hundred blocks of each segment read."""
_NO_ROOM = os.strerror(errno.ENOSPC)
"""The system's message in an error of the engine, which has no error number."""


class Writable:
    """A boundary around the engine's writer: an error in it is reported as a fault of the disk."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind and (issubclass(kind, ValueError | OSError | RuntimeError) or kind.__name__ == "PanicException"):
            if _NO_ROOM in str(error):
                raise NoRoom(
                    f"The index cannot be written: {str(error)[:200]}. Earlier commits are kept; free some space on "
                    "its disk, and delivery continues."
                ) from error
            raise DataFolderError(
                f"The index cannot be written ({str(error)[:200]}). Earlier commits are kept; check that the disk has "
                "space, then start again."
            ) from error


class EmbeddedWriter:
    """Writes one generation. `folder.open_writer` and `folder.rebuild` create it; IndexWriter states its guarantees.

    An entry is replaced by deleting first, so changes may be applied again after a crash. A check for an existing entry
    takes 1 us, an unconditional deletion 24. `held` is closed with the writer.
    """

    def __init__(self, generation: Path, held: ExitStack, threads: int = 1) -> None:
        self._generation = generation
        clear(generation)
        with Readable():
            self._index = tantivy.Index.open(str(generation))
            register(self._index)
            self._schema = self._index.schema
            self._see()
            self._mark = mark_in(self._searcher, self._schema)
        with Writable():
            self._writer: tantivy.IndexWriter | None = self._index.writer(threads * HEAP_BYTES, threads)
        self._touched: set[int] = set()
        self._held = held

    @property
    def place(self) -> int:
        """The sequence number given to the last commit."""
        return self._mark.place

    @property
    def origin(self) -> str | None:
        """The name of the database whose rows are indexed, None if none was given."""
        return self._mark.origin

    def apply(self, changes: Iterable[Change]) -> int:
        """Apply changes in order; returns bytes of text."""
        size = 0
        for change in changes:
            with Writable():
                size += self._apply(change)
        if self._read > MOST_READ:
            with Writable():
                self._see()
        return size

    def commit(self, place: int, origin: str | None = None) -> None:
        """Make all applied changes durable, together with `place` and, if given, `origin`."""
        if place < self.place:
            raise ValueError(f"A commit at {place} after one at {self.place}.")
        mark = Mark(place, origin or self.origin)
        with Writable():
            if mark != self._mark:
                self._open.delete_documents_by_term("id", MARK)
                self._open.add_document(to_mark(mark))
            self._flush()
        self._mark = mark

    def close(self) -> None:
        """Release the index and discard uncommitted changes."""
        if not self._writer:
            return
        writer, self._writer = self._writer, None
        with self._held, Writable():
            writer.rollback()
            writer.wait_merging_threads()

    @property
    def _open(self) -> tantivy.IndexWriter:
        """Return the engine's writer. Raises RuntimeError once it is closed."""
        if not self._writer:
            raise RuntimeError("this writer was closed")
        return self._writer

    def _flush(self) -> None:
        """Let the engine commit. Without a new mark, the place stays behind the content; changes may be applied again.

        The engine renames its table of contents last and does not sync the folder. Callers record the commit, so the
        folder is synced here to make the new name durable too.
        """
        self._open.commit()
        sync_folder(self._generation)
        self._touched.clear()
        self._see()

    def _see(self) -> None:
        """Open a searcher on the newest committed state."""
        self._index.reload()
        self._searcher, self._read = self._index.searcher(), 0

    def _apply(self, change: Change) -> int:
        match change:
            case Upsert():
                return self._put(change.entry)
            case Delete():
                self._remove(change.id)
                return 0
            case UpdateLinks():
                return self._relink(change)
        assert_never(change)

    def _put(self, entry: IndexedDocument) -> int:
        """Add or replace an entry."""
        document = to_document(entry)
        self._remove(entry.id)
        self._open.add_document(document)
        return getsizeof(entry.text)

    def _remove(self, number: int) -> None:
        """Delete the entry of this id, if there may be one."""
        if number in self._touched or self._searcher.doc_freq("id", number):
            self._open.delete_documents_by_term("id", number)
        self._touched.add(number)

    def _relink(self, change: UpdateLinks) -> int:
        """Rewrite a committed entry with new anchors; uncommitted changes to it are flushed first."""
        if change.id in self._touched:
            self._flush()
        found = self._searcher.search(tantivy.Query.term_query(self._schema, "id", change.id), 1).hits
        if not found:
            return 0
        self._read += 1
        return self._put(change.on(to_entry(self._searcher.doc(found[0][1]), change.id)))


def make_empty(generation: Path) -> None:
    """Make an index without entries, with its first mark, in a new folder."""
    with Writable():
        index = tantivy.Index(schema(), str(generation))
        register(index)
        writer = index.writer(HEAP_BYTES, 1)
        writer.add_document(to_mark(Mark(0)))
        writer.commit()
        writer.wait_merging_threads()
        sync_folder(generation)


TABLE = "meta.json"
_LOCK = ".tantivy-meta.lock"
"""Held by the engine while it reads the table and opens the files named there, and while it removes files."""
_OF_SEGMENT = re.compile(r"([0-9a-f]{32})\.(?:(\d+)\.del|\w+)")


def clear(generation: Path) -> None:
    """Remove files of segments and deletions that the table of contents does not name.

    Only the owner of the writer may call it. An unreadable table is left alone; the engine reports it.
    """
    with suppress(OSError, ValueError, KeyError, TypeError), (generation / _LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        table = json.loads((generation / TABLE).read_bytes())
        named = {each["segment_id"].replace("-", ""): each["deletes"] for each in table["segments"]}
        for path in generation.iterdir():
            if (found := _OF_SEGMENT.fullmatch(path.name)) and not _is_named(found, named):
                path.unlink()


def _is_named(found: re.Match[str], named: dict[str, dict[str, int] | None]) -> bool:
    segment, deletions = found.groups()
    if segment not in named or deletions is None:
        return segment in named
    known = named[segment]
    return known is not None and known["opstamp"] == int(deletions)
