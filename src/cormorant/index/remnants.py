"""What does a commit leave behind that failed half-way? Files that stand in the way of the next.

The engine writes the deletions of a commit into files that bear the number of the commit, and then its table of
contents. Where that could not be written the next commit has the same number, and the engine refuses to write over a
file: then no commit would succeed any more.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

TABLE = "meta.json"


def clear(generation: Path) -> None:
    """Remove files of deletions that the table of contents does not name. Only the owner of the writer may."""
    with suppress(OSError, ValueError, KeyError, TypeError):  # a table that cannot be read is told of by the engine
        table = json.loads((generation / TABLE).read_bytes())
        named = {
            f"{each['segment_id'].replace('-', '')}.{each['deletes']['opstamp']}.del"
            for each in table["segments"]
            if each["deletes"]
        }
        for path in generation.glob("*.del"):
            if path.name not in named:
                path.unlink()
