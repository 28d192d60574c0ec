"""Rulings on whether a URL may be followed, visited or indexed.

Gates are checkpoints, rules are patterns in them, rulings say which decided.
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

    `status` is the number of the status table that an exclusion carries; 0 when admitted. `lasting`: the same version
    would be judged alike; not so when something decided that is said beside it, and may be left out the next time.
    `by_exclusion`: an exclude rule decided, and not that no include rule matches.
    """

    admitted: bool
    gate: Gate
    rule: str
    status: int = 0
    lasting: bool = True
    by_exclusion: bool = False


def exclusion_reason(gate: str, rule: str) -> str:
    """The reason of an exclusion, as it is kept beside its status."""
    return f"{gate}: {rule}"


def gate_and_rule(reason: str) -> tuple[Gate | None, str]:
    """The gate and the rule of an exclusion by its kept reason; no gate, and all of it, where it names none."""
    gate, _, rule = reason.partition(": ")
    return (Gate(gate), rule) if rule and gate in list(Gate) else (None, reason)


class Renamed(NamedTuple):
    """Under which address one that was found is known: fetched by `address`, shown as `display` ("": as `address`).

    `rule` names what decided, as the administrator wrote it.
    """

    address: str
    display: str
    rule: str


class Rewritten(NamedTuple):
    """A rewritten URL: the one that is displayed, and the one that is fetched where it differs."""

    display: str
    access: str = ""


class Discard(NamedTuple):
    """A rewriter wants nothing of an address; `reason` may say why."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """A gate cannot decide before this address was fetched and settled (robots.txt of an origin)."""

    address: str
    fact: str


ADMITTED = Ruling(admitted=True, gate=Gate.BOUNDARY, rule="all gates")
"""For the common case where nothing needs to be named."""
