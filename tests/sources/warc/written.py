"""Archives for tests, written by the rules of the format alone."""

from __future__ import annotations

import gzip
from collections.abc import Mapping


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
