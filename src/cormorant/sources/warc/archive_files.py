"""The archives of a folder, and those that are packed in a WACZ (WACZ 1.1.1: a ZIP with archives below archive/)."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final, NamedTuple

from cormorant.base.errors import Unreachable
from cormorant.sources.trees.globs import Patterns
from cormorant.sources.warc.byte_streams import SeekableFile
from cormorant.sources.warc.record_format import RecordFormat, format_of
from cormorant.sources.warc.settings import ArchiveSettings

PACKED: Final = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
"""How the names of archives end that a WACZ may hold."""
ENDINGS: Final = (*PACKED, ".wacz")
"""How the names of archives end."""
MOST_PACKED: Final = 100_000
"""Members of a WACZ that are looked at."""
MOST_LEVELS: Final = 200


class ArchiveName(NamedTuple):
    """An archive: its path below the folder (surrogates for bytes that are no text), and its name in a WACZ or ""."""

    path: str
    member: str = ""


class ArchiveFolder:
    """The archives of one source."""

    def __init__(self, settings: ArchiveSettings, patterns: Patterns) -> None:
        self._settings, self._patterns = settings, patterns
        self._root = settings.path

    @property
    def is_file(self) -> bool:
        """Return whether the source is one archive and no folder."""
        return os.path.isfile(self._root)  # noqa: PTH113 - raises nothing where nobody may look

    def files(self) -> Iterator[str]:
        """Yield the paths of the archives in the order of their names. Raises Unreachable."""
        if self.is_file:
            yield ""
            return
        yield from self._below("", 0)

    def stamp(self, path: str) -> str:
        """Return a text that changes when a file does. Raises OSError."""
        status = os.stat(self.full(path))  # noqa: PTH116 - names may be no text
        return f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ino}"

    def full(self, path: str) -> str:
        """Return the whole path of an archive."""
        return os.path.join(self._root, path) if path else self._root  # noqa: PTH118 - the same

    def form(self, name: ArchiveName) -> RecordFormat:
        """Return the format of an archive's records."""
        return format_of(name.member or self.full(name.path))

    def packed(self, path: str) -> list[str]:
        """Return the names of the archives in a WACZ, [""] for other archives. Raises OSError and BadZipFile."""
        if not self.full(path).lower().endswith(".wacz"):
            return [""]
        with zipfile.ZipFile(self.full(path)) as package:
            names = [each.filename for each in package.infolist()[:MOST_PACKED]]
        return sorted(each for each in names if each.lower().endswith(PACKED))

    @contextmanager
    def opened(self, name: ArchiveName) -> Iterator[SeekableFile]:
        """Open an archive. Raises OSError, BadZipFile and KeyError."""
        if not name.member:
            with open(self.full(name.path), "rb") as file:  # noqa: PTH123 - names may be no text
                yield file
            return
        with zipfile.ZipFile(self.full(name.path)) as package, package.open(name.member) as inner:
            stored = package.getinfo(name.member)
            if stored.compress_type != zipfile.ZIP_STORED or stored.flag_bits & 1:
                yield inner
                return
            with open(self.full(name.path), "rb") as file:  # noqa: PTH123 - the same
                yield _Part(file, _data_start(file, stored.header_offset), stored.file_size)

    def _below(self, folder: str, level: int) -> Iterator[str]:
        entries = self._entries(folder)
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if self._enters(path, level + 1):
                    yield from self._below(path, level + 1)
            elif self._is_taken(entry, path):
                yield path

    def _is_taken(self, entry: os.DirEntry[str], path: str) -> bool:
        is_archive = entry.name.lower().endswith(ENDINGS) and entry.is_file(follow_symlinks=False)
        return is_archive and self._patterns.ruling(os.fsencode(path)).admitted

    def _enters(self, path: str, level: int) -> bool:
        levels = self._settings.levels
        inside = level <= MOST_LEVELS and (levels is None or level <= levels)
        return inside and self._patterns.leaves_out(os.fsencode(path)) is None

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        """List a folder. Raises Unreachable."""
        full = self.full(folder)
        shown = full.encode("utf-8", "replace").decode()
        try:
            with os.scandir(full) as entries:
                return sorted(entries, key=lambda each: each.name)
        except FileNotFoundError:
            raise Unreachable(f"The folder {shown} is not there. Mount it, or correct the source's path.") from None
        except OSError as error:
            raise Unreachable(
                f"The folder {shown} cannot be listed: {error.strerror}. Let the crawler's account read it, or exclude "
                "it."
            ) from None


class _Part:
    """A range of a file, which is a file of its own packed without compression."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file, self._start, self._size, self._at = file, start, size, 0

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes of the range."""
        left = self._size - self._at
        self._file.seek(self._start + self._at)
        got = self._file.read(left if size < 0 else min(size, left))
        self._at += len(got)
        return got

    def seek(self, offset: int, whence: int = 0, /) -> int:  # noqa: ARG002 - from the start alone
        """Go to a place of the range."""
        self._at = min(max(offset, 0), self._size)
        return self._at


def _data_start(file: IO[bytes], header: int) -> int:
    """Return where the bytes of a ZIP member begin (APPNOTE 4.3.7): its local header has lengths of its own."""
    file.seek(header)
    local = file.read(30)
    return header + 30 + int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
