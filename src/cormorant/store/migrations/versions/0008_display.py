"""Keep the address that a resource is shown as where a rule says so."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column and the index that keeps display addresses apart; known resources keep their display addresses."""
    op.add_column(
        "resource", sa.Column("display", sa.Text, comment="shown instead of the address; NULL: the source says")
    )
    op.create_index(
        "ix_resource_display",
        "resource",
        ["display"],
        sqlite_where=sa.text("display IS NOT NULL"),
        postgresql_where=sa.text("display IS NOT NULL"),
    )
