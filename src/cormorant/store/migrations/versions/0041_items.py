"""Keep items: the newest versions that programs push, and that are read from feeds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"

_BIG_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add the tables. No item was pushed yet."""
    op.create_table(
        "item",
        sa.Column("id", _BIG_ID, nullable=False),
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False, comment="as its sender calls it"),
        sa.Column(
            "part", sa.Text, nullable=False, server_default=sa.text("''"),
            comment="name of an attachment; '': the whole",
        ),
        sa.Column("seq", sa.BigInteger, nullable=False, comment="counts the changes of its source"),
        sa.Column(
            "named", sa.BigInteger, nullable=False,
            comment="the full feed in which, or after which, it was last named",
        ),
        sa.Column("gone", sa.Boolean, nullable=False, server_default=sa.text("false")),
        sa.Column("version", sa.BigInteger, comment="by its sender's count; NULL: it does not count"),
        sa.Column("digest", sa.Text, nullable=False, comment="of everything that was said of it"),
        sa.Column(
            "shown", sa.Text, nullable=False, server_default=sa.text("''"),
            comment="address that readers see; '': its own",
        ),
        sa.Column(
            "note", sa.Text, nullable=False, comment="JSON, everything but the body, as the kind of its source has it"
        ),
        sa.Column("size", sa.BigInteger, nullable=False, comment="bytes of the body"),
        sa.Column("at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_item"),
        sa.UniqueConstraint("source_id", "name", "part", name="uq_item_source_id_name_part"),
        sqlite_autoincrement=True,
    )  # fmt: skip
    op.create_index("ix_item_seq", "item", ["source_id", "seq"])
    op.create_table(
        "item_piece",
        sa.Column("item_id", _BIG_ID, nullable=False, autoincrement=False),
        sa.Column("place", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("data", sa.LargeBinary, nullable=False, comment="a piece of the compressed body"),
        sa.PrimaryKeyConstraint("item_id", "place", name="pk_item_piece"),
    )
    op.create_table(
        "item_mark",
        sa.Column("source_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False, comment="JSON, as the kind of its source has it"),
        sa.Column("at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("source_id", "name", name="pk_item_mark"),
        comment="what is remembered of the way that items came: batches, sequences, validators of feeds",
    )
