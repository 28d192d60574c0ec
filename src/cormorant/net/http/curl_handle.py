"""One easy handle with its options, and the request that it carries out.

    prepare -> begin -> (socket opened? address vetoed? request sent?) -> finish -> Response | TransportError

libcurl itself appends bodies and header lines to lists; they are parsed once, after the transfer has ended.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import ssl
from typing import Any

import pycurl  # type: ignore[import-untyped]

from cormorant.base import exhaustion
from cormorant.base.exhaustion import Shortage
from cormorant.model.url import path_of
from cormorant.net.egress.guard import Egress, Pinned
from cormorant.net.egress.policy import DENIED_STATUS
from cormorant.net.http import curl_errors
from cormorant.net.http.connection_options import DIRECT, options
from cormorant.net.http.content_encoding import ACCEPT_ENCODING, DecodeError, decode, joined
from cormorant.net.http.curl_errors import Failure, fault_of, fault_of_coding
from cormorant.net.http.headers import FinalPart, Headers, codings, final_part
from cormorant.net.http.messages import Request, Response, TransportError

MAX_HEADER_BYTES = 65_536
MAX_FIELDS = 200
MAX_INTERIMS = 10
MIN_BYTES_A_SECOND = 1024
MANY_PIECES, PACKED = 8_192, 256
"""Pieces of a body above which this many are joined into one: a piece of two bytes takes fifty. Servers choose the size
of pieces by their chunks; with usual sizes, 8,192 pieces hold more than any body may have."""
MAX_SENDS = 2
"""A request that fails on an idle connection is sent once more, by libcurl."""

_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-9]\d\d)(?: [^\r\n]*)?\r?\n")
_HTTP_ONLY = pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS
_MANNER = Request._fields.index("user_agent")
_BODY = Request._fields.index("body")
_GO = int(pycurl.PREREQFUNC_OK)


def _system_ca() -> tuple[str | None, str | None]:
    """Return file and folder of the system's certificate authorities, which libcurl's wheel does not find itself."""
    paths = ssl.get_default_verify_paths()
    return paths.cafile, paths.capath


_SYSTEM_CA = _system_ca()
_FOR_GOOD: tuple[tuple[int, object], ...] = (
    (pycurl.PROTOCOLS, _HTTP_ONLY),
    (pycurl.REDIR_PROTOCOLS, _HTTP_ONLY),
    (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1),
    (pycurl.HTTP09_ALLOWED, 0),
    (pycurl.FOLLOWLOCATION, 0),
    (pycurl.PATH_AS_IS, 1),
    (pycurl.PROXY, ""),
    (pycurl.NOPROXY, "*"),
    (pycurl.NETRC, pycurl.NETRC_IGNORED),
    (pycurl.ACCEPT_ENCODING, ACCEPT_ENCODING),
    (pycurl.HTTP_CONTENT_DECODING, 0),
    (pycurl.SSL_VERIFYPEER, 1),
    (pycurl.SSL_VERIFYHOST, 2),
    (pycurl.SSLVERSION, pycurl.SSLVERSION_TLSv1_2),
    (pycurl.NOSIGNAL, 1),
    (pycurl.NOPROGRESS, 1),
)
"""The options of every request: only HTTP, no redirects, no proxy, no netrc, verified TLS."""


class Slot:
    """A reusable easy handle. `busy` while a request is under way in it; `sent` counts how often it was sent.

    `size` is the number of bytes of the body at the last call of `stuck`.

    `handed` collects the sockets that libcurl was given (`Multi.handed`).
    """

    def __init__(self, egress: Egress, handed: list[socket.socket]) -> None:
        self._egress = egress
        self._handed = handed
        self.curl: Any = pycurl.Curl()
        self._setopt: Any = self.curl.setopt
        self._chunks: list[bytes] = []
        self._lines: list[bytes] = []
        self._headers: tuple[str, ...] = ()
        self._manner: tuple[object, ...] = ()
        self._request = Request("")
        self._size = 0
        self._phase, self._mark, self._marked = 0, 0, 0.0
        self._pinned = Pinned("", 0, ())
        self._fresh = self._vetoed = self._opened = False
        self._peer = ""
        self._lack: Shortage | None = None
        self._socket = -1
        self.busy = self.stale = False
        self.sent = self.size = self._packed = self._given = 0
        self._body: bytes | None = None
        self._method = ""
        self._route = DIRECT
        self._set_defaults()

    def _set_defaults(self) -> None:
        """Set the options of every request, on a handle without other options."""
        for option, value in (*_FOR_GOOD, *self._callbacks()):
            self._setopt(option, value)

    def _callbacks(self) -> tuple[tuple[int, object], ...]:
        return (
            (pycurl.WRITEFUNCTION, self._chunks.append),
            (pycurl.HEADERFUNCTION, self._lines.append),
            (pycurl.OPENSOCKETFUNCTION, self._open_socket),
            (pycurl.PREREQFUNCTION, self._before_request),
            (pycurl.READFUNCTION, self._give),
            (pycurl.SEEKFUNCTION, self._seek),
        )

    def prepare(self, request: Request, pinned: Pinned, resolve: list[str] | None) -> None:
        """Set options that differ from the request before. `resolve` are the pins to load, None if they are loaded."""
        setopt = self._setopt
        if request.route is not self._route:
            self._change_route(request)
        setopt(pycurl.URL, request.url)
        setopt(pycurl.REQUEST_TARGET, _target(request))  # libcurl would change percent-escapes
        if request.headers != self._headers:
            if request.headers:
                setopt(pycurl.HTTPHEADER, _header_lines(request.headers))
            else:
                self.curl.unsetopt(pycurl.HTTPHEADER)  # an empty list would keep the lines of the request before
            self._headers = request.headers
        if request.body is not self._body or request.method != self._method:
            self._change_body(request.body, request.method)
        if request[_MANNER:_BODY] != self._manner:
            self._adopt(request)
        if resolve is not None:
            setopt(pycurl.RESOLVE, resolve)  # loaded once, at the start of the next transfer
        if self._fresh:
            setopt(pycurl.FRESH_CONNECT, 0)
            self._fresh = False
        self._request, self._pinned = request, pinned

    def _change_route(self, request: Request) -> None:
        """Reset the handle, since not every option can be unset, and set the options of another route."""
        self.curl.reset()
        self._set_defaults()
        for option, value in options(request.route):
            self._setopt(option, value)
        self._headers, self._manner, self._route, self._fresh, self._body = (), (), request.route, False, None
        self._method = ""

    def _change_body(self, body: bytes | None, method: str) -> None:
        """Send these bytes, which libcurl reads while sending, by POST or the given method; without bytes, use GET."""
        if method != self._method:
            self._setopt(pycurl.CUSTOMREQUEST, method) if method else self.curl.unsetopt(pycurl.CUSTOMREQUEST)
            self._method = method
        if body is None:
            self._setopt(pycurl.HTTPGET, 1)
        else:
            self._setopt(pycurl.POST, 1)
            self._setopt(pycurl.POSTFIELDSIZE_LARGE, len(body))
        self._body = body

    def _adopt(self, request: Request) -> None:
        """Set limits, agent and authorities, which seldom change from one request to the next."""
        setopt = self._setopt
        setopt(pycurl.USERAGENT, _header_lines((request.user_agent,))[0])
        setopt(pycurl.TIMEOUT_MS, _milliseconds(request.timeout_s))
        setopt(pycurl.CONNECTTIMEOUT_MS, _milliseconds(request.connect_timeout_s))
        setopt(pycurl.MAXFILESIZE_LARGE, 0 if request.cut else request.max_bytes)
        setopt(pycurl.WRITEFUNCTION, self._take if request.cut else self._chunks.append)
        cafile, capath = (request.ca, None) if request.ca else _SYSTEM_CA
        for option, path in ((pycurl.CAINFO, cafile), (pycurl.CAPATH, capath)):
            if option == pycurl.CAINFO and request.route.authorities:
                continue
            if path:
                setopt(option, path)
            else:
                self.curl.unsetopt(option)
        self._manner = request[_MANNER:_BODY]

    def begin(self, now: float) -> None:
        """Reset the state of the request before; `now` is loop time."""
        self.busy = True
        self.stale = self._vetoed = self._opened = False
        self._lack, self._socket = None, -1
        self.sent = self.size = self._size = self._phase = self._mark = self._packed = self._given = 0
        self._marked = now

    def renew(self) -> None:
        """Make the next try of the same request use a new connection."""
        self._forget()
        self._fresh = True
        self._setopt(pycurl.FRESH_CONNECT, 1)

    def clear(self) -> None:
        """Release the response, and the body that was sent, which may be large."""
        self._forget()
        if self._body is not None:
            self._change_body(None, "")

    def _forget(self) -> None:
        """Release the response."""
        self.busy = False
        self._chunks.clear()
        self._lines.clear()

    # ------------------------------------------------------------------------------------------ called by libcurl

    def _take(self, data: bytes) -> int | None:
        """Take a piece of a body that may be cut; any result but None ends the transfer."""
        self._chunks.append(data)
        self._size += len(data)
        return None if self._size <= self._request.max_bytes else 0

    def _give(self, size: int) -> bytes:
        """Return the next bytes of the body to send. libcurl's own copies of bodies would end at a zero byte."""
        part = (self._body or b"")[self._given : self._given + size]
        self._given += len(part)
        return part

    def _seek(self, offset: int, _origin: int) -> int:
        """Go back in the body, which is sent again if a kept connection failed."""
        self._given = offset
        return int(pycurl.SEEKFUNC_OK)

    def _open_socket(self, _purpose: int, address: Any) -> socket.socket | int:
        """Open a socket only to a pinned address: the second check, just before the first packet."""
        family, kind, protocol, at = address
        if family not in (socket.AF_INET, socket.AF_INET6) or self._egress.veto(at[0], at[1], self._pinned):
            self._vetoed = True
            return int(pycurl.SOCKET_BAD)
        try:
            handed = socket.socket(family, kind, protocol)
        except OSError as error:
            self._lack = exhaustion.of_number(error.errno)
            return int(pycurl.SOCKET_BAD)
        self._handed.append(handed)
        self._socket = handed.fileno()
        self._opened = True
        return handed

    def _before_request(self, peer: str, _local: str, port: int, _local_port: int) -> int:
        """Check the connection that the request is about to use, which may belong to an older pin."""
        if peer not in self._pinned.addresses or port != self._pinned.port:
            self.stale = True
            return int(pycurl.PREREQFUNC_ABORT)
        self.sent += 1
        self._peer = peer
        self._request.sent()
        return _GO if self.sent <= MAX_SENDS else int(pycurl.PREREQFUNC_ABORT)

    # ------------------------------------------------------------------------------------------------------------

    def stuck(self, now: float) -> str:
        """Return why this request should be ended now, "" if it should not. Called a few times a second."""
        lines, idle_s = self._lines, self._request.idle_timeout_s
        if not self.sent:
            return ""
        self._pack()
        size = self.size = sum(map(len, self._chunks))
        phase = 2 if size or (lines and lines[-1] == b"\r\n") else 1
        if phase > self._phase or size - self._mark >= MIN_BYTES_A_SECOND * idle_s:
            self._phase, self._mark, self._marked = max(phase, self._phase), size, now
        elif now - self._marked >= idle_s:
            what = "its header was not complete" if self._phase == 1 else "less than 1 KiB a second arrived"
            return f"{what} in {idle_s:g} seconds"
        return ""

    def _pack(self) -> None:
        """Join small pieces if there are many: libcurl delivers each chunk of a chunked body separately."""
        chunks, first = self._chunks, self._packed
        if len(chunks) - first <= MANY_PIECES:
            return
        chunks[first:] = [b"".join(chunks[at : at + PACKED]) for at in range(first, len(chunks), PACKED)]
        self._packed = len(chunks)

    def finish(self, code: int, message: str) -> Response | TransportError:
        """Turn the end of a transfer into a value, before the handle is removed: its connection is still known then."""
        request, part = self._request, final_part(self._lines)
        if code == 0 or (code == curl_errors.WRITE_ERROR and self._size > request.max_bytes):
            return self._answer(request, part)
        return self._fault(code, message, part)

    def _answer(self, request: Request, part: FinalPart) -> Response | TransportError:
        raw = sum(map(len, self._chunks))
        received = raw + sum(map(len, self._lines))
        line = _STATUS_LINE.fullmatch(part.status_line)
        if line is None:
            return TransportError(
                curl_errors.HEADER, "The response's status line is malformed.", requests=1, received=received
            )
        if not part.complete:
            return _cut_off(received)
        said = _objection(part)
        if said is not None:
            return TransportError(*said, requests=1, received=received)
        body, cut, flaw = b"", raw > request.max_bytes, ""
        if _is_coded(part) and raw:
            applied = codings(Headers(part.block))
            decoded = decode(self._chunks, applied, request.max_bytes, cut=request.cut)
            if isinstance(decoded, DecodeError):
                return fault_of_coding(decoded, applied, request)._replace(requests=1, received=received)
            body, cut, flaw = decoded.body, decoded.cut, curl_errors.flaw_of_coding(decoded.absent)
        elif raw:
            body = joined(self._chunks)[: request.max_bytes]
        lower = part.block.lower()
        if b"transfer-encoding:" in lower and b"content-length:" in lower:
            self._shut_connection()
        return self._answered(part, body, received, (cut, flaw))

    def _answered(self, part: FinalPart, body: bytes, received: int, how: tuple[bool, str]) -> Response:
        """The response with this body; `how`: whether it was cut, and a flaw in its transmission."""
        status = int(part.status_line[9:12])
        answer = Response(status, part.status_line.rstrip().decode("latin-1"), part.block, body, received)
        answer.peer, answer.reused, (answer.truncated, answer.flaw) = self._peer, not self._opened, how
        return answer

    def _whole_at_heart(self, code: int, part: FinalPart, received: int) -> Response | None:
        """The response of a transfer that ended too early, if its coded body is complete by itself, else None.

        Some servers declare the length before compression. gzip and zlib end with a checksum, brotli with a last block.
        """
        line = _STATUS_LINE.fullmatch(part.status_line)
        applied = codings(Headers(part.block)) if _is_coded(part) else ()
        if code not in curl_errors.TOO_EARLY or line is None or not (applied and part.complete and self._chunks):
            return None
        decoded = decode(self._chunks, applied, self._request.max_bytes)
        if isinstance(decoded, DecodeError) or decoded.absent:
            return None
        return self._answered(part, decoded.body, received, (False, curl_errors.SHORTER))

    def _fault(self, code: int, message: str, part: FinalPart) -> Response | TransportError:
        received = sum(map(len, self._chunks)) + sum(map(len, self._lines))
        if self._vetoed or self.stale:
            return TransportError(DENIED_STATUS, "The address of the host changed in between.", retryable=True)
        said = _objection(part)
        if said is not None:
            return TransportError(*said, requests=1, received=received)
        whole = self._whole_at_heart(code, part, received)
        if whole is not None:
            return whole
        if code == curl_errors.ABORTED and self.sent > MAX_SENDS:
            code = curl_errors.RECV_ERROR
        asks = code in (curl_errors.COULDNT_CONNECT, curl_errors.SSL_CONNECT)
        os_error = self.curl.getinfo(pycurl.OS_ERRNO) if asks else 0
        connected, answering = bool(self.sent), bool(self._lines)
        lack = None if connected else self._lack or _lack(code, os_error, self._socket)
        if lack is not None:
            return curl_errors.short_of(lack)
        if self._request.route.proxy is not None and not connected and code not in curl_errors.OF_TLS:
            said_by_proxy = int(self.curl.getinfo(pycurl.HTTP_CONNECTCODE))
            return curl_errors.of_proxy(self._request.route.proxy, code, said_by_proxy)
        return fault_of(Failure(code, message, os_error, connected, answering, received), self._request)

    def _shut_connection(self) -> None:
        """Make the connection unusable for other requests: its framing was ambiguous (RFC 9112 section 6.1)."""
        fd = self.curl.getinfo(pycurl.ACTIVESOCKET)
        if fd < 0:
            return
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(fd)) as twin:
            twin.shutdown(socket.SHUT_RDWR)


def _lack(code: int, os_error: int, opened: int) -> Shortage | None:
    """Return the resource shortage of this process behind a failed connection, None if there was none.

    libcurl seldom reports it, so it is determined here.

    `opened` is the last socket, -1 for none: files may be free again by now, but its high number shows the shortage.
    """
    if code == curl_errors.OUT_OF_MEMORY:
        return exhaustion.of_files_now() or Shortage.MEMORY
    if code in (curl_errors.COULDNT_CONNECT, curl_errors.SSL_CONNECT, curl_errors.NO_CERTIFICATES) and not os_error:
        return Shortage.FILES if exhaustion.is_one_of_the_last(opened) else exhaustion.of_files_now()
    return exhaustion.of_number(os_error)


def _cut_off(received: int) -> TransportError:
    """The error of a header that ended without its blank line, which libcurl takes for a complete one."""
    said = "The connection was closed within the header."
    return TransportError(curl_errors.BROKEN_STREAM, said, retryable=True, requests=1, received=received)


def _objection(part: FinalPart) -> tuple[int, str] | None:
    """Return status and sentence for a response head that cannot be accepted."""
    if part.status_line[9:12] == b"101":
        return curl_errors.PROTOCOL, "The server changed the protocol without being asked."
    if part.interims > MAX_INTERIMS:
        return curl_errors.PROTOCOL, f"There were more than {MAX_INTERIMS} interim responses."
    if part.fields > MAX_FIELDS or len(part.block) > MAX_HEADER_BYTES:
        return curl_errors.HEADER, f"The header has more than {MAX_FIELDS} fields or {MAX_HEADER_BYTES} bytes."
    return None


def _is_coded(part: FinalPart) -> bool:
    """Return whether the response declares a content coding."""
    return b"content-encoding:" in part.block.lower()


def _target(request: Request) -> str:
    """The request target: a proxy without a tunnel needs the whole address (RFC 9112 section 3.2.2)."""
    if request.route.proxy is not None and request.url.startswith("http:"):
        return request.url
    return path_of(request.url)


def _header_lines(headers: tuple[str, ...]) -> list[str] | list[bytes]:
    """Return header lines in the form for libcurl. Raises ValueError for a line that contains a line end."""
    text = "".join(headers)
    if "\r" in text or "\n" in text or "\0" in text:
        raise ValueError("A request header line must not contain line ends.")
    return list(headers) if text.isascii() else [line.encode() for line in headers]


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
