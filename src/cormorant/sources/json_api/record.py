"""Records of JSON whose members may be missing, of any type, and of any size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

MAX_NAMES: Final = 500
"""Members of a list of names that are kept: labels, assignees, categories."""
MAX_LINE: Final = 1_000
"""Characters of a name or title that are kept."""


def parse_json(body: bytes) -> object:
    """Return the value of a JSON text (RFC 8259). Raises ValueError for anything else, and for one too deep to read."""
    try:
        value: object = json.loads(body.decode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    return value


def plain(text: str) -> str:
    """Return a text that UTF-8 can hold: JSON may escape halves of surrogate pairs (RFC 8259 8.2)."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class JsonRecord:
    """An object of JSON. A member of another type than is asked for counts as missing."""

    __slots__ = ("_members",)

    def __init__(self, value: object) -> None:
        self._members: dict[str, object] = value if isinstance(value, dict) else {}

    def __contains__(self, name: str) -> bool:
        return name in self._members

    @property
    def members(self) -> dict[str, object]:
        """Its members as they came."""
        return self._members

    def scalar(self, name: str) -> str:
        """Return a text or a whole number as text, "" for anything else."""
        value = self._members.get(name)
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else self.text(name)

    def __bool__(self) -> bool:
        return bool(self._members)

    def text(self, name: str) -> str:
        """Return a text, "" where there is none."""
        value = self._members.get(name)
        return plain(value) if isinstance(value, str) else ""

    def line(self, name: str) -> str:
        """Return a text on one line, of at most MAX_LINE characters."""
        return " ".join(self.text(name)[: 4 * MAX_LINE].split())[:MAX_LINE]

    def number(self, name: str) -> int:
        """Return a whole number, 0 where there is none."""
        value = self._members.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else 0

    def flag(self, name: str) -> bool:
        """Return whether a member is true."""
        return self._members.get(name) is True

    def record(self, name: str) -> JsonRecord:
        """Return an object, an empty one where there is none."""
        return JsonRecord(self._members.get(name))

    def records(self, name: str) -> list[JsonRecord]:
        """Return the objects of a list."""
        return list(records_of(self._members.get(name)))

    def lines(self, name: str) -> list[str]:
        """Return the texts of a list, at most MAX_NAMES, each on one line."""
        value = self._members.get(name)
        texts = value[:MAX_NAMES] if isinstance(value, list) else ()
        return [line for each in texts if isinstance(each, str) and (line := JsonRecord({"": each}).line(""))]

    def names(self, name: str, of: str) -> list[str]:
        """Return the member `of` of each object of a list, at most MAX_NAMES, without empty ones."""
        return [line for each in self.records(name)[:MAX_NAMES] if (line := each.line(of))]

    def at(self, name: str) -> float | None:
        """Return a moment in epoch seconds, written as RFC 3339 does; None where there is none."""
        return moment_of(self.text(name))


def records_of(value: object) -> Iterator[JsonRecord]:
    """Yield the objects of a list."""
    for each in value if isinstance(value, list) else ():
        if isinstance(each, dict):
            yield JsonRecord(each)


def moment_of(text: str) -> float | None:
    """Return the epoch seconds of a date as RFC 3339 writes it, None for what is none."""
    if not 10 <= len(text) <= 40:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, OSError):
        return None
