"""Store the run since which a document is an orphan, for sources that delete orphans after some runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add the column; counting begins with the next run."""
    comment = "the run that first found that nothing leads to it, where that is counted"
    op.add_column("content", sa.Column("orphan_since", sa.Integer, comment=comment))
