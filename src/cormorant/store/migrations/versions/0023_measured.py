"""Store the recent progress of a run under way, for estimates of its remaining time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add the column; a run under way writes it from now on."""
    op.add_column(
        "run", sa.Column("measured", sa.Text, comment="JSON, how far it was lately; store/journal/progress_samples.py")
    )
