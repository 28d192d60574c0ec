"""Credentials of a source, the origins that get them, and the route of its requests.

    settings + secrets -> Access --origin--> what it may have --path--> Offer: header lines, route
                             ^                                             |
                             `------ challenged: a 401 with a nonce <------'

Invariants: nothing is offered to an origin (scheme, host and port) and below a path but what is set for it, on
whichever way a request came there; what is offered is named in words, never by its value.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from cormorant.base.clock import random_token
from cormorant.base.errors import BadSetting
from cormorant.base.lru_cache import LruCache
from cormorant.base.secret_masking import hide
from cormorant.model.settings.secret_name import SECRET
from cormorant.model.url import Origin, origin_of, path_of
from cormorant.net.egress.policy import Consent
from cormorant.net.http import digest
from cormorant.net.http.connection_options import DIRECT, Proxy, Route
from cormorant.net.http.digest import Challenge, DigestRequest
from cormorant.net.http.messages import Response
from cormorant.sources.web.settings import credential_lines
from cormorant.sources.web.settings.access import AccessSettings, network_of, read_pem
from cormorant.sources.web.settings.credential_lines import Credential, CredentialScope

MOST_ORIGINS = 4_096


class Offer(NamedTuple):
    """The header lines that a request carries, and the route that it takes.

    `said` names the credential and the proxy in words.
    `identifies`: there is a credential or a client certificate, and not a proxy alone.
    """

    lines: tuple[str, ...] = ()
    route: Route = DIRECT
    said: str = ""
    identifies: bool = False


NOTHING = Offer()


class _Known(NamedTuple):
    """A credential with its value."""

    credential: Credential
    value: str

    def __repr__(self) -> str:
        return f"<{self.credential.said}>"


class _Here(NamedTuple):
    """The access of one origin: credentials, those of the longest path first, header lines and the route."""

    known: tuple[_Known, ...]
    lines: tuple[str, ...]
    route: Route
    said: str
    identifies: bool


class WebAccess:
    """The credentials, header lines and routes that one source offers, made from its settings.

    `reveal` gives the value of a secret by its name.

    Raises what `reveal` raises, and BadSetting for a file that cannot be read any more.
    """

    def __init__(self, settings: AccessSettings, starts: Sequence[str], reveal: Callable[[str], str]) -> None:
        self._own = frozenset(str(origin_of(each)) for each in starts)
        values = {name: reveal(name) for name in settings.secrets}
        known = [_known(each, values[each.secret]) for each in map(credential_lines.credential, settings.credentials)]
        self._known = sorted(known, key=lambda each: -len(each.credential.place.path))
        self._headers = [
            (each.place, _line(each.name, each.value or values[each.secret]))
            for each in map(credential_lines.header, settings.headers)
        ]
        self._certificates = [
            (each.place, _certificate(each, values))
            for each in map(credential_lines.certificate, settings.client_certificate)
        ]
        trusted = [*map(credential_lines.authority, settings.ca)]
        self._authorities = b"\n".join(_pem(each.file) for each in trusted if each.file)
        self._pins = [(each.place, each.pin) for each in trusted if each.pin]
        self._proxy = _proxy(settings, values)
        self._exceptions = settings.proxy_exceptions
        self._here: LruCache[_Here] = LruCache(MOST_ORIGINS, 0)
        self._challenges: dict[tuple[str, Credential], tuple[Challenge, int]] = {}

    def offer(self, origin: Origin, address: str) -> Offer:
        """Return the header lines and the route of a request for a URL."""
        name = str(origin)
        here = self._here.get(name)
        if here is None:
            here = self._of(origin, name)
            self._here.put(name, here)
        if not here.known:
            return Offer(here.lines, here.route, here.said, here.identifies)
        target = path_of(address)
        found = _covering(here.known, target)
        lines = [line for each in found if (line := self._proof(name, each, target))]
        said = ", ".join([*(each.credential.said for each in found), *filter(None, [here.said])])
        return Offer((*here.lines, *lines), here.route, said, here.identifies or bool(found))

    def challenged(self, origin: Origin, address: str, answer: Response, offer: Offer) -> bool:
        """Take a 401 into account. Returns whether the request is to be sent once more, with an answer to it.

        An answer that was not taken is repeated only when the server says that its nonce was too old, or may mean that:
        it took others with it.
        """
        here = self._here.get(str(origin))
        found = _covering(here.known, path_of(address)) if here is not None else []
        asked = next((each.credential for each in found if each.credential.scheme == "digest"), None)
        said = digest.challenge_of(answer.headers.all("www-authenticate")) if asked is not None else None
        if said is None or asked is None:
            return False
        _, used = self._challenges.get((str(origin), asked), (said, 0))
        self._challenges[str(origin), asked] = (said, 0)
        answered = any(line.startswith("Authorization: Digest ") for line in offer.lines)
        return not answered or said.stale or used > 1

    def _of(self, origin: Origin, name: str) -> _Here:
        known = tuple(each for each in self._known if self._is_for(each.credential.place, name))
        lines = tuple(line for place, line in self._headers if self._is_for(place, name))
        certificate = next((pem for place, pem in self._certificates if self._is_for(place, name)), ("", b"", b"", ""))
        pin = next((pin for place, pin in self._pins if self._is_for(place, name)), "")
        tls = origin.scheme == "https"
        proxy = self._proxy if self._proxy is not None and not is_excepted(origin.host, self._exceptions) else None
        route = Route(proxy)
        said = [f"by proxy {proxy}"] if proxy else []
        if tls:
            route = Route(proxy, self._authorities, pin, *certificate[1:])
            said += [f"client certificate {certificate[0]}"] if certificate[1] else []
        identifies = tls and bool(certificate[1])
        return _Here(known, lines, DIRECT if route == DIRECT else route, ", ".join(said), identifies)

    def _is_for(self, place: CredentialScope, name: str) -> bool:
        return place.origin == name if place.origin else name in self._own

    def _proof(self, origin: str, known: _Known, target: str) -> str:
        """The header line that proves it, "" while a server has not said what it wants to have digested."""
        credential, value = known
        match credential.scheme:
            case "basic":
                return f"Authorization: Basic {base64.b64encode(f'{credential.name}:{value}'.encode()).decode()}"
            case "bearer":
                return _line("Authorization", f"Bearer {value}")
            case "header":
                return _line(credential.name, value)
            case _:
                return self._digested(origin, known, target)

    def _digested(self, origin: str, known: _Known, target: str) -> str:
        """The answer to the newest challenge, "" before there is one."""
        credential, value = known
        challenge, count = self._challenges.get((origin, credential), (None, 0))
        if challenge is None:
            return ""
        self._challenges[origin, credential] = (challenge, count + 1)
        asked = DigestRequest(target, count + 1, random_token())
        return f"Authorization: {digest.answer(challenge, credential.name, value, asked)}"


def _known(credential: Credential, value: str) -> _Known:
    if credential.scheme in ("basic", "digest"):
        hide(value, credential.name)
    else:
        _line(credential.name or "Authorization", value)
    return _Known(credential, value)


def _covering(known: Sequence[_Known], target: str) -> list[_Known]:
    """The credentials for a path: of those that go into one header field, the one with the longest prefix."""
    path, found = target.partition("?")[0], {}
    for each in known:
        field = each.credential.name.lower() if each.credential.scheme == "header" else "authorization"
        if field not in found and each.credential.place.covers(path):
            found[field] = each
    return list(found.values())


def _line(name: str, value: str) -> str:
    """A header line. Raises BadSetting, without the value, for one that cannot be sent."""
    if any((ord(each) < 32 and each != "\t") or ord(each) == 127 for each in value):
        raise BadSetting(f"The secret for the header {name} has a line end or control character in it: enter it again.")
    return f"{name}: {value}"


def _pem(file: str) -> bytes:
    try:
        return read_pem(file)
    except ValueError as error:
        raise BadSetting(str(error)) from None


def _certificate(said: credential_lines.Certificate, values: dict[str, str]) -> tuple[str, bytes, bytes, str]:
    """Return the name, certificate, key and passphrase of a client certificate."""
    passphrase = values.get(said.passphrase, "")
    if said.secret:
        return f"{SECRET}{said.secret}", values[said.secret].encode(), b"", passphrase
    return said.file, _pem(said.file), _pem(said.key_file) if said.key_file else b"", passphrase


def _proxy(settings: AccessSettings, values: dict[str, str]) -> Proxy | None:
    if not settings.proxy:
        return None
    at = origin_of(settings.proxy)
    user, secret = credential_lines.login(settings.proxy_login) if settings.proxy_login else ("", "")
    if user:
        hide(values[secret], user)
    return Proxy(at.host, at.port, user, values.get(secret, ""), Consent.of([(at.host, at.port)]))


def is_excepted(host: str, exceptions: Sequence[str]) -> bool:
    """Return whether a host is reached without the proxy.

    A name counts with the names below it; a network for addresses alone.
    """
    bare = host.strip("[]").lower()
    try:
        address = ip_address(bare)
    except ValueError:
        return any(f".{bare}".endswith(f".{each.lower().lstrip('.')}") for each in exceptions if not network_of(each))
    return any(address in ip_network(each.strip("[]"), strict=False) for each in exceptions if network_of(each))
