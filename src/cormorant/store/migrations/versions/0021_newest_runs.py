"""Find the newest runs of a source by an index, since schedules and pages ask for them often."""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0019"


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_run_source_id", "run", ["source_id", "id"])
