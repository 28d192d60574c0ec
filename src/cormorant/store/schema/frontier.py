"""Schema of the frontier: resources, sites, and the order of visits.

Sites are leased; rows of a leased site are read, not locked.

`resource.due` orders the visits of a site: generation << 40 | priority << 32 | depth << 16. A row is due in generation
g while its `due` is below (g + 1) << 40, so a full refresh of a million rows changes one number in `source`.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from cormorant.store.schema.metadata import also, metadata, partial

BIG_ID = BigInteger().with_variant(Integer, "sqlite")

site = Table(
    "site",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("owner", Text, comment="process that has it leased"),
    Column("epoch", BigInteger, nullable=False, server_default=text("0")),
    Column("lease_until", Double, nullable=False, server_default=text("0")),
    Column("not_before", Double, nullable=False, server_default=text("0"), comment="the whole site rests until then"),
    Column("failures", Integer, nullable=False, server_default=text("0"), comment="in a row, of the whole site"),
    Column("requested_at", Double, nullable=False, server_default=text("0"), comment="start of the newest request"),
    Column("trouble", SmallInteger, nullable=False, server_default=text("0"), comment="status of its newest failure"),
    Column("lane", Text, comment="the address whose pace it shares with others; none when it does not"),
)

partial(site, "ix_site_lane", "lane", "lane IS NOT NULL")

site_source = Table(
    "site_source",
    metadata,
    Column("site_id", Integer, primary_key=True),
    Column("source_id", Integer, primary_key=True),
    Column("arrivals", BigInteger, nullable=False, server_default=text("0"), comment="bumped when rows are admitted"),
    Column("done_generation", Integer, nullable=False, server_default=text("0"), comment="nothing left of this one"),
    Column("not_before", Double, nullable=False, server_default=text("0"), comment="all that is left waits until then"),
)

resource = Table(
    "resource",
    metadata,
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
    Column("display", Text, comment="shown instead of the address; NULL: the source says"),
    UniqueConstraint("site_id", "hash"),
    sqlite_autoincrement=True,
)
also(resource, "ALTER TABLE resource SET (fillfactor = 85)", "postgresql")

# In SQLite every index ends with the row's number. Without it PostgreSQL would sort all rows of equal `due`.
_READY = "CREATE INDEX ix_resource_ready ON resource (site_id, source_id, due{also}) WHERE state = 0"
also(resource, _READY.format(also=""), "sqlite")
also(resource, _READY.format(also=", id"), "postgresql")

SEEDS = text("resource.how = 0")
MOVED = text("resource.outcome = 3 AND length(resource.reason) <= 600")
MOVED_FAR = text("resource.outcome = 3 AND length(resource.reason) > 600")
EXCLUDED = text("resource.outcome = 5 AND resource.run > 0")
ASTRAY = text("resource.outcome IN (4, 6)")
SITEMAPS = text("resource.role = 2")
MEMBERS = text("resource.how = 9")
NO_MEMBER = text("resource.how <> 9")
TROUBLED = text(
    "(resource.outcome IN (6, 7, 8, 9) OR resource.status = 960"
    " OR resource.outcome IN (1, 2) AND resource.reason IS NOT NULL)"
)
"""Start addresses; redirects with targets that PostgreSQL can index, and with longer ones; excluded resources; gone or
deferred ones; sitemaps; members of containers; and resources for the report of a run: worded like their partial
indexes, which are used only then.
"""

partial(resource, "ix_resource_seed", "source_id", "how = 0")
partial(resource, "ix_resource_moved", "source_id, reason", MOVED.text.replace("resource.", ""))
partial(resource, "ix_resource_excluded", "source_id, run", EXCLUDED.text.replace("resource.", ""))
partial(resource, "ix_resource_astray", "source_id, outcome", "outcome IN (4, 6)")
partial(resource, "ix_resource_troubled", "source_id, outcome", TROUBLED.text.replace("resource.", ""))
partial(resource, "ix_resource_sitemap", "source_id", "role = 2")
partial(resource, "ix_resource_member", "referrer", "how = 9")
partial(resource, "ix_resource_display", "display", "display IS NOT NULL")

claim = Table(
    "claim",
    metadata,
    Column("source_id", Integer, primary_key=True),
    Column("hash", BigInteger, primary_key=True),
    Column("site_id", Integer, nullable=False),
    Column("modified_at", Double, comment="lastmod"),
    Column("every_s", Integer, nullable=False, comment="changefreq; 0: not said"),
    Column("run", Integer, nullable=False, comment="that read it"),
    Column("said", SmallInteger, nullable=False, comment="0 nothing that can be checked, 1 same, 2 newer"),
)

site_fact = Table(
    "site_fact",
    metadata,
    Column("site_id", Integer, primary_key=True),
    Column("scope", Integer, primary_key=True, comment="0: the installation; else a source"),
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
    Column("valid_until", Double, nullable=False),
)

site_hour = Table(
    "site_hour",
    metadata,
    Column("site_id", Integer, primary_key=True),
    Column("hour", Integer, primary_key=True, comment="hours since the epoch"),
    Column("requests", Integer, nullable=False),
    Column("gap_s", Double, comment="the tightest from request to request; none after the first request ever"),
    Column("asked_s", Double, comment="the delay that was asked for at that gap"),
    Column("rule", Text, nullable=False, comment="who asked for the delay of the newest request"),
)
