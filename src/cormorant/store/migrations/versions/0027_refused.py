"""Store the refusal of a run in `asked` instead of its reason."""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Fill in ended runs, whose refusal only their reason shows."""
    op.execute("UPDATE run SET asked = 'refuse' WHERE asked IS NULL AND reason LIKE '% was refused'")
