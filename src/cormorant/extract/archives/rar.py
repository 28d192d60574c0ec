"""Members of a RAR archive, versions 1.3 to 7, by the library rars (Apache-2.0, in Rust).

Signatures: "Rar!" 1a 07 00 (to version 4), "Rar!" 1a 07 01 00 (from version 5).
The other readers of RAR start a program, or hold the code of unRAR, whose licence is not free.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import rars  # type: ignore[import-untyped]

from cormorant.extract.archives.limits import DAMAGED, IN_ANOTHER_PART, MAX_ALL_BYTES, MAX_WINDOW, NEEDS_PASSWORD
from cormorant.extract.archives.packed_file import OpenArchive, PackedFile, UnpackedBytes, refused
from cormorant.extract.archives.rar_blocks import RAR_4, RAR_5, sound_length
from cormorant.extract.errors import Protected, Unreadable

SIGNATURES: Final = (RAR_4, RAR_5)
_OPTIONS: Final = rars.ReadOptions(
    max_total_output_bytes=MAX_ALL_BYTES,  # a limit of all output keeps it to one thread as well
    max_reader_workspace_bytes=2 * MAX_WINDOW,
    rar50_dictionary_size_limit=MAX_WINDOW,
    max_header_count=50_000,
)
_BATCH: Final = 64 * 1024 * 1024
"""Bytes of a solid archive that are unpacked together, since each reading begins at its first file."""
_MAX_MISSING: Final = 64 * 1024 * 1024
_REPARSE: Final = 0x400
_FAMILY_5: Final = "rar50_plus"
_UNIX_4, _UNIX_5 = 3, 1
_ERRORS: Final = (rars.Error, ValueError, LookupError, NotImplementedError, OSError)


def open_rar(body: bytes) -> OpenArchive:
    """Return the files of a RAR. Raises Protected when even their names are encrypted, Unreadable for a damaged one."""
    fault = ""
    try:
        archive = rars.RarFile.from_bytes(body, options=_OPTIONS)
    except rars.PasswordRequired:
        raise Protected from None
    except _ERRORS as error:
        archive, fault = _beginning(body, str(error)), "it is damaged or cut short"
    return OpenArchive(_files(archive, fault), _comment(archive))


def _beginning(body: bytes, error: str) -> Any:
    """Open as much of a damaged archive as is sound. Raises Unreadable when that is nothing."""
    length, missing = sound_length(body)
    if missing > _MAX_MISSING:
        raise Unreadable("it is cut short", error)
    try:
        return rars.RarFile.from_bytes(body[:length] + bytes(missing), options=_OPTIONS)
    except _ERRORS:
        raise Unreadable("its list of files is damaged", error) from None


def _files(archive: Any, fault: str) -> Iterator[PackedFile]:
    unix = _UNIX_5 if archive.family == _FAMILY_5 else _UNIX_4
    listed = [info for info in archive.infolist() if _is_file(info, unix)]
    reader = _RarReader(archive, listed)
    for number, info in enumerate(listed):
        refusal = _refusal(info)
        unpack = refused if refusal else reader.unpacker(number)
        yield PackedFile(info.filename, info.file_size, unpack, _modified(info.date_time), refusal)
    if fault:
        raise Unreadable(fault)


class _RarReader:
    """Unpacks files in their order; those of a solid archive some at a time."""

    def __init__(self, archive: Any, listed: list[Any]) -> None:
        self._archive = archive
        self._listed = listed
        self._solid = any(info.is_solid for info in listed)
        self._broken = False
        """A solid archive ends for good where it is damaged."""
        self._ready: dict[int, bytes] = {}

    def unpacker(self, number: int) -> Callable[[int], UnpackedBytes]:
        """Return the function that unpacks a file."""
        return lambda limit: self._read(number, limit)

    def _read(self, number: int, limit: int) -> UnpackedBytes:
        info = self._listed[number]
        if self._solid and number not in self._ready and not self._broken and not _is_reference(info):
            self._ready = self._batch(number)
        data = self._ready.pop(number, None)
        if data is None and not self._broken:
            data = self._one(info)
        self._broken = self._broken or (self._solid and data is None)
        return UnpackedBytes(b"", DAMAGED) if data is None else UnpackedBytes(data[:limit])

    def _one(self, info: Any) -> bytes | None:
        try:
            source = self._archive.readlink(info) if _is_reference(info) else info
            return bytes(self._archive.read(source, options=_OPTIONS))
        except _ERRORS:
            return None

    def _batch(self, number: int) -> dict[int, bytes]:
        """Return files from one on; before a damage fewer, {} if the first cannot be unpacked with others."""
        numbers, size = list[int](), 0
        for each in range(number, len(self._listed)):
            info = self._listed[each]
            size += info.file_size
            if numbers and size > _BATCH:
                break
            if not _refusal(info) and not _is_reference(info):
                numbers.append(each)
        while len(numbers) > 1:
            try:
                found = self._archive.read_many([self._listed[each] for each in numbers], options=_OPTIONS)
            except _ERRORS:
                numbers = numbers[: len(numbers) // 2]
                continue
            return dict(zip(numbers, found, strict=True))
        return {}


def _is_reference(info: Any) -> bool:
    """Return whether a file is stored as a reference to an equal one."""
    return bool(info.file_size) and not info.compress_size


def _is_file(info: Any, unix: int) -> bool:
    """Return whether an entry is a file.

    Its attributes are those of the system `info.host_os`; `unix` is that of Unix.
    """
    if info.host_os == unix:
        return not info.is_dir() and stat.S_IFMT(info.file_attr) in (0, stat.S_IFREG)
    return not info.is_dir() and not info.file_attr & _REPARSE


def _refusal(info: Any) -> str:
    if info.is_encrypted:
        return NEEDS_PASSWORD
    if info.is_split_before or info.is_split_after:
        return IN_ANOTHER_PART
    return ""


def _comment(archive: Any) -> str:
    try:
        raw = archive.read_comment(options=_OPTIONS)
    except _ERRORS:
        return ""
    if not raw:
        return ""
    try:
        return bytes(raw).decode().rstrip("\0")
    except UnicodeDecodeError:
        return bytes(raw).decode("cp1252", "replace")


def _modified(parts: tuple[int, int, int, int, int, int] | None) -> float | None:
    """Return a time; the wall clock of the versions before 5 is taken as if it were UTC."""
    try:
        return datetime(*parts, tzinfo=UTC).timestamp() if parts else None
    except ValueError:
        return None
