"""Gates of a web source: whether it may follow, visit, read or index a URL. Pure rulings, each naming its rule."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from cormorant.base.lru_cache import LruCache
from cormorant.model.content import Content, Extraction
from cormorant.model.outcome import Excluded, Outcome, Unchanged
from cormorant.model.resource import Resource, Role
from cormorant.model.ruling import ADMITTED, Gate, Prerequisite, Ruling
from cormorant.model.status import Status
from cormorant.model.url import MAX_ADDRESS, origin_of, path_of, unescaped
from cormorant.net.http.headers import http_date, moment
from cormorant.sources.rules import Boundary, Facts, IndexRules, compile_rules, met
from cormorant.sources.web.robots import Robots, parse_robots
from cormorant.sources.web.settings.sitemaps import MAX_DEPTH, OFF
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.urls.rewrite import AddressRules

MAX_SEGMENTS = 25
MAX_REPEATS = 3
"""A path with more segments, or one segment more often, is a relative link gone astray (fault W3)."""

HEADER = "X-Robots-Tag"
UNAVAILABLE_AFTER = "unavailable_after"
MAX_HOST = len("http://") + 253
"""Where the path of an address may begin without a look at its host: no name is longer (RFC 1035 section 2.3.4)."""
MOST_ROBOTS, MOST_ROBOTS_BYTES = 4_096, 16 << 20
"""Robots.txt files, and bytes of them, whose rules are kept: more than a retriever has sites at a time, so that a visit
seldom has to read one again."""


NOT_WEB = Ruling(False, Gate.SCHEME, "only http and https are visited", Status.OUTSIDE_BOUNDARY)
DYNAMIC = Ruling(False, Gate.ADDRESS, "dynamic_pages false", Status.OUTSIDE_BOUNDARY)
ROBOTS_TXT = Ruling(False, Gate.ADDRESS, "robots.txt, which speaks to crawlers and is read by itself", 962)


class _Read(NamedTuple):
    """A robots.txt and the bytes it was read from, so that newer bytes are noticed."""

    body: bytes
    robots: Robots


class WebGates:
    """The rulings of one version of a source's settings."""

    def __init__(
        self, settings: WebSettings, starts: list[str], now: Callable[[], float], rules: AddressRules | None = None
    ) -> None:
        self._settings, self._now = settings, now
        self._rules = rules or settings.address_rules()
        self._discarding = self._rules.may_discard
        hosts = dict.fromkeys(map(_host, starts or settings.named_sitemaps))
        self._homes = {*hosts, *map(_host, settings.named_sitemaps)}
        self._boundary: Boundary = compile_rules(settings.include, settings.exclude, tuple(hosts))
        self._index: IndexRules | None = None
        if settings.index_include or settings.index_exclude:
            self._index = IndexRules(settings.index_include, settings.index_exclude)
        self._depth = None if settings.depth == "unlimited" else settings.depth
        self._too_deep = _no(Gate.DEPTH, f"depth {self._depth}", 972)
        self._actions = settings.leaves_actions
        self._robots: LruCache[_Read] = LruCache(MOST_ROBOTS, MOST_ROBOTS_BYTES)

    def follow(self, address: str, depth: int) -> Ruling:
        """Scheme, length, shape, depth, query, action, boundary, in this order."""
        if not address.startswith(("http://", "https://")):
            return NOT_WEB
        ruling = self._shape(address)
        if ruling is not None:
            return ruling
        if self._depth is not None and depth > self._depth:
            return self._too_deep
        if not self._settings.dynamic_pages and "?" in address:
            return DYNAMIC
        if self._actions and depth and (word := action_in(address)):
            return _action(word)
        if self._discarding and (rule := self._rules.discards(address)):
            return _no(Gate.ADDRESS, rule, 955)
        return self._boundary.ruling(address)

    def _shape(self, address: str) -> Ruling | None:
        """Exclude addresses that only a trap makes, and what is asked for as a robots.txt and not as a document."""
        if address.endswith("/robots.txt") and address.count("/") == 3 and self._settings.robots == "obey":
            return ROBOTS_TXT
        return _shape(address)

    def consult(self, address: str, depth: int) -> Ruling:
        """Scheme, shape, steps from sitemap to sitemap, boundary.

        A sitemap of a host that the settings name need not be included, since rules speak of pages; exclusion wins.
        """
        if self._settings.sitemaps == (OFF,):
            return _no(Gate.ADDRESS, "sitemaps off", 964)
        if not address.startswith(("http://", "https://")):
            return _no(Gate.SCHEME, "only http and https are visited", 964)
        if depth > MAX_DEPTH:
            return _no(Gate.DEPTH, f"sitemaps behind more than {MAX_DEPTH} others", 979)
        ruling = self._shape(address) or self._boundary.ruling(address)
        at_home = not ruling.admitted and ruling.status == 964 and _host(address) in self._homes
        return ADMITTED if at_home and not ruling.by_exclusion else ruling

    def rulings(self, address: str, depth: int) -> list[Ruling]:
        """Return the ruling of each gate that `follow` passes; the first that does not admit decides."""
        if not address.startswith(("http://", "https://")):
            return [NOT_WEB]
        dynamic = not self._settings.dynamic_pages and "?" in address
        word = action_in(address) if self._actions and depth else ""
        said = [
            Ruling(True, Gate.SCHEME, "http and https are visited"),
            self._shape(address) or Ruling(True, Gate.ADDRESS, "length and shape"),
            Ruling(True, Gate.DEPTH, f"depth {self._settings.depth}"),
        ]
        if self._depth is not None and depth > self._depth:
            said[-1] = self._too_deep
        if "?" in address:
            said.append(DYNAMIC if dynamic else Ruling(True, Gate.ADDRESS, "dynamic_pages true"))
        if self._actions:
            said.append(_action(word) if word else Ruling(True, Gate.ADDRESS, "exclude_actions"))
        if self._discarding and (rule := self._rules.discards(address)):
            said.append(_no(Gate.ADDRESS, rule, 955))
        return [*said, self._boundary.ruling(address)]

    def visit(self, resource: Resource, facts: Mapping[str, bytes]) -> Ruling | Prerequisite:
        """Boundary and depth as of now, then robots.txt, which must have been asked for."""
        judge = self.consult if resource.role is Role.SITEMAP else self.follow
        ruling = judge(resource.address, resource.depth)
        if not ruling.admitted or self._settings.robots == "ignore":
            return ruling
        origin = str(origin_of(resource.address))
        body = facts.get(f"robots:{origin}")
        if body is None:
            return Prerequisite(f"{origin}/robots.txt", f"robots:{origin}")
        return self.robots_ruling(origin, body, resource.address)

    def robots_ruling(self, origin: str, body: bytes, address: str) -> Ruling:
        """Return the ruling of the robots.txt of the URL's origin."""
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
        """Return the ruling on whether the content may be read.

        HTML always may: its links are wanted, whether or not it is of a type to be found.
        """
        return ADMITTED if content.mime in ("text/html", "application/xhtml+xml") else self._of_type(content.mime)

    def _of_type(self, mime: str) -> Ruling:
        """Return the ruling on whether a MIME type is one of those that are wanted."""
        types = self._settings.types
        if not types or any(fnmatch.fnmatchcase(mime, each.lower()) for each in types):
            return ADMITTED
        return _no(Gate.TYPE, f"types {', '.join(types)}; it is {mime}", 962)

    def index(self, content: Content, extraction: Extraction) -> Ruling:
        """Noindex in the header or the document, the types, then the index rules."""
        for place, directives in ((HEADER, content.directives), ("meta robots", extraction.directives)):
            if (ruling := forbidden(place, directives, content.at)) is not None:
                return ruling
        if self._index is not None:
            facts = Facts(content.mime, len(content.body), content.modified_at)
            ruling = self._index.ruling(content.address, facts, self._now())
            if not ruling.admitted:
                return ruling
        ruling = self._of_type(content.mime)
        dated = ruling.admitted and any(map(_is_dated, (*content.directives, *extraction.directives)))
        return ruling._replace(lasting=False) if dated else ruling

    def find(self, address: str, facts: Facts | None) -> Ruling | None:
        """Return the ruling of index rules and types on a document read before; None when facts decide.

        `facts` are None when nothing is known of it but its address.
        """
        ruling = ADMITTED if self._index is None else self._index.of_address(address)
        if not ruling.admitted:
            return ruling
        if facts is None:
            return None if self._settings.types or (self._index and self._index.asks_facts) else ruling
        if self._index is not None and (refusal := self._index.of_facts(facts, self._now())) is not None:
            return refusal
        return self._of_type(facts.mime)

    def met(self, rules: Collection[str], addresses: Sequence[str]) -> set[str]:
        """Return those rules, written like `exclude path:/old/*`, that match any of the URLs."""
        return met(rules, addresses)

    @property
    def asks_age(self) -> bool:
        """Return whether any index rule depends on the age of a document."""
        return self._index is not None and self._index.asks_age

    def of_age(self, modified_at: float | None) -> Ruling | None:
        """Return the refusal of a document because of its age now, None when its age is well."""
        return self._index.of_age(modified_at, self._now()) if self._index is not None else None


def _host(address: str) -> str:
    """Its host, with the port where that is unusual."""
    return str(origin_of(address)).partition("//")[2]


def forbidden(place: str, directives: Collection[str], at: float = 0.0) -> Ruling | None:
    """The ruling of directives that forbid to index a page; `place` is where they stand, `at` when it came.

    A 304 may leave any header out, so it would confirm for ever what a header says no more.
    """
    found = {"noindex", "none"}.intersection(directives) or {each for each in directives if _has_run_out(each, at)}
    return Ruling(False, Gate.ROBOTS_META, f"{place}: {min(found)}", 971, place != HEADER) if found else None


def _is_dated(directive: str) -> bool:
    return directive.partition(":")[0].strip() == UNAVAILABLE_AFTER


def _has_run_out(directive: str, at: float) -> bool:
    """Return whether a directive limits the time that a page is available, and that time is over.

    A date that cannot be read ends nothing.
    """
    if not at or not _is_dated(directive):
        return False
    until = moment(directive.partition(":")[2])
    return until is not None and until <= at


def _shape(address: str) -> Ruling | None:
    """Exclude addresses that only a trap makes."""
    if len(address) > MAX_ADDRESS:
        return _no(Gate.ADDRESS, f"more than {MAX_ADDRESS} characters", 414)
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


def _action(word: str) -> Ruling:
    return _no(Gate.ADDRESS, f"exclude_actions: {word}", 964)


def _no(gate: Gate, rule: str, status: int) -> Ruling:
    return Ruling(admitted=False, gate=gate, rule=rule, status=status)


def comes_in(gates: WebGates, resource: Resource) -> bool:
    """Return whether the index rules left out a resource that is now of an age at which it may be found.

    Then it is read in full.
    """
    if not gates.asks_age or resource.indexed or resource.status != Status.INDEX_RULES:
        return False
    return gates.of_age(http_date(resource.modified or resource.validator.partition("\n")[2])) is None


def judged(gates: WebGates, resource: Resource, said: Content | Outcome) -> Content | Outcome:
    """Return the result of a visit; an exclusion if the document is the same and now too old or too young."""
    if not resource.indexed:
        return said
    if isinstance(said, Unchanged):
        ruling = gates.of_age(http_date(resource.modified))
    elif isinstance(said, Content) and hashlib.sha256(said.body).digest() == resource.content_hash:
        ruling = gates.of_age(said.modified_at)
    else:
        return said
    return said if ruling is None else Excluded(ruling, ruling.status)


_SESSION = r"(?i:log[-_]?(?:out|off)|sign[-_]?(?:out|off)|abmelden|deconnexion)"
_LOSS = r"(?i:delete|remove|destroy|erase|purge|trash|revoke|unsubscribe|loeschen)"
_END = r"(?=[/?&=;]|$|\.\w{1,5}(?:[/?&;]|$))"
_ACTION = re.compile(
    rf"(?:[/?&=;:_.-]|(?<=[a-z])(?=[LS]))(?P<session>{_SESSION}){_END}"
    rf"|[/?&=;](?P<loss>{_LOSS})(?:{_END}|(?=[A-Z]))"
    rf"|[?&=;](?P<begun>{_LOSS})[-_]"
)


def action_in(address: str) -> str:
    """Return the word by which an address looks like an action, "" for one that does not."""
    found = _ACTION.search(address)
    if found is None and "%" in address:
        found = _ACTION.search(unescaped(address))
    return found[found.lastgroup or 0].lower() if found else ""
