"""Keep takedowns: which documents are hidden from every reader, by whom, why and until when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    """Add both tables. There are no takedowns yet."""
    op.create_table(
        "takedown",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column(
            "rule", sa.Text, nullable=False, comment="of the documents that are hidden, as `sources.rules` reads it"
        ),
        sa.Column("source", sa.Text, comment="name of the source it is limited to; NULL: every source"),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double, comment="when it ends by itself; NULL: never"),
        sa.Column("erase", sa.Boolean, nullable=False, comment="text and copies are removed from the disk as well"),
        sa.Column("erased_at", sa.Double, comment="when a scan found nothing of them; NULL: not yet"),
        sa.Column("ended_at", sa.Double, comment="when it was lifted or expired; NULL: it is in force"),
        sa.Column("ended_by", sa.Text),
        sa.Column(
            "carried_out",
            sa.Boolean,
            nullable=False,
            server_default=sa.text("false"),
            comment="what it hides is hidden, or found again since it ended; false: to be gone through once more",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_takedown"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "withdrawn",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
            autoincrement=False,
            comment="of the resource",
        ),
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, comment="the remark of its last visit, which is on its row again then"),
        sa.PrimaryKeyConstraint("id", name="pk_withdrawn"),
        comment="documents that search found when a takedown hid them, and finds again when it ends",
    )
