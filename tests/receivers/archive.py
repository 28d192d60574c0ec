"""Reads archives by the rules of the format alone, and by nothing of ours: RFC 1952 members, WARC 1.1 records."""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Record(NamedTuple):
    """A record: its fields by name, and its block."""

    fields: dict[str, str]
    block: bytes

    @property
    def body(self) -> bytes:
        """What follows the head of an HTTP response."""
        return self.block.partition(b"\r\n\r\n")[2] if self.fields["WARC-Type"] == "response" else self.block


def members(data: bytes) -> Iterator[bytes]:
    """Each gzip member by itself; raises for what is none."""
    while data:
        inflating = zlib.decompressobj(wbits=31)
        plain = inflating.decompress(data)
        assert inflating.eof, "a member is cut off"
        yield plain
        data = inflating.unused_data


def records(path: Path) -> list[Record]:
    """The records of a file, each checked against its lengths and digests."""
    return [checked(plain) for plain in members(path.read_bytes())]


def checked(plain: bytes) -> Record:
    head, _, rest = plain.partition(b"\r\n\r\n")
    version, *lines = head.decode().split("\r\n")
    assert version == "WARC/1.1"
    fields = dict(line.split(": ", 1) for line in lines)
    block, end = rest[: int(fields["Content-Length"])], rest[int(fields["Content-Length"]) :]
    assert end == b"\r\n\r\n"
    record = Record(fields, block)
    assert fields["WARC-Block-Digest"] == digest(block)
    assert fields.get("WARC-Payload-Digest", digest(record.body)) == digest(record.body)
    return record


def digest(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def seqs_in(folder: Path) -> list[int]:
    """The numbers of all documents in the archives of a folder, in order."""
    found = [record for path in sorted(folder.glob("*.warc.gz")) for record in records(path)]
    return [int(each.fields["X-Cormorant-Seq"]) for each in found if each.fields["WARC-Type"] != "warcinfo"]


def torn(path: Path) -> None:
    """Leave half a record behind, as a kill does."""
    with path.open("ab") as file:
        file.write(gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\n" + b"x" * 500)[:90])
