"""Find the documents that lie in a container by its resource."""

from __future__ import annotations

from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    """Add the index. No document lies in another one yet."""
    op.execute("CREATE INDEX ix_resource_member ON resource (referrer) WHERE how = 9")
