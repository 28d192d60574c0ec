"""Store the time of each event, so that the waiting time is known for events without a run too."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Add the column; it is unknown for existing events."""
    op.add_column("stream", sa.Column("at", sa.Double, comment="when it came about; NULL: an older version noted none"))
