"""Schema of the journal: runs and their counts, visits with changes, gate exclusions, tombstones, and searches."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, Integer, LargeBinary, SmallInteger, Table, Text, text

from cormorant.store.schema.frontier import BIG_ID
from cormorant.store.schema.metadata import metadata

run = Table(
    "run",
    metadata,
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
    Column("gives_up_at", Double, comment="when it ends if nothing answers until then"),
    Column("waits_since", Double, comment="since when it waits for a person: held, or suspended"),
    Column("waited_s", Double, comment="how long it did so before"),
    Column("mode", Text, nullable=False, server_default=text("'accept'"), comment="what becomes of what it finds"),
    Column("forget", Boolean, nullable=False, server_default=text("false"), comment="it goes when it is done"),
    Column("measured", Text, comment="JSON, how far it was lately; store/journal/progress_samples.py"),
    Column("queued_at", Double, comment="when it asked for its turn; none: it has had it"),
    Column("goes_on", Text, comment="the state in which it was left and goes on; none: it has not begun"),
    Column("behind", Integer, comment="how many runs are under way, while it waits for the end of one"),
    Column("cursor", Text, comment="what its source is given the next time, once it has come to its end"),
    Column("problems", Text, comment="JSON, those of its report as it ended; none: it has not, or is older"),
    Index("ix_run_source_id", "source_id", "id"),
    sqlite_autoincrement=True,
)

run_count = Table(
    "run_count",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("process", Text, primary_key=True),
    Column("counts", Text, nullable=False, comment="JSON"),
)

visit = Table(
    "visit",
    metadata,
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
    metadata,
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

tombstone = Table(
    "tombstone",
    metadata,
    Column("source_id", Integer, primary_key=True),
    Column("hash", BigInteger, primary_key=True, comment="of the address, as in resource"),
    Column("address", Text, nullable=False),
    Column("resource_id", BigInteger, nullable=False, comment="the number that its document has, or had"),
    Column("run", Integer, nullable=False, comment="that moved or deleted it"),
    Column("at", Double, nullable=False),
    Column("status", SmallInteger, nullable=False, comment="of its last visit; 0: it is at another address"),
    Column("reason", Text),
    Index("ix_tombstone_resource_id", "resource_id"),
)

query = Table(
    "query",
    metadata,
    Column("id", BIG_ID, primary_key=True),
    Column("at", Double, nullable=False),
    Column("token", Text, nullable=False, comment="by which clicks are told to be of it"),
    Column("text", Text, nullable=False, comment="as it was typed, secrets masked"),
    Column("words", Text, nullable=False, comment="the same in lower case, spaces made one: what is counted together"),
    Column("understood", Text, nullable=False),
    Column("total", BigInteger, nullable=False),
    Column("took_ms", Double, nullable=False),
    Column("page", Integer, nullable=False),
    Column("who", Text, nullable=False, comment="anonymous or signed in; nobody's name, no address"),
    Column("sources", Text, nullable=False, comment="JSON list; empty: all"),
    Column("face", Text, nullable=False, comment="page or api"),
    Index("ix_query_at", "at"),
)

click = Table(
    "click",
    metadata,
    Column("id", BIG_ID, primary_key=True),
    Column("at", Double, nullable=False),
    Column("token", Text, nullable=False, comment="of the query"),
    Column("resource_id", BigInteger, nullable=False),
    Column("place", Integer, nullable=False, comment="of the hit among all, counted from 1"),
    Index("ix_click_token", "token"),
    Index("ix_click_at", "at"),
)
