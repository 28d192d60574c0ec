"""Have every sitemap read again: resources that it names may be known only by a link, and would become orphans."""

from __future__ import annotations

from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    """Delete the validators of sitemaps, and of documents that some of them were read as."""
    op.execute("UPDATE resource SET validator = NULL WHERE role = 2 AND validator IS NOT NULL")
    op.execute("UPDATE content SET etag = '', modified = '' WHERE id IN (SELECT id FROM resource WHERE role = 2)")
