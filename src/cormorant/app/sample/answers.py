"""Responses of the sample site (RFC 9110, RFC 9112): a pure function from bytes to bytes, testable without sockets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import unquote

from cormorant.app.sample.pages import Page, missing

_PHRASES = {
    200: "OK",
    301: "Moved Permanently",
    302: "Found",
    304: "Not Modified",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    410: "Gone",
}


class SampleResponse(NamedTuple):
    """Response of the sample site: its bytes, its log fields, and whether the connection stays open."""

    data: bytes
    method: str
    target: str
    status: int
    keep: bool


def answer(pages: Mapping[str, Page], request: bytes, now: float) -> SampleResponse:
    """Answer a request's line and headers, up to and with the empty line. `now` (epoch seconds) is for Date."""
    lines = request.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    if (
        len(words) != 3
        or words[2] not in ("HTTP/1.1", "HTTP/1.0")
        or (words[2] == "HTTP/1.1" and "host" not in headers)
    ):
        return SampleResponse(_written(Page(400, b""), now, keep=False, bare=False), "-", "-", 400, keep=False)
    method, target, version = words
    keep = _keeps(version, headers)
    if method not in ("GET", "HEAD"):
        refused = Page(405, b"", {"Allow": "GET, HEAD"})
        return SampleResponse(_written(refused, now, keep=False, bare=False), method, target, 405, keep=False)
    page = pages.get(unquote(target.partition("?")[0])) or missing()
    if page.status == 200 and _unchanged(page, headers):
        page = Page(304, b"", {name: page.headers[name] for name in ("ETag", "Last-Modified")})
    data = _written(page, now, keep=keep, bare=method == "HEAD" or page.status == 304)
    return SampleResponse(data, method, target, page.status, keep)


def _keeps(version: str, headers: Mapping[str, str]) -> bool:
    """Return whether the connection stays open. It is closed after a request with a body, since bodies are not read."""
    if "content-length" in headers or "transfer-encoding" in headers:
        return False
    wish = headers.get("connection", "").lower()
    return wish != "close" if version == "HTTP/1.1" else wish == "keep-alive"


def _unchanged(page: Page, headers: Mapping[str, str]) -> bool:
    """Compare validators: If-None-Match has precedence (RFC 9110 section 13.1.3)."""
    known = headers.get("if-none-match")
    if known is not None:
        tags = [tag.strip().removeprefix("W/") for tag in known.split(",")]
        return "*" in tags or page.headers["ETag"] in tags
    try:
        since = parsedate_to_datetime(headers.get("if-modified-since", ""))
        return parsedate_to_datetime(page.headers["Last-Modified"]) <= since
    except (TypeError, ValueError):  # no date, or one without a zone
        return False


def _written(page: Page, now: float, *, keep: bool, bare: bool) -> bytes:
    """Serialise a response. A bare one has no body, but a Content-Length, except in a 304."""
    headers = {"Date": format_datetime(datetime.fromtimestamp(now, tz=UTC), usegmt=True), "Server": "cormorant-sample"}
    headers |= page.headers
    if page.status != 304:
        headers["Content-Length"] = str(len(page.body))
    headers["Connection"] = "keep-alive" if keep else "close"
    lines = [
        f"HTTP/1.1 {page.status} {_PHRASES[page.status]}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (b"" if bare else page.body)
