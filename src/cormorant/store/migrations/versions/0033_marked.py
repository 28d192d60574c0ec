"""Keep with a run how far it listed or read its source: that holds once the run has come to its end, and not before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    """Add the column. Runs under way have told their source before."""
    comment = "what its source is given the next time, once it has come to its end"
    op.add_column("run", sa.Column("cursor", sa.Text, comment=comment))
