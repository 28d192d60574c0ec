"""Find the resources of a run's report by an index, and on PostgreSQL the next ones without a sort."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"

_TROUBLED = sa.text("(outcome IN (6, 7, 8, 9) OR status = 960 OR outcome IN (1, 2) AND reason IS NOT NULL)")
_READY = sa.text("state = 0")


def upgrade() -> None:
    """Add the index, and put the number of the row into the other one where it is not there by itself."""
    op.create_index(
        "ix_resource_troubled", "resource", ["source_id"], sqlite_where=_TROUBLED, postgresql_where=_TROUBLED
    )
    if op.get_context().dialect.name == "postgresql":
        op.drop_index("ix_resource_ready", "resource")
        op.create_index("ix_resource_ready", "resource", ["site_id", "source_id", "due", "id"], postgresql_where=_READY)
