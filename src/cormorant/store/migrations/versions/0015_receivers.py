"""Store the retry time of receivers, their replays, and their rejected deliveries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

_BIG_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add columns and the table, empty: earlier versions had no retry times, replays or rejections."""
    op.add_column(
        "receiver", sa.Column("failures", sa.Integer, nullable=False, server_default=sa.text("0"), comment="in a row")
    )
    op.add_column("receiver", sa.Column("try_at", sa.Double, comment="it is left alone until then; NULL: it is not"))
    op.add_column(
        "receiver", sa.Column("resend", sa.Text, comment="JSON, what is left to be sent again; NULL: nothing")
    )
    op.add_column(
        "stream_head", sa.Column("installation", sa.Text, comment="whose numbers these are; NULL: nobody asked")
    )
    op.add_column("stream", sa.Column("receiver_id", sa.Integer, comment="for this receiver alone; NULL: for all"))
    op.create_table(
        "faulty",
        sa.Column("receiver_id", sa.Integer, primary_key=True),
        sa.Column("resource_id", _BIG_ID, primary_key=True, autoincrement=False),
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False, comment="of the delivery that it could not take"),
        sa.Column("run", sa.Integer, nullable=False),
        sa.Column("event", sa.SmallInteger, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
    )
