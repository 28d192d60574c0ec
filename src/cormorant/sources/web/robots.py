"""Rules of robots.txt: what may be fetched from an origin.

RFC 9309 to the letter; pure, nothing here fetches.

    verdict_of_fetch(status)  -> parse the body, or allow all, or allow nothing   (section 2.3.1)
    parse_robots(body, token) -> Robots                                           (sections 2.1, 2.2, 2.3.1.5)
    Robots.ruling(path)       -> allowed or not, and the line that decided        (sections 2.2.2, 2.2.3)

Where the RFC is silent we are generous: misspelt names and missing colons are understood, a rule without its leading
slash gets one, and Crawl-delay, which the RFC leaves to us (2.2.4), belongs to the agents named right before it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from cormorant.sources.rules import in_order

MAX_BODY = 512 * 1024
"""Bytes that are read; RFC 9309 section 2.5 asks for at least 500 KiB. The rest is dropped at the end of a line."""

VALID_S = 86_400.0
"""Seconds a robots.txt is relied on; RFC 9309 section 2.4 says not longer than a day."""

MAX_RULE_TEXT = 200
"""Characters of a rule that are shown."""

FEW = 32
"""Rules with a wildcard that are tried one by one; more are looked up first."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body|\?xml)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\s/,;()<>\"]+")
_NO_PRODUCT = re.compile(r"[^a-z_-]")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}")
_NO_COLON = re.compile(r"\s*(user[ -]?agent|disallow|allow|crawl-delay|sitemap)\s+(\S.*)", re.IGNORECASE)
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}|[^A-Za-z0-9\-._~:/?#\[\]@!&'()+,;=%]")
_PLAIN = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!&'()+,;=]*").fullmatch
_IN_QUERY = re.compile(r"[:/@\[\]!'(),;]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

_AGENT, _ALLOW, _DISALLOW, _DELAY, _SITEMAP = range(5)
_NAMES = (
    dict.fromkeys(("user-agent", "useragent", "user agent", "useg-agent"), _AGENT)
    | {"allow": _ALLOW, "crawl-delay": _DELAY, "crawldelay": _DELAY}
    | dict.fromkeys(("sitemap", "sitemaps", "site-map"), _SITEMAP)
    | dict.fromkeys(
        ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "desallow", "dis-allow"), _DISALLOW
    )
)


class RobotsAnswer(Enum):
    """The meaning of the response to a request for robots.txt."""

    PARSE = "parse"
    ALLOW_ALL = "allow all"
    DISALLOW_ALL = "disallow all"


class FetchVerdict(NamedTuple):
    """The treatment of an origin after the request for its robots.txt, and a sentence with the reason.

    `valid_s` is how long that stands; None for DISALLOW_ALL: until it is asked for again by the retry rule.
    """

    reading: RobotsAnswer
    because: str
    valid_s: float | None


class RobotsRuling(NamedTuple):
    """The ruling on whether a path may be fetched, and the line of the file that decided, with its number."""

    allowed: bool
    rule: str


class _Rule(NamedTuple):
    """A rule of the group in force.

    `order` is its precedence, the smallest first (section 2.2.2): most octets once encoded, then allow, then the line.
    `pieces` are the literal parts between its wildcards.
    """

    order: tuple[int, bool, int]
    pieces: tuple[str, ...]
    anchored: bool
    text: str


def verdict_of_fetch(status: int | None) -> FetchVerdict:
    """Say what the final answer to robots.txt means (section 2.3.1). `status` is None when there was no answer.

    The caller has followed redirects, at most five (2.3.1.2), and passes the last status: another redirect then counts
    as unavailable. A 304 belongs to the caller too, who has the copy it confirms. An origin that cannot be reached is
    closed for as long as that lasts: after thirty days the RFC allows to go on, but does not ask for it (2.3.1.4).
    """
    if status is not None and 200 <= status < 300:
        return FetchVerdict(RobotsAnswer.PARSE, f"robots.txt answered {status}", VALID_S)
    if status is not None and 400 <= status < 500 and status != 429:
        return FetchVerdict(RobotsAnswer.ALLOW_ALL, f"robots.txt answered {status}: there are no rules", VALID_S)
    if status is not None and 300 <= status < 400 and status != 304:
        return FetchVerdict(RobotsAnswer.ALLOW_ALL, "robots.txt redirects more than five times: no rules", VALID_S)
    answered = "did not answer" if status is None else f"answered {status}"
    return FetchVerdict(RobotsAnswer.DISALLOW_ALL, f"robots.txt {answered}: nothing may be fetched until it does", None)


def parse_robots(body: bytes, agent: str) -> Robots:
    """Read a robots.txt for the product token `agent`. Never raises: what cannot be read as a rule is passed over.

    Groups that name the token, in any case, are merged; without one the groups for `*` are (section 2.2.1). A page of
    HTML has no rules.
    """
    if len(body) > MAX_BODY:
        end = max(body.rfind(b"\n", 0, MAX_BODY), body.rfind(b"\r", 0, MAX_BODY))
        body = body[: end if end > 0 else MAX_BODY]
    text = "" if _HTML.match(body, 0, 1024) else _octets(body)
    reader = _Reader(_word(_octets(agent.encode())))
    for number, line in enumerate(_LINE_END.split(text), 1):
        reader.read(number, line)
    return reader.robots()


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one origin for one product token.

    `group` is the token of the group in force: ours, `*`, or "" when none is meant for us. `crawl_delay` is in seconds
    as written (the largest when there are several), None without one; how much of it is obeyed is the caller's affair.
    `sitemaps` are as written, each once, perhaps relative.
    """

    group: str
    crawl_delay: float | None
    sitemaps: tuple[str, ...]
    paths: _Matcher
    queries: _Matcher

    def ruling(self, path_with_query: str) -> RobotsRuling:
        """Judge a path with its query, as in a canonical address. The most octets win, allow wins a tie (2.2.2)."""
        path = path_with_query if path_with_query.startswith("/") else "/" + path_with_query
        if path == "/robots.txt":
            return _ROBOTS_ITSELF
        path = encode(path)
        best = self.paths.best(path, None)
        if self.queries and "?" in path:
            best = self.queries.best(encode_query(path), best)
        if best is None:
            return _NO_RULE
        _, disallow, line = best.order
        return RobotsRuling(not disallow, f"line {line}: {best.text}")


_ROBOTS_ITSELF = RobotsRuling(allowed=True, rule="/robots.txt is always allowed")
_NO_RULE = RobotsRuling(allowed=True, rule="no rule for this path")


class _Matcher:
    """Rules arranged so that judging a path costs about the same for one rule and for ten thousand.

    Rules without `*` are looked up by the lengths that occur. Those with one are compared piece after piece, in one
    pass over the path; when they are many, only those of which three characters occur in the path.
    """

    __slots__ = ("_exact", "_grams", "_lengths", "_prefixes", "_wild")

    def __init__(self, rules: Iterable[_Rule]) -> None:
        ordered = sorted(rules)
        wild = [rule for rule in ordered if len(rule.pieces) > 1]
        self._prefixes: dict[str, _Rule] = {}
        self._exact: dict[str, _Rule] = {}
        self._grams: dict[str, list[_Rule]] = {}
        self._wild: list[_Rule] = []
        for rule in ordered:
            if len(rule.pieces) == 1:
                (self._exact if rule.anchored else self._prefixes).setdefault(rule.pieces[0], rule)
        for rule in wild:
            literal = max(rule.pieces, key=len)
            few = len(literal) < 3 or len(wild) <= FEW
            (self._wild if few else self._grams.setdefault(literal[-3:], [])).append(rule)
        self._lengths = sorted({len(prefix) for prefix in self._prefixes}, reverse=True)

    def __bool__(self) -> bool:
        return bool(self._prefixes or self._exact or self._grams or self._wild)

    def best(self, path: str, so_far: _Rule | None) -> _Rule | None:
        """Return the most specific rule that matches, if it goes before `so_far`."""
        prefixes, size = self._prefixes, len(path)
        for length in self._lengths:
            if length <= size and path[:length] in prefixes:
                so_far = _first(prefixes[path[:length]], so_far)
                break
        exact = self._exact.get(path)
        if exact is not None:
            so_far = _first(exact, so_far)
        if self._wild:
            so_far = _search(self._wild, path, so_far)
        if self._grams:
            grams = {path[at : at + 3] for at in range(size - 2)}
            for gram in self._grams.keys() & grams:
                so_far = _search(self._grams[gram], path, so_far)
        return so_far


def _first(rule: _Rule, other: _Rule | None) -> _Rule:
    """Return the one that goes before the other."""
    return rule if other is None or rule.order < other.order else other


def _search(rules: list[_Rule], path: str, so_far: _Rule | None) -> _Rule | None:
    """Return the first of `rules`, which stand in order of precedence, that matches and goes before `so_far`."""
    for rule in rules:
        if so_far is not None and rule.order > so_far.order:
            return so_far
        if in_order(path, rule.pieces, rule.anchored):
            return rule
    return so_far


class _Reader:
    """Reads line by line. Other records never end a group (section 2.2.4), so who is meant is kept twice.

    `rules_for` are the agents an allow or disallow line is for: it is emptied at the first user-agent line after one
    of those. `delay_for` are the agents a Crawl-delay is for: it is emptied after a Crawl-delay as well.
    """

    def __init__(self, token: str) -> None:
        self._ours = token
        self._rules_for: set[str] = set()
        self._delay_for: set[str] = set()
        self._rules_ended = self._delay_ended = False
        self._groups: set[str] = set()
        self._rules: dict[str, dict[tuple[bool, str], tuple[int, str]]] = {token: {}, "*": {}}
        self._delays: dict[str, list[float]] = {token: [], "*": []}
        self._sitemaps: dict[str, None] = {}

    def read(self, number: int, line: str) -> None:
        """Take in one line."""
        line = line.partition("#")[0]
        name, colon, value = line.partition(":")
        what = _NAMES.get(name.strip(" \t\0").lower())
        if what is None:
            loose = None if colon and "\t" not in name and " " not in name else _NO_COLON.match(line)
            if loose is None:
                return
            what, value = _NAMES[loose[1].lower()], loose[2]
        value = value.strip(" \t\0")
        if what == _AGENT:
            self._agent(_word(value))
        elif what == _SITEMAP:
            self._sitemaps.setdefault(_as_text(value))
        elif what == _DELAY:
            self._delay(value)
        elif value:
            self._rule((what == _ALLOW, value), (number, line))
        else:
            self._rules_ended = self._delay_ended = True

    def _agent(self, word: str) -> None:
        token = word if word in self._rules else _product(word)
        if self._rules_ended:
            self._rules_for, self._rules_ended = set(), False
        if self._delay_ended:
            self._delay_for, self._delay_ended = set(), False
        if token and token in self._rules:
            self._groups.add(token)
            self._rules_for.add(token)
            self._delay_for.add(token)

    def _delay(self, value: str) -> None:
        self._delay_ended = True
        number = _NUMBER.match(value)
        if number:
            for token in self._delay_for:
                self._delays[token].append(float(number[0]))

    def _rule(self, rule: tuple[bool, str], place: tuple[int, str]) -> None:
        self._rules_ended = self._delay_ended = True
        for token in self._rules_for:
            self._rules[token].setdefault(rule, place)

    def robots(self) -> Robots:
        """Return what was read."""
        group = self._ours if self._ours in self._groups else "*" if "*" in self._groups else ""
        rules = [_rule_of(*rule, *place) for rule, place in self._rules.get(group, {}).items()]
        queries = [
            rule._replace(pieces=_in_query(rule.pieces)) for rule in rules if any("?" in each for each in rule.pieces)
        ]
        return Robots(
            group=group,
            crawl_delay=max(self._delays.get(group, ()), default=None),
            sitemaps=tuple(each for each in self._sitemaps if each),
            paths=_Matcher(rules),
            queries=_Matcher(queries),
        )


def _rule_of(allow: bool, value: str, number: int, line: str) -> _Rule:
    """Compile one path pattern: `*` is any characters, a `$` at its very end is the end (section 2.2.3)."""
    text = _as_text(line.strip()[:MAX_RULE_TEXT])
    pattern = value if value[0] in "/*" else "/" + value
    anchored = pattern.endswith("$")
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    pieces = tuple(map(encode, pattern.removesuffix("$").split("*")))
    measured = _in_query(pieces) if "?" in pattern else pieces
    octets = sum(map(len, measured)) + len(pieces) - 1 + anchored
    return _Rule((-octets, not allow, number), pieces, anchored, text)


def encode(path: str) -> str:
    """Encode a path for comparison (section 2.2.2). Characters are octets or, in an address, already ASCII.

    Octets that are neither reserved nor unreserved (RFC 3986) are percent-encoded, unreserved ones are not, and the
    hexadecimal digits of the rest are upper case. A literal `*` or `$` is encoded (section 2.2.3).
    """
    return path if _PLAIN(path) else _ESCAPE.sub(_encode_one, path)


def _encode_one(found: re.Match[str]) -> str:
    """Encode one character, or decode one escape that need not be."""
    piece = found[0]
    if len(piece) == 3:
        character = chr(int(piece[1:], 16))
        return character if character in _UNRESERVED else piece.upper()
    octets = bytes((ord(piece),)) if ord(piece) < 256 else piece.encode("utf-8", "replace")
    return "".join(f"%{octet:02X}" for octet in octets)


def encode_query(path: str) -> str:
    """Encode the reserved characters inside a query too, as the second row of the RFC's table in 2.2.2 does."""
    before, mark, query = path.partition("?")
    return before + mark + _IN_QUERY.sub(lambda found: f"%{ord(found[0]):02X}", query)


def _in_query(pieces: tuple[str, ...]) -> tuple[str, ...]:
    """Do the same to the pieces of a pattern, from its first question mark on."""
    return tuple(encode_query("\0".join(pieces)).split("\0"))


def _word(value: str) -> str:
    """Return the first word of `value`, lower case, without the version of a product: `Foo/1.2 bar` is foo."""
    found = _WORD.search(value)
    return found[0].lower() if found else ""


def _product(word: str) -> str:
    """Return the product token at the beginning of a word, "" without one: `foo*` and `foo2` are foo.

    It ends before the first character that is no letter, `-` or `_` (section 2.2.1), as in Google's reference parser;
    only a `*` that stands alone means everybody.
    """
    return word if word == "*" else _NO_PRODUCT.split(word, maxsplit=1)[0]


def _octets(body: bytes) -> str:
    """Return the body as text in which every character is one octet of UTF-8, without its byte order mark."""
    for mark, coding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if body.startswith(mark):
            body = body[2:].decode(coding, "replace").encode("utf-8", "replace")
    return body.removeprefix(codecs.BOM_UTF8).decode("latin-1")


def _as_text(octets: str) -> str:
    """Return octets as the text they stand for, to be shown or fetched."""
    return octets.encode("latin-1", "replace").decode("utf-8", "replace")
