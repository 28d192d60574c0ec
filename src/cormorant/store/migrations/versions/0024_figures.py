"""Delete classes of near duplicates: their sketches now include the figures of titles."""

from __future__ import annotations

from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Empty the tables. Documents are compared when they change, or at the next rebuild of the index."""
    op.execute("DELETE FROM near_band")
    op.execute("DELETE FROM near")
