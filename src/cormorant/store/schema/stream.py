"""Schema of the stream: deliveries in order, append-only, without gaps, trimmed after the slowest receiver.

And rejected deliveries: the newest of each document.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, Integer, SmallInteger, Table, Text

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
    Column("receiver_id", Integer, comment="for this receiver alone; NULL: for all"),
    Column("at", Double, comment="when it came about; NULL: an older version noted none"),
)

faulty = Table(
    "faulty",
    metadata,
    Column("receiver_id", Integer, primary_key=True),
    Column("resource_id", BIG_ID, primary_key=True, autoincrement=False),
    Column("source_id", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False, comment="of the delivery that it could not take"),
    Column("run", Integer, nullable=False),
    Column("event", SmallInteger, nullable=False),
    Column("url", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Double, nullable=False),
)

stream_head = Table(
    "stream_head",
    metadata,
    Column("id", Integer, primary_key=True, comment="1"),
    Column("seq", BigInteger, nullable=False, comment="the last number given; its row lock orders the writers"),
    Column("installation", Text, comment="whose numbers these are; NULL: nobody asked"),
)
