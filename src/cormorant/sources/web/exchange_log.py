"""Run log entries of one exchange with a server, where its source asks for headers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from cormorant.base import run_context
from cormorant.base.secret_masking import STARS, redacted
from cormorant.net.http.headers import clean
from cormorant.net.http.messages import Response, TransportError


def exchange(address: str, sent: Sequence[str], got: Response | TransportError) -> None:
    """Write what was sent and what came, less what lets anybody in."""
    if isinstance(got, TransportError):
        run_context.said("header", address=address, sent=shown(sent), fault=got.reason, status=got.status)
        return
    answered = [f"{name}: {value}" for name, value in got.headers.items()]
    run_context.said("header", address=address, sent=shown(sent), status_line=got.status_line, received=shown(answered))


PLAIN: Final = frozenset((
    "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control", "connection",
    "content-disposition", "content-encoding", "content-language", "content-length", "content-type", "date", "etag",
    "expires", "if-modified-since", "if-none-match", "keep-alive", "last-modified", "pragma", "range", "retry-after",
    "server", "strict-transport-security", "transfer-encoding", "upgrade", "user-agent", "vary", "via",
    "x-content-type-options", "x-frame-options", "x-powered-by", "x-robots-tag",
))  # fmt: skip
"""Fields that let nobody in."""
_ADDRESSES: Final = ("content-location", "link", "location", "referer", "refresh")
_SCHEMES: Final = ("authorization", "proxy-authenticate", "proxy-authorization", "www-authenticate")
_KNOWN: Final = ("basic", "bearer", "digest", "negotiate", "ntlm")
_ATTRIBUTES: Final = ("path", "domain", "expires", "max-age", "secure", "httponly", "samesite", "partitioned")


def shown(lines: Iterable[str]) -> list[str]:
    """Lines of a header as a log may have them."""
    return [_line(*line.partition(":")[::2]) for line in lines]


def _line(name: str, value: str) -> str:
    name, value = clean(name), clean(value)
    return f"{name}: {_value(name.lower(), value)}"


def _value(name: str, value: str) -> str:
    if name in PLAIN:
        return value
    if name in _ADDRESSES:
        return redacted(value)
    if name in _SCHEMES:
        scheme = value.partition(" ")[0]
        return f"{scheme} {STARS}" if scheme.lower() in _KNOWN else STARS
    if name == "set-cookie":
        first, *rest = value.split(";")
        kept = [each.strip() for each in rest if each.partition("=")[0].strip().lower() in _ATTRIBUTES]
        return "; ".join([_named(first), *kept])
    if name == "cookie":
        return "; ".join(_named(each) for each in value.split(";"))
    return STARS


def _named(pair: str) -> str:
    """A cookie without its value; one that is only a value is not shown at all."""
    name, equals, _ = pair.strip().partition("=")
    return f"{name}={STARS}" if equals and name else STARS
