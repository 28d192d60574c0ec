"""The first schema."""

from __future__ import annotations

from alembic import op

from cormorant.store.schema import metadata, stream_head

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table as it was in the first version."""
    metadata.create_all(op.get_bind(), checkfirst=True)
    op.execute(stream_head.insert().values(id=1, seq=0))
