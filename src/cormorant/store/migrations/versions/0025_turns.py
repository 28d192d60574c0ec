"""Let runs wait for their turn, and store the state in which they continue."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Add the columns. Runs under way have had their turn; suspended ones have stored their state elsewhere."""
    op.add_column("run", sa.Column("queued_at", sa.Double, comment="when it asked for its turn; none: it has had it"))
    left = "the state in which it was left and goes on; none: it has not begun"
    op.add_column("run", sa.Column("goes_on", sa.Text, comment=left))
    behind = "how many runs are under way, while it waits for the end of one"
    op.add_column("run", sa.Column("behind", sa.Integer, comment=behind))
    op.execute("UPDATE run SET goes_on = asked WHERE state = 'suspended' AND asked <> 'waiting'")
    op.execute("UPDATE run SET asked = NULL WHERE state = 'suspended'")
    op.execute("UPDATE run SET queued_at = requested_at WHERE state = 'waiting'")
