"""Schema of items: the newest versions that programs pushed to a source, or that a source has read from a feed.

A gone item stays as a row without pieces, so that a late older version does not restore it.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from cormorant.store.schema.frontier import BIG_ID
from cormorant.store.schema.metadata import metadata

item = Table(
    "item",
    metadata,
    Column("id", BIG_ID, primary_key=True),
    Column("source_id", Integer, nullable=False),
    Column("name", Text, nullable=False, comment="as its sender calls it"),
    Column("part", Text, nullable=False, server_default=text("''"), comment="name of an attachment; '': the whole"),
    Column("seq", BigInteger, nullable=False, comment="counts the changes of its source"),
    Column("named", BigInteger, nullable=False, comment="the full feed in which, or after which, it was last named"),
    Column("gone", Boolean, nullable=False, server_default=text("false")),
    Column("version", BigInteger, comment="by its sender's count; NULL: it does not count"),
    Column("digest", Text, nullable=False, comment="of everything that was said of it"),
    Column("shown", Text, nullable=False, server_default=text("''"), comment="address that readers see; '': its own"),
    Column("note", Text, nullable=False, comment="JSON, everything but the body, as the kind of its source has it"),
    Column("size", BigInteger, nullable=False, comment="bytes of the body"),
    Column("at", Double, nullable=False),
    UniqueConstraint("source_id", "name", "part"),
    Index("ix_item_seq", "source_id", "seq"),
    sqlite_autoincrement=True,
)  # fmt: skip

item_piece = Table(
    "item_piece",
    metadata,
    Column("item_id", BIG_ID, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False, comment="a piece of the compressed body"),
)

item_mark = Table(
    "item_mark",
    metadata,
    Column("source_id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False, comment="JSON, as the kind of its source has it"),
    Column("at", Double, nullable=False),
    comment="what is remembered of the way that items came: batches, sequences, validators of feeds",
)
