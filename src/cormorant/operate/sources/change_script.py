"""Script that has the place of a source note its changes, for an administrator of that place to run."""

from __future__ import annotations

from cormorant.base.errors import UsageError
from cormorant.operate.installation import Installation
from cormorant.operate.records.sources import SourceScript
from cormorant.operate.sources import sources
from cormorant.plugins import source_kind, source_settings


def change_script(house: Installation, name: str) -> SourceScript:
    """Return the script of a source. Asks nobody.

    Raises NotFoundError, and UsageError for a kind without one, or settings for which there is none.
    """
    row = sources.named(house, name)
    write = source_kind(row.kind).script
    if write is None:
        raise UsageError(f"A {row.kind} source needs no script: a crawl sees by itself what has changed.")
    return {"source": name, "script": write(source_settings(row.kind, row.settings))}
