"""Access settings of a web source: its identity, the route of its requests, and what it trusts."""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from pydantic import Field, field_validator, model_validator

from cormorant.base.errors import BadAddress
from cormorant.model.settings.source import Settings
from cormorant.model.url import canonical, origin_of, path_of
from cormorant.sources.web.settings import credential_lines

T = TypeVar("T")
MAX_PEM = 1_000_000
"""Bytes of a file of certificates: a system's whole bundle has a quarter of that."""
_SUFFIX = re.compile(r"\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")


class AccessSettings(Settings):
    """Settings of a web source that say how its servers are reached."""

    UNSHOWN: ClassVar[frozenset[str]] = frozenset(("credentials", "headers", "client_certificate", "proxy_login"))

    cookies: Literal["on", "session", "off"] = Field(
        default="on",
        description="Whether cookies are kept and sent back: on as long as they hold, session until the run ends, off.",
    )
    credentials: tuple[str, ...] = Field(
        default=(),
        description="How to log in, like https://wiki.example.org basic USER secret:NAME (or digest USER, bearer, "
        "header FIELD); may repeat. Sent to that origin, and below that path, alone.",
    )
    headers: tuple[str, ...] = Field(
        default=(),
        description="Header fields to send, like X-Tenant: blue or X-Key: secret:NAME; may repeat. Sent to the origins "
        "of the start addresses, or to the one written in front.",
    )
    client_certificate: tuple[str, ...] = Field(
        default=(),
        description="Certificate to show, like https://intra.example.org /etc/me.pem; a key file, and secret:NAME for "
        "its passphrase, may follow; may repeat.",
    )
    ca: tuple[str, ...] = Field(
        default=(),
        description="PEM file of authorities to trust besides the system's, or sha256: and the fingerprint of a "
        "server's public key; may repeat.",
    )
    proxy: str = Field(
        default="", description="The proxy that requests go through, like http://proxy.example.org:3128."
    )
    proxy_exceptions: tuple[str, ...] = Field(
        default=(), description="Hosts, .suffixes or networks like 10.0.0.0/8 that are reached without it; may repeat."
    )
    proxy_login: str = Field(default="", description="How to log in at the proxy: USER secret:NAME.")

    @property
    def ways_in(self) -> tuple[str, ...]:
        """Names of the settings by which servers may show us what others may not see."""
        return tuple(name for name in ("credentials", "headers", "client_certificate") if getattr(self, name))

    @field_validator("credentials")
    @classmethod
    def _credentials(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        return _each_read(texts, credential_lines.credential)

    @field_validator("headers")
    @classmethod
    def _headers(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        return _each_read(texts, credential_lines.header)

    @field_validator("client_certificate")
    @classmethod
    def _client_certificate(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for each in _read(texts, credential_lines.certificate):
            for file in filter(None, (each.file, each.key_file)):
                read_pem(file)
        return tuple(map(credential_lines.anywhere, texts))

    @field_validator("ca")
    @classmethod
    def _ca(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for each in _read(texts, credential_lines.authority):
            if each.file and b"BEGIN CERTIFICATE" not in read_pem(each.file):
                raise ValueError(f"{each.file} holds no certificate.")
        return tuple(map(credential_lines.anywhere, texts))

    @field_validator("proxy")
    @classmethod
    def _proxy(cls, text: str) -> str:
        if not text:
            return text
        if "@" in text:
            raise ValueError("a login is not written here: use the setting proxy_login.")
        try:
            address = canonical(text)
        except BadAddress:
            address = ""
        if not address.startswith("http://") or path_of(address) != "/":
            raise ValueError("a proxy is written http://HOST:PORT; it is spoken to in HTTP, also of https addresses.")
        return str(origin_of(address))

    @field_validator("proxy_exceptions")
    @classmethod
    def _exceptions(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            if network_of(text) is None and _SUFFIX.fullmatch(text) is None:
                raise ValueError(f"{text!r} is no host, no .suffix and no network like 10.0.0.0/8.")
        return texts

    @field_validator("proxy_login")
    @classmethod
    def _proxy_login(cls, text: str) -> str:
        if text:
            credential_lines.login(text)
        return text

    @model_validator(mode="after")
    def _with_proxy(self) -> AccessSettings:
        if not self.proxy and (self.proxy_login or self.proxy_exceptions):
            raise ValueError(
                "proxy_login and proxy_exceptions are of no use without proxy: --set proxy=http://HOST:PORT"
            )
        return self

    @property
    def secrets(self) -> frozenset[str]:
        """Names of the secrets that are needed."""
        named = {each.secret for each in map(credential_lines.credential, self.credentials)}
        named |= {each.secret for each in map(credential_lines.header, self.headers)}
        for each in map(credential_lines.certificate, self.client_certificate):
            named |= {each.secret, each.passphrase}
        if self.proxy_login:
            named.add(credential_lines.login(self.proxy_login)[1])
        return frozenset(named - {""})

    @property
    def usual(self) -> bool:
        """Return whether it reaches servers by default: no login, no route and no trust of its own."""
        return not (self.credentials or self.headers or self.client_certificate or self.ca or self.proxy)


def _read(texts: tuple[str, ...], reader: Callable[[str], T]) -> list[T]:
    """Read every entry. Raises ValueError that says which one is wrong."""
    found = []
    for number, text in enumerate(texts, 1):
        try:
            found.append(reader(text))
        except ValueError as error:
            raise ValueError(f"in entry {number}, {error}" if len(texts) > 1 else str(error)) from None
    return found


def _each_read(texts: tuple[str, ...], reader: Callable[[str], object]) -> tuple[str, ...]:
    _read(texts, reader)
    return texts


def read_pem(file: str) -> bytes:
    """A file of certificates or keys. Raises ValueError that names it."""
    try:
        with Path(file).expanduser().open("rb") as opened:
            data = opened.read(MAX_PEM + 1)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}.") from None
    except RuntimeError:  # of expanduser
        raise ValueError(f"{file} cannot be read: there is no such user.") from None
    if b"-----BEGIN " not in data or len(data) > MAX_PEM:
        raise ValueError(f"{file} is no PEM file.")
    return data


def network_of(text: str) -> object | None:
    """The network that a text means, None for a name."""
    try:
        return ip_network(text.strip("[]"), strict=False)
    except ValueError:
        return None
