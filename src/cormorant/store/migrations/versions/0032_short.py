"""Store the resources that processes lack, so that a run can report why nothing is visited."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Add the column. Running processes fill it within seconds."""
    op.add_column(
        "process", sa.Column("lack", sa.Text, nullable=False, server_default="", comment="what it is short of")
    )
