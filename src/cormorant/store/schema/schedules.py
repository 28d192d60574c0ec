"""Schedules: planned crawls of sources, and the result of each planned time."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, Integer, Table, Text, UniqueConstraint, text

from cormorant.store.schema.frontier import BIG_ID
from cormorant.store.schema.metadata import metadata

schedule = Table(
    "schedule",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("sources", Text, nullable=False, comment="JSON list of their numbers, in the order of crawling"),
    Column("rhythm", Text, nullable=False, comment="cron, `every ...` or manual"),
    Column("time_zone", Text, nullable=False, comment="empty: the machine's"),
    Column("windows", Text, nullable=False, comment="JSON list of hours of the week; empty: all"),
    Column("overrun", Text, nullable=False, comment="skip, queue or restart"),
    Column("missed", Text, nullable=False, comment="run or skip"),
    Column("refresh", Text, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("since", Double, nullable=False, comment="when the rhythm was written, from which it is counted"),
    Column("next_at", Double, comment="NULL: not by itself"),
    Column("error", Text, comment="why its rhythm can no longer be read"),
    Column("created_at", Double, nullable=False),
    sqlite_autoincrement=True,
)

launch = Table(
    "launch",
    metadata,
    Column("id", BIG_ID, primary_key=True),
    Column("schedule_id", Integer, nullable=False),
    Column("slot", Double, nullable=False, comment="the time it is for"),
    Column("why", Text, nullable=False, comment="due, missed or started"),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("at", Double, nullable=False, comment="when it was decided on"),
    Column("started_at", Double),
    Column("finished_at", Double),
    Column("sources", Text, nullable=False, comment="JSON list of their numbers, as of then"),
    Column("place", Integer, nullable=False, server_default=text("0"), comment="of the source that is crawled"),
    Column("run", Integer, comment="the run of that source, NULL: not ordered yet"),
    Column("ends", Text, nullable=False, server_default=text("'[]'"), comment="JSON, how those before went"),
    Column("hold", Text, comment="window: its run is suspended outside of hours; released: a person went on with it"),
    UniqueConstraint("schedule_id", "slot"),
)
"""One row for each time of a schedule: the process that inserts the row carries it out."""
