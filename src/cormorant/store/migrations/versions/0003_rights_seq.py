"""Store the change of rights that a hidden document waits for, beside other reasons to hide it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; documents that wait for the index keep waiting for their newest event."""
    comment = "of a change of its rights; the row does not go before, whatever the run"
    op.add_column("hidden", sa.Column("rights_seq", sa.BigInteger, comment=comment))
