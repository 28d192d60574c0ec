"""Keep what links say of a document beside its in-links, and the weights that an administrator has changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the columns, the index and the table; the next run of a source weighs all of its links."""
    op.add_column(
        "inlinks",
        sa.Column(
            "stale", sa.Boolean, nullable=False, server_default=sa.text("true"),
            comment="`anchors` and `score` are of other links or rights than there are now",
        ),
    )  # fmt: skip
    op.add_column(
        "inlinks",
        sa.Column(
            "anchors", sa.Text, nullable=False, server_default=sa.text("'[]'"), comment="JSON list of texts, best first"
        ),
    )
    op.add_column(
        "inlinks", sa.Column("score", sa.Double, nullable=False, server_default=sa.text("0"), comment="from 0 to 1")
    )
    op.create_index(
        "ix_inlinks_stale",
        "inlinks",
        ["id"],
        sqlite_where=sa.text("stale = 1"),
        postgresql_where=sa.text("stale"),
    )
    op.create_table(
        "tuning",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Double, nullable=False, comment="in the place of the standard weight"),
        sa.Column("changed_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_tuning"),
    )
