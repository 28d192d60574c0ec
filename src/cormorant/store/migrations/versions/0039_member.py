"""Find the documents that lie in a container by its resource, and have documents read again by the readers of now.

The next crawl of each source reads them from their kept copies where the source says that they are unchanged.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"

_CONTENT = sa.table("content", *map(sa.column, ("id", "mime", "etag", "modified", "content_hash", "text_hash")))
_RESOURCE = sa.table("resource", *map(sa.column, ("id", "status", "validator")))
_TYPES = ("application/pdf", "application/rtf", "message/rfc822", "application/msword", "application/epub+zip")
_FAMILIES = ("application/vnd.ms-%", "application/vnd.openxmlformats-%", "application/vnd.oasis.opendocument.%")
_MARKED = {"sqlite": "CAST(text_hash || '+' AS BLOB)", "postgresql": r"text_hash || '\x2b'::bytea"}
_NOTHING = {"sqlite": "x''", "postgresql": "''::bytea"}
_NO_CONVERTER = 908


def upgrade() -> None:
    """Add the index. No document lies in another one yet."""
    op.execute("CREATE INDEX ix_resource_member ON resource (referrer) WHERE how = 9")
    dialect = op.get_bind().dialect.name
    mime = _CONTENT.c.mime
    of_type = sa.or_(mime.in_(_TYPES), *(mime.like(family) for family in _FAMILIES))
    read_again = sa.and_(of_type, sa.func.length(_CONTENT.c.text_hash) == sa.literal_column("32"))
    unread = _RESOURCE.c.status == _NO_CONVERTER
    listed = sa.or_(_RESOURCE.c.id.in_(sa.select(_CONTENT.c.id).where(read_again)), unread)
    op.execute(sa.update(_RESOURCE).where(listed).values(validator=None))
    changes = {"content_hash": sa.text(_NOTHING[dialect]), "text_hash": sa.text(_MARKED[dialect])}
    op.execute(sa.update(_CONTENT).where(read_again).values(changes))
    numbers = sa.select(_RESOURCE.c.id).where(unread)
    op.execute(sa.update(_CONTENT).where(_CONTENT.c.id.in_(numbers)).values(etag="", modified=""))
