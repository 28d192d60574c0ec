"""May a web source follow, visit, read, index? Pure rulings, each naming its rule."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Mapping
from typing import NamedTuple

from cormorant.model.address import MAX_ADDRESS, origin_of, path_of
from cormorant.model.content import Content, Extraction
from cormorant.model.resource import Resource
from cormorant.model.rules import ADMITTED, Gate, Prerequisite, Ruling
from cormorant.sources.rules import Boundary, compile_rules
from cormorant.sources.web.recent import Recent
from cormorant.sources.web.rewriting import AddressRules
from cormorant.sources.web.robots import Robots, parse_robots
from cormorant.sources.web.settings import WebSettings

MAX_SEGMENTS = 25
MAX_REPEATS = 3
"""A path with more segments, or one segment more often, is a relative link gone astray (fault W3)."""

HEADER = "X-Robots-Tag"
MAX_HOST = len("http://") + 253
"""Where the path of an address may begin without a look at its host: no name is longer (RFC 1035 section 2.3.4)."""
MOST_ROBOTS, MOST_ROBOTS_BYTES = 4_096, 16 << 20
"""Robots.txt files, and bytes of them, whose rules are kept: more than a retriever has sites at a time, so that a visit
seldom has to read one again."""


class _Read(NamedTuple):
    """A robots.txt and the bytes it was read from, so that newer bytes are noticed."""

    body: bytes
    robots: Robots


class WebGates:
    """The rulings of one version of a source's settings."""

    def __init__(self, settings: WebSettings, starts: list[str], rules: AddressRules | None = None) -> None:
        self._settings, self._rules = settings, rules or settings.address_rules()
        self._discarding = self._rules.may_discard
        hosts = dict.fromkeys(str(origin_of(start)).partition("//")[2] for start in starts)
        self._boundary: Boundary = compile_rules(settings.include, settings.exclude, tuple(hosts))
        self._index: Boundary | None = None
        if settings.index_include or settings.index_exclude:
            self._index = compile_rules(settings.index_include, settings.index_exclude, None, Gate.INDEX)
        self._depth = None if settings.depth == "unlimited" else settings.depth
        self._robots: Recent[_Read] = Recent(MOST_ROBOTS, MOST_ROBOTS_BYTES)

    def follow(self, address: str, depth: int) -> Ruling:
        """Scheme, length, shape, depth, boundary, in this order."""
        if not address.startswith(("http://", "https://")):
            return _no(Gate.SCHEME, "only http and https are visited", 964)
        ruling = _shape(address)
        if ruling is not None:
            return ruling
        if self._depth is not None and depth > self._depth:
            return _no(Gate.DEPTH, f"depth {self._depth}", 972)
        if not self._settings.dynamic_pages and "?" in address:
            return _no(Gate.ADDRESS, "dynamic_pages false", 964)
        if self._discarding and (rule := self._rules.discards(address)):
            return _no(Gate.ADDRESS, rule, 955)
        return self._boundary.ruling(address)

    def visit(self, resource: Resource, facts: Mapping[str, bytes]) -> Ruling | Prerequisite:
        """Boundary and depth as of now, then robots.txt, which must have been asked for."""
        ruling = self.follow(resource.address, resource.depth)
        if not ruling.admitted or self._settings.robots == "ignore":
            return ruling
        origin = str(origin_of(resource.address))
        body = facts.get(f"robots:{origin}")
        if body is None:
            return Prerequisite(f"{origin}/robots.txt", f"robots:{origin}")
        return self.robots_ruling(origin, body, resource.address)

    def robots_ruling(self, origin: str, body: bytes, address: str) -> Ruling:
        """What the robots.txt of the address's origin says of it."""
        allowed, line = self.robots_of(origin, body).ruling(path_of(address))
        if allowed:
            return ADMITTED
        return _no(Gate.ROBOTS, f"{origin}/robots.txt {line}", 970)

    def robots_of(self, origin: str, body: bytes) -> Robots:
        """The rules of an origin, parsed once for the same bytes."""
        known = self._robots.get(origin)
        if known is None or known.body is not body:
            known = _Read(body, parse_robots(body, self._settings.robots_agent))
            self._robots.put(origin, known, len(body))
        return known.robots

    def newest(self, origin: str) -> bytes | None:
        """The robots.txt an origin was last judged by, None when that is not known (any more)."""
        known = self._robots.get(origin)
        return None if known is None else known.body

    def read(self, content: Content) -> Ruling:
        """May this be read? HTML always may: its links are wanted, whether or not it is of a type to be found."""
        return ADMITTED if content.mime in ("text/html", "application/xhtml+xml") else self._of_type(content)

    def _of_type(self, content: Content) -> Ruling:
        """Is it of one of the types that are asked for?"""
        types = self._settings.types
        if not types or any(fnmatch.fnmatchcase(content.mime, each.lower()) for each in types):
            return ADMITTED
        return _no(Gate.TYPE, f"types {', '.join(types)}; it is {content.mime}", 962)

    def index(self, content: Content, extraction: Extraction) -> Ruling:
        """Noindex in the header or the document, the types, then the index rules."""
        for place, directives in ((HEADER, content.directives), ("meta robots", extraction.directives)):
            if (ruling := forbidden(place, directives)) is not None:
                return ruling
        if self._index is not None:
            ruling = self._index.ruling(content.address)
            if not ruling.admitted:
                return ruling
        return self._of_type(content)


def forbidden(place: str, directives: Collection[str]) -> Ruling | None:
    """The ruling of directives that forbid to index a page; `place` is where they stand.

    A 304 may leave any header out, so it would confirm for ever what a header says no more.
    """
    found = {"noindex", "none"}.intersection(directives)
    return Ruling(False, Gate.ROBOTS_META, f"{place}: {min(found)}", 971, place != HEADER) if found else None


def _shape(address: str) -> Ruling | None:
    """Exclude addresses that only a trap makes."""
    if len(address) > MAX_ADDRESS:
        return _no(Gate.ADDRESS, f"more than {MAX_ADDRESS} characters", 979)
    if address.find("/", 8) > MAX_HOST and len(origin_of(address).host.removesuffix(".")) > MAX_HOST - len("http://"):
        return _no(Gate.ADDRESS, "a host name of more than 253 characters", 979)
    if address.count("/") <= MAX_REPEATS + 2:
        return None
    segments = address.partition("?")[0].split("/")[3:]
    if len(segments) > MAX_SEGMENTS:
        return _no(Gate.ADDRESS, f"more than {MAX_SEGMENTS} path segments", 979)
    if len(segments) - len(set(segments)) >= MAX_REPEATS:
        worst = max(set(segments), key=segments.count)
        if segments.count(worst) > MAX_REPEATS:
            return _no(Gate.ADDRESS, f"path segment {worst!r} more than {MAX_REPEATS} times", 979)
    return None


def _no(gate: Gate, rule: str, status: int) -> Ruling:
    return Ruling(admitted=False, gate=gate, rule=rule, status=status)
