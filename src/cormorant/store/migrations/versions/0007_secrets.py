"""Keep secrets that sources need, sealed by a key that is not in the database."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "secret",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False, comment="by the key in the data folder; never in clear"),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("changed_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secret"),
    )
