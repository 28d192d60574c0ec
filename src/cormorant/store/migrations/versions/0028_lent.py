"""Lend the index to the process that rebuilds it while others crawl and deliver."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Add the column. The index of an older version is not lent."""
    comment = "whoever delivers leaves it alone until then; NULL: it is not lent"
    op.add_column("receiver", sa.Column("lent_until", sa.Double, comment=comment))
