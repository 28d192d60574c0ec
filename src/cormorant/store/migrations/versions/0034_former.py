"""Keep the name of a source that was deleted until every receiver was told that its documents are gone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    """Add the table. What sources were called that are deleted already nobody knows."""
    op.create_table(
        "former_source",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column(
            "name", sa.Text, nullable=False, comment="that it had when it was deleted; another may have it by now"
        ),
        sa.Column("seq", sa.BigInteger, nullable=False, comment="the last number of the stream then"),
    )
