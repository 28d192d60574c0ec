"""Note when each event came about: since when it waits is told of those, too, that are of no run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Add the column; of events that are there already nobody knows it."""
    op.add_column("stream", sa.Column("at", sa.Double, comment="when it came about; NULL: an older version noted none"))
