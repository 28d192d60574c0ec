"""Login hold: a source whose login was refused is not tried again until its settings or its secret change.

A server may lock an account after a few wrong passwords, and every scheduled run would make another attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.base.errors import LoginRefused
from cormorant.store.catalog import secrets
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Tx
    from cormorant.store.journal.runs import RunRow


def check(tx: Tx, source: Source, row: RunRow) -> None:
    """Raise LoginRefused if the login of the run before was refused, and neither settings nor secrets have changed."""
    last = runs.before(tx, row)
    if row.overrides or last is None or last.error != LoginRefused.code:
        return
    changed = secrets.changed_at(tx, source.settings.secrets)
    if last.settings == row.settings and changed <= last.requested_at:
        raise LoginRefused(last.reason or LoginRefused.meaning())
