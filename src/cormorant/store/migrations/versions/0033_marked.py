"""Store the new cursor of a source in its run, since it is valid only after the run has finished."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    """Add the column. Runs under way have stored it in their source."""
    comment = "what its source is given the next time, once it has come to its end"
    op.add_column("run", sa.Column("cursor", sa.Text, comment=comment))
