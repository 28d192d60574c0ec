"""What is to be delivered, in order: append-only, numbered without gaps, trimmed behind the slowest receiver."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, SmallInteger, Table, Text

from cormorant.store.schema.frontier import BIG_ID
from cormorant.store.schema.metadata import metadata

stream = Table(
    "stream",
    metadata,
    Column("seq", BIG_ID, primary_key=True, autoincrement=False),
    Column("source_id", Integer, nullable=False),
    Column("resource_id", BigInteger, nullable=False),
    Column("run", Integer, nullable=False),
    Column("event", SmallInteger, nullable=False),
    Column("url", Text, comment="of what is no longer there"),
)

stream_head = Table(
    "stream_head",
    metadata,
    Column("id", Integer, primary_key=True, comment="1"),
    Column("seq", BigInteger, nullable=False, comment="the last number given; its row lock orders the writers"),
)
