"""Captures by the address that was captured, on the disk: memory does not grow with their number.

add(capture) ... -> 32 temporary files, by the hash of the address -> documents(), find(address)
"""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Final

import msgspec
import xxhash

from cormorant.sources.warc.archive_files import ArchiveName
from cormorant.sources.warc.byte_streams import MemberPlace

PARTS: Final = 32
_LENGTH: Final = 4


class Capture(msgspec.Struct, array_like=True, frozen=True):
    """A record with the content of an address, or with a reference to it.

    `moment` is its WARC-Date as written; dates of one form compare as text. `digest` is of the payload, "" when the
    writer gave none. A revisit has no content of its own: `refers` is the address of the capture that has it.
    """

    address: str
    moment: str
    archive: ArchiveName
    place: MemberPlace
    length: int
    digest: str = ""
    is_revisit: bool = False
    refers: str = ""
    refers_at: str = ""


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(Capture)


class CaptureIndex:
    """Captures of one source, as of when its archives were read; `is_whole` says that all of them could be."""

    def __init__(self) -> None:
        self._parts: list[IO[bytes]] = [TemporaryFile() for _ in range(PARTS)]  # noqa: SIM115 - closed by `close`
        self.captures, self.is_whole = 0, True

    def add(self, capture: Capture) -> None:
        """Keep a capture."""
        data = _ENCODER.encode(capture)
        self._part(capture.address).write(len(data).to_bytes(_LENGTH, "little") + data)
        self.captures += 1

    def documents(self, *, every: bool) -> Iterator[tuple[Capture, Capture | None] | None]:
        """Yield the newest capture of each address, or every one, with the capture that has the content of a revisit.

        Yields None after each part, and None in place of that capture where it is nowhere.
        """
        for part in self._parts:
            chosen = dict[tuple[str, str], Capture]()
            for capture in self._read(part):
                key = (capture.address, capture.moment if every else "")
                known = chosen.get(key)
                if known is None or _rank(capture) >= _rank(known):
                    chosen[key] = capture
            for capture in chosen.values():
                yield capture, self._content_of(capture)
            yield None

    def find(self, address: str, moment: str = "") -> Capture | None:
        """Return the newest capture of an address that has content, or (at a moment) that one."""
        found: Capture | None = None
        for capture in self._read(self._part(address)):
            fits = capture.address == address and moment in ("", capture.moment)
            if fits and (found is None or _rank(capture) >= _rank(found)):
                found = capture
        return found

    def content_of(self, capture: Capture) -> Capture | None:
        """Return the capture that has the content of one: itself, or what a revisit refers to."""
        return self._content_of(capture) if capture.is_revisit else capture

    def close(self) -> None:
        """Let go of the temporary files."""
        for each in self._parts:
            each.close()

    def _content_of(self, capture: Capture) -> Capture | None:
        if not capture.is_revisit:
            return None
        at = self.find(capture.refers or capture.address, capture.refers_at)
        found = at or self.find(capture.refers or capture.address)
        return found if found is not None and not found.is_revisit else None

    def _part(self, address: str) -> IO[bytes]:
        return self._parts[xxhash.xxh3_64_intdigest(address.encode("utf-8", "surrogatepass")) % PARTS]

    @staticmethod
    def _read(part: IO[bytes]) -> Iterator[Capture]:
        """Yield the captures of a part; others may read it meanwhile."""
        part.flush()
        at = 0
        while True:
            part.seek(at)
            size = int.from_bytes(part.read(_LENGTH), "little")
            if not size:
                part.seek(0, 2)
                return
            yield _DECODER.decode(part.read(size))
            at += _LENGTH + size


def _rank(capture: Capture) -> tuple[bool, str]:
    """Return what tells the newest capture with content: a revisit of the same address says nothing newer."""
    return (not capture.is_revisit, capture.moment)
