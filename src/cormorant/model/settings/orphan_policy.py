"""Orphan policy, as an administrator writes it, for a document that no link leads to any more.

keep              it is visited and found as before
delete_after:3    it is deleted when three whole runs in a row have found nothing that leads to it
"""

from __future__ import annotations

import re

KEEP = "keep"
MOST = 100
_DELETED = re.compile(r"delete_after[: ](\d{1,3})")


def runs_until_deleted(said: str) -> int | None:
    """After how many runs it goes, None when it is kept. Raises ValueError for what is neither."""
    deleted = _DELETED.fullmatch(said)
    if said == KEEP:
        return None
    if deleted is None or not 1 <= int(deleted[1]) <= MOST:
        raise ValueError(f"{said!r} is not known. Write {KEEP}, or delete_after:N with a number of runs up to {MOST}.")
    return int(deleted[1])
