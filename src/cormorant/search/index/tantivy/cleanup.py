"""What does a commit leave behind that failed half-way? Files that take room, and some that stand in the way.

The engine writes segments and deletions first, and its table of contents last. It lets go of what is in no table only
at its next commit, for which there may be no room then; and as that has the number of the one that failed, it refuses
to write its deletions over a file that is there, each time anew.
"""

from __future__ import annotations

import fcntl
import json
import re
from contextlib import suppress
from pathlib import Path

TABLE = "meta.json"
_LOCK = ".tantivy-meta.lock"
"""Held by the engine while it reads the table and opens what that names, and while it removes files."""
_OF_SEGMENT = re.compile(r"([0-9a-f]{32})\.(?:(\d+)\.del|\w+)")


def clear(generation: Path) -> None:
    """Remove files of segments and deletions that the table of contents does not name.

    Only the owner of the writer may. A table that cannot be read is told of by the engine.
    """
    with suppress(OSError, ValueError, KeyError, TypeError), (generation / _LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        table = json.loads((generation / TABLE).read_bytes())
        named = {each["segment_id"].replace("-", ""): each["deletes"] for each in table["segments"]}
        for path in generation.iterdir():
            if (found := _OF_SEGMENT.fullmatch(path.name)) and not _is_named(found, named):
                path.unlink()


def _is_named(found: re.Match[str], named: dict[str, dict[str, int] | None]) -> bool:
    segment, deletions = found.groups()
    if segment not in named or deletions is None:
        return segment in named
    known = named[segment]
    return known is not None and known["opstamp"] == int(deletions)
