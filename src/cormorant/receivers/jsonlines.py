"""A file of events with one JSON object a line, for programs that read files.

    closed --open--> open --receive, receive--> open --close--> closed
               |                   |--grown--> renamed after its last number, and a new one begun
               `-- torn last line  |--no space--> cut back to what it was; the batch comes again
                   cut off         `--any other failure--> closed, until it is opened again

Every batch is one write and one sync. The last records in the file are read at `open` and repeats of them are skipped,
so the file holds every event once although delivery is at least once. A known number with a different event comes from
another history, as after a restore of the database from a backup: it is written, and the numbers continue from there.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field, field_validator

from cormorant.base.durability import FULL, sync_folder
from cormorant.base.errors import BadSetting, ConflictError, DataFolderError, NoRoom, NotPermitted
from cormorant.model.settings.bounded import SizeOrNone
from cormorant.receivers.protocol import Delivery, RecordSettings, Refusal
from cormorant.receivers.record import UNFIT, encoded
from cormorant.receivers.tail import DamagedTail, TailRecord, gaps, is_ours, last_lines, last_record

REMEMBERED = 512
"""Records that are remembered from the end of a file. Only one batch, which is smaller, is delivered again after a
kill.
"""


class JsonLinesSettings(RecordSettings):
    """The settings of the file that lines are written to."""

    LISTED_BY = "cormorant receiver kinds jsonlines"
    path: Path = Field(description="The file that lines are appended to, like /srv/found.jsonl. Its folder must exist.")
    rotate_bytes: SizeOrNone = Field(
        default=0,
        description="From this size on the file is renamed after its last number (found.000000000042.jsonl) and a new "
        "one begun. 0: never.",
    )

    @field_validator("path")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        """Make the path absolute, so that it does not depend on the working folder."""
        return path.expanduser().absolute()

    @property
    def writes(self) -> str:
        """The path of the file."""
        return os.path.realpath(self.path)


class JsonLinesReceiver:
    """Appends to one file, which it alone holds (by a lock) from `open` to `close`.

    Lines are UTF-8 and end with a newline. `last` is the greatest number that need not be delivered again, 0 before the
    first.
    """

    kind: ClassVar[str] = "jsonlines"

    def __init__(self, settings: JsonLinesSettings) -> None:
        self.settings = settings
        self.last = 0
        self._path = settings.path
        self._descriptor = -1
        self._size = 0
        self._whole = True
        self._kept: dict[int, TailRecord] = {}
        self._gaps: list[DamagedTail] = []

    def open(self) -> None:
        """Lock the file, cut off a torn end, and find the last number.

        Raises BadSetting when the path cannot be a file, ConflictError when another process writes it or it has other
        contents, NotPermitted or DataFolderError when the system denies access.
        """
        self.close()
        try:
            self._begin()
            self._mend()
        except OSError as error:
            self.close()
            raise self._failure(error) from error
        except ConflictError:
            self.close()
            raise

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal]:
        """Append the new events of a batch and return once they are on disk."""
        if self._descriptor < 0:
            raise DataFolderError(f"{self._path} is not open. Open the receiver again; unconfirmed events come again.")
        self._drop_torn(batch)
        lines: list[bytes] = []
        refusals: list[Refusal] = []
        last = before = self._passed(batch)
        for delivery in batch:
            if delivery.seq <= before and delivery.seq in self._kept:
                continue
            last = max(last, delivery.seq)
            try:
                lines.append(encoded(delivery) + b"\n")
            except UNFIT as error:
                refusals.append(Refusal(delivery.seq, f"It cannot be written as JSON: {error}."))
        if lines:
            self._append(b"".join(lines))
        self.last = last
        return refusals

    def _passed(self, batch: Sequence[Delivery]) -> int:
        """Return the number up to which known records are repeats: the last, or none if the numbers began again."""
        first = min(self._kept, default=0)
        for delivery in batch:
            line = self._kept.get(delivery.seq)
            if delivery.seq <= self.last and (delivery.seq < first or (line and not line.matches(delivery))):
                return batch[0].seq - 1
        return self.last

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1
        self._whole = True

    def _begin(self) -> None:
        """Open and lock the file, and sync its folder so that its name survives a power cut."""
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
        self._descriptor = os.open(self._path, flags, 0o640)
        here = os.fstat(self._descriptor)
        if not stat.S_ISREG(here.st_mode):
            raise ConflictError(f"{self._path} is no ordinary file. Choose another path.")
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConflictError(
                f"Another process writes {self._path}, or another receiver does. Give each receiver a file of its own."
            ) from None
        if not os.path.samestat(here, self._path.stat()):
            raise ConflictError(f"Another file has just replaced {self._path}. Open the receiver again.")
        sync_folder(self._path.parent)

    def _mend(self) -> None:
        """Cut off the remains of a killed write, and read the last number and records."""
        if not is_ours(self._descriptor):
            raise ConflictError(f"{self._path} has other contents. Choose another path, or move that file away.")
        end, seq = last_record(self._descriptor)
        if end < os.fstat(self._descriptor).st_size:
            os.ftruncate(self._descriptor, end)
        os.fsync(self._descriptor)  # counted events are not delivered again, so they have to be on disk
        self._size = end
        self._gaps = gaps(self._descriptor, end, REMEMBERED)
        self.last = max(seq, self._last_renamed())
        self._kept = self._renamed_lines() | last_lines(self._descriptor, end, REMEMBERED)

    def _drop_torn(self, batch: Sequence[Delivery]) -> None:
        """Cut off a batch in which a power cut has left holes.

        The batch was not confirmed, so all of it is delivered again.
        """
        torn = [each.start for each in self._gaps if batch and each.following >= batch[0].seq]
        self._gaps = []
        if torn:
            try:
                os.ftruncate(self._descriptor, min(torn))
                self._mend()
            except OSError as error:
                self.close()
                raise self._failure(error) from error

    def _renamed_lines(self) -> dict[int, TailRecord]:
        """Return the last records of the full file with the greatest number; a batch is always in one file."""
        full = self._full(self._last_renamed())
        if not full.exists():
            return {}
        with full.open("rb") as file:
            return last_lines(file.fileno(), full.stat().st_size, REMEMBERED)

    def _full(self, number: int) -> Path:
        """Return the path of a full file whose last number is `number`."""
        return self._path.with_name(f"{self._path.stem}.{number:012d}{self._path.suffix}")

    def _last_renamed(self) -> int:
        """Return the greatest number in the names of full files."""
        pattern = re.compile(rf"{re.escape(self._path.stem)}\.(\d{{12,}}){re.escape(self._path.suffix)}")
        names = (pattern.fullmatch(each.name) for each in self._path.parent.iterdir())
        return max((int(name[1]) for name in names if name), default=0)

    def _append(self, data: bytes) -> None:
        """Write and sync, or cut the file back to its size before."""
        try:
            self._make_room()
            self._whole = False
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except OSError as error:
            self._give_back(keep_open=error.errno in FULL)
            raise self._failure(error) from error
        self._size += len(data)
        self._whole = True

    def _make_room(self) -> None:
        """Cut off an interrupted batch; begin a new file if this one has reached `rotate_bytes`."""
        if not self._whole:
            os.ftruncate(self._descriptor, self._size)
        if 0 < self.settings.rotate_bytes <= self._size:
            full = self._full(self.last)
            if full.exists():
                raise ConflictError(f"{full} exists already, so {self._path} cannot be renamed to it. Move it away.")
            self._path.rename(full)
            self.open()

    def _give_back(self, *, keep_open: bool) -> None:
        """Cut off a failed batch, so that a reader does not see half of it for long."""
        try:
            os.ftruncate(self._descriptor, self._size)
            self._whole = True
        except OSError:
            keep_open = False
        if not keep_open:
            self.close()

    def _failure(self, error: OSError) -> BadSetting | NotPermitted | DataFolderError:
        """Return the error for a failed system call, with a remedy for the administrator."""
        about = f"{self._path} cannot be written: {os.strerror(error.errno or 0)}."
        if isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError):
            return BadSetting(f"{about} Its folder has to exist, and it has to be a file.")
        if isinstance(error, PermissionError):
            return NotPermitted(f"{about} Let the user that runs this program write there, or choose another path.")
        if error.errno in FULL:
            return NoRoom(f"{about} Free some space; unconfirmed events come again.")
        return DataFolderError(f"{about} Check the disk and open the receiver again; unconfirmed events come again.")
