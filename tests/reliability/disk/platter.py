"""Compute a possible state of a folder after a power cut, from the calls that were made on it until then.

The model is at least as harsh as Linux file systems:

- Data written to a file is certain to survive once an `fsync` or `fdatasync` that was *called after the write* has
  returned. Of data written since, any part may survive: each page by itself, later ones without earlier ones, and a
  page cut at a sector; missing data before it reads as zeros (write(2), fsync(2): before a sync data may be anywhere;
  ext4 with delayed allocation and XFS write pages in any order).
- A file is truncated (`ftruncate`, O_TRUNC) at once or not at all, in order with the writes to it.
- Names (created, renamed, linked, removed) are certain once *their folder* was synced. A sync of the file alone is not
  enough according to fsync(2), though ext4 would do more. Of names changed since, those up to some moment survive: the
  journal keeps their order (ext4 data=ordered, XFS; Documentation/filesystems/ext4/journal.rst: one running
  transaction, committed as a whole). A rename is atomic.
- A call counts from its beginning; a failed call counts too. Mapped memory is not recorded: it is SQLite's shared
  memory, which SQLite recreates after a crash.

Content belongs to files and names to folders, so a renamed file keeps the surviving part of its content.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.reliability.disk.gate import Call
from tests.reliability.disk.numbers import Kind

PAGE, SECTOR = 4096, 512
SHARED = "-shm"
"""Suffixes of files that are recreated from others, whatever they contain."""


class Piece(NamedTuple):
    """A change to a file: bytes at an offset, or with no bytes a new size."""

    offset: int
    data: bytes | None


@dataclass
class File:
    """The content of a file that is certain to survive, and the changes since."""

    sure: bytearray = field(default_factory=bytearray)
    since: list[Piece] = field(default_factory=list)

    def sync(self) -> None:
        """All that was changed is there for sure."""
        for each in self.since:
            _apply(self.sure, each)
        self.since.clear()

    def whole(self) -> bytes:
        """The content that a running program reads."""
        now = bytearray(self.sure)
        for each in self.since:
            _apply(now, each)
        return bytes(now)

    def left(self, chance: Random) -> bytes:
        """A possible content after a cut."""
        now, share = bytearray(self.sure), chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        upto = len(self.since) if chance.random() < 0.5 else chance.randint(0, len(self.since))
        for piece in self.since[:upto]:
            if piece.data is None:
                _apply(now, piece)
                continue
            for part in _pages(piece):
                if chance.random() < share:
                    _apply(now, _torn(part, chance))
        return bytes(now)


def _apply(content: bytearray, piece: Piece) -> None:
    if piece.data is None:
        del content[piece.offset :]
        content.extend(bytes(piece.offset - len(content)))
        return
    if len(content) < piece.offset:
        content.extend(bytes(piece.offset - len(content)))
    content[piece.offset : piece.offset + len(piece.data)] = piece.data


def _pages(piece: Piece) -> list[Piece]:
    """A write as the pages of the file that it touches."""
    data, parts, at = piece.data or b"", [], piece.offset
    end = at + len(data)
    while at < end:
        upto = min(end, (at // PAGE + 1) * PAGE)
        parts.append(Piece(at, data[at - piece.offset : upto - piece.offset]))
        at = upto
    return parts


def _torn(piece: Piece, chance: Random) -> Piece:
    """A page, now and then cut at a sector."""
    data = piece.data or b""
    if chance.random() > 0.1:
        return piece
    first = SECTOR - piece.offset % SECTOR
    ends = [*range(first, len(data), SECTOR), len(data)]
    return Piece(piece.offset, data[: chance.choice(ends)])


class Name(NamedTuple):
    """A change to names: `made` a file (its number) or a folder (-1), `gone`, or both, which is a rename."""

    made: str = ""
    number: int = -1
    gone: str = ""


Names = dict[str, int]
"""The number of the file that each path names; -1 for a folder."""


def _change(names: Names, change: Name) -> None:
    """Carry out a change of names."""
    if change.gone and change.made:
        for path in [each for each in names if each == change.gone or each.startswith(change.gone + "/")]:
            names[change.made + path[len(change.gone) :]] = names.pop(path)
    elif change.gone:
        names.pop(change.gone, None)
    else:
        names[change.made] = change.number


class Platter:
    """A folder while calls are made on it: `take` them in order."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._files: list[File] = []
        self._sure: Names = {self._root: -1}
        self._now: Names = {self._root: -1}
        self._since: list[Name] = []

    def take(self, call: Call) -> None:
        """Carry out a call. Raises LookupError for one of which it is not known what it does."""
        match call.kind:
            case Kind.OPEN:
                self._open(call)
            case Kind.WRITE:
                if file := self._file(call.path):
                    file.since.append(Piece(call.offset, call.data))
            case Kind.CUT:
                if file := self._file(call.path):
                    file.since.append(Piece(call.size, None))
            case Kind.SYNC:
                self._sync(call)
            case Kind.NAME:
                self._name(call)
            case Kind.LOCK:
                pass
            case Kind.STRANGE:
                raise LookupError(f"{call.name} of {call.path}")

    def now(self, target: Path) -> None:
        """Write the folder as programs see it."""
        self._write(target, self._now, [each.whole() for each in self._files])

    def cut(self, target: Path, chance: Random) -> None:
        """Write the folder as it could be when the power fails now."""
        names = dict(self._sure)
        upto = chance.choice((0, len(self._since), chance.randint(0, len(self._since))))
        for each in self._since[:upto]:
            _change(names, each)
        self._write(target, names, [each.left(chance) for each in self._files])

    def _write(self, target: Path, names: Names, contents: list[bytes]) -> None:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        for path in sorted(names):
            place = target / path[len(self._root) :].lstrip("/")
            if names[path] < 0:
                place.mkdir(exist_ok=True)
            elif not path.endswith(SHARED):
                place.write_bytes(contents[names[path]])

    def _file(self, path: str) -> File | None:
        """The file of this name; None where its name is gone, and so what is written to it."""
        number = self._now.get(path)
        return self._files[number] if number is not None and number >= 0 else None

    def _open(self, call: Call) -> None:
        if call.path not in self._now:
            if call.fresh:
                self._files.append(File())
                self._note(Name(call.path, len(self._files) - 1))
        elif call.empties and (file := self._file(call.path)):
            file.since.append(Piece(0, None))

    def _sync(self, call: Call) -> None:
        if file := self._file(call.path):
            file.sync()
        elif self._now.get(call.path) == -1:
            last = max(
                (n for n, each in enumerate(self._since, 1) if _parents(each) & {call.path}), default=0
            )  # fmt: skip
            for each in self._since[:last]:
                _change(self._sure, each)
            del self._since[:last]

    def _name(self, call: Call) -> None:
        if call.name in ("mkdir", "mkdirat"):
            if call.path not in self._now and call.path.rpartition("/")[0] in self._now:
                self._note(Name(call.path))
        elif call.path not in self._now:
            return  # it fails
        elif call.name in ("link", "linkat"):
            if call.target not in self._now:
                self._note(Name(call.target, self._now[call.path]))
        elif call.target:
            self._note(Name(call.target, gone=call.path))
        else:
            self._note(Name(gone=call.path))

    def _note(self, change: Name) -> None:
        _change(self._now, change)
        self._since.append(change)


def _parents(change: Name) -> set[str]:
    return {each.rpartition("/")[0] for each in (change.made, change.gone) if each}
