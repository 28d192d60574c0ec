"""Schema of the catalog: sources, sets of parameters, receivers, secrets, consent, attributes; and access lists.

The name of a deleted source is kept until all receivers have the events for its documents.

Numbers that other tables store (stream, index, journal) are never assigned again, as in PostgreSQL: on SQLite by
`sqlite_autoincrement`. Otherwise a new source would get pending events of a deleted one.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary, Table, Text, text

from cormorant.store.schema.metadata import metadata

source = Table(
    "source",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("settings", Text, nullable=False, comment="JSON, as the administrator gave them"),
    Column("version", Integer, nullable=False, server_default=text("1"), comment="counts edits"),
    Column("generation", Integer, nullable=False, server_default=text("0"), comment="counts full refreshes"),
    Column("cursor", Text, nullable=False, server_default=text("''"), comment="how far a feed or listing was read"),
    Column("created_at", Double, nullable=False),
    Column("agreed", Text, comment="JSON, how many documents may leave by which rule; NULL: nobody was asked"),
    Column("agreed_at", Double),
    Column("test_of", Integer, comment="the source that it is a copy of, for a crawl that delivers nothing"),
    sqlite_autoincrement=True,
)

former_source = Table(
    "former_source",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, comment="that it had when it was deleted; another may have it by now"),
    Column("seq", BigInteger, nullable=False, comment="the last number of the stream then"),
)

receiver = Table(
    "receiver",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("source_id", Integer, comment="NULL: every source"),
    Column("settings", Text, nullable=False),
    Column("place", BigInteger, nullable=False, comment="sequence number of the last delivery it acknowledged"),
    Column("error", Text),
    Column("paused", Boolean, nullable=False, server_default=text("false")),
    Column("created_at", Double, nullable=False),
    Column("refused", BigInteger, nullable=False, server_default=text("0"), comment="deliveries it could not take"),
    Column("refusal", Text, comment="the newest of them, and why"),
    Column("failures", Integer, nullable=False, server_default=text("0"), comment="in a row"),
    Column("try_at", Double, comment="it is left alone until then; NULL: it is not"),
    Column("resend", Text, comment="JSON, what is left to be sent again; NULL: nothing"),
    Column("lent_until", Double, comment="whoever delivers leaves it alone until then; NULL: it is not lent"),
    Column("unmade", Boolean, nullable=False, server_default=text("false"), comment="what it is made of is not there"),
    Column(
        "last_seq",
        BigInteger,
        nullable=False,
        server_default=text("0"),
        comment="number of the last record that it took",
    ),
    sqlite_autoincrement=True,
)

acl = Table(
    "acl",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("grants", Text, nullable=False, comment="JSON list of principals, sorted"),
    Column("denies", Text, nullable=False, comment="JSON list of principals, sorted"),
    Column("digest", Text, nullable=False, unique=True),
)

consent = Table(
    "consent",
    metadata,
    Column("host", Text, primary_key=True),
    Column("port", Integer, primary_key=True),
    Column("address_class", Text, primary_key=True, comment="at the first resolution of a host that was named"),
    Column("settled_at", Double, nullable=False),
)

secret = Table(
    "secret",
    metadata,
    Column("name", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False, comment="by the key in the data folder; never in clear"),
    Column("created_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
)

parameters = Table(
    "parameters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("settings", Text, nullable=False, comment="JSON, for each kind of source those that it has"),
    Column("version", Integer, nullable=False, server_default=text("1"), comment="counts edits"),
    Column("created_at", Double, nullable=False),
)

tuning = Table(
    "tuning",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Double, nullable=False, comment="in the place of the standard weight"),
    Column("changed_at", Double, nullable=False),
)

attribute = Table(
    "attribute",
    metadata,
    Column("name", Text, primary_key=True),
    Column("type", Text, nullable=False, comment="string, number or date"),
    Column("origin", Text, nullable=False, comment="administrator, source, or document: one brought it first"),
    Column("about", Text, nullable=False),
    Column("facet", Boolean, nullable=False, comment="its values are offered beside results"),
    Column("deleted", Boolean, nullable=False, comment="documents that bring it are kept without it"),
    Column("created_at", Double, nullable=False),
    Column("judged_from", Double, nullable=False, comment="runs ordered before then judged by another type; 0: none"),
)

attribute_value = Table(
    "attribute_value",
    metadata,
    Column("attribute", Text, primary_key=True),
    Column("source", Text, primary_key=True, comment="name of the source whose list it is in; empty: the list of all"),
    Column("value", Text, primary_key=True),
    Column("names", Text, nullable=False, comment="JSON, display names by language; empty: of every other language"),
    Column("place", Integer, nullable=False, comment="in the list, from 0"),
    Column("created_at", Double, nullable=False),
)

takedown = Table(
    "takedown",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("rule", Text, nullable=False, comment="of the documents that are hidden, as `sources.rules` reads it"),
    Column("source", Text, comment="name of the source it is limited to; NULL: every source"),
    Column("reason", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double, comment="when it ends by itself; NULL: never"),
    Column("erase", Boolean, nullable=False, comment="text and copies are removed from the disk as well"),
    Column("erased_at", Double, comment="when a scan found nothing of them; NULL: not yet"),
    Column("ended_at", Double, comment="when it was lifted or expired; NULL: it is in force"),
    Column("ended_by", Text),
    Column(
        "carried_out", Boolean, nullable=False, server_default=text("false"),
        comment="what it hides is hidden, or found again since it ended; false: to be gone through once more",
    ),
    sqlite_autoincrement=True,
)  # fmt: skip
