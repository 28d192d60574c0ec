"""Time zones, and moments for people: in the local time of a zone, with its name.

Programs and files get RFC 3339 in UTC (`base.clock.rfc3339`). This module formats every time for people:

    wall_time     one moment, 2026-11-28 14:03 CET: for a line, a field, a cell that stands alone
    wall_times    the moments of a table, and the zone for its headings when all of them share one
    localized     a sentence of ours with moments in it; localized_record, a record that is displayed in one line

The zone is that of this machine, except for things with a zone of their own, like a schedule.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, TypeGuard
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Precision: TypeAlias = Literal["minutes", "seconds", "milliseconds"]

LOCALTIME: Final = Path("/etc/localtime")
"""The zone of a machine whose TZ is not set, as the C library reads it."""

_STAMP: Final = re.compile(r"(?<![^\s(])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?=[\s.,;:)]|$)")
"""A moment of `rfc3339` as a word of its own; similar text within an address is left alone."""
_POSIX: Final = re.compile(r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)[+-]?\d")
"""Prefix of a POSIX rule, like CET-1CEST,M3.5.0,M10.5.0/3, which the C library reads."""


class WallTime(NamedTuple):
    """A moment in the local time of a zone: 2026-11-28 14:03, and CET, or +03 if the zone has no letters.

    The zone distinguishes the two hours of equal local time in autumn: CEST and then CET.
    """

    text: str
    zone: str

    def __str__(self) -> str:
        return f"{self.text} {self.zone}" if self.zone else self.text


class MachineZone(NamedTuple):
    """The zone of this machine, None if only the C library knows it; its origin, and whether it could be read."""

    zone: tzinfo | None
    origin: str
    known: bool = True

    @property
    def name(self) -> str:
        """Its name in the tz database, "" for a file or a rule without one."""
        return "UTC" if self.zone is UTC else getattr(self.zone, "key", None) or ""


def zone_of(name: str) -> tzinfo | None:
    """Return a time zone by its name in the tz database; the machine's own for "".

    Raises ValueError with a sentence.
    """
    if not name:
        return machine_zone().zone
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("it is no time zone of the tz database; write one like Europe/Berlin or UTC.") from None


def machine_zone() -> MachineZone:
    """Return the zone of this machine: that of TZ, else of /etc/localtime, else UTC; UTC, too, if TZ is invalid."""
    named = os.environ.get("TZ")
    if named is None:
        return _of_system()
    name = named.removeprefix(":")
    if not name:
        return MachineZone(UTC, "TZ is empty")
    found = _from_file(Path(name)) if name.startswith("/") else _by_name(name)
    if found is None and _POSIX.match(name):
        return MachineZone(None, f"TZ is {named}")
    return MachineZone(found or UTC, f"TZ is {named}", known=found is not None)


def _of_system() -> MachineZone:
    try:
        target = str(LOCALTIME.resolve(strict=True))
    except OSError:
        return MachineZone(UTC, f"neither TZ nor {LOCALTIME} is there")
    found = _by_name(target.rpartition("/zoneinfo/")[2]) or _from_file(LOCALTIME)
    return MachineZone(found or UTC, f"{LOCALTIME} says so", known=found is not None)


def _by_name(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _from_file(path: Path) -> tzinfo | None:
    try:
        with path.open("rb") as file:
            return ZoneInfo.from_file(file)
    except (ValueError, OSError):
        return None


def wall_time(moment: float | str, zone: str = "", precision: Precision = "minutes") -> WallTime:
    """Return a moment, in epoch seconds or RFC 3339, in the local time of a zone by its name; "" is the machine's.

    For a zone that is no longer in the tz database, and at the limits of dates, it is UTC.
    """
    try:
        clock = zone_of(zone)
    except ValueError:
        clock = UTC
    seconds = datetime.fromisoformat(moment).timestamp() if isinstance(moment, str) else moment
    try:
        at = datetime.fromtimestamp(seconds, UTC).astimezone(clock)
    except OverflowError:
        at = datetime.fromtimestamp(seconds, UTC)
    return WallTime(at.replace(tzinfo=None).isoformat(" ", precision), at.tzname() or "")


def wall_times(moments: Iterable[tuple[str | None, str]]) -> tuple[str, list[str]]:
    """Return moments of RFC 3339, each with the name of its zone, as cells of a table; "" for None.

    The first value is the zone that all of them share, for a heading; "" if there are several, and each cell names its
    own.
    """
    found = [wall_time(moment, zone) if moment else None for moment, zone in moments]
    zones = {each.zone for each in found if each}
    shared = zones.pop() if len(zones) == 1 else ""
    return shared, [(each.text if shared else str(each)) if each else "" for each in found]


def localized(text: str, zone: str = "", precision: Precision = "minutes") -> str:
    """Return a sentence with its moments in the local time of a zone by its name; "" is the machine's."""
    return _STAMP.sub(lambda found: str(wall_time(found[0], zone, precision)), text)


def localized_record(value: object, zone: str = "", precision: Precision = "minutes") -> object:
    """Return a JSON value with all its moments in the local time of a zone by its name; "" is the machine's."""
    match value:
        case dict():
            return {name: localized_record(each, zone, precision) for name, each in value.items()}
        case list() | tuple():
            return [localized_record(each, zone, precision) for each in value]
        case _:
            return str(wall_time(value, zone, precision)) if is_moment(value) else value


def is_moment(value: object) -> TypeGuard[str]:
    """Return whether a value is exactly a moment of `rfc3339`."""
    return isinstance(value, str) and _STAMP.fullmatch(value) is not None
