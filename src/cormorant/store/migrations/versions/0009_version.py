"""Keep the other version of documents that a run changed, until that run ends."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the table. It is empty between runs, so nothing has to be filled in."""
    op.create_table(
        "version",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
            autoincrement=False,
            comment="of the resource",
        ),
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("run", sa.Integer, nullable=False, comment="that changed it, or would"),
        sa.Column("likeness", sa.BigInteger, nullable=False, comment="of the newer text"),
        sa.Column(
            "waiting", sa.Boolean, nullable=False, comment="true: the newer version, held; false: the one it replaced"
        ),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("etag", sa.Text, nullable=False),
        sa.Column("modified", sa.Text, nullable=False),
        sa.Column("content_hash", sa.LargeBinary, nullable=False),
        sa.Column("text_hash", sa.LargeBinary, nullable=False),
        sa.Column("mime", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sa.Column("modified_at", sa.Double),
        sa.Column("fetched_at", sa.Double, nullable=False),
        sa.Column("changed_at", sa.Double, nullable=False),
        sa.Column("pack", sa.BigInteger, nullable=False),
        sa.Column("pack_offset", sa.BigInteger, nullable=False),
        sa.Column("pack_length", sa.Integer, nullable=False),
        sa.Column("links", sa.LargeBinary, comment="of the newer version, packed"),
        comment="the version of a document that `content` does not have, while a run may still be held for it",
    )
    op.create_index("ix_version_likeness", "version", ["source_id", "likeness"])
