"""Give each token a scope. Until now every token opened everything, so those that exist stay administrators'."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    """Add the column; a row that is written without a scope gets the narrowest one."""
    op.add_column(
        "token",
        sa.Column(
            "scope", sa.Text, nullable=False, server_default=sa.text("'search'"),
            comment="search, operate or admin; each includes those before it",
        ),
    )  # fmt: skip
    op.execute(sa.text("UPDATE token SET scope = 'admin'"))
