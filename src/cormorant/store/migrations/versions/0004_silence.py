"""Keep why a site has to wait, and until when a run waits for it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns; resting sites get a status at their next failure."""
    op.add_column(
        "site",
        sa.Column(
            "trouble",
            sa.SmallInteger,
            nullable=False,
            server_default=sa.text("0"),
            comment="status of its newest failure",
        ),
    )
    op.add_column("run", sa.Column("gives_up_at", sa.Double, comment="when it ends if nothing answers until then"))
