"""Conflicts between rules.

Found by what they are, whatever addresses there are.

One rule covers another when it matches everything that the other matches. That is decided by samples that stand for
all of it: every address of a host, every host of a domain, the ends of a range, an address with a character that no
rule can name. So what is said here is so; what is not said may be so all the same.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from cormorant.model.url import Origin, canonical, origin_of
from cormorant.sources.rules.boundary import WHERE
from cormorant.sources.rules.parser import BoundaryRule, host_name, parse_rule, split_rule

_ANYTHING = "\0"
"""Stands for any text in an address: no rule can name it, and `*` takes it."""
_PORTS = (("http", 80), ("https", 443), ("http", 1))
MOST = 300
"""Rules of a list that are compared with each other: a list that a program wrote is not looked over for mistakes."""


class Conflict(NamedTuple):
    """Two rules that do not go together, and what comes of it in one sentence."""

    rule: str
    other: str
    sentence: str


def conflicts(include: Sequence[str], exclude: Sequence[str], label: str = "") -> list[Conflict]:
    """Name the rules that never decide anything because of another one. `label` is put before include and exclude."""
    kept = [parse_rule(text) for text in include[:MOST]]
    out = [parse_rule(text) for text in exclude[:MOST]]
    return [*_never(kept, out, label), *_needless(kept, f"{label}include"), *_needless(out, f"{label}exclude")]


def _never(include: list[BoundaryRule], exclude: list[BoundaryRule], label: str) -> Iterator[Conflict]:
    """Include rules that let nothing in."""
    for rule in include:
        other = next((each for each in exclude if covers(each, rule)), None)
        if other is not None:
            ours, theirs = f"{label}include {rule.text}", f"{label}exclude {other.text}"
            same = _same(rule, other)
            why = "both name the same, and exclusion wins" if same else "that excludes all of it, and exclusion wins"
            yield Conflict(ours, theirs, f"The rule {ours!r} lets nothing in because of {theirs!r}: {why}.")


def _needless(rules: list[BoundaryRule], label: str) -> Iterator[Conflict]:
    """Rules that another one of the list covers, of those where one that matches is enough."""
    for number, rule in enumerate(rules):
        alike = (each for each in rules if each is not rule and _side_by_side(each, rule, label))
        wider = next((each for each in alike if covers(each, rule)), None)
        if wider is None or (covers(rule, wider) and rules.index(wider) > number):
            continue  # of two that say the same the second is needless
        yield Conflict(
            f"{label} {rule.text}", f"{label} {wider.text}",
            f"The rule '{label} {rule.text}' changes nothing: '{label} {wider.text}' covers it.",
        )  # fmt: skip


def _side_by_side(one: BoundaryRule, other: BoundaryRule, label: str) -> bool:
    """Return whether it is enough that either of the rules matches.

    Include rules that narrow are asked type by type.
    """
    return label.endswith("exclude") or one.type == other.type or (one.type in WHERE and other.type in WHERE)


def covers(wide: BoundaryRule, narrow: BoundaryRule) -> bool:
    """Return whether a rule surely matches everything that another one matches."""
    if wide.type == "any" or _same(wide, narrow):
        return True
    if wide.on_origin is not None:
        origins = _origins(narrow)
        return bool(origins) and all(
            wide.on_origin(each) and (wide.holds is None or wide.holds(each)) for each in origins
        )
    return _covers_addresses(wide, narrow)


def _same(one: BoundaryRule, other: BoundaryRule) -> bool:
    return (one.type, _value(one)) == (other.type, _value(other))


def _value(rule: BoundaryRule) -> str:
    """The value of a rule as it is compared."""
    if rule.prefix:
        return rule.prefix
    _, _, value = rule.text.strip().partition(":")
    return value.strip() if rule.type == "regex" else value.strip().lower()


def _covers_addresses(wide: BoundaryRule, narrow: BoundaryRule) -> bool:
    """Decide for a rule that looks at whole addresses, by an address that stands for all of the other's."""
    if wide.type not in ("prefix", "contains", "path", "address"):
        return False
    text = _sample(narrow)
    if not text or (wide.holds is not None and not wide.holds(origin_of(text))):
        return False
    if wide.prefix:
        return text.startswith(wide.prefix)
    if wide.type == "path" and narrow.type not in ("prefix", "address"):
        return False
    return wide.on_address is not None and wide.on_address(text)


def _sample(rule: BoundaryRule) -> str:
    """An address that stands for all that a rule matches, "" where there is none."""
    if rule.prefix:
        return rule.prefix + _ANYTHING
    value = _value(rule)
    if rule.type == "address":
        return canonical(value).lower()
    if rule.type == "contains":
        return _ANYTHING + value.replace("*", _ANYTHING) + _ANYTHING
    return ""


@lru_cache(maxsize=4 * MOST)
def _origins(rule: BoundaryRule) -> tuple[Origin, ...]:
    """Origins that stand for all that a rule matches, none where they are not known. Asked for every pair of rules."""
    return tuple(_origins_of(rule))


def _origins_of(rule: BoundaryRule) -> Iterator[Origin]:
    _, value = split_rule(rule.text, {rule.type: ""}) if rule.type != "any" else ("", "")
    if rule.prefix or (rule.type == "address"):
        yield origin_of(rule.prefix or canonical(value).lower())
    elif rule.type == "host" and "*" not in value:
        yield from _of_host(value)
    elif rule.type == "suffix":
        name = host_name(value.removeprefix("*").removeprefix("."))
        for host in (name, f"{_ANYTHING}.{name}", f"a.{_ANYTHING}.{name}"):
            yield from (Origin(scheme, host, port) for scheme, port in _PORTS)
    elif rule.type == "ip":
        network = ipaddress.ip_network(value.strip("[]"), strict=False)
        ends = (str(network[0]), str(network[-1]))
        for host in ends if network.version == 4 else tuple(f"[{end}]" for end in ends):
            yield from (Origin(scheme, host, port) for scheme, port in _PORTS)


def _of_host(value: str) -> Iterator[Origin]:
    name, colon, port = value.rpartition(":")
    if colon and port.isdigit() and (":" not in name or name.endswith("]")):
        yield from (Origin(scheme, host_name(name), int(port)) for scheme in ("http", "https"))
    else:
        yield from (Origin(scheme, host_name(value), number) for scheme, number in _PORTS)
