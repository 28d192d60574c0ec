"""A member of an archive before it is unpacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

UNKNOWN_SIZE = -1


class UnpackedBytes(NamedTuple):
    """The bytes of a member; `fault` is the reason why more are missing, "" if these are all."""

    data: bytes
    fault: str = ""


class PackedFile(NamedTuple):
    """A file that an archive lists: no folder, link or device.

    `name` is as the archive has it, `size` its declared bytes or UNKNOWN_SIZE. `refusal` is the reason why it cannot be
    unpacked, "" for most. `unpack` returns at most that many bytes; call it before the next member is requested.
    """

    name: str
    size: int
    unpack: Callable[[int], UnpackedBytes]
    modified_at: float | None = None
    refusal: str = ""


class OpenArchive(NamedTuple):
    """An archive whose beginning was read. `files` raises Unreadable where it is damaged."""

    files: Iterator[PackedFile]
    comment: str = ""


def refused(_limit: int) -> UnpackedBytes:
    """Return nothing: the `unpack` of a member with a refusal."""
    return UnpackedBytes(b"")
