"""Distinguish receivers that cannot be created from failing ones: a run waits for the former."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Add the column. The next attempt of a failing receiver fills it."""
    comment = "what it is made of is not there"
    op.add_column(
        "receiver", sa.Column("unmade", sa.Boolean, nullable=False, server_default=sa.text("false"), comment=comment)
    )
