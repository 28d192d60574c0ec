"""Cookie jar: the cookies that a request carries.

RFC 6265, with the public suffix list; one jar a source, never shared.

    Set-Cookie -> take -> jar -> header -> Cookie
                           |  ^
                  dump: a fact of the site  load: by whoever leases the site next

Stricter than the RFC where that costs a site nothing: a cookie that came over TLS goes back over TLS alone, and one
that is for its host alone stays with that host's port, where the port is an unusual one.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from ipaddress import ip_address
from typing import NamedTuple

import msgspec
from publicsuffixlist import PublicSuffixList

from cormorant.model.url import Origin
from cormorant.sources.web.auth.set_cookie import SetCookie, default_path, parse

MOST_OF_A_DOMAIN = 50
MOST = 3_000
"""Cookies of a source, as in RFC 6265 section 6.1."""
LONGEST_S = 400 * 86_400.0
"""How long a cookie is kept at most, whatever the server says."""
SESSION_S = 7 * 86_400.0
"""How long a cookie without a date is kept for the rest of its run."""


class Cookie(NamedTuple):
    """A kept cookie. `domain` is a host with its port where it is for that `host_only`, else a domain.

    `expires` in epoch seconds; `session`: it ends with the run. `home` is the site that was visited when it was set.
    """

    name: str
    value: str
    domain: str
    path: str
    host_only: bool
    secure: bool
    expires: float
    session: bool
    home: str
    made: int


class _Kept(msgspec.Struct):
    """The stored cookies, and the run whose session they belong to."""

    run: int
    cookies: list[Cookie]


class Jar:
    """The cookies of one source in one process. `run` is the run whose session it is."""

    def __init__(self, run: int, *, lasting: bool) -> None:
        self._run, self._lasting = run, lasting
        self._domains: dict[str, dict[tuple[str, str], Cookie]] = {}
        self._made = itertools.count()

    def __len__(self) -> int:
        return sum(map(len, self._domains.values()))

    @property
    def used(self) -> bool:
        """Return whether the jar keeps any cookie."""
        return bool(self._domains)

    def header(self, origin: Origin, path: str, now: float) -> str:
        """The Cookie field for a request, "" for none (RFC 6265 section 5.4)."""
        path, tls, site = path.partition("?")[0], origin.scheme == "https", origin.site
        domains = [each for each in dict.fromkeys((site, *_domains_of(origin.host))) if each in self._domains]
        found = [
            each
            for domain in domains
            for each in self._used_last(domain).values()
            if each.expires > now and (tls or not each.secure) and (domain == site or not each.host_only)
            and _path_matches(path, each.path)
        ]  # fmt: skip
        found.sort(key=lambda each: (-len(each.path), each.made))
        return "; ".join(f"{each.name}={each.value}" for each in found)

    def _used_last(self, domain: str) -> dict[tuple[str, str], Cookie]:
        """The cookies of a domain, which is now the last to be dropped."""
        kept = self._domains[domain] = self._domains.pop(domain, {})
        return kept

    def take(self, origin: Origin, path: str, values: Sequence[str], now: float, home: str) -> bool:
        """Keep what an answer sets (RFC 6265 section 5.3). Returns whether anything is different now."""
        changed = False
        for value in values:
            said = parse(value, now)
            cookie = None if said is None else self._cookie(said, origin, path, now, home)
            changed |= cookie is not None and self._put(cookie, now, tls=origin.scheme == "https")
        return changed

    def _cookie(self, said: SetCookie, origin: Origin, path: str, now: float, home: str) -> Cookie | None:
        """The cookie that was meant, None for one that this origin may not set."""
        host, tls = origin.host.lower(), origin.scheme == "https"
        domain = _domain(said.domain, host)
        own = said.name.startswith("__Host-")
        guarded = own or said.name.startswith("__Secure-")
        if domain is None or ((said.secure or guarded) and not tls) or (guarded and not said.secure):
            return None
        if own and (domain or said.path != "/"):
            return None
        ends = now + SESSION_S if said.expires is None else min(said.expires, now + LONGEST_S)
        session = said.expires is None or not self._lasting
        return Cookie(
            said.name, said.value, domain or origin.site, said.path or default_path(path), not domain,
            tls, ends, session, home, next(self._made),
        )  # fmt: skip

    def _put(self, cookie: Cookie, now: float, *, tls: bool) -> bool:
        """Keep a cookie in place of the one of its name. A cookie that came over TLS is not replaced without."""
        key = (cookie.name, cookie.path)
        old = self._domains.get(cookie.domain, {}).get(key)
        if old is not None and old.secure and not tls:
            return False
        if cookie.expires <= now:
            if old is not None:
                self._drop([key], cookie.domain)
            return old is not None
        if old is not None:
            cookie = cookie._replace(made=old.made)
        self._used_last(cookie.domain)[key] = cookie
        self._make_room(cookie.domain, now)
        return old is None or old[:5] != cookie[:5] or old.expires < cookie.expires - SESSION_S / 7

    def _drop(self, keys: Sequence[tuple[str, str]], domain: str) -> None:
        """Forget cookies of a domain, and the domain with its last one."""
        kept = self._domains[domain]
        for key in keys:
            del kept[key]
        if not kept:
            del self._domains[domain]

    def _make_room(self, domain: str, now: float) -> None:
        """Drop what has expired, then what is oldest, of a domain that has too many.

        Then, of them all, the domains that were not used for longest: one is logged in at the first.
        """
        kept = self._domains[domain]
        if len(kept) > MOST_OF_A_DOMAIN:
            self._drop([key for key, each in kept.items() if each.expires <= now] or [next(iter(kept))], domain)
        while len(self._domains) > MOST // MOST_OF_A_DOMAIN and len(self) > MOST:
            del self._domains[next(iter(self._domains))]

    def dump(self, home: str, now: float) -> tuple[bytes, float]:
        """Return the cookies set in visits of a site, and the seconds for which any of them is valid."""
        found = [
            each
            for kept in self._domains.values()
            for each in kept.values()
            if each.home == home and each.expires > now
        ]
        last = max((each.expires for each in found), default=now + 1)
        return msgspec.json.encode(_Kept(self._run, found)), last - now

    def load(self, data: bytes, home: str, now: float) -> None:
        """Have what another process kept of a site, in place of what is known of it."""
        try:
            said = msgspec.json.decode(data, type=_Kept)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        for domain, kept in list(self._domains.items()):
            self._drop([key for key, each in kept.items() if each.home == home], domain)
        for each in said.cookies:
            if each.expires > now and (not each.session or said.run == self._run) and each.home == home:
                cookie = each._replace(made=next(self._made))
                self._domains.setdefault(cookie.domain, {})[cookie.name, cookie.path] = cookie


def _domain(asked: str, host: str) -> str | None:
    """The domain a cookie is for: "" for the host alone, None where the host may not set one for it."""
    if not asked:
        return ""
    if asked != host and not (host.endswith(f".{asked}") and not _is_ip(host)):
        return None
    if _is_ip(host) or is_public_suffix(asked):
        return "" if asked == host else None
    return asked


def is_public_suffix(domain: str) -> bool:
    """Return whether anyone may register names below this domain. Then no cookie is for all of them."""
    return bool(_suffixes().is_public(domain))


@cache
def _suffixes() -> PublicSuffixList:
    """The list as it came with the package, read when the first domain is asked of: 70 ms."""
    return PublicSuffixList()


def _is_ip(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _domains_of(host: str) -> list[str]:
    """The host and the domains above it."""
    parts = host.lower().split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


def _path_matches(path: str, of_cookie: str) -> bool:
    """RFC 6265 section 5.1.4."""
    if not path.startswith(of_cookie):
        return False
    return len(path) == len(of_cookie) or of_cookie.endswith("/") or path[len(of_cookie)] == "/"
