"""Archives for tests, written by the rules of the format alone."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Mapping

import zstandard


def record(kind: str, target: str, block: bytes, moment: str = "2026-01-02T03:04:05Z", **more: str) -> bytes:
    """A record."""
    fields: Mapping[str, str] = {
        "WARC-Type": kind,
        "WARC-Record-ID": "<urn:uuid:8d8d0a2c-0000-4000-8000-000000000000>",
        "WARC-Date": moment,
        "WARC-Target-URI": target,
        "Content-Type": "application/http;msgtype=response" if kind in ("response", "revisit") else "text/plain",
        "Content-Length": str(len(block)),
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def response(
    target: str, body: bytes, moment: str = "2026-01-02T03:04:05Z", head: str = "", status: int = 200
) -> bytes:
    """A record of an HTTP response."""
    fields = head or f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
    return record("response", target, f"HTTP/1.1 {status} OK\r\n{fields}\r\n".encode() + body, moment)


def zipped(*records: bytes) -> bytes:
    """Records as writers of archives compress them: a member each."""
    return b"".join(gzip.compress(each, mtime=0) for each in records)


def framed(*records: bytes, dictionary: zstandard.ZstdCompressionDict | None = None) -> bytes:
    """Records as frames of Zstandard, a frame each, behind a dictionary frame where there is a dictionary."""
    pack = zstandard.ZstdCompressor(dict_data=dictionary, write_checksum=True).compress
    first = skippable(dictionary.as_bytes(), 0x184D2A5D) if dictionary else b""
    return first + b"".join(map(pack, records))


def skippable(data: bytes, magic: int = 0x184D2A50) -> bytes:
    """A frame that is skipped [RFC 8878 3.1.2]."""
    return struct.pack("<II", magic, len(data)) + data


def trained() -> zstandard.ZstdCompressionDict:
    """A dictionary of responses."""
    samples: list[bytes | bytearray | memoryview[int]] = [
        response(f"https://site.example/{number}", b"text %d" % (number % 90)) for number in range(900)
    ]
    return zstandard.train_dictionary(2_000, samples)


def arc(target: str, block: bytes, media_type: str = "text/html", moment: str = "20260102030405") -> bytes:
    """A record of an ARC file."""
    return f"{target} 192.0.2.1 {moment} {media_type} {len(block)}\n".encode() + block + b"\n"


def arc_file(*records: bytes) -> list[bytes]:
    """Records behind the version block of an ARC file."""
    about = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
    return [arc("filedesc://a.arc", about, "text/plain"), *records]
