"""Cursor of a source that names changes: which place it was, when it was listed completely, and how far it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class DeltaCursor:
    """The place from which the next discovery goes on.

    `place` is a digest of the settings that say what belongs to the source. `listed_at` is when the last complete
    listing began (epoch seconds), `empty` whether it named nothing. `marks` are how far each part was read.
    """

    place: str
    listed_at: float
    empty: bool = False
    marks: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, place: str) -> DeltaCursor | None:
        """Read a cursor; None when there is none or it tells of another place."""
        try:
            kept = json.loads(text) if text else {}
        except ValueError:
            return None
        if not isinstance(kept, dict) or kept.get("place") != place:
            return None
        return cls(place, float(kept["listed_at"]), bool(kept["empty"]), dict(kept["marks"]))

    def __str__(self) -> str:
        return json.dumps(
            {"place": self.place, "listed_at": self.listed_at, "empty": self.empty, "marks": self.marks},
            separators=(",", ":"),
        )
