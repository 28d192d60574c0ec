"""AWS Signature Version 4 of requests without a body (Authenticating Requests: Using the Authorization Header)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from cormorant.base.clock import utc_stamp
from cormorant.sources.s3.object_urls import strictly_quoted

EMPTY_SHA256: Final = hashlib.sha256(b"").hexdigest()


class AwsKey(NamedTuple):
    """A key of an account: its name, its secret, and the token of a session, or ""."""

    name: str
    secret: str
    token: str = ""

    def __repr__(self) -> str:
        return f"AwsKey({self.name!r})"


def signed_headers(
    key: AwsKey, region: str, url: str, now: float, headers: Mapping[str, str] | None = None, service: str = "s3"
) -> dict[str, str]:
    """Return the headers that a GET of `url` needs, Authorization among them.

    `now` is epoch seconds; `headers` are others that are signed as well.
    """
    stamp = utc_stamp(now)
    day = stamp[:8]
    signed = {name.lower(): " ".join(value.split()) for name, value in (headers or {}).items()}
    signed |= {"host": urlsplit(url).netloc, "x-amz-date": stamp}
    if service == "s3":
        signed["x-amz-content-sha256"] = EMPTY_SHA256
    if key.token:
        signed["x-amz-security-token"] = key.token
    names = ";".join(sorted(signed))
    scope = f"{day}/{region}/{service}/aws4_request"
    request = hashlib.sha256(canonical_request(url, signed).encode()).hexdigest()
    to_sign = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{request}"
    signature = _hmac(signing_key(key.secret, day, region, service), to_sign).hex()
    authorization = f"AWS4-HMAC-SHA256 Credential={key.name}/{scope},SignedHeaders={names},Signature={signature}"
    return {**{name: value for name, value in signed.items() if name != "host"}, "authorization": authorization}


def canonical_request(url: str, signed: Mapping[str, str]) -> str:
    """Return the canonical form of a GET; `signed` are its headers by names in small letters."""
    parts = urlsplit(url)
    lines = "".join(f"{name}:{signed[name]}\n" for name in sorted(signed))
    path = strictly_quoted(unquote_to_bytes(parts.path or "/"))
    return f"GET\n{path}\n{_canonical_query(parts.query)}\n{lines}\n{';'.join(sorted(signed))}\n{EMPTY_SHA256}"


def signing_key(secret: str, day: str, region: str, service: str) -> bytes:
    """Return the key of one day, region and service."""
    made = f"AWS4{secret}".encode()
    for part in (day, region, service, "aws4_request"):
        made = _hmac(made, part)
    return made


def _canonical_query(query: str) -> str:
    pairs = (each.partition("=") for each in query.split("&") if each)
    quoted = (
        (strictly_quoted(unquote_to_bytes(name), ""), strictly_quoted(unquote_to_bytes(value), ""))
        for name, _, value in pairs
    )
    return "&".join(f"{name}={value}" for name, value in sorted(quoted))


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
