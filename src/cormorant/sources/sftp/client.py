"""SFTP client: folders, files, links and rights over one channel. Requests are sent ahead of their answers."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

import xxhash

from cormorant.model.acl import ACL, EVERYONE, NOBODY, PUBLIC
from cormorant.model.status import Status
from cormorant.sources.remote.protocol import ConnectionBroken, EntryKind, RemoteEntry, RemoteFile, RemoteRefusal
from cormorant.sources.sftp.owners import OwnerNames
from cormorant.sources.sftp.packets import (
    MAX_PACKET,
    FieldReader,
    FileAttributes,
    NamedFile,
    PacketType,
    StatusCode,
    packet,
    read_packet,
)
from cormorant.sources.sftp.settings import SftpSettings
from cormorant.sources.sftp.wire import SshChannel
from cormorant.sources.trees.rights import PASS, READ, entries_of_mode, judge, within

PIECE: Final = 32_768
"""Bytes of one read; every server takes that many (section 3)."""
AHEAD: Final = 16
"""Requests sent before the answer to the first has come."""
VERSION: Final = 3
_REFUSALS: Final = {
    StatusCode.NO_SUCH_FILE: (Status.NOT_FOUND, "The server has no such file."),
    StatusCode.PERMISSION_DENIED: (Status.FORBIDDEN, "The server does not let the user read it."),
}
_LINK: Final = RemoteRefusal(Status.OUTSIDE_BOUNDARY, "symlinks = false")


class SftpClient:
    """One SFTP connection (draft-ietf-secsh-filexfer-02, version 3)."""

    def __init__(self, channel: SshChannel, settings: SftpSettings) -> None:
        self._channel, self._settings = channel, settings
        self._number = 0
        self._owners = OwnerNames()
        self._root = settings.root
        self._real_root = b""
        channel.send(packet(PacketType.INIT, VERSION))
        kind, _ = self._packet()
        if kind != PacketType.VERSION:
            raise ConnectionBroken("The server does not speak SFTP.")

    def identity(self) -> str:
        """See that the root is a folder. SFTP has no number by which it is known."""
        if not self._attributes(PacketType.STAT, self._root).is_folder:
            raise RemoteRefusal(Status.COLLECTION, "It is no folder.")
        return ""

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        """Yield the entries of a folder."""
        for found in self._names(self._path(folder)):
            if found.name in (b".", b"..", b"") or b"/" in found.name or b"\0" in found.name:
                continue
            self._owners.learn(found)
            entry = self._entry(folder, found)
            if entry is not None:
                yield entry

    def read(self, parts: Sequence[bytes], limit: int) -> RemoteFile:
        """Return the beginning of a file."""
        before, path = self._channel.received, self._path(parts)
        self._see_inside(path)
        acl = self._acl(parts) if self._settings.owner_grants else None
        handle = self._answer(self._ask(PacketType.OPEN, path, 1, 0), PacketType.HANDLE).text()
        try:
            found = self._attributes(PacketType.FSTAT, handle)
            if not found.is_file:
                raise RemoteRefusal(Status.COLLECTION, "It is no regular file.")
            size = found.size or 0
            wanted = min(size, limit + 1) if size <= limit or self._settings.too_big == "cut" else 0
            body = self._bytes(handle, wanted)
        finally:
            self._close(handle)
        return RemoteFile(body, size, found.modified, acl=acl, received=self._channel.received - before)

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def _path(self, parts: Sequence[bytes]) -> bytes:
        return b"/".join((self._root.rstrip(b"/"), *parts)) or b"/"

    def _entry(self, folder: Sequence[bytes], found: NamedFile) -> RemoteEntry | None:
        """Return an entry; None for a link that is not followed, or leads nowhere."""
        said = found.attributes
        if said.mode is None or said.modified is None:
            said = self._attributes(PacketType.LSTAT, self._path((*folder, found.name)))
        if said.is_link:
            target = self._target(self._path((*folder, found.name)))
            if target is None:
                return None
            said = target
        kind = EntryKind.FOLDER if said.is_folder else EntryKind.FILE if said.is_file else EntryKind.OTHER
        acl = self._rights(said, PASS if said.is_folder else READ) if self._settings.owner_grants else None
        return RemoteEntry((found.name,), kind, f"{said.size}-{said.modified}-{_tag(folder, found.name)}", acl)

    def _target(self, path: bytes) -> FileAttributes | None:
        """Return what the file is like that a link leads to; None for a folder, and for what lies outside the root."""
        if not self._settings.symlinks:
            return None
        try:
            self._see_inside(path)
            found = self._attributes(PacketType.STAT, path)
        except RemoteRefusal:
            return None
        return None if found.is_folder else found

    def _see_inside(self, path: bytes) -> None:
        """See that a path ends below the root, whatever links are on it. Raises RemoteRefusal."""
        self._real_root = self._real_root or self._real(self._root)
        if not self._settings.symlinks and self._attributes(PacketType.LSTAT, path).is_link:
            raise _LINK
        if not self._real(path).startswith(self._real_root.rstrip(b"/") + b"/"):
            raise RemoteRefusal(Status.OUTSIDE_BOUNDARY, "a link that leads out of the folder")

    def _real(self, path: bytes) -> bytes:
        names = self._answer(self._ask(PacketType.REALPATH, path), PacketType.NAME).names()
        if not names:
            raise ConnectionBroken("The server answered with no name.")
        return posixpath.normpath(names[0].name)

    def _acl(self, parts: Sequence[bytes]) -> ACL:
        """Return who may read a file, by its rights and those of the folders from the root down."""
        acl = PUBLIC
        for length in range(1, len(parts) + 1):
            bit = READ if length == len(parts) else PASS
            path = self._path(parts[:length])
            said = self._attributes(PacketType.STAT, path)
            if not self._owners.knows(said):
                self._learn(parts[:length])
            acl = within(acl, self._rights(said, bit))
        return acl

    def _learn(self, parts: Sequence[bytes]) -> None:
        """Look for the names of a file's owner and group in the listing of its folder."""
        for found in self._names(self._path(parts[:-1])):
            self._owners.learn(found)
            if found.name == parts[-1]:
                return

    def _rights(self, said: FileAttributes, bit: int) -> ACL:
        if said.mode is None or said.uid is None or said.gid is None:
            return NOBODY
        acl = judge(entries_of_mode(said.mode), (said.uid, said.gid), bit, self._owners)
        return ACL(PUBLIC.grants, acl.denies) if bit == PASS and EVERYONE in acl.grants else acl

    def _names(self, path: bytes) -> Iterator[NamedFile]:
        """Yield the names of a folder, with their lines and attributes."""
        handle = self._answer(self._ask(PacketType.OPENDIR, path), PacketType.HANDLE).text()
        try:
            while True:
                number = self._ask(PacketType.READDIR, handle)
                kind, reader = self._awaited({number})[1]
                if kind == PacketType.STATUS and (code := reader.number()) == StatusCode.EOF:
                    return
                if kind != PacketType.NAME:
                    raise _refusal(code if kind == PacketType.STATUS else StatusCode.FAILURE)
                names = reader.names()
                if not names:
                    raise ConnectionBroken("The server goes on with a listing in which nothing comes.")
                yield from names
        finally:
            self._close(handle)

    def _attributes(self, kind: PacketType, what: bytes) -> FileAttributes:
        return self._answer(self._ask(kind, what), PacketType.ATTRS).attributes()

    def _bytes(self, handle: bytes, wanted: int) -> bytes:
        """Return the first bytes of an open file, asked for in pieces ahead of the answers."""
        body = bytearray(wanted)
        todo = [(start, min(PIECE, wanted - start)) for start in range(0, wanted, PIECE)]
        todo.reverse()
        asked = dict[int, tuple[int, int]]()
        end = wanted
        while todo or asked:
            while todo and len(asked) < AHEAD:
                start, length = todo.pop()
                self._number += 1
                self._channel.send(read_packet(self._number, handle, start, length))
                asked[self._number] = start, length
            number, (kind, reader) = self._awaited(set(asked))
            start, length = asked.pop(number)
            piece = self._piece(kind, reader)
            if not piece:
                end = min(end, start)
                todo.clear()
            elif len(piece) < length:
                todo.append((start + len(piece), length - len(piece)))
            body[start : start + len(piece[:length])] = piece[:length]
        return bytes(body[:end])

    @staticmethod
    def _piece(kind: int, reader: FieldReader) -> bytes:
        """Return the bytes of a DATA packet; none at the end of the file."""
        if kind == PacketType.DATA:
            return reader.text()
        code = reader.number() if kind == PacketType.STATUS else StatusCode.FAILURE
        if code == StatusCode.EOF:
            return b""
        raise ConnectionBroken("The server broke off the file.")

    def _close(self, handle: bytes) -> None:
        self._awaited({self._ask(PacketType.CLOSE, handle)})

    def _ask(self, kind: PacketType, *fields: bytes | int) -> int:
        self._number += 1
        self._channel.send(packet(kind, self._number, *fields))
        return self._number

    def _answer(self, number: int, wanted: PacketType) -> FieldReader:
        """Return the fields of the answer. Raises RemoteRefusal for a status in its place."""
        kind, reader = self._awaited({number})[1]
        if kind == wanted:
            return reader
        raise _refusal(reader.number() if kind == PacketType.STATUS else StatusCode.FAILURE)

    def _awaited(self, numbers: set[int]) -> tuple[int, tuple[int, FieldReader]]:
        """Return the next answer, which has to be to one of these requests."""
        kind, reader = self._packet()
        number = reader.number()
        if number not in numbers:
            raise ConnectionBroken("The server answered what nobody asked.")
        return number, (kind, reader)

    def _packet(self) -> tuple[int, FieldReader]:
        length = int.from_bytes(self._channel.receive(4), "big")
        if not 5 <= length <= MAX_PACKET:
            raise ConnectionBroken("The server sent a packet of a length that cannot be.")
        data = self._channel.receive(length)
        return data[0], FieldReader(data[1:])


def _refusal(code: int) -> RemoteRefusal:
    status, sentence = _REFUSALS.get(code, (Status.UNREADABLE, "The server could not do it."))  # type: ignore[call-overload]
    return RemoteRefusal(status, sentence)


def _tag(folder: Sequence[bytes], name: bytes) -> str:
    """Return a short text that is another one for another path: size and time alone do not tell a moved file."""
    return xxhash.xxh3_64_hexdigest(b"/".join((*folder, name)))
