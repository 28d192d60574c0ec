"""The content of a record: an HTTP message as it was sent [RFC 9112], or the bytes of a resource."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote

from msgspec.structs import replace

from cormorant.model.content import Content
from cormorant.model.outcome import Excluded, Failed, Outcome
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.text.robots_directives import directives_for
from cormorant.net.http.content_encoding import DecodedBody, DecodeError, decode
from cormorant.net.http.headers import (
    Headers,
    codings,
    content_type,
    last_modified,
    moment,
    name_in_disposition,
    robots_directives,
    without_secrets,
)
from cormorant.sources.warc.record_head import RecordHead
from cormorant.sources.warc.settings import ArchiveSettings

HEAD_BYTES: Final = 1 << 18
"""Bytes that the head of an HTTP message may have."""
_LONGEST_SIZE: Final = 16


class HttpMessage(NamedTuple):
    """An HTTP response as it stands in a record."""

    status: int
    status_line: str
    block: bytes
    body: bytes


def status_of(beginning: bytes) -> int:
    """Return the status of an HTTP response by its first bytes, 0 for what is none."""
    words = beginning.split(b"\n", 1)[0].split(None, 2)
    code = words[1] if len(words) > 1 and words[0].upper().startswith((b"HTTP/", b"ICY")) else b""
    return int(code) if len(code) == 3 and code.isdigit() else 0


def message_of(block: bytes) -> HttpMessage | None:
    """Take an HTTP response apart; None for what is none. A 1xx before it is skipped."""
    rest = block
    while True:
        status = status_of(rest)
        if not status:
            return None
        ends = [(found, len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (found := rest.find(mark, 0, HEAD_BYTES)) >= 0]
        end, size = min(ends, default=(len(rest), 0))
        line, _, fields = rest[:end].partition(b"\n")
        rest = rest[end + size :]
        if status >= 200:
            fields = b"".join(each.rstrip(b"\r") + b"\r\n" for each in fields.split(b"\n") if each.strip())
            return HttpMessage(status, line.strip().decode("latin-1"), fields, rest)


def content_of(
    head: RecordHead, block: bytes, address: str, settings: ArchiveSettings, *, at: float
) -> Content | Outcome:
    """Return a record as content. `block` may be cut above the largest size; `at` is when it was captured."""
    if head.kind == "resource" or not _is_http(head):
        mime, charset = content_type(head.fields.get("content-type", ""))
        return _limited(Content(address, block, mime, charset, file_name=_name(address), at=at), settings, head)
    message = message_of(block)
    if message is None:
        return Failed(Status.PROTOCOL_ERROR, "The record holds no HTTP response.")
    headers = Headers(message.block)
    body = _decoded(headers, message.body, settings, whole="warc-truncated" not in head.fields)
    if not isinstance(body, DecodedBody):
        return body
    mime, charset = content_type(headers.get("content-type"))
    given = next(filter(None, map(name_in_disposition, headers.octets("content-disposition"))), "")
    content = Content(
        address,
        body.body,
        mime,
        charset,
        status_line=message.status_line,
        header_block=without_secrets(message.block),
        modified=headers.get("last-modified"),
        modified_at=last_modified(headers),
        language=headers.get("content-language").partition(",")[0].strip().lower(),
        directives=directives_for(robots_directives(headers), settings.agent) if "x-robots-tag" in headers else (),
        truncated=body.cut,
        file_name=given if "." in given else _name(address),
        given_name=given,
        at=at,
    )
    return _limited(content, settings, head)


def captured_at(fields: Mapping[str, str]) -> float:
    """Return when a record was captured, in epoch seconds; 0 for a date that is none."""
    try:
        return moment(fields.get("warc-date", "")) or 0.0
    except (ValueError, OverflowError):
        return 0.0


def dechunked(body: bytes) -> bytes:
    """Return a body without its chunks [RFC 9112 7.1]; as it is where a writer has taken them away already."""
    out, at = bytearray(), 0
    while True:
        end = body.find(b"\n", at, at + HEAD_BYTES)
        size_text = body[at:end].split(b";", 1)[0].strip() if end >= 0 else b""
        if not size_text or len(size_text) > _LONGEST_SIZE or size_text.strip(b"0123456789abcdefABCDEF"):
            return bytes(out) if out and at >= len(body) else body if not out else bytes(out)
        size = int(size_text, 16)
        if size == 0:
            return bytes(out)
        out += body[end + 1 : end + 1 + size]
        at = end + 1 + size
        at += 2 if body[at : at + 2] == b"\r\n" else 1 if body[at : at + 1] == b"\n" else 0


def _decoded(headers: Headers, body: bytes, settings: ArchiveSettings, *, whole: bool) -> DecodedBody | Outcome:
    """Undo chunks and content codings, as far as the largest size, or as far as a body goes that is not whole."""
    if "chunked" in headers.get("transfer-encoding").lower():
        body = dechunked(body)
    applied = codings(headers)
    if not applied:
        return DecodedBody(body)
    got = decode([body], applied, settings.max_size_bytes, cut=True)
    if isinstance(got, DecodedBody):
        return got
    if got is DecodeError.SHORT and not whole and applied[0] in ("gzip", "x-gzip", "deflate") and len(applied) == 1:
        return DecodedBody(_beginning(body, settings.max_size_bytes))
    return Failed(Status.BROKEN_STREAM, f"The body cannot be decoded: {got.value}.")


def _beginning(body: bytes, most: int) -> bytes:
    """Return the beginning of a compressed body that was cut."""
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS + 32).decompress(body, most)
    except zlib.error:
        return b""


def _limited(content: Content, settings: ArchiveSettings, head: RecordHead) -> Content | Excluded:
    """Drop or cut a document that is too big; say of one that its writer has cut that it is."""
    over = len(content.body) > settings.max_size_bytes or content.truncated
    if over and settings.too_big == "drop":
        rule = Ruling(False, Gate.SIZE, f"max_size_bytes = {settings.max_size_bytes}", Status.TOO_BIG)
        return Excluded(rule, Status.TOO_BIG)
    cut = over or "warc-truncated" in head.fields
    if not cut:
        return content
    return replace(content, body=content.body[: settings.max_size_bytes], truncated=True)


def _is_http(head: RecordHead) -> bool:
    return head.fields.get("content-type", "").lower().replace(" ", "").startswith("application/http")


def _name(address: str) -> str:
    return unquote(address.partition("?")[0].rpartition("/")[2])
