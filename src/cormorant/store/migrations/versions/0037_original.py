"""Store the original of a page and a receiver's last record; index redirects and exclusions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    """Add table, column and indexes. Pages that were read before are in the table from their next visit on."""
    op.create_table(
        "original",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=False,
            comment="of the resource",
        ),
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("address", sa.Text, nullable=False, comment="that its page calls canonical, and is not its own"),
        sa.Column(
            "open", sa.Boolean, nullable=False,
            comment="its visit could not tell whether that keeps it out of the index",
        ),
        comment="pages that call themselves copies of another page of their source",
    )  # fmt: skip
    op.create_index(
        "ix_original_open",
        "original",
        ["source_id", "id"],
        sqlite_where=sa.text("open = 1"),
        postgresql_where=sa.text("open"),
    )
    op.add_column(
        "receiver",
        sa.Column(
            "last_seq", sa.BigInteger, nullable=False, server_default=sa.text("0"),
            comment="number of the last record that it took",
        ),
    )  # fmt: skip
    op.execute(
        "CREATE INDEX ix_resource_moved ON resource (source_id, reason) WHERE outcome = 3 AND length(reason) <= 600"
    )
    op.execute("CREATE INDEX ix_resource_excluded ON resource (source_id, run) WHERE outcome = 5 AND run > 0")
