"""Have the newest runs of a source found by an index: whoever watches over many sources asks for them all the time."""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0019"


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_run_source_id", "run", ["source_id", "id"])
