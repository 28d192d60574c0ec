"""Keep the name of a deleted source until every receiver has the deletions of its documents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    """Add the table. The names of sources deleted earlier are unknown."""
    op.create_table(
        "former_source",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column(
            "name", sa.Text, nullable=False, comment="that it had when it was deleted; another may have it by now"
        ),
        sa.Column("seq", sa.BigInteger, nullable=False, comment="the last number of the stream then"),
    )
