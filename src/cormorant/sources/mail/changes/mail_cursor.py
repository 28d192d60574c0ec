"""Cursor of a mail source: which place it was, when it was listed completely, and the state of each folder then."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cormorant.sources.mail.mailbox import FolderState

MAX_REMEMBERED: Final = 10_000
"""Folders whose state is kept; an account with more is listed at each crawl."""


@dataclass(frozen=True, slots=True)
class MailCursor:
    """The place at which the next discovery goes on.

    `place` names the mailbox, `selection` the settings that choose among its messages. `listed_at` is
    when the last complete listing began, in epoch seconds. `empty`: there was no message.
    """

    place: str
    empty: bool = True
    selection: str = ""
    listed_at: float = 0.0
    folders: Mapping[str, FolderState] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, place: str) -> MailCursor:
        """Read a cursor; one that tells of another place, or of nothing, remembers nothing."""
        try:
            kept = json.loads(text) if text else {}
        except ValueError:
            kept = {}
        if not isinstance(kept, dict) or kept.get("place") != place:
            return cls(place)
        folders = {name: _state(each) for name, each in kept["folders"].items()}
        listed_at = float(kept.get("listed_at", 0.0))
        return cls(place, bool(kept["empty"]), str(kept.get("selection", "")), listed_at, folders)

    def __str__(self) -> str:
        folders = dict(self.folders) if len(self.folders) <= MAX_REMEMBERED else {}
        kept = {
            "place": self.place, "empty": self.empty, "selection": self.selection, "listed_at": self.listed_at,
            "folders": folders,
        }  # fmt: skip
        return json.dumps(kept, separators=(",", ":"))


def _state(kept: list[Any]) -> FolderState:
    """Return the state of a folder; cursors of earlier versions have its identity and number of messages alone."""
    return FolderState(str(kept[0]), *map(int, kept[1:4]))
