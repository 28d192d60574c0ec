"""Store the deletions that were approved with an edit, and the time that a run waited for a person."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the columns, empty for earlier runs and edits."""
    op.add_column(
        "source",
        sa.Column(
            "agreed", sa.Text, comment="JSON, how many documents may leave by which rule; NULL: nobody was asked"
        ),
    )
    op.add_column("source", sa.Column("agreed_at", sa.Double))
    op.add_column(
        "run", sa.Column("waits_since", sa.Double, comment="since when it waits for a person: held, or suspended")
    )
    op.add_column("run", sa.Column("waited_s", sa.Double, comment="how long it did so before"))
