"""An archive of any kind: the names of its members as its text, and its members as files.

    bytes --first bytes--> reader of the kind --PackedFile--> harmless, distinct paths --> text | EmbeddedFile

The bytes choose the reader, not the declared type: many ZIP files have another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cormorant.extract.archives.byte_stream import LimitedStream, SliceSource
from cormorant.extract.archives.compressed import open_compressed
from cormorant.extract.archives.limits import (
    MAX_ALL_BYTES,
    MAX_FILE_BYTES,
    MAX_FILES,
    NEEDS_PASSWORD,
    TOO_LARGE,
    TOO_MUCH,
)
from cormorant.extract.archives.member_path import DistinctPaths, harmless_path, is_noise
from cormorant.extract.archives.packed_file import OpenArchive, PackedFile
from cormorant.extract.archives.rar import SIGNATURES, open_rar
from cormorant.extract.archives.seven_zip import SIGNATURE, open_7z
from cormorant.extract.archives.tar_archive import BLOCK, is_tar, open_tar
from cormorant.extract.archives.zip_archive import MAX_ZIP_END, ZIP_END, ZIP_STARTS, open_zip
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.sanitize import MAX_VALUE, clean_lines, name_of, one_line
from cormorant.model.content import Extraction, Value

FILE_COUNT: Final = "FileCount"
UNPACKED_BYTES: Final = "UnpackedBytes"
"""Attributes of an archive: the number of its members, and the sum of their sizes if all are declared."""
_NAMELESS: Final = "file"
_LARGEST: Final = 1 << 53
"""The largest number that every receiver accepts; sizes in headers may be larger."""


def extract_archive(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the paths of the members of an archive as its text, and its comment as its description.

    Raises Protected when even the names need a password, Unreadable when it is damaged from its beginning, a part of a
    split archive or no archive of a kind that is read.
    """
    archive = _opened(body, task)
    paths: list[str] = []
    size, encrypted, fault = 0, 0, ""
    try:
        for path, file in _listed(archive):
            if len(paths) == MAX_FILES:
                fault = f"it has more than {MAX_FILES:,} files"
                break
            paths.append(path)
            size += max(0, file.size)
            encrypted += file.refusal == NEEDS_PASSWORD
    except Unreadable as error:
        if not paths:
            raise
        fault = str(error)
    attributes: dict[str, Value] = {FILE_COUNT: len(paths), UNPACKED_BYTES: min(size, _LARGEST)}
    if archive.comment.strip():
        attributes["Description"] = one_line(archive.comment, MAX_VALUE)
    if paths and encrypted == len(paths):
        attributes["Protection"] = "password"
    return Extraction(
        text=clean_lines("\n".join((archive.comment, "", *paths))),
        title=name_of(task.address, task.file_name),
        attributes=attributes,
        truncated=bool(fault),
        fault=_sentence(fault),
    )


def archive_embedded_files(body: bytes, task: ExtractionTask, start: int = 0) -> Iterator[EmbeddedFile]:
    """Yield the members of an archive from number `start` on; earlier ones are unpacked only if necessary.

    A member that cannot be unpacked has a refusal. A damaged member has both: a refusal, and the bytes before the
    damage. Raises what `extract_archive` raises.
    """
    left = MAX_ALL_BYTES
    number = 0
    try:
        for path, file in _listed(_opened(body, task)):
            if number == MAX_FILES:
                return
            number += 1
            if number > start:
                made = _unpacked(path, file, left)
                left -= len(made.body)
                yield made
    except Unreadable:
        if not number:
            raise


def _unpacked(path: str, file: PackedFile, left: int) -> EmbeddedFile:
    refusal = file.refusal
    if not refusal and file.size > MAX_FILE_BYTES:
        refusal = TOO_LARGE
    if not refusal and left <= 0:
        refusal = TOO_MUCH
    if refusal:
        return EmbeddedFile(path, b"", "", file.modified_at, refusal)
    most = min(MAX_FILE_BYTES, left)
    data, fault = file.unpack(most + 1)
    if len(data) > most:
        return EmbeddedFile(path, b"", "", file.modified_at, TOO_LARGE if most == MAX_FILE_BYTES else TOO_MUCH)
    return EmbeddedFile(path, data, "", file.modified_at, fault)


def _opened(body: bytes, task: ExtractionTask) -> OpenArchive:
    if body.startswith(ZIP_STARTS):
        return open_zip(body)
    if body.startswith(SIGNATURE):
        return open_7z(body)
    if body.startswith(SIGNATURES):
        return open_rar(body)
    compressed = open_compressed(body, name_of(task.address, task.file_name))
    if compressed is not None:
        return compressed
    if is_tar(body[:BLOCK]):
        return open_tar(LimitedStream(SliceSource(body)))
    if (
        body.rfind(ZIP_END, max(0, len(body) - MAX_ZIP_END)) >= 0
    ):  # behind a program that unpacks it, or the last part of a split one
        return open_zip(body)
    raise Unreadable("it is empty" if not body else "it is no archive of a kind that is read")


def _listed(archive: OpenArchive) -> Iterator[tuple[str, PackedFile]]:
    """Yield the members with their paths, without files that operating systems add."""
    paths = DistinctPaths()
    for file in archive.files:
        path = harmless_path(file.name) or _NAMELESS
        if not is_noise(path):
            yield paths.distinct(path), file


def _sentence(fault: str) -> str:
    return f"{fault[:1].upper()}{fault[1:].rstrip('.')}." if fault else ""
