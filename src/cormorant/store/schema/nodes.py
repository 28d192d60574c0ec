"""Schema of nodes: every process of every node, with the time of its last heartbeat."""

from __future__ import annotations

from sqlalchemy import Column, Double, Integer, Table, Text

from cormorant.store.schema.metadata import metadata

process = Table(
    "process",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("node", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
    Column("lack", Text, nullable=False, server_default="", comment="what it is short of"),
)
