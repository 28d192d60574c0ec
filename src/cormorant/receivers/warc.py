"""Files of fetched documents, in the format of web archives: WARC 1.1 (ISO 28500:2017), a gzip member a record.

    FOLDER/PREFIX-000001.warc.gz ...   a record for each document: response, or resource if it did not come by HTTP
    FOLDER/PREFIX.place                the valid size of the newest file, and its last batch
    FOLDER/PREFIX.lock                 held while a receiver is open

    append, sync -> place rewritten --killed in between--> cut back to the place at `open`; the batch is delivered again

Deletions are not written: an archive keeps past documents. Bodies are kept decoded, so header fields about the coding
are renamed, as other archives with decoded bodies do.
"""

from __future__ import annotations

import base64
import errno
import fcntl
import gzip
import hashlib
import os
import re
import uuid
from collections.abc import Sequence
from importlib.metadata import version as installed
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import msgspec
from pydantic import Field, field_validator

from cormorant.base.clock import date_of
from cormorant.base.durability import FULL, sync_folder
from cormorant.base.errors import BadSetting, ConflictError, DataFolderError, NoRoom, NotPermitted
from cormorant.model.settings.bounded import Size
from cormorant.receivers.protocol import Delivery, KeptCopy, ReceiverSettings, ReceiverTools, Refusal

_LEVEL = 6
_CODED = frozenset((b"content-encoding", b"transfer-encoding", b"content-length"))
_WAS = b"X-Archive-Orig-"
"""Prefix for the name of a header field that does not hold for the decoded body."""
_GRAPHIC = "".join(map(chr, range(0x21, 0x7F)))


class WarcSettings(ReceiverSettings):
    """The settings of the folder of the WARC files."""

    LISTED_BY = "cormorant receiver kinds warc"
    COPIES: ClassVar[bool] = True

    folder: Path = Field(description="The folder that files are written in, like /srv/archive. It must exist.")
    prefix: str = Field(default="cormorant", description="The beginning of the names of its files.")
    rotate_bytes: Size = Field(default=1_000_000_000, description="From this size on the next file is begun, like 1GB.")

    @field_validator("folder")
    @classmethod
    def _absolute(cls, folder: Path) -> Path:
        """Make the path absolute, so that it does not depend on the working folder."""
        return folder.expanduser().absolute()

    @field_validator("prefix")
    @classmethod
    def _name(cls, prefix: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", prefix):
            raise ValueError("use letters, digits, dots, dashes and underscores.")
        return prefix

    @property
    def writes(self) -> str:
        """The pattern of its files."""
        return str(Path(os.path.realpath(self.folder), f"{self.prefix}-*.warc.gz"))


class _Place(msgspec.Struct):
    """The valid extent of the newest file: its number and size.

    `delivered` has a key for each number of the last batch.
    """

    number: int = 0
    size: int = 0
    delivered: dict[int, str] = msgspec.field(default_factory=dict, name="told")


class WarcReceiver:
    """Writes one series of files, which it alone holds (by a lock) from `open` to `close`."""

    kind: ClassVar[str] = "warc"

    def __init__(self, settings: WarcSettings, tools: ReceiverTools) -> None:
        self.settings = settings
        self._tools = tools
        self._lock = self._file = -1
        self._place = _Place()

    def open(self) -> None:
        """Lock the series and cut off unconfirmed bytes.

        Raises BadSetting when the path is no folder, ConflictError when another process writes there, NotPermitted and
        DataFolderError when the system denies access.
        """
        self.close()
        try:
            self._begin()
        except OSError as error:
            self.close()
            raise self._failure(error) from error
        except ConflictError:
            self.close()
            raise

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal]:
        """Append the documents of a batch that have a copy, and return once they are on disk."""
        if self._lock < 0:
            raise DataFolderError(f"{self._shown} is not open. Open the receiver again; the batch comes again.")
        delivered = self._place.delivered
        new = [each for each in batch if delivered.get(each.seq) != _identity(each)]
        records = [record for each in new if each.kept is not None for record in (self._record(each, each.kept),)]
        try:
            if records:
                self._append(records)
            if new:
                self._place.delivered = {each.seq: _identity(each) for each in batch}
                self._save()
        except OSError as error:
            self._give_back()
            raise self._failure(error) from error
        return ()

    def close(self) -> None:
        """Close the files."""
        for descriptor in (self._file, self._lock):
            if descriptor >= 0:
                os.close(descriptor)
        self._file = self._lock = -1

    def _begin(self) -> None:
        folder = self.settings.folder
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._lock = os.open(folder / f"{self.settings.prefix}.lock", flags, 0o640)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConflictError(
                f"Another process writes {self._shown}, or another receiver does. Give each receiver a prefix of its "
                "own."
            ) from None
        self._place = self._read()
        self._path(self._place.number + 1).unlink(missing_ok=True)  # an unconfirmed file
        self._mend()

    def _read(self) -> _Place:
        """Return the stored place; a series without one begins after its existing files."""
        try:
            return msgspec.json.decode(self._mark.read_bytes(), type=_Place)
        except FileNotFoundError:
            pattern = re.compile(rf"{re.escape(self.settings.prefix)}-(\d{{6,}})\.warc\.gz")
            names = (pattern.fullmatch(each.name) for each in self.settings.folder.iterdir())
            return _Place(max((int(name[1]) for name in names if name), default=0) + 1)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ConflictError(
                f"{self._mark} cannot be read. Choose another prefix, or move that file away."
            ) from None

    def _mend(self) -> None:
        """Open the newest file and cut it back; begin the next if it has lost confirmed bytes."""
        if not self._place.size:
            return
        path = self._path(self._place.number)
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            size = os.fstat(self._file).st_size
        except FileNotFoundError:
            size = -1
        if size < self._place.size:
            self._next()
        elif size > self._place.size:
            os.ftruncate(self._file, self._place.size)
            os.fsync(self._file)

    def _append(self, records: Sequence[bytes]) -> None:
        """Write records and sync them."""
        if self._place.size >= self.settings.rotate_bytes:
            self._next()
        if self._file < 0:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
            self._file = os.open(self._path(self._place.number), flags, 0o640)
            records = [self._about(), *records]
            sync_folder(self.settings.folder)
        rest = memoryview(b"".join(records))
        size = len(rest)
        while rest:
            rest = rest[os.write(self._file, rest) :]
        os.fsync(self._file)
        self._place.size += size

    def _next(self) -> None:
        """Continue with another file, which is created with its first record."""
        if self._file >= 0:
            os.close(self._file)
        self._file, self._place.number, self._place.size = -1, self._place.number + 1, 0

    def _save(self) -> None:
        """Write the place atomically: a power cut leaves the old or the new one."""
        draft = self._mark.with_suffix(".draft")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o640)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(self._place))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._mark)
        sync_folder(self.settings.folder)

    def _give_back(self) -> None:
        """Close the files: `open` cuts off the unconfirmed bytes, and the batch is delivered again."""
        self.close()

    def _record(self, delivery: Delivery, kept: KeptCopy) -> bytes:
        """Return a document as one gzip member."""
        number = uuid.uuid5(uuid.NAMESPACE_URL, f"{self._tools.installation}/{self._tools.name}/{_identity(delivery)}")
        target = str((delivery.document or {}).get("access_url") or delivery.url)
        fields = [
            ("WARC-Type", "response" if kept.status_line else "resource"),
            ("WARC-Record-ID", f"<urn:uuid:{number}>"),
            ("WARC-Date", _date(kept.fetched_at)),
            ("WARC-Target-URI", quote(target, safe=_GRAPHIC)),
            ("X-Cormorant-Seq", str(delivery.seq)),
        ]
        if kept.truncated:
            fields.append(("WARC-Truncated", "length"))
        if not kept.status_line:
            mime = kept.mime if kept.mime.isascii() and kept.mime.isprintable() else ""
            return _member([*fields, ("Content-Type", mime or "application/octet-stream")], kept.body)
        fields += [("Content-Type", "application/http;msgtype=response"), ("WARC-Payload-Digest", _digest(kept.body))]
        return _member(fields, _head(kept) + kept.body)

    def _about(self) -> bytes:
        """Return the first record of every file."""
        name = self._path(self._place.number).name
        number = uuid.uuid5(uuid.NAMESPACE_URL, f"{self._tools.installation}/{self._tools.name}/{name}")
        fields = [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", f"<urn:uuid:{number}>"),
            ("WARC-Date", _date(self._tools.clock.now())),
            ("WARC-Filename", name),
            ("Content-Type", "application/warc-fields"),
        ]
        return _member(
            fields, f"software: cormorant/{installed('cormorant')}\r\nformat: WARC File Format 1.1\r\n".encode()
        )

    def _path(self, number: int) -> Path:
        return self.settings.folder / f"{self.settings.prefix}-{number:06d}.warc.gz"

    @property
    def _mark(self) -> Path:
        return self.settings.folder / f"{self.settings.prefix}.place"

    @property
    def _shown(self) -> str:
        return str(self.settings.folder / f"{self.settings.prefix}-*.warc.gz")

    def _failure(self, error: OSError) -> BadSetting | NotPermitted | DataFolderError:
        """Return the error for a failed system call, with a remedy for the administrator."""
        about = f"{self._shown} cannot be written: {os.strerror(error.errno or 0)}."
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return BadSetting(f"{about} Make the folder, or choose another.")
        if isinstance(error, PermissionError):
            return NotPermitted(f"{about} Let the user that runs this program write there, or choose another folder.")
        if error.errno in FULL:
            return NoRoom(f"{about} Free some space; unconfirmed events come again.")
        return DataFolderError(f"{about} Check the disk; unconfirmed events come again.")


def _identity(delivery: Delivery) -> str:
    """Return a key that differs between deliveries of one number, as after a database was restored."""
    fetched = (delivery.document or {}).get("fetched_at", "")
    return f"{delivery.seq} {delivery.event} {delivery.run} {fetched} {delivery.url}"


def _head(kept: KeptCopy) -> bytes:
    """Return status line and fields as received; fields that do not hold for the decoded body get a prefix."""
    lines = [kept.status_line.encode("latin-1", "replace").replace(b"\r", b" ").replace(b"\n", b" ")]
    for line in kept.header_block.splitlines():
        if not line.strip():
            continue
        name = line.partition(b":")[0].strip().lower()
        lines.append(_WAS + line if name in _CODED else line)
    lines.append(b"Content-Length: %d" % len(kept.body))
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _member(fields: Sequence[tuple[str, str]], block: bytes) -> bytes:
    """Return a record, compressed by itself, so that a reader can begin at any record."""
    head = [*fields, ("WARC-Block-Digest", _digest(block)), ("Content-Length", str(len(block)))]
    lines = "".join(f"{name}: {value}\r\n" for name, value in head)
    return gzip.compress(b"WARC/1.1\r\n" + lines.encode() + b"\r\n" + block + b"\r\n\r\n", _LEVEL, mtime=0)


def _digest(data: bytes) -> str:
    """Return the digest as archives write it: SHA-1, base 32; it identifies equal bodies and protects nothing."""
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()


def _date(seconds: float) -> str:
    moment = date_of(seconds) or date_of(0.0)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment is not None else ""
