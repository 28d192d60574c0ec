"""Forty servers and more, each with one fault: what it does, its row of the fault table, how a visit must end.

A behaviour is a script that answers one request, and the outcome and status that every page of its host must have when
the run is over. The table is the truth that `judge` holds the product against.
"""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import count

import brotli  # type: ignore[import-untyped]
import zstandard

PAGE = b"<html><head><title>Good</title></head><body><p>A page that can be read in spite of it all.</p></body></html>"
ONE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = ONE + b"Transfer-Encoding: chunked\r\n\r\n"
ZEROS = bytes(1 << 16)
BOMB = 28 << 20
SMALL_BOMB = 8 << 20
"""One that is not too big, so that only how it grows tells."""


@dataclass
class Talk:
    """A connection on which a request has come, as a script sees it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    path: str = "/"
    host: str = ""
    over: bool = False

    async def send(self, data: bytes) -> None:
        """Send, at the pace at which it is taken."""
        self.writer.write(data)
        await self.writer.drain()

    async def silence(self) -> None:
        """Say nothing more until the other side goes."""
        self.over = True
        while await self.reader.read(65536):
            pass

    async def drip(self, piece: bytes, every_s: float = 1.0) -> None:
        """Send a piece again and again."""
        while True:
            await self.send(piece)
            await asyncio.sleep(every_s)

    def reset(self) -> None:
        """End with a reset."""
        self.over = True
        self.writer.transport.abort()


Script = Callable[[Talk], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One hostile host.

    `tls` is how its certificate is: "", good, expired, other, self. `robots`: its robots.txt is hostile too. `at` is
    when it begins: before anything is read (`accept`), or once a request has come. `rests`: its host is left alone
    then, so that not all of its pages are visited.
    """

    name: str
    row: str
    script: Script
    outcome: str
    status: int
    tls: str = ""
    scheme: str = "http"
    robots: bool = False
    at: str = "request"
    rests: bool = False


def says(*parts: bytes) -> Script:
    """Send this and close."""

    async def script(talk: Talk) -> None:
        for part in parts:
            await talk.send(part)
        talk.over = True

    return script


def serves(*parts: bytes) -> Script:
    """Send this, and take the next request."""

    async def script(talk: Talk) -> None:
        for part in parts:
            await talk.send(part)

    return script


def says_then_waits(*parts: bytes) -> Script:
    """Send this and keep the connection, silent."""

    async def script(talk: Talk) -> None:
        for part in parts:
            await talk.send(part)
        await talk.silence()

    return script


def says_then_resets(*parts: bytes) -> Script:
    """Send this and reset the connection."""

    async def script(talk: Talk) -> None:
        for part in parts:
            await talk.send(part)
        await asyncio.sleep(0.05)
        talk.reset()

    return script


def drips(start: bytes, piece: bytes, every_s: float = 1.0) -> Script:
    """Send a beginning, then a little now and then, for ever."""

    async def script(talk: Talk) -> None:
        await talk.send(start)
        await talk.drip(piece, every_s)

    return script


def page(body: bytes = PAGE, *fields: str, status: str = "200 OK") -> bytes:
    """A whole response."""
    lines = (f"HTTP/1.1 {status}", "Content-Type: text/html", f"Content-Length: {len(body)}", *fields)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def coded(name: str, data: bytes) -> Script:
    """A response with a content coding."""
    return serves(page(data, f"Content-Encoding: {name}"))


def answers(status: str, *fields: str) -> Script:
    """A response without much of a body."""
    return serves(page(b"no\n", *fields, status=status))


async def endless(talk: Talk) -> None:
    """A body without a length and without an end."""
    await talk.send(ONE + b"\r\n")
    while True:
        await talk.send(ZEROS)


async def endless_chunks(talk: Talk) -> None:
    """Chunks without an end."""
    await talk.send(CHUNKED)
    while True:
        await talk.send(b"%x\r\n" % len(ZEROS) + ZEROS + b"\r\n")


async def redirects_on(talk: Talk) -> None:
    """Temporary redirects, each to another address."""
    number = int(talk.path.rpartition("/")[2] or 0) if talk.path.startswith("/hop/") else 0
    await talk.send(page(b"", f"Location: http://{talk.host}/hop/{number + 1}", status="302 Found"))


_moves = count()


async def moves_on(talk: Talk) -> None:
    """Permanent redirects, each to another address."""
    await talk.send(page(b"", f"Location: {talk.path.rstrip('/')}-{next(_moves)}", status="301 Moved Permanently"))


async def refreshes_on(talk: Talk) -> None:
    """Pages that send on at once, each to another address."""
    onward = f'<meta http-equiv="refresh" content="0; url={talk.path.rstrip("/")}-{next(_moves)}">'
    await talk.send(page(f"<html><head>{onward}</head><body>onward</body></html>".encode()))


async def to_itself(talk: Talk) -> None:
    """A redirect to the same address that wants its cookie back."""
    await talk.send(page(b"", f"Location: {talk.path}", "Set-Cookie: seen=1", status="302 Found"))


async def in_a_circle(talk: Talk) -> None:
    """A redirect to and fro."""
    there = talk.path[:-5] if talk.path.endswith("/back") else talk.path.rstrip("/") + "/back"
    await talk.send(page(b"", f"Location: {there or '/'}", status="302 Found"))


async def garbage(talk: Talk) -> None:
    """The greeting of another protocol."""
    await talk.send(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
    await talk.silence()


async def mute(talk: Talk) -> None:
    """Nothing."""
    await talk.silence()


def _deflated(data: bytes, level: int = 9) -> bytes:
    return zlib.compress(data, level)


def _gzips(times: int) -> bytes:
    data = PAGE
    for _ in range(times):
        data = gzip.compress(data)
    return data


def _fields(number: int) -> str:
    return "\r\n".join(f"X-{each}: {each}" for each in range(number))


_EACH = (
    Behaviour("refuses connections", "N2", mute, "failed", 906, at="refuse"),
    Behaviour("drops connection requests", "N2", mute, "deferred", 902, at="blackhole", rests=True),
    Behaviour("has no name", "N1", mute, "failed", 975, at="nameless"),
    Behaviour("never answers", "N3", mute, "deferred", 902, rests=True),
    Behaviour("never answers, nor for robots.txt", "N3", mute, "deferred", 902, robots=True, rests=True),
    Behaviour("a header, a byte a second", "N3", drips(ONE + b"X: ", b"a"), "deferred", 902),
    Behaviour("a body, a byte a second", "N4", drips(ONE + b"Content-Length: 90000\r\n\r\n", b"a"), "deferred", 902),
    Behaviour("half a body, then silence", "N5",
              says_then_waits(ONE + b"Content-Length: 2000000\r\n\r\n", bytes(1_000_000)), "deferred", 902),
    Behaviour("half a chunk, then silence", "N9", says_then_waits(CHUNKED + b"100\r\nhalf"), "deferred", 902),
    Behaviour("an endless body", "N6", endless, "excluded", 960),
    Behaviour("endless chunks", "N6", endless_chunks, "excluded", 960),
    Behaviour("a Content-Length that is too large", "N7", says(ONE + b"Content-Length: 900\r\n\r\nshort"), "deferred",
              1002),
    Behaviour("a Content-Length that is too small", "N8",
              says_then_waits(ONE + b"Content-Length: %d\r\n\r\n" % (len(PAGE) - 7) + PAGE), "ok", 200),
    Behaviour("two lengths", "N8", serves(page(PAGE, "Content-Length: 5")), "failed", 1006),
    Behaviour("a chunk size that is none", "N9", says_then_waits(CHUNKED + b"xyz\r\nhello\r\n0\r\n\r\n"), "deferred",
              1002),
    Behaviour("no last chunk", "N9", says(CHUNKED + b"5\r\nhello\r\n"), "deferred", 1002),
    Behaviour("a chunk of 2^64 bytes", "N9", says_then_waits(CHUNKED + b"ffffffffffffffff\r\nhello"), "deferred",
              1002),
    Behaviour("a length beside chunks", "N10",
              says_then_waits(ONE + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % len(PAGE)
                              + PAGE + b"\r\n0\r\n\r\n"), "ok", 200),
    Behaviour("300 header fields", "N3", serves(page(PAGE, _fields(300))), "failed", 1006),
    Behaviour("a header of 400 kB", "N3", serves(page(PAGE, "X: " + "a" * 400_000)), "failed", 1006),
    Behaviour("folded header lines", "N11", serves(page(PAGE, "X: a\r\n b\r\n\tc")), "ok", 200),
    Behaviour("a CR within a header line", "N11", serves(page(PAGE, "Y: a\rSet-Cookie: b=c")), "failed", 1006),
    Behaviour("a NUL in the header", "N11", serves(page(PAGE, "X: a\0b")), "failed", 1006),
    Behaviour("HTTP/0.9", "N12", says(b"<html>no header</html>"), "failed", 1005),
    Behaviour("another protocol", "N12", garbage, "deferred", 1005, at="accept", rests=True),
    Behaviour("another protocol of the same shape", "N12", says(b"ICY 200 OK\r\n\r\nnoise"), "failed", 1005),
    Behaviour("thirty interim answers", "N13",
              serves(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 30 + page()), "failed", 1005),
    Behaviour("another protocol, unasked", "N13",
              says_then_waits(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), "failed", 1005),
    Behaviour("no content", "N14", serves(b"HTTP/1.1 204 No Content\r\n\r\n"), "failed", 911),
    Behaviour("a part, unasked", "N14",
              serves(page(b"hello", "Content-Range: bytes 0-4/90", status="206 Partial Content")), "failed",
              1005),
    Behaviour("not modified, unasked", "N14", serves(b"HTTP/1.1 304 Not Modified\r\n\r\n"), "failed", 1005),
    Behaviour("away for ten years", "N15", answers("503 Service Unavailable", "Retry-After: 315360000"), "deferred",
              503, rests=True),
    Behaviour("away until a date that is past", "N15",
              answers("503 Service Unavailable", "Retry-After: Mon, 02 Jan 2006 15:04:05 GMT"), "deferred", 503,
              rests=True),
    Behaviour("busy until nobody knows", "N15", answers("429 Too Many Requests", "Retry-After: soon"), "deferred",
              429, rests=True),
    Behaviour("always fails", "N16", answers("500 Internal Server Error"), "deferred", 500,
              rests=True),
    Behaviour("always fails, with robots.txt too", "N16", answers("502 Bad Gateway"), "deferred", 502,
              robots=True, rests=True),
    Behaviour("wants a password", "N17", answers("401 Unauthorized", 'WWW-Authenticate: Basic realm="x"'), "failed",
              401),
    Behaviour("an expired certificate", "N21", serves(page()), "failed", 976, "expired", "https"),
    Behaviour("a certificate of another host", "N21", serves(page()), "failed", 976, "other", "https"),
    Behaviour("a certificate it made itself", "N21", serves(page()), "failed", 976, "self", "https"),
    Behaviour("a TLS handshake that stalls", "N21", mute, "deferred", 902, "", "https", robots=True, at="accept",
              rests=True),
    Behaviour("no TLS where TLS is wanted", "N12", garbage, "failed", 976, "", "https", robots=True, at="accept"),
    Behaviour("TLS where none is wanted", "N12", mute, "deferred", 1002, "good", "http", robots=True),
    Behaviour("a reset before an answer", "N22", says_then_resets(), "deferred", 1002),
    Behaviour("a reset within the header", "N22", says_then_resets(ONE), "deferred", 1002),
    Behaviour("a reset within the body", "N22",
              says_then_resets(ONE + b"Content-Length: 90000\r\n\r\n", b"half"), "deferred", 1002),
    Behaviour("a gzip bomb", "B1", coded("gzip", gzip.compress(bytes(BOMB))), "excluded", 960),
    Behaviour("a deflate bomb", "B1", coded("deflate", _deflated(bytes(SMALL_BOMB))), "excluded", 960),
    Behaviour("a brotli bomb", "B1", coded("br", brotli.compress(bytes(BOMB), quality=5)), "excluded", 960),
    Behaviour("zstd, unasked", "B1", coded("zstd", zstandard.compress(bytes(BOMB))), "failed", 1005),
    Behaviour("a bomb in a bomb", "B1", coded("gzip, gzip", gzip.compress(gzip.compress(bytes(BOMB)))), "excluded",
              960),
    Behaviour("five codings", "N25", coded(", ".join(["gzip"] * 5), _gzips(5)), "failed", 1005),
    Behaviour("a coding that it is not", "N25", coded("gzip", PAGE), "failed", 1002),
    Behaviour("a circle of redirects", "W11", in_a_circle, "failed", 977),
    Behaviour("redirects to ever other addresses", "W11", redirects_on, "failed", 977),
    Behaviour("a redirect to itself, with a cookie", "W11", to_itself, "failed", 977),
    Behaviour("moves to ever other addresses", "W11", moves_on, "moved", 954),
    Behaviour("refreshes to ever other addresses", "W12", refreshes_on, "moved", 953),
)  # fmt: skip

_HANG = ("a header, a byte a second", "a body, a byte a second", "half a body, then silence",
         "half a chunk, then silence")  # fmt: skip
BEHAVIOURS = _EACH + tuple(
    replace(each, name=f"{each.name} ({number})") for each in _EACH if each.name in _HANG for number in range(2, 6)
)
"""All of them; what hangs stands at five hosts, so that there are more such visits than two retrievers are wide."""
