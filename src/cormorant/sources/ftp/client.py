"""FTP client: folders and files over one control connection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import BinaryIO, Final

import xxhash

from cormorant.model.status import Status
from cormorant.sources.ftp.listing import FtpEntry, of_facts, of_line, time_of
from cormorant.sources.ftp.settings import FtpSettings
from cormorant.sources.ftp.wire import MAX_LINE, FtpConnection, FtpRefused
from cormorant.sources.remote.protocol import ConnectionBroken, EntryKind, RemoteEntry, RemoteFile, RemoteRefusal

PIECE: Final = 65_536
_PARTIAL: Final = RemoteRefusal(Status.UNREADABLE, "The server's listing has lines that cannot be read.")


class FtpClient:
    """One FTP connection."""

    def __init__(self, connection: FtpConnection, settings: FtpSettings) -> None:
        self._connection, self._settings = connection, settings
        self._has_facts = "MLST" in connection.features or "MLSD" in connection.features
        self._has_times = "MDTM" in connection.features
        self._is_spent = False

    def identity(self) -> str:
        """See that the root is a folder. FTP has no number by which it is known."""
        try:
            self._command(f"CWD {self._path(())}")
        except FtpRefused as refused:
            raise _refusal(refused, Status.NOT_FOUND, "The server has no such folder.") from refused
        return ""

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        """Yield the entries of a folder. Raises RemoteRefusal at the end when some lines could not be read."""
        is_whole = True
        for line in self._lines(folder):
            try:
                found = of_facts(line) if self._has_facts else of_line(line)
            except ValueError:
                is_whole = False
                continue
            if found is None:
                continue
            if b"/" in found.name or b"\0" in found.name or b"\r" in found.name:
                is_whole = False
                continue
            yield RemoteEntry((found.name,), found.kind, _version(folder, found))
        if not is_whole:
            raise _PARTIAL

    def read(self, parts: Sequence[bytes], limit: int) -> RemoteFile:
        """Return the beginning of a file."""
        path = self._path(parts)
        size = self._size(path)
        modified = self._modified(path)
        if size is not None and size > limit and self._settings.too_big != "cut":
            return RemoteFile(b"", size, modified)
        body = bytearray()
        try:
            with self._connection.data(f"RETR {path}") as data:
                while len(body) <= limit and (piece := data.recv(min(PIECE, limit + 1 - len(body)))):
                    body += piece
        except FtpRefused as refused:
            raise self._why(refused, parts) from refused
        self._end(is_whole=len(body) <= limit)
        if size is not None and len(body) <= limit and len(body) < size:
            raise ConnectionBroken("The file ended before its size was reached.")
        return RemoteFile(bytes(body), max(size or 0, len(body)), modified, received=len(body))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _end(self, *, is_whole: bool) -> None:
        """Read the reply behind a transfer. A server may answer one that was cut as it likes, or not at all."""
        try:
            self._connection.end_of_data()
        except (FtpRefused, ConnectionBroken) as error:
            if is_whole:
                raise ConnectionBroken("The server broke off the file.") from error
            self._is_spent = isinstance(error, ConnectionBroken)

    def _lines(self, folder: Sequence[bytes]) -> Iterator[bytes]:
        """Yield the lines of a listing as they come."""
        path = self._path(folder)
        try:
            self._command(f"CWD {path}")
            command = "MLSD" if self._has_facts else "LIST -a" if self._settings.hidden else "LIST"
            with self._connection.data(command) as data, data.makefile("rb") as lines:
                self._is_spent = True  # until the reply behind the listing was read
                yield from _bounded_lines(lines)
            self._connection.end_of_data()
            self._is_spent = False
        except FtpRefused as refused:
            self._is_spent = False
            raise _refusal(refused, Status.FORBIDDEN, "The server does not let the user list it.") from refused

    def _why(self, refused: FtpRefused, parts: Sequence[bytes]) -> RemoteRefusal:
        """Return why a file is refused: one number of FTP means that it is not there, and that it may not be read."""
        if refused.code == 550:
            found = next(iter(self._named(parts)), None)
            if found is None:
                return RemoteRefusal(Status.NOT_FOUND, "The server has no such file.")
            if found.kind is not EntryKind.FILE:
                return RemoteRefusal(Status.COLLECTION, "It is no regular file.")
        return _refusal(refused, Status.FORBIDDEN, "The server does not let the user read it.")

    def _named(self, parts: Sequence[bytes]) -> list[RemoteEntry]:
        """Return the entries of a folder that have the name of a file in it."""
        found = list[RemoteEntry]()
        with suppress(RemoteRefusal):
            found += (each for each in self.entries(parts[:-1]) if each.parts[0] == parts[-1])
        return found

    def _size(self, path: str) -> int | None:
        with suppress(FtpRefused):
            number = self._command(f"SIZE {path}")[4:].strip()
            return int(number) if number.isdigit() and len(number) < 20 else None
        return None

    def _modified(self, path: str) -> float | None:
        if self._has_times:
            with suppress(FtpRefused):
                return time_of(self._command(f"MDTM {path}")[4:])
        return None

    def _command(self, line: str) -> str:
        if self._is_spent:
            raise ConnectionBroken("The connection to the server broke off.")
        return self._connection.command(line)

    def _path(self, parts: Sequence[bytes]) -> str:
        """Return a path as ftplib takes it: each byte is a character. Raises RemoteRefusal for one that ends a line."""
        path = b"/".join((self._settings.root.rstrip(b"/"), *parts)) or b"/"
        if b"\r" in path or b"\n" in path or b"\0" in path:
            raise RemoteRefusal(Status.BAD_REQUEST, "FTP cannot ask for a name with a line break in it.")
        return path.decode("latin-1")


def _refusal(refused: FtpRefused, status: int, sentence: str) -> RemoteRefusal:
    if 400 <= refused.code < 500:
        return RemoteRefusal(Status.SERVICE_UNAVAILABLE, f"The server answered {refused.code}, to come back later.")
    return RemoteRefusal(status if refused.code == 550 else Status.UNREADABLE, sentence)


def _version(folder: Sequence[bytes], found: FtpEntry) -> str:
    """Return the version of a file: with its number it is known where it was moved to, else its path belongs to it."""
    if not found.stamp:
        return ""
    where = found.unique or xxhash.xxh3_64_hexdigest(b"/".join((*folder, found.name)))
    return f"{found.size}-{found.stamp}-{where}"


def _bounded_lines(lines: BinaryIO) -> Iterator[bytes]:
    """Yield lines without their ends. Raises ConnectionBroken for one that is longer than any entry."""
    while line := lines.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise ConnectionBroken("The server sent a listing with a line without end.")
        yield line.rstrip(b"\r\n")
