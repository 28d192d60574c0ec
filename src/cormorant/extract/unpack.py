"""Unpacking of a container in the sandboxed child process: attachments of a mail, members of an archive.

    crawl --encode_unpacking--> payload --unpack (in the child)--> part --decode_part--> UnpackedPart | ConversionFault

An answer holds the members from a number on until ROOM bytes are full: a container of any size is read in parts of
bounded size, each by a child of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from inspect import signature
from itertools import islice
from typing import Final

import msgspec

from cormorant.base.entry_points import imported
from cormorant.extract.detect.format import Format
from cormorant.extract.detect.formats import format_of
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import (
    CONVERSION_FAILED,
    NO_ANSWER,
    Body,
    ConversionFault,
    ExtractionTask,
    decode_framed,
    framed,
)
from cormorant.extract.sanitize import one_line
from cormorant.sandbox.limits import MIB, Limits

MAX_MEMBERS: Final = 10_000
"""Members of one container; the rest is left out."""
MAX_UNPACKED: Final = 1024 * MIB
"""Bytes of all members of one container together; the rest is left out."""
MAX_MEMBER: Final = 64 * MIB
ROOM: Final = 16 * MIB
"""Bytes of members after which an answer ends."""
LIMITS: Final = Limits(output_bytes=MAX_MEMBER + 2 * ROOM)
MAX_PATH: Final = 1_000


class UnpackTask(msgspec.Struct, frozen=True, array_like=True):
    """The task of unpacking a container from the member of number `start` on, `before` bytes behind its beginning."""

    document: ExtractionTask
    start: int = 0
    before: int = 0


class UnpackedMember(msgspec.Struct, frozen=True, array_like=True):
    """A member as the child hands it over. `version` is the SHA-256 of its bytes; `refusal` says why it has none."""

    path: str
    mime: str
    modified_at: float | None
    refusal: str
    version: bytes
    body: bytes


class UnpackedPart(msgspec.Struct, frozen=True, array_like=True, tag="part"):
    """Some members of a container; `ended`: they are the last. `cut`: there are more than the limits allow."""

    members: list[UnpackedMember]
    ended: bool = True
    cut: bool = False


_ENCODER: Final = msgspec.msgpack.Encoder()
_TASKS: Final = msgspec.msgpack.Decoder(UnpackTask)
_PARTS: Final = msgspec.msgpack.Decoder(UnpackedPart | ConversionFault)


def encode_unpacking(task: UnpackTask, body: bytes) -> tuple[bytes, bytes]:
    """Return the payload for `unpack` in two pieces, the second of which is `body` itself."""
    return framed(task), body


def decode_part(answer: bytes) -> UnpackedPart | ConversionFault:
    """Return the child's answer. One that cannot be read is a ConversionFault like any other."""
    try:
        part: UnpackedPart | ConversionFault = _PARTS.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return NO_ANSWER
    return part


def unpack(payload: bytes) -> bytes:
    """Unpack a part of a container. Raises msgspec.DecodeError for a payload that is none, and MemoryError.

    A container that cannot be opened, or whose format has no members, is an answer too.
    """
    task, body = decode_framed(payload, _TASKS)
    del payload
    try:
        return _ENCODER.encode(_part(task, body))
    except Protected:
        return _ENCODER.encode(ConversionFault(CONVERSION_FAILED, "It needs a password."))
    except Unreadable as error:
        reason = f"It cannot be unpacked: {str(error).rstrip('.')}."
        return _ENCODER.encode(ConversionFault(CONVERSION_FAILED, one_line(reason), one_line(error.detail)))


def _part(task: UnpackTask, body: Body) -> UnpackedPart:
    members: list[UnpackedMember] = []
    room, total = ROOM, task.before
    for number, file in enumerate(_files(task, body), task.start):
        total += len(file.body)
        if number >= MAX_MEMBERS or total > MAX_UNPACKED:
            return UnpackedPart(members, cut=True)
        if members and len(file.body) > room:
            return UnpackedPart(members, ended=False)
        members.append(_member(file))
        room -= len(file.body)
    return UnpackedPart(members)


def _member(file: EmbeddedFile) -> UnpackedMember:
    body, refusal = file.body, file.refusal
    if len(body) > MAX_MEMBER:
        body, refusal = b"", f"it has more than {MAX_MEMBER // MIB} MiB"
    version = hashlib.sha256(body or refusal.encode()).digest()
    path = one_line(file.path, MAX_PATH)
    return UnpackedMember(path, one_line(file.mime), file.modified_at, one_line(refusal), version, body)


def embedded_files(made: Format) -> Callable[..., Iterator[EmbeddedFile]]:
    """Return the function that yields the documents in a document of a format that may have some."""
    found = imported(made.embedded)
    if not callable(found):
        raise TypeError(f"{made.embedded} is no function")
    return found


def _files(task: UnpackTask, body: Body) -> Iterator[EmbeddedFile]:
    """Yield the files in a container from number `start` on; a format that can pass over others is asked to."""
    made = format_of(task.document.mime)
    if made is None or not made.embedded:
        return
    files = embedded_files(made)
    if "start" in signature(files).parameters:
        yield from files(body.take(), task.document, start=task.start)
    else:
        yield from islice(files(body.take(), task.document), task.start, None)
