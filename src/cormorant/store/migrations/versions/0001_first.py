"""The first schema, as it was: later changes of the tables do not reach back to here."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

revision = "0001"
down_revision = None

_first = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

source = Table(
    "source",
    _first,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("settings", Text, nullable=False, comment="JSON, as the administrator gave them"),
    Column("version", Integer, nullable=False, server_default=text("1"), comment="counts edits"),
    Column("generation", Integer, nullable=False, server_default=text("0"), comment="counts full refreshes"),
    Column("cursor", Text, nullable=False, server_default=text("''"), comment="how far a feed or listing was read"),
    Column("created_at", Double, nullable=False),
    sqlite_autoincrement=True,
)
receiver = Table(
    "receiver",
    _first,
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
    sqlite_autoincrement=True,
)
acl = Table(
    "acl",
    _first,
    Column("id", Integer, primary_key=True),
    Column("grants", Text, nullable=False, comment="JSON list of principals, sorted"),
    Column("denies", Text, nullable=False, comment="JSON list of principals, sorted"),
    Column("digest", Text, nullable=False, unique=True),
)
BIG_ID = BigInteger().with_variant(Integer, "sqlite")
site = Table(
    "site",
    _first,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("owner", Text, comment="process that has it leased"),
    Column("epoch", BigInteger, nullable=False, server_default=text("0")),
    Column("lease_until", Double, nullable=False, server_default=text("0")),
    Column("not_before", Double, nullable=False, server_default=text("0"), comment="the whole site rests until then"),
    Column("failures", Integer, nullable=False, server_default=text("0"), comment="in a row, of the whole site"),
    Column("requested_at", Double, nullable=False, server_default=text("0"), comment="start of the newest request"),
)
site_source = Table(
    "site_source",
    _first,
    Column("site_id", Integer, primary_key=True),
    Column("source_id", Integer, primary_key=True),
    Column("arrivals", BigInteger, nullable=False, server_default=text("0"), comment="bumped when rows are admitted"),
    Column("done_generation", Integer, nullable=False, server_default=text("0"), comment="nothing left of this one"),
    Column("not_before", Double, nullable=False, server_default=text("0"), comment="all that is left waits until then"),
)
resource = Table(
    "resource",
    _first,
    Column("id", BIG_ID, primary_key=True),
    Column("source_id", Integer, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("hash", BigInteger, nullable=False, comment="xxh3_64 of the address, seeded with source_id"),
    Column("role", SmallInteger, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("due", BigInteger, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("how", SmallInteger, nullable=False),
    Column("referrer", BigInteger),
    Column("attempts", SmallInteger, nullable=False, server_default=text("0")),
    Column("outcome", SmallInteger, nullable=False, server_default=text("0")),
    Column("status", SmallInteger, nullable=False, server_default=text("0")),
    Column("run", Integer, nullable=False, server_default=text("0"), comment="that last visited or listed it"),
    Column("visits", Integer, nullable=False, server_default=text("0")),
    Column("visited_at", Double),
    Column("not_before", Double, nullable=False, server_default=text("0")),
    Column("address", Text, nullable=False),
    Column("validator", Text, comment="of a listing"),
    Column("reason", Text),
    UniqueConstraint("site_id", "hash"),
    sqlite_autoincrement=True,
    postgresql_with={"fillfactor": "85"},
)
Index(
    "ix_resource_ready",
    resource.c.site_id,
    resource.c.source_id,
    resource.c.due,
    sqlite_where=text("state = 0"),
    postgresql_where=text("state = 0"),
)
Index("ix_resource_seed", resource.c.source_id, sqlite_where=text("how = 0"), postgresql_where=text("how = 0"))
Index(
    "ix_resource_astray",
    resource.c.source_id,
    resource.c.outcome,
    sqlite_where=text("outcome IN (4, 6)"),
    postgresql_where=text("outcome IN (4, 6)"),
)
site_fact = Table(
    "site_fact",
    _first,
    Column("site_id", Integer, primary_key=True),
    Column("scope", Integer, primary_key=True, comment="0: the installation; else a source"),
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
    Column("valid_until", Double, nullable=False),
)
content = Table(
    "content",
    _first,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("source_id", Integer, nullable=False),
    Column("url", Text, nullable=False, comment="display address"),
    Column("etag", Text, nullable=False),
    Column("modified", Text, nullable=False, comment="Last-Modified as sent"),
    Column("content_hash", LargeBinary, nullable=False),
    Column("text_hash", LargeBinary, nullable=False),
    Column("mime", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("modified_at", Double),
    Column("fetched_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    Column("pack", BigInteger, nullable=False),
    Column("pack_offset", BigInteger, nullable=False),
    Column("pack_length", Integer, nullable=False),
    Column("acl_id", Integer, nullable=False),
    Column("indexed", Boolean, nullable=False, comment="search may find it"),
    Column("seq", BigInteger, nullable=False, server_default=text("0"), comment="its newest place in the stream"),
)
Index("ix_content_indexed", content.c.source_id, sqlite_where=text("indexed = 1"), postgresql_where=text("indexed"))
Index("ix_content_hash", content.c.content_hash)
hidden = Table(
    "hidden",
    _first,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("source_id", Integer, nullable=False),
    Column("run", Integer, nullable=False),
    Column("seq", BigInteger, comment="of its event; the row goes when the index has passed it. NULL: run not settled"),
    comment="what search must not find although the index still has it",
)
outlinks = Table(
    "outlinks",
    _first,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("run", Integer, nullable=False, comment="that wrote it; inverted when its run ends"),
    Column("inverted", Boolean, nullable=False),
    Column("links", LargeBinary, nullable=False),
    Column("previous", LargeBinary, comment="as of the last inversion, while `inverted` is false"),
)
Index("ix_outlinks_changed", outlinks.c.id, sqlite_where=text("inverted = 0"), postgresql_where=text("NOT inverted"))
inlinks = Table(
    "inlinks",
    _first,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource linked to"),
    Column("count", Integer, nullable=False),
    Column("links", LargeBinary, nullable=False, comment="referrer and anchor text of each"),
)
run = Table(
    "run",
    _first,
    Column("id", Integer, primary_key=True),
    Column("source_id", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("refresh", Text, nullable=False),
    Column("force", Boolean, nullable=False),
    Column("anew", Boolean, nullable=False, server_default=text("false"), comment="the settings were edited"),
    Column("generation", Integer, nullable=False, server_default=text("0")),
    Column("settings", Text, nullable=False, comment="of the source, as of the start"),
    Column("requested_at", Double, nullable=False),
    Column("started_at", Double),
    Column("finished_at", Double),
    Column("complete", Boolean, nullable=False, server_default=text("false")),
    Column("asked", Text, comment="stop, suspend, resume, accept or refuse: what a person asked of it"),
    Column("reason", Text, comment="why it was held, stopped or failed"),
    Column("bottleneck", Text),
    Column("lists", Boolean, nullable=False, server_default=text("false"), comment="what it did not name is gone"),
    Column("unlisted", Text, nullable=False, server_default=text("'[]'"), comment="JSON, parts it could not list"),
    Column("error", Text, comment="problem code of a failed run"),
    sqlite_autoincrement=True,
)
run_count = Table(
    "run_count",
    _first,
    Column("run_id", Integer, primary_key=True),
    Column("process", Text, primary_key=True),
    Column("counts", Text, nullable=False, comment="JSON"),
)
visit = Table(
    "visit",
    _first,
    Column("id", BIG_ID, primary_key=True),
    Column("resource_id", BigInteger, nullable=False),
    Column("run", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("outcome", SmallInteger, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("content_hash", LargeBinary),
    Column("changed", Text, nullable=False, comment="what it changed: new, content, outcome, access"),
    Column("reason", Text),
    Index("ix_visit_resource_id", "resource_id"),
)
exclusion = Table(
    "exclusion",
    _first,
    Column("source_id", Integer, primary_key=True),
    Column("hash", BigInteger, primary_key=True),
    Column("address", Text, nullable=False),
    Column("gate", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("run", Integer, nullable=False, comment="the newest that met it"),
    Column("depth", Integer, nullable=False),
    Column("referrer", BigInteger),
)
stream = Table(
    "stream",
    _first,
    Column("seq", BIG_ID, primary_key=True, autoincrement=False),
    Column("source_id", Integer, nullable=False),
    Column("resource_id", BigInteger, nullable=False),
    Column("run", Integer, nullable=False),
    Column("event", SmallInteger, nullable=False),
    Column("url", Text, comment="of what is no longer there"),
)
stream_head = Table(
    "stream_head",
    _first,
    Column("id", Integer, primary_key=True, comment="1"),
    Column("seq", BigInteger, nullable=False, comment="the last number given; its row lock orders the writers"),
)
process = Table(
    "process",
    _first,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("node", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
)


def upgrade() -> None:
    """Make every table as it was in the first version."""
    _first.create_all(op.get_bind())
    op.execute(stream_head.insert().values(id=1, seq=0))
