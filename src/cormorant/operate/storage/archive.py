"""Archive format: a backup as a file.

Also an export, which is one without copies.

A plain tar, so that it can be looked into, in this order:

    about.json        which format, which schema, when, by which version; whether copies are in it
    rows/TABLE/N      zstd of a msgpack list: the names of the columns, then rows
    packs/NUMBER      the beginning of a pack, to the last byte that a row names
    manifest.json     rows of each table, numbers given so far, packs, and SHA-256 of everything before it

It is read from front to back, and memory is that of one chunk. Without its manifest a file is cut short; nothing is
taken of one that is not whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
import zstandard

from cormorant.base.durability import sync_folder
from cormorant.base.errors import ArchiveDamaged, ConflictError, DataFolderError, NotFoundError, NotPermitted
from cormorant.store.schema import content

FORMAT = 1
ABOUT, MANIFEST = "about.json", "manifest.json"
_NAME = re.compile(r"rows/(?P<table>[a-z_]{1,63})/[0-9]{8}|packs/(?P<pack>[0-9a-f]{16})")
_MOST_JSON = 64 << 20
_MOST_CHUNK = 2 << 30
"""Bytes that a chunk of rows may take once it is decompressed, so that no file can ask for all memory there is."""
_READ = 1 << 20
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class About:
    """Header of an archive: `schema` is the database's, `made_at` is in epoch seconds."""

    schema: str
    program: str
    made_at: float
    copies: bool
    store: str
    format: int = FORMAT
    what: str = "cormorant archive"


@dataclass(slots=True)
class Manifest:
    """Manifest at the end of an archive.

    `tables` counts rows, `packs` are sizes by hexadecimal number.

    `documents` are those among the rows that search could find, as everywhere else that documents are counted.
    """

    tables: dict[str, int] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    packs: dict[str, int] = field(default_factory=dict)
    sha256: str = ""
    documents: int = 0

    def count(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Count a chunk of rows."""
        self.tables[table] = self.tables.get(table, 0) + len(rows)
        if table == content.name and content.c.indexed.name in columns:
            found = list(columns).index(content.c.indexed.name)
            self.documents += sum(bool(row[found]) for row in rows)


class ArchiveChunk(NamedTuple):
    """A chunk of rows."""

    table: str
    columns: list[str]
    rows: list[tuple[Any, ...]]


class Pack(NamedTuple):
    """A pack, of which `chunks` are to be read before the next part is asked for."""

    number: int
    size: int
    chunks: Iterator[bytes]


class Writer:
    """Writes an archive: rows, then packs, then `finish`."""

    def __init__(self, tar: tarfile.TarFile, about: About) -> None:
        self._tar, self._sum, self._number = tar, hashlib.sha256(), 0
        self._compressor = zstandard.ZstdCompressor(level=3)
        self._about = about
        self.manifest = Manifest()
        self._put(ABOUT, json.dumps(asdict(about), indent=1).encode())

    def rows(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Put a chunk of rows."""
        self._number += 1
        plain = msgspec.msgpack.encode(([str(name) for name in columns], rows))
        self._put(f"rows/{table}/{self._number:08}", self._compressor.compress(plain))
        self.manifest.count(str(table), [str(name) for name in columns], rows)

    def pack(self, number: int, size: int, chunks: Iterable[bytes]) -> None:
        """Put the first `size` bytes of a pack; `chunks` are as many."""
        name = f"{number:016x}"
        self._head(f"packs/{name}", size)
        self._tar.addfile(self._info(f"packs/{name}", size), _Stream(chunks, self._sum))
        self.manifest.packs[name] = size

    def finish(self) -> None:
        """Put the manifest: the archive is whole."""
        self.manifest.sha256 = self._sum.hexdigest()
        data = json.dumps(asdict(self.manifest)).encode()
        self._tar.addfile(self._info(MANIFEST, len(data)), BytesIO(data))

    def _put(self, name: str, data: bytes) -> None:
        self._head(name, len(data))
        self._sum.update(data)
        self._tar.addfile(self._info(name, len(data)), BytesIO(data))

    def _head(self, name: str, size: int) -> None:
        self._sum.update(f"{name} {size}\n".encode())

    def _info(self, name: str, size: int) -> tarfile.TarInfo:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = size, 0o600, int(self._about.made_at)
        return info


class _Stream:
    """Chunks as a file that tarfile reads from."""

    def __init__(self, chunks: Iterable[bytes], total: Any) -> None:
        self._chunks, self._left, self._sum = iter(chunks), b"", total

    def read(self, size: int = -1, /) -> bytes:
        """As many bytes as there are, up to `size`."""
        while len(self._left) < size and (chunk := next(self._chunks, b"")):
            self._left += chunk
        taken, self._left = self._left[:size], self._left[size:]
        self._sum.update(taken)
        return taken


@contextmanager
def writing(target: Path, about: About) -> Iterator[Writer]:
    """Write an archive beside `target`, read it again when the block has ended, and only then put it there.

    Raises ConflictError when something else is there, NotPermitted and DataFolderError where it cannot be written.
    """
    _refuse_others(target)
    partial = target.with_name(f"{target.name}.part")
    try:
        with os.fdopen(os.open(partial, _NEW, 0o600), "wb") as file:
            with tarfile.TarFile(None, "w", file, tarfile.PAX_FORMAT, copybufsize=_READ) as tar:
                writer = Writer(tar, about)
                yield writer
                writer.finish()
            file.flush()
            os.fsync(file.fileno())
        if check(partial).manifest != writer.manifest:
            raise ArchiveDamaged(f"The file {partial} differs from the data that was written to it. Check the disk.")
        partial.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise _unwritten(target, error) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _unwritten(target: Path, error: OSError) -> NotPermitted | DataFolderError:
    if isinstance(error, PermissionError):
        return NotPermitted(
            f"{target} cannot be written: {error.strerror}. Name a file in a folder that you may write to."
        )
    return DataFolderError(f"{target} cannot be written: {error.strerror}. The incomplete file was removed.")


def _refuse_others(target: Path) -> None:
    """Raise ConflictError for what is there and no archive of ours, which would be replaced by the new one."""
    if not target.exists():
        return
    try:
        begun(target)
    except (ArchiveDamaged, DataFolderError) as error:
        raise ConflictError(f"{target} exists, and is no backup of cormorant. Name another file.") from error


def begun(source: Path) -> About:
    """Return the header of an archive. Raises as `parts` does."""
    with _opened(source) as tar:
        return _about(source, tar)


class Checked(NamedTuple):
    """An archive that was read from front to back and is whole; `digests` are SHA-256 of its packs."""

    about: About
    manifest: Manifest
    digests: dict[int, bytes]


def check(source: Path) -> Checked:
    """Read all of an archive, and say what it is. Raises ArchiveDamaged unless it is whole, and as `parts` does."""
    about, found, digests = begun(source), Manifest(), dict[int, bytes]()
    for part in parts(source, found):
        if isinstance(part, Pack):
            total = hashlib.sha256()
            for chunk in part.chunks:
                total.update(chunk)
            digests[part.number] = total.digest()
    return Checked(about, found, digests)


def parts(source: Path, found: Manifest) -> Iterator[ArchiveChunk | Pack]:
    """Read an archive from front to back, and fill in `found` at its end.

    Raises NotFoundError where there is no file, DataFolderError for one that cannot be read, ArchiveDamaged for one
    that is none of ours, cut short, changed, or of a newer format; maybe only at the end.
    """
    total = hashlib.sha256()
    with _opened(source) as tar:
        _about(source, tar, total)
        try:
            while (member := _next(tar)) is not None and member.name != MANIFEST:
                yield from _part(source, tar, member, found, total)
            said = json.loads(_bytes(tar, member, _MOST_JSON)) if member is not None else None
            if said is not None:
                _believe(source, said, found, total)
        except _BAD as error:
            raise _damaged(source, str(error)) from error
    if said is None:
        raise _damaged(source, "it is cut short: its end is missing")


@contextmanager
def _opened(source: Path) -> Iterator[tarfile.TarFile]:
    try:
        with source.open("rb") as file, tarfile.open(fileobj=file, mode="r:") as tar:
            yield tar
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {source}.") from None
    except tarfile.TarError as error:
        raise _damaged(source, str(error)) from error
    except OSError as error:
        raise DataFolderError(f"{source} cannot be read: {error.strerror or error}.") from error


_BAD = (tarfile.TarError, EOFError, ValueError, KeyError, TypeError, msgspec.MsgspecError, zstandard.ZstdError)
"""Errors that an archive of foreign bytes raises."""


def _about(source: Path, tar: tarfile.TarFile, total: Any = None) -> About:
    """The first member. Raises ArchiveDamaged for another file, or a newer format."""
    try:
        member = _next(tar)
        if member is None or member.name != ABOUT:
            raise ArchiveDamaged(f"{source} is no backup or export of cormorant.")
        said = json.loads(_bytes(tar, member, _MOST_JSON, total))
        newer = said["format"] > FORMAT
        about = None if newer else msgspec.convert(said, About)
    except _BAD as error:
        raise _damaged(source, str(error)) from error
    if about is None:
        raise ArchiveDamaged(
            f"{source} is of format {said['format']}, and this program reads {FORMAT}. Install a newer version."
        )
    return about


def _next(tar: tarfile.TarFile) -> tarfile.TarInfo | None:
    """The next member, without keeping those before it."""
    vars(tar)["members"].clear()  # it has no other name for them
    return tar.next()


def _part(
    source: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, counted: Manifest, total: Any
) -> Iterator[ArchiveChunk | Pack]:
    """One member. Nothing of its name is ever used as a path."""
    name = _NAME.fullmatch(member.name)
    if name is None:
        raise ValueError(f"{member.name[:80]!r} does not belong in it")
    if name["pack"]:
        _file(tar, member)
        total.update(f"{member.name} {member.size}\n".encode())
        counted.packs[name["pack"]] = member.size
        yield Pack(int(name["pack"], 16), member.size, _chunks(source, tar, member, total))
        return
    columns, rows = _decoded(_bytes(tar, member, _MOST_CHUNK, total))
    counted.count(name["table"], columns, rows)
    yield ArchiveChunk(name["table"], columns, rows)


_CHUNK = msgspec.msgpack.Decoder(tuple[list[str], list[tuple[Any, ...]]])


def _decoded(data: bytes) -> tuple[list[str], list[tuple[Any, ...]]]:
    size = zstandard.frame_content_size(data)
    if not 0 <= size <= _MOST_CHUNK:
        raise ValueError(f"a part would take {size} bytes in memory")
    return _CHUNK.decode(zstandard.ZstdDecompressor().decompress(data))


def _file(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    file = tar.extractfile(member) if member.isreg() else None
    if file is None:
        raise ValueError(f"{member.name[:80]!r} is no file")
    return file


def _bytes(tar: tarfile.TarFile, member: tarfile.TarInfo, most: int, total: Any = None) -> bytes:
    """A member as a whole, counted into `total`."""
    if member.size > most:
        raise ValueError(f"{member.name[:80]!r} has {member.size} bytes")
    data = _file(tar, member).read()
    if len(data) != member.size:
        raise EOFError("it is cut short")
    if total is not None:
        total.update(f"{member.name} {member.size}\n".encode())
        total.update(data)
    return data


def _chunks(source: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, total: Any) -> Iterator[bytes]:
    """Yield the chunks of a pack; damage and read errors are raised as for the other parts of an archive."""
    file, left = _file(tar, member), member.size
    while left:
        try:
            chunk = file.read(min(left, _READ))
        except tarfile.TarError as error:
            raise _damaged(source, str(error)) from error
        except OSError as error:
            raise DataFolderError(f"{source} cannot be read: {error.strerror}.") from error
        if not chunk:
            raise _damaged(source, "it is cut short")
        total.update(chunk)
        left -= len(chunk)
        yield chunk


def _believe(source: Path, said: Mapping[str, Any], counted: Manifest, total: Any) -> None:
    """Compare what the manifest says with what was read."""
    manifest = msgspec.convert(said, Manifest)
    same = (manifest.tables, manifest.packs) == (counted.tables, counted.packs)
    if not same or manifest.sha256 != total.hexdigest():
        raise _damaged(source, "its contents differ from the data that was written")
    counted.counters, counted.sha256 = manifest.counters, manifest.sha256


def _damaged(source: Path, why: str) -> ArchiveDamaged:
    about = why.rstrip(".") or "it cannot be read"
    return ArchiveDamaged(f"{source} is damaged or cut short ({about[:200]}). Nothing was changed; use another one.")
