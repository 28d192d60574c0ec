"""Log searches, and the results that were opened."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_BIG_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add both tables, empty."""
    op.create_table(
        "query",
        sa.Column("id", _BIG_ID, primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("token", sa.Text, nullable=False, comment="by which clicks are told to be of it"),
        sa.Column("text", sa.Text, nullable=False, comment="as it was typed, secrets masked"),
        sa.Column(
            "words", sa.Text, nullable=False,
            comment="the same in lower case, spaces made one: what is counted together",
        ),
        sa.Column("understood", sa.Text, nullable=False),
        sa.Column("total", sa.BigInteger, nullable=False),
        sa.Column("took_ms", sa.Double, nullable=False),
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("who", sa.Text, nullable=False, comment="anonymous or signed in; nobody's name, no address"),
        sa.Column("sources", sa.Text, nullable=False, comment="JSON list; empty: all"),
        sa.Column("face", sa.Text, nullable=False, comment="page or api"),
    )  # fmt: skip
    op.create_index("ix_query_at", "query", ["at"])
    op.create_table(
        "click",
        sa.Column("id", _BIG_ID, primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("token", sa.Text, nullable=False, comment="of the query"),
        sa.Column("resource_id", sa.BigInteger, nullable=False),
        sa.Column("place", sa.Integer, nullable=False, comment="of the hit among all, counted from 1"),
    )
    op.create_index("ix_click_token", "click", ["token"])
    op.create_index("ix_click_at", "click", ["at"])
