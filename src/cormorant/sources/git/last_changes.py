"""The commit that changed each file last, kept beside a mirror and brought up to date by the new part of the log.

    changes/HEAD            the commit up to which the log was read
    changes/00 ... 3f       the last change of each path, by the hash of its folder

Paths that are gone stay: another branch point may bring them back, and they cost a line.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

import msgspec
import xxhash

from cormorant.sources.git.git_program import GitFault, GitProgram

PARTS: Final = 64
LONGEST_LINE: Final = 1 << 20
STEP: Final = 5_000
"""Changes that are read between two signs of life."""
_LENGTH: Final = 4
_FORMAT: Final = "--format=%x01%H%x00%an%x00%at%x00%s"


class LastChange(msgspec.Struct, array_like=True, frozen=True):
    """The last change of a file: commit, author, when (epoch seconds), and the first line of what was said of it."""

    commit: str
    author: str
    at: float
    subject: str


_Part = dict[bytes, LastChange]
_ENCODE: Final = msgspec.msgpack.Encoder().encode
_DECODER: Final = msgspec.msgpack.Decoder(_Part)
_ENTRY: Final = msgspec.msgpack.Decoder(tuple[bytes, LastChange])


class LastChanges:
    """Last changes of one mirror. One process at a time brings them up to date."""

    def __init__(self, git: GitProgram, folder: Path) -> None:
        self._git, self._folder = git, folder
        self._kept: tuple[int, int, _Part] | None = None

    def update(self, head: str) -> Iterator[None]:
        """Read the log up to a commit; yields now and then. Raises GitFault and Unreachable."""
        before = self._head()
        if before == head:
            return
        if before and not self._is_ancestor(before, head):  # the branch was rewritten
            before = ""
        if not before:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        spools = [TemporaryFile() for _ in range(PARTS)]  # noqa: SIM115 - closed below
        try:
            yield from self._spooled(f"{before}..{head}" if before else head, spools)
            for number, spool in enumerate(spools):
                self._merge(number, spool)
                yield
        finally:
            for spool in spools:
                spool.close()
        _write(self._folder / "HEAD", head.encode())

    def of(self, path: bytes) -> LastChange | None:
        """Return the last change of a file, None where none is known."""
        number = _part_of(path)
        place = self._folder / f"{number:02x}"
        try:
            stamp = place.stat().st_mtime_ns
            kept = self._kept
            if kept is None or kept[:2] != (number, stamp):
                kept = self._kept = (number, stamp, _DECODER.decode(place.read_bytes()))
        except (OSError, msgspec.DecodeError):
            return None
        return kept[2].get(path)

    def _spooled(self, commits: str, spools: Sequence[IO[bytes]]) -> Iterator[None]:
        """Put the changes of the log, the newest first, into the spools of their parts."""
        words = (
            "log",
            "--raw",
            "-z",
            "--no-renames",
            "--no-abbrev",
            "--no-show-signature",
            _FORMAT,
            "--end-of-options",
        )
        with self._git.started(*words, commits) as out:
            change: LastChange | None = None
            for number, (kind, value) in enumerate(_fields(out), 1):
                if kind == "commit":
                    change = value  # type: ignore[assignment]  # as its kind says
                elif change is not None:
                    data = _ENCODE((value, change))
                    spools[_part_of(value)].write(len(data).to_bytes(_LENGTH, "little") + data)  # type: ignore[arg-type]
                if number % STEP == 0:
                    yield

    def _merge(self, number: int, spool: IO[bytes]) -> None:
        """Put the changes of a part before those that are known."""
        spool.seek(0)
        newer: _Part = {}
        while size := int.from_bytes(spool.read(_LENGTH), "little"):
            path, change = _ENTRY.decode(spool.read(size))
            newer.setdefault(path, change)
        place = self._folder / f"{number:02x}"
        if not newer and place.exists():
            return
        try:
            known = _DECODER.decode(place.read_bytes())
        except (OSError, msgspec.DecodeError):
            known = {}
        _write(place, _ENCODE({**known, **newer}))

    def _head(self) -> str:
        try:
            return (self._folder / "HEAD").read_text("ascii").strip()
        except (OSError, ValueError):
            return ""

    def _is_ancestor(self, older: str, newer: str) -> bool:
        try:
            self._git.run("merge-base", "--is-ancestor", older, newer)
        except GitFault:
            return False
        return True


def _fields(out: IO[bytes]) -> Iterator[tuple[str, LastChange | bytes]]:
    """Yield commits and the paths that they changed, of `git log --raw -z` in our format."""
    tokens = _tokens(out)
    for token in tokens:
        if token.startswith(b"\x01"):
            commit = token[1:].decode("ascii", "replace")
            author, at, subject = (next(tokens, b"").decode("utf-8", "replace") for _ in range(3))
            yield "commit", LastChange(commit, author[:200], float(at) if at.isdigit() else 0.0, subject[:500])
        elif token.startswith(b":"):
            yield "path", next(tokens, b"")


def _tokens(out: IO[bytes]) -> Iterator[bytes]:
    """Yield what stands between NUL characters; longer tokens are cut."""
    rest = b""
    while chunk := out.read(1 << 16):
        *whole, rest = (rest + chunk).split(b"\0")
        for token in whole:
            yield token.lstrip(b"\n")
        rest = rest[:LONGEST_LINE]
    if rest:
        yield rest.lstrip(b"\n")


def _part_of(path: bytes) -> int:
    """Return the part of a path: files of one folder, which are listed one after the other, are in one."""
    return xxhash.xxh3_64_intdigest(path.rpartition(b"/")[0]) % PARTS


def _write(place: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old or the new one."""
    draft = place.with_name(f"{place.name}.draft")
    draft.write_bytes(data)
    os.replace(draft, place)  # noqa: PTH105 - the same
