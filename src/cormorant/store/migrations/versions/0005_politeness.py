"""Keep, hour by hour, how many requests went to a site and how close together, and which sites share an address."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the table, without earlier requests, and the column, which the next visit of a site fills."""
    op.add_column(
        "site",
        sa.Column("lane", sa.Text, comment="the address whose pace it shares with others; none when it does not"),
    )
    known = sa.text("lane IS NOT NULL")
    op.create_index("ix_site_lane", "site", ["lane"], sqlite_where=known, postgresql_where=known)
    op.create_table(
        "site_hour",
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("hour", sa.Integer, nullable=False, comment="hours since the epoch"),
        sa.Column("requests", sa.Integer, nullable=False),
        sa.Column(
            "gap_s", sa.Double, comment="the tightest from request to request; none after the first request ever"
        ),
        sa.Column("asked_s", sa.Double, comment="the delay that was asked for at that gap"),
        sa.Column("rule", sa.Text, nullable=False, comment="who asked for the delay of the newest request"),
        sa.PrimaryKeyConstraint("site_id", "hour", name=op.f("pk_site_hour")),
    )
