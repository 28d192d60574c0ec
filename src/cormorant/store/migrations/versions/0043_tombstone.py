"""Keep the addresses of documents that moved or were deleted, and the problems of runs after the next one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    """Add the table and the column. They are empty for documents that moved or went before, and for older runs."""
    op.create_table(
        "tombstone",
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("hash", sa.BigInteger, nullable=False, comment="of the address, as in resource"),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("resource_id", sa.BigInteger, nullable=False, comment="the number that its document has, or had"),
        sa.Column("run", sa.Integer, nullable=False, comment="that moved or deleted it"),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("status", sa.SmallInteger, nullable=False, comment="of its last visit; 0: it is at another address"),
        sa.Column("reason", sa.Text),
        sa.PrimaryKeyConstraint("source_id", "hash", name="pk_tombstone"),
    )
    op.create_index("ix_tombstone_resource_id", "tombstone", ["resource_id"])
    comment = "JSON, those of its report as it ended; none: it has not, or is older"
    op.add_column("run", sa.Column("problems", sa.Text, comment=comment))
