"""Find quarantined documents without reading all failed ones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"

_TROUBLED = sa.text(
    "(outcome IN (6, 7, 8, 9) OR status = 960 OR outcome IN (1, 2) AND reason IS NOT NULL)",
)


def upgrade() -> None:
    """Add the outcome to the index."""
    op.drop_index("ix_resource_troubled", "resource")
    op.create_index(
        "ix_resource_troubled",
        "resource",
        ["source_id", "outcome"],
        sqlite_where=_TROUBLED,
        postgresql_where=_TROUBLED,
    )
