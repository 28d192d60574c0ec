"""Packets of SFTP version 3 and their fields (draft-ietf-secsh-filexfer-02). Pure, and strict about lengths."""

from __future__ import annotations

import stat
import struct
from enum import IntEnum
from typing import Final, NamedTuple

from cormorant.sources.remote.protocol import ConnectionBroken

MAX_PACKET: Final = 1 << 20
"""Bytes; servers send at most 256 KiB."""
MAX_NAMES: Final = 50_000
"""Names in one packet; each takes at least 12 bytes."""


class PacketType(IntEnum):
    """Types of packets (section 3)."""

    INIT = 1
    VERSION = 2
    OPEN = 3
    CLOSE = 4
    READ = 5
    LSTAT = 7
    FSTAT = 8
    OPENDIR = 11
    READDIR = 12
    REALPATH = 16
    STAT = 17
    STATUS = 101
    HANDLE = 102
    DATA = 103
    NAME = 104
    ATTRS = 105
    EXTENDED = 200
    EXTENDED_REPLY = 201


class StatusCode(IntEnum):
    """Codes of a status packet (section 7)."""

    OK = 0
    EOF = 1
    NO_SUCH_FILE = 2
    PERMISSION_DENIED = 3
    FAILURE = 4
    BAD_MESSAGE = 5
    NO_CONNECTION = 6
    CONNECTION_LOST = 7
    OP_UNSUPPORTED = 8


class FileAttributes(NamedTuple):
    """Attributes of a file (section 5); None where the server does not say."""

    size: int | None = None
    uid: int | None = None
    gid: int | None = None
    mode: int | None = None
    modified: int | None = None

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder."""
        return self.mode is not None and stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        """Return whether it is a symbolic link."""
        return self.mode is not None and stat.S_ISLNK(self.mode)

    @property
    def is_file(self) -> bool:
        """Return whether it is a regular file, as it is taken for where the server does not say."""
        return self.mode is None or stat.S_ISREG(self.mode) or stat.S_IFMT(self.mode) == 0


class NamedFile(NamedTuple):
    """An entry of a NAME packet: the name, the line that `ls -l` would print, and the attributes."""

    name: bytes
    line: bytes
    attributes: FileAttributes


class FieldReader:
    """Reads the fields of one packet. Every method raises ConnectionBroken where the packet ends too early."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def _take(self, length: int) -> bytes:
        end = self._at + length
        if end > len(self._data):
            raise ConnectionBroken("The server sent a packet that ends within a field.")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def number(self) -> int:
        """Return a number of 32 bits."""
        return int.from_bytes(self._take(4), "big")

    def long(self) -> int:
        """Return a number of 64 bits."""
        return int.from_bytes(self._take(8), "big")

    def text(self) -> bytes:
        """Return a string, whose length stands before it."""
        return self._take(self.number())

    def attributes(self) -> FileAttributes:
        """Return attributes (section 5)."""
        flags = self.number()
        size = self.long() if flags & 1 else None
        uid, gid = (self.number(), self.number()) if flags & 2 else (None, None)
        mode = self.number() if flags & 4 else None
        modified = (self.number(), self.number())[1] if flags & 8 else None
        if flags & 0x80000000:
            for _ in range(min(self.number(), MAX_NAMES)):
                self.text()
                self.text()
        return FileAttributes(size, uid, gid, mode, modified)

    def names(self) -> list[NamedFile]:
        """Return the entries of a NAME packet (section 7)."""
        count = self.number()
        if count > MAX_NAMES:
            raise ConnectionBroken("The server sent a packet with too many names.")
        return [NamedFile(self.text(), self.text(), self.attributes()) for _ in range(count)]


def packet(kind: PacketType, *fields: bytes | int) -> bytes:
    """Return a packet with its length; bytes become strings, numbers have 32 bits."""
    body = bytes([kind]) + b"".join(
        struct.pack(">I", each) if isinstance(each, int) else struct.pack(">I", len(each)) + each for each in fields
    )
    return struct.pack(">I", len(body)) + body


def read_packet(number: int, handle: bytes, offset: int, length: int) -> bytes:
    """Return a packet that asks for a piece of an open file (section 6.4)."""
    body = struct.pack(">BII", PacketType.READ, number, len(handle)) + handle + struct.pack(">QI", offset, length)
    return struct.pack(">I", len(body)) + body
