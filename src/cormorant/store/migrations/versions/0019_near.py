"""Store classes of near duplicates."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0017"


def upgrade() -> None:
    """Add the tables. Earlier documents are compared when they change, or at the next rebuild of the index."""
    op.create_table(
        "near",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=False,
            comment="of the resource",
        ),
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("acl_id", sa.Integer, nullable=False),
        sa.Column("sketch", sa.LargeBinary, nullable=False, comment="see `model.text.near_duplicates`"),
        sa.Column(
            "label", sa.BigInteger, nullable=False, comment="of its class, which may be of this document alone"
        ),
        sa.Column("leads", sa.Boolean, nullable=False, comment="the others of its class are like this one"),
        sa.Column("seq", sa.BigInteger, nullable=False, comment="of the event that put it there"),
        comment="documents that are compared, and what is nearly the same",
    )  # fmt: skip
    op.create_index("ix_near_label", "near", ["label"])
    op.create_table(
        "near_band",
        sa.Column(
            "key", sa.BigInteger, primary_key=True, autoincrement=False, comment="a band of a sketch, for some readers"
        ),
        sa.Column(
            "id", sa.BigInteger, primary_key=True, autoincrement=False, comment="of a document that leads a class"
        ),
        sqlite_with_rowid=False,
    )
