"""Which clock on the wall is meant?"""

from __future__ import annotations

from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def zone_of(name: str) -> tzinfo | None:
    """A time zone by its name in the tz database; None, the machine's own, for none. ValueError says what is wrong."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("it is no time zone of the tz database; write one like Europe/Berlin or UTC.") from None
