"""Script by which the server of a source records its changes, to be run by an administrator of that server."""

from __future__ import annotations

from cormorant.base.errors import UsageError
from cormorant.operate.installation import Installation
from cormorant.operate.records.sources import SourceScript
from cormorant.operate.sources import sources
from cormorant.plugins import source_kind, source_settings


def change_script(house: Installation, name: str) -> SourceScript:
    """Return the script of a source, without any request.

    Raises NotFoundError, and UsageError for a kind or settings without a script.
    """
    row = sources.named(house, name)
    write = source_kind(row.kind).script
    if write is None:
        raise UsageError(f"A {row.kind} source needs no script: a crawl sees by itself what has changed.")
    return {"source": name, "script": write(source_settings(row.kind, row.settings))}
