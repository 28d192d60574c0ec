"""Have processes say what they are short of, so that a run can tell whose fault it is that nothing is visited."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Add the column. Who is at work says it within a moment."""
    op.add_column(
        "process", sa.Column("lack", sa.Text, nullable=False, server_default="", comment="what it is short of")
    )
