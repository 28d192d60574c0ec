"""Keep schedules, and what became of each time at which one fired."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

_BIG_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add both tables, empty."""
    op.create_table(
        "schedule",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sources", sa.Text, nullable=False, comment="JSON list of their numbers, in the order of crawling"),
        sa.Column("rhythm", sa.Text, nullable=False, comment="cron, `every ...` or manual"),
        sa.Column("time_zone", sa.Text, nullable=False, comment="empty: the machine's"),
        sa.Column("windows", sa.Text, nullable=False, comment="JSON list of hours of the week; empty: all"),
        sa.Column("overrun", sa.Text, nullable=False, comment="skip, queue or restart"),
        sa.Column("missed", sa.Text, nullable=False, comment="run or skip"),
        sa.Column("refresh", sa.Text, nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("since", sa.Double, nullable=False, comment="when the rhythm was written, from which it is counted"),
        sa.Column("next_at", sa.Double, comment="NULL: not by itself"),
        sa.Column("error", sa.Text, comment="why its rhythm can no longer be read"),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.UniqueConstraint("name", name="uq_schedule_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "launch",
        sa.Column("id", _BIG_ID, primary_key=True),
        sa.Column("schedule_id", sa.Integer, nullable=False),
        sa.Column("slot", sa.Double, nullable=False, comment="the time it is for"),
        sa.Column("why", sa.Text, nullable=False, comment="due, missed or started"),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("at", sa.Double, nullable=False, comment="when it was decided on"),
        sa.Column("started_at", sa.Double),
        sa.Column("finished_at", sa.Double),
        sa.Column("sources", sa.Text, nullable=False, comment="JSON list of their numbers, as of then"),
        sa.Column(
            "place", sa.Integer, nullable=False, server_default=sa.text("0"), comment="of the source that is crawled"
        ),
        sa.Column("run", sa.Integer, comment="the run of that source, NULL: not ordered yet"),
        sa.Column(
            "ends", sa.Text, nullable=False, server_default=sa.text("'[]'"), comment="JSON, how those before went"
        ),
        sa.Column(
            "hold", sa.Text, comment="window: its run is suspended outside of hours; released: a person went on with it"
        ),
        sa.UniqueConstraint("schedule_id", "slot", name="uq_launch_schedule_id_slot"),
    )
