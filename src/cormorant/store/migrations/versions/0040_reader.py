"""Keep the version of each reader, and find documents that are to be read again from their kept copies.

Documents that 0039 left to the next crawl are among them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"

_CONTENT = sa.table("content", *map(sa.column, ("mime", "text_hash", "indexed")))
_TYPES = ("application/pdf", "application/rtf", "message/rfc822", "application/msword", "application/epub+zip")
_FAMILIES = ("application/vnd.ms-%", "application/vnd.openxmlformats-%", "application/vnd.oasis.opendocument.%")
_MARKED = {"sqlite": "CAST(text_hash || '+' AS BLOB)", "postgresql": r"text_hash || '\x2b'::bytea"}


def upgrade() -> None:
    """Add the table and the index, and mark what 0039 has marked for reading from the kept copy."""
    op.create_table(
        "reader",
        sa.Column("mime", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False, comment="of the reader of that type, as of the newest start"),
        sa.PrimaryKeyConstraint("mime", name="pk_reader"),
        comment="readers by media type: where one has another version, its documents are read again",
    )
    op.execute("INSERT INTO reader (mime, version) VALUES ('*', '1')")  # the readers of before are not known
    mime = _CONTENT.c.mime
    of_type = sa.or_(mime.in_(_TYPES), *(mime.like(family) for family in _FAMILIES))
    marked = sa.func.length(_CONTENT.c.text_hash) == sa.literal_column("33")
    chosen = sa.update(_CONTENT).where(of_type, marked, _CONTENT.c.indexed.is_(sa.true()))
    op.execute(chosen.values(text_hash=sa.text(_MARKED[op.get_bind().dialect.name])))
    op.execute("CREATE INDEX ix_content_outdated ON content (source_id, id) WHERE length(text_hash) > 32")
