"""Index rules: which of the visited documents may be found.

Rules about addresses, and about the documents behind them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from cormorant.model.ruling import Gate, Ruling
from cormorant.model.settings.byte_size import as_bytes
from cormorant.model.status import Status
from cormorant.sources.rules.boundary import compile_rules
from cormorant.sources.rules.matching import in_order
from cormorant.sources.rules.parser import DOCUMENT_TYPES, RULE_TYPES, bad, like, split_rule

INDEX_TYPES: Mapping[str, str] = MappingProxyType({**RULE_TYPES, **DOCUMENT_TYPES})
"""The types of rule that index rules take."""

_DAY_S = 86_400.0
_SHOWN = 3
_MIME = re.compile(r"[\w*.+-]+/[\w*.+-]+")


class Facts(NamedTuple):
    """The facts about a document for rules: sniffed MIME type, bytes of the body, time of the last change.

    `modified_at` is epoch seconds, None when nobody said. No rule about age matches such a document.
    """

    mime: str
    size_bytes: int
    modified_at: float | None = None


FactsTest = Callable[[Facts, float], bool]


class _Rule(NamedTuple):
    """A rule about documents; `matches` takes the facts and the time now (epoch seconds)."""

    type: str
    text: str
    matches: FactsTest


class IndexRules:
    """Compiled index rules. Raises BadRule for what cannot be read.

    Rules about addresses work as those of a boundary do that lets in everything; rules about documents narrow: of each
    type given, one include rule has to match. Exclusion wins.
    """

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        kept, out = _parted(include), _parted(exclude)
        self._addresses = compile_rules(kept[0], out[0], None, Gate.INDEX)
        self._exclude = [(rule, _refusal(f"index_exclude {rule.text}")._replace(by_exclusion=True)) for rule in out[1]]
        groups = [[rule for rule in kept[1] if rule.type == name] for name in DOCUMENT_TYPES]
        self._include = [(group, _missed(group)) for group in groups if group]
        self.asks_facts = bool(kept[1] or out[1])
        """Does any rule ask more than the address?"""
        self.asks_age = any(rule.type == "age" for rule in (*kept[1], *out[1]))
        """Does any rule ask how old a document is? Then the same document may be ruled otherwise on another day."""

    def of_address(self, address: str) -> Ruling:
        """Judge what the address alone decides."""
        return self._addresses.ruling(address)

    def ruling(self, address: str, facts: Facts, now: float) -> Ruling:
        """Judge a document at the time `now` (epoch seconds)."""
        ruling = self._addresses.ruling(address)
        return ruling if not ruling.admitted else self.of_facts(facts, now) or ruling

    def of_facts(self, facts: Facts, now: float) -> Ruling | None:
        """Return the refusal of a document by what it is; None when none of these rules refuses it."""
        for rule, refusal in self._exclude:
            if rule.matches(facts, now):
                return refusal
        for group, refusal in self._include:
            if not any(rule.matches(facts, now) for rule in group):
                return refusal
        return None

    def of_age(self, modified_at: float | None, now: float) -> Ruling | None:
        """Return the refusal of a document by its age alone; None when no rule about age refuses it."""
        facts = Facts("", 0, modified_at)
        for rule, refusal in self._exclude:
            if rule.type == "age" and rule.matches(facts, now):
                return refusal
        for group, refusal in self._include:
            if group[0].type == "age" and not any(rule.matches(facts, now) for rule in group):
                return refusal
        return None


def _parted(texts: Sequence[str]) -> tuple[list[str], list[_Rule]]:
    """Rules about addresses as typed, and the others read."""
    addresses, documents = [], []
    for text in texts:
        name, value = split_rule(text, INDEX_TYPES)
        if name in DOCUMENT_TYPES:
            documents.append(_Rule(name, text, _READERS[name](text, value)))
        else:
            addresses.append(text)
    return addresses, documents


def _refusal(rule: str) -> Ruling:
    return Ruling(False, Gate.INDEX, rule, Status.INDEX_RULES)


def _missed(rules: Sequence[_Rule]) -> Ruling:
    more = f" and {len(rules) - _SHOWN} more" if len(rules) > _SHOWN else ""
    return _refusal(f"index_include {', '.join(rule.text for rule in rules[:_SHOWN])}{more}")


def _mime(text: str, value: str) -> FactsTest:
    wanted = value.lower()
    if not _MIME.fullmatch(wanted):
        raise bad(text, value, like(DOCUMENT_TYPES["mime"]))
    pieces = tuple(wanted.split("*"))
    return lambda facts, _now: in_order(facts.mime, pieces, True)


def _size(text: str, value: str) -> FactsTest:
    low, high = _range(text, value, "size", as_bytes)
    return lambda facts, _now: low <= facts.size_bytes <= high


def _age(text: str, value: str) -> FactsTest:
    low, high = _range(text, value, "age", _days)

    def matches(facts: Facts, now: float) -> bool:
        return facts.modified_at is not None and low <= (now - facts.modified_at) / _DAY_S <= high

    return matches


def _days(text: str) -> object:
    return text.strip().lower().removesuffix("days").removesuffix("d").strip()


def _range(text: str, value: str, name: str, unit: Callable[[str], object]) -> tuple[float, float]:
    """Read `>N`, `<N` or `N-M` into what is the least and the most. More than N is N and above, but not N itself."""
    sign, typed = (value[0], value[1:]) if value[0] in "<>" else ("", value)
    pieces = typed.split("-") if not sign else [typed]
    numbers = [_number(text, piece, name, unit) for piece in pieces]
    if sign == ">":
        return math.nextafter(numbers[0], math.inf), math.inf
    if sign == "<":
        return -math.inf, math.nextafter(numbers[0], -math.inf)
    if len(numbers) != 2 or numbers[0] > numbers[1]:
        raise bad(text, value, like(DOCUMENT_TYPES[name]))
    return numbers[0], numbers[1]


def _number(text: str, piece: str, name: str, unit: Callable[[str], object]) -> float:
    try:
        number = float(str(unit(piece)))
    except ValueError:
        number = -1.0
    if not 0 <= number < math.inf:
        raise bad(text, piece or text, like(DOCUMENT_TYPES[name]))
    return number


_READERS: dict[str, Callable[[str, str], FactsTest]] = {"mime": _mime, "size": _size, "age": _age}
