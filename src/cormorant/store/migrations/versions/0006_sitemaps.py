"""Find the sitemaps of a source, and store their claims about addresses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the index over sitemaps and the table of their claims."""
    op.create_index(
        "ix_resource_sitemap", "resource", ["source_id"],
        sqlite_where=sa.text("role = 2"), postgresql_where=sa.text("role = 2"),
    )  # fmt: skip
    op.create_table(
        "claim",
        sa.Column("source_id", sa.Integer, primary_key=True),
        sa.Column("hash", sa.BigInteger, primary_key=True),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("modified_at", sa.Double, comment="lastmod"),
        sa.Column("every_s", sa.Integer, nullable=False, comment="changefreq; 0: not said"),
        sa.Column("run", sa.Integer, nullable=False, comment="that read it"),
        sa.Column("said", sa.SmallInteger, nullable=False, comment="0 nothing that can be checked, 1 same, 2 newer"),
    )
