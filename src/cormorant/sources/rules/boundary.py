"""Boundary of a source, which decides whether a URL is inside. The answer, with the rule that decided it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.url import Origin, origin_of, unescaped
from cormorant.sources.rules.matching import AnyOf, Tried
from cormorant.sources.rules.parser import BoundaryRule, parse_rule

DEFAULT_RULE = "hosts of the start addresses"
"""How rulings name what holds without an include rule that says where."""

EMPTY_LABEL = "host names without empty parts"
"""How rulings name what holds whatever the rules are: there is no such host, and rules could be evaded by its name."""

WHERE = ("host", "suffix", "prefix", "address", "contains", "regex", "ip", "any")
"""Types that say where: one include rule of them that matches is enough."""
NARROWING = ("path", "name", "ext", "ends", "port", "scheme")
"""Types that say which of that: of each type that is given, one include rule has to match."""
_MAX_SITES = 10_000
_SHOWN = 3


def compile_rules(
    include: Sequence[str],
    exclude: Sequence[str],
    default_hosts: Collection[str] | None,
    gate: Gate = Gate.BOUNDARY,
) -> Boundary:
    """Compile what an administrator typed. Raises BadRule for what cannot be read.

    `default_hosts` hold when no include rule says where: hosts, with a port where only that one is meant; None lets
    every host in. Rulings carry `gate`, status 964 for the boundary and 973 for index rules.
    """
    return Boundary(
        [parse_rule(text) for text in include],
        [parse_rule(text) for text in exclude],
        None if default_hosts is None else [parse_rule(f"host:{host}") for host in default_hosts],
        gate,
    )


class Boundary:
    """Compiled rules. Keeps what follows from an origin alone, so it grows a little with the hosts that are met."""

    def __init__(
        self,
        include: Sequence[BoundaryRule],
        exclude: Sequence[BoundaryRule],
        default: Sequence[BoundaryRule] | None,
        gate: Gate,
    ) -> None:
        self._gate = gate
        self._status = Status.INDEX_RULES if gate is Gate.INDEX else Status.OUTSIDE_BOUNDARY
        self._label = "index_" if gate is Gate.INDEX else ""
        self._unnamed = Ruling(False, gate, EMPTY_LABEL, self._status)
        self._exclude = [(rule, self._excluded(rule)) for rule in exclude]
        where = [rule for rule in include if rule.type in WHERE]
        self._where = [(rule, self._included(rule.text)) for rule in where]
        self._outside = self._missed(where)
        if not where:
            named = Ruling(True, gate, DEFAULT_RULE)
            self._where = [(rule, named) for rule in default or ()]
            self._outside = Ruling(False, gate, DEFAULT_RULE, self._status)
        if not where and default is None:
            self._where = [(parse_rule("any"), Ruling(True, gate, "any"))]
        groups = [[rule for rule in include if rule.type == name] for name in NARROWING]
        self._narrow = [group for group in groups if group]
        self._sites: dict[str, _Site] = {}

    def ruling(self, address: str) -> Ruling:
        """Judge a canonical address."""
        end = address.find("/", 8)
        key = address[:end] if end > 0 else address
        site = self._sites.get(key)
        if site is None:
            if len(self._sites) >= _MAX_SITES:
                self._sites.clear()
            origin = origin_of(address)
            bare = origin._replace(host=origin.host.removesuffix("."))
            site = self._sites[key] = self._site(bare) if _has_name(origin) else _Site(self._unnamed)
            site.origin = "" if bare == origin else str(bare)
        if not site.asks:
            return site.otherwise
        return site.ruling(site.origin + address[len(key) :] if site.origin else address)

    def _site(self, origin: Origin) -> _Site:
        """Work out what follows from the origin, and which rules are left to be asked about each address."""
        excluded = _by_origin(self._exclude, origin)
        if excluded is not None:
            return _Site(excluded)
        narrow = []
        for group in self._groups(origin):
            refusal = self._missed(group)
            rulings = [(rule, refusal) for rule in group]
            if group[0].on_origin is None:
                narrow.append((_about_addresses(rulings, origin), refusal))
            elif _by_origin(rulings, origin) is None:
                return _Site(refusal)
        admitted = _by_origin(self._where, origin)
        where = None if admitted is not None else _about_addresses(self._where, origin)
        if admitted is None and not where:
            return _Site(self._outside)
        return _Site(admitted or self._outside, _about_addresses(self._exclude, origin), where, narrow)

    def _groups(self, origin: Origin) -> list[list[BoundaryRule]]:
        """The rules that narrow at this origin, by type: those held to another host say nothing about it."""
        held = ([rule for rule in group if rule.holds is None or rule.holds(origin)] for group in self._narrow)
        return [group for group in held if group]

    def _excluded(self, rule: BoundaryRule) -> Ruling:
        return Ruling(False, self._gate, f"{self._label}exclude {rule.text}", self._status, by_exclusion=True)

    def _included(self, text: str) -> Ruling:
        return Ruling(True, self._gate, f"{self._label}include {text}")

    def _missed(self, rules: Sequence[BoundaryRule]) -> Ruling:
        """The refusal of an address that none of these include rules matches."""
        more = f" and {len(rules) - _SHOWN} more" if len(rules) > _SHOWN else ""
        shown = ", ".join(rule.text for rule in rules[:_SHOWN])
        return Ruling(False, self._gate, f"{self._label}include {shown}{more}", self._status)


def met(rules: Collection[str], addresses: Sequence[str]) -> set[str]:
    """Return those of the rules that match any of the URLs.

    Written as rulings name them, like `exclude path:/old/*`.

    One boundary that excludes by all of them names one rule for an address; what it names is taken out, until nothing
    is named any more.
    """
    left = {rule: rule.partition(" ")[2] for rule in rules}
    found = set[str]()
    remaining = list(addresses)
    while left and remaining:
        everything = compile_rules([], tuple(set(left.values())), None)
        rulings = [(address, everything.ruling(address)) for address in remaining]
        named = {ruling.rule.partition(" ")[2] for _, ruling in rulings if not ruling.admitted}
        matched = {rule for rule, text in left.items() if text in named}
        if not matched:
            break
        found |= matched
        left = {rule: text for rule, text in left.items() if rule not in matched}
        remaining = [address for address, ruling in rulings if not ruling.admitted]
    return found


class _Site:
    """The checks left for the URLs of one origin, if there are any (`asks`).

    `origin` is how rules name it when addresses do otherwise, with the dot of the root, else "". `otherwise` is the
    ruling when no rule of `where` matches: the admission by the origin, or a refusal.
    """

    __slots__ = ("asks", "exclude", "narrow", "origin", "otherwise", "where")

    def __init__(
        self,
        otherwise: Ruling,
        exclude: AnyOf | None = None,
        where: AnyOf | None = None,
        narrow: Sequence[tuple[AnyOf, Ruling]] = (),
    ) -> None:
        self.origin, self.otherwise = "", otherwise
        self.exclude = exclude or None
        self.where = where or None
        self.narrow = narrow
        self.asks = bool(self.exclude or self.where or narrow)

    def ruling(self, address: str) -> Ruling:
        """Judge an address of this origin."""
        lower = address.lower()
        if self.exclude is not None:
            excluded = self.exclude.first(address, lower)
            if excluded is None and "%" in address and (plain := unescaped(address)) != address:
                excluded = self.exclude.first(plain, plain.lower())
            if excluded is not None:
                return excluded
        found = self.where.first(address, lower) if self.where is not None else None
        ruling = found or self.otherwise
        if ruling.admitted:
            for group, refusal in self.narrow:
                if group.first(address, lower) is None:
                    return refusal
        return ruling


def _has_name(origin: Origin) -> bool:
    """Return whether the host of an origin can exist, if it has one.

    No part of a name but the root is empty (RFC 1035 section 3.1).
    """
    return not origin.host or "" not in origin.host.removesuffix(".").split(".")


def _by_origin(rules: Sequence[tuple[BoundaryRule, Ruling]], origin: Origin) -> Ruling | None:
    """Return the ruling of the first rule that matches by the origin alone."""
    for rule, ruling in rules:
        if rule.on_origin is not None and rule.on_origin(origin) and (rule.holds is None or rule.holds(origin)):
            return ruling
    return None


def _about_addresses(rules: Sequence[tuple[BoundaryRule, Ruling]], origin: Origin) -> AnyOf:
    """Collect the rules that look beyond the origin, without prefixes that begin with another one."""
    here = f"{origin}/".lower()
    return AnyOf(
        [
            Tried(ruling, rule.prefix, rule.on_address, rule.pattern)
            for rule, ruling in rules
            if rule.on_origin is None
            and (not rule.prefix or rule.prefix.startswith(here))
            and (rule.holds is None or rule.holds(origin))
        ]
    )
