"""Keep tokens and the browsers that signed in with one, by what their values hash to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add both tables. There is no token yet; the first `serve` that others can reach makes one."""
    op.create_table(
        "token",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False, comment="SHA-256 of the value"),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("used_at", sa.Double, comment="to the minute; NULL: never"),
        sa.PrimaryKeyConstraint("name", name="pk_token"),
        sa.UniqueConstraint("digest", name="uq_token_digest"),
    )
    op.create_table(
        "session",
        sa.Column("digest", sa.LargeBinary, nullable=False, comment="SHA-256 of what the cookie holds"),
        sa.Column("token", sa.Text, nullable=False, comment="name of the token it was begun with"),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_session"),
    )
