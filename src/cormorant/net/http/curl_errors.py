"""Curl errors: libcurl's error numbers as statuses and sentences.

    (error number, progress of the transfer) -> TransportError

Pure. No reason repeats text of the other side, except for the TLS library's own verdict.
"""

from __future__ import annotations

import errno
from typing import NamedTuple

from cormorant.base.exhaustion import Shortage
from cormorant.net.http.connection_options import Proxy
from cormorant.net.http.content_encoding import ACCEPT_ENCODING, DecodeError, unoffered
from cormorant.net.http.headers import clean
from cormorant.net.http.messages import Request, TransportError

UNSUPPORTED_PROTOCOL, URL_MALFORMAT, COULDNT_RESOLVE, COULDNT_CONNECT, WEIRD_REPLY = 1, 3, 6, 7, 8
PARTIAL_FILE, WRITE_ERROR, OUT_OF_MEMORY, TIMED_OUT = 18, 23, 27, 28
SSL_CONNECT, ABORTED, GOT_NOTHING, SEND_ERROR, RECV_ERROR = 35, 42, 52, 55, 56
BAD_CODING, TOO_BIG, TOO_LARGE = 61, 63, 100
NO_CERTIFICATES = 77
OF_TLS = frozenset((SSL_CONNECT, 53, 54, 58, 59, 60, 64, 66, NO_CERTIFICATES, 80, 82, 83, 90, 91, 98))
_REGISTERED = frozenset(("aes128gcm", "br", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "zstd"))
"""Content codings of IANA's registry (RFC 9110 section 16.6.1), which messages may name; others are server input."""
_BROKEN = (errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED)

TOO_EARLY = (PARTIAL_FILE, TIMED_OUT, RECV_ERROR)
"""Ends of a transfer that is shorter than declared."""
SHORTER = "It is shorter than was announced, and whole: its compressed data has come to its end."

READ_TIMEOUT = 902
REFUSED = 906
NO_PORT = 907
SHORT = 904
TOO_BIG_STATUS = 960
NO_NAME = 975
TLS = 976
BROKEN_STREAM = 1002
PROTOCOL = 1005
HEADER = 1006
PROXY_LOGIN = 407
PROXY = 985

_PLAIN = {
    WEIRD_REPLY: TransportError(HEADER, "The response's header cannot be parsed."),
    TOO_LARGE: TransportError(HEADER, "The response's header is too large."),
    URL_MALFORMAT: TransportError(1004, "The address cannot be asked for."),
    COULDNT_RESOLVE: TransportError(NO_NAME, "The name was not resolved.", retryable=True, whole_site=True),
    OUT_OF_MEMORY: TransportError(SHORT, Shortage.MEMORY.said, retryable=True, lack=Shortage.MEMORY),
    BAD_CODING: TransportError(PROTOCOL, "The response has a transfer coding that was not asked for."),
    UNSUPPORTED_PROTOCOL: TransportError(PROTOCOL, "The response is not HTTP/1.0 or HTTP/1.1."),
}


class Failure(NamedTuple):
    """Transfer failure: libcurl's number and message, the last system error, and the progress of the transfer."""

    code: int
    message: str
    os_error: int
    connected: bool
    answering: bool
    received: int


def fault_of(failure: Failure, request: Request) -> TransportError:
    """Return the error for a transfer that libcurl gave up."""
    return _classified(failure, request)._replace(requests=int(failure.connected), received=failure.received)


def short_of(lack: Shortage) -> TransportError:
    """Return the error of a request that was not sent, since this process is short of a resource."""
    return TransportError(SHORT, lack.said, retryable=True, lack=lack)


def _classified(failure: Failure, request: Request) -> TransportError:
    code = failure.code
    if code in OF_TLS:
        return _no_tls(failure)
    if code == TIMED_OUT:
        return _timed_out(failure, request)
    if code == COULDNT_CONNECT:
        return _not_connected(failure)
    if code in (GOT_NOTHING, SEND_ERROR, RECV_ERROR, PARTIAL_FILE):
        return _broken(failure)
    if code == TOO_BIG:
        return TransportError(TOO_BIG_STATUS, f"The document is larger than {request.max_bytes} bytes.")
    if code == WEIRD_REPLY and not failure.answering:  # as from another protocol on an idle connection
        code = UNSUPPORTED_PROTOCOL
    unknown = TransportError(PROTOCOL, f"The request failed (libcurl error {code}).", retryable=True)
    return _PLAIN.get(code, unknown)


def _no_tls(failure: Failure) -> TransportError:
    if failure.os_error in _BROKEN:
        return TransportError(
            BROKEN_STREAM, "The connection was reset in the TLS handshake.", retryable=True, whole_site=True
        )
    return TransportError(TLS, f"No trusted TLS connection: {clean(failure.message)}.", whole_site=True)


def _timed_out(failure: Failure, request: Request) -> TransportError:
    if not failure.connected:
        said = f"No connection within {request.connect_timeout_s:g} seconds."
    elif failure.answering:
        said = f"The document did not arrive in time: {clean(failure.message)}."
    else:
        said = f"No answer in time: {clean(failure.message)}."
    return TransportError(READ_TIMEOUT, said, retryable=True, whole_site=not failure.answering)


def _not_connected(failure: Failure) -> TransportError:
    if failure.os_error == errno.EADDRNOTAVAIL:
        return TransportError(NO_PORT, "The connection was not made: no local port is free.", retryable=True)
    why = {
        errno.ETIMEDOUT: "it timed out",
        errno.EHOSTUNREACH: "there is no route to the host",
        errno.ENETUNREACH: "the network cannot be reached",
    }.get(failure.os_error, "nothing accepts connections there")
    status = READ_TIMEOUT if failure.os_error == errno.ETIMEDOUT else REFUSED
    return TransportError(status, f"The connection was not made: {why}.", retryable=True, whole_site=True)


def _broken(failure: Failure) -> TransportError:
    if failure.code == GOT_NOTHING:
        said = "The connection was closed before an answer."
    elif failure.code == PARTIAL_FILE:
        said = "The document ended too early."
    elif failure.answering:
        said = "The connection broke, or its framing did, while the document arrived."
    else:
        said = "The connection broke before an answer."
    return TransportError(BROKEN_STREAM, said, retryable=True)


def fault_of_coding(trouble: DecodeError, codings: tuple[str, ...], request: Request) -> TransportError:
    """Return the error for a body whose content codings could not be decoded."""
    if trouble is DecodeError.UNKNOWN:
        which = _coding(unoffered(codings))
        return TransportError(PROTOCOL, f"It came in {which}, which was not asked for; accepted are {ACCEPT_ENCODING}.")
    said = f"The document cannot be read: {trouble.value}."
    if trouble in (DecodeError.TOO_BIG, DecodeError.BOMB):
        return TransportError(TOO_BIG_STATUS, f"{said} The limit is {request.max_bytes} bytes.")
    if trouble is DecodeError.TOO_MANY:
        return TransportError(PROTOCOL, said)
    return TransportError(BROKEN_STREAM, said, retryable=trouble is DecodeError.SHORT)


def flaw_of_coding(absent: str) -> str:
    """Return the remark on a body without its declared coding, "" if there is none."""
    return f"It was announced in {_coding(absent)} and is not: it was read as it came." if absent else ""


def _coding(name: str) -> str:
    """A content coding in words; a name invented by a server is not repeated."""
    known = name in _REGISTERED or not unoffered((name,))
    return f"the content coding {name}" if known else "a content coding that is not registered"


def of_proxy(proxy: Proxy, code: int, answered: int) -> TransportError:
    """Return the error for a request that failed at the proxy. `answered`: its status, 0 for none.

    The site is not at fault, so the request is retried.
    """
    if answered == PROXY_LOGIN:
        return no_login(proxy)
    if answered and not 200 <= answered < 300:
        said = f"The proxy {proxy} answered {answered} when asked for a way to the site."
    elif code == COULDNT_CONNECT:
        said = f"The proxy {proxy} accepts no connection."
    elif code == TIMED_OUT:
        said = f"The proxy {proxy} made no connection in time."
    else:
        said = f"The connection broke at the proxy {proxy} (libcurl error {code})."
    return TransportError(PROXY, said, retryable=True, whole_site=True)


def no_login(proxy: Proxy) -> TransportError:
    """Return the error for a proxy that needs a login, or another one."""
    wants = f"does not take the login of {proxy.user!r}" if proxy.user else "wants a user name and password"
    return TransportError(PROXY_LOGIN, f"The proxy {proxy} {wants}.", retryable=True, whole_site=True)
