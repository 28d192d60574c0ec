"""Tell of a run that it was refused by what was asked of it, and not by how its reason ends."""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """What a person refused is known of runs that have ended already by their reason alone."""
    op.execute("UPDATE run SET asked = 'refuse' WHERE asked IS NULL AND reason LIKE '% was refused'")
