"""Rulings on whether a URL may be followed, visited or indexed.

Gates are checkpoints, rules are their patterns, and a ruling names the gate and the rule that decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Gate(StrEnum):
    """The checkpoints on a resource's way, in order."""

    LINK = "link"
    ADDRESS = "address"
    SCHEME = "scheme"
    DEPTH = "depth"
    BOUNDARY = "boundary"
    NETWORK = "network"
    ROBOTS = "robots"
    TRAP = "trap"
    TYPE = "type"
    SIZE = "size"
    ROBOTS_META = "robots_meta"
    MISSING = "missing"
    INDEX = "index"
    CANONICAL = "canonical"
    PLUGIN = "plugin"
    TAKEDOWN = "takedown"


class Ruling(NamedTuple):
    """The ruling of a gate, and its rule as the administrator wrote it (or the name of the default).

    `status` is the number of an exclusion in the status table; 0 if admitted. `lasting`: the same version would get the
    same ruling; not so if a header decided, which may be missing at the next visit. `by_exclusion`: an exclude rule
    decided, rather than the lack of a matching include rule.
    """

    admitted: bool
    gate: Gate
    rule: str
    status: int = 0
    lasting: bool = True
    by_exclusion: bool = False


def exclusion_reason(gate: str, rule: str) -> str:
    """Return the stored reason of an exclusion."""
    return f"{gate}: {rule}"


def gate_and_rule(reason: str) -> tuple[Gate | None, str]:
    """Return gate and rule of a stored reason of an exclusion; no gate, and the whole text, if it names none."""
    gate, _, rule = reason.partition(": ")
    return (Gate(gate), rule) if rule and gate in list(Gate) else (None, reason)


class Renamed(NamedTuple):
    """The name of a discovered address: fetched by `address`, displayed as `display` ("": as `address`).

    `rule` is the deciding rule as the administrator wrote it.
    """

    address: str
    display: str
    rule: str


class Rewritten(NamedTuple):
    """A rewritten URL: the one that is displayed, and the one that is fetched where it differs."""

    display: str
    access: str = ""


class Discard(NamedTuple):
    """A rewriter rejects an address; `reason` may say why."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """An address that must be fetched and settled before a gate can decide (robots.txt of an origin)."""

    address: str
    fact: str


ADMITTED = Ruling(admitted=True, gate=Gate.BOUNDARY, rule="all gates")
"""For the common case in which no gate has to be named."""
