"""Schema of access: tokens, and the sessions of browsers that signed in, with rights beyond reading.

The values of tokens and cookies are not stored.
"""

from __future__ import annotations

from sqlalchemy import Column, Double, LargeBinary, Table, Text, text

from cormorant.store.schema.metadata import metadata

token = Table(
    "token",
    metadata,
    Column("name", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True, comment="SHA-256 of the value"),
    Column("created_at", Double, nullable=False),
    Column("used_at", Double, comment="to the minute; NULL: never"),
    Column(
        "scope", Text, nullable=False, server_default=text("'search'"),
        comment="search, operate or admin; each includes those before it",
    ),
)  # fmt: skip

session = Table(
    "session",
    metadata,
    Column("digest", LargeBinary, primary_key=True, comment="SHA-256 of what the cookie holds"),
    Column("token", Text, nullable=False, comment="name of the token it was begun with"),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),
)
