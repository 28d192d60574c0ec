"""Store the mode of runs, sets of parameters, and the documents that receivers know as orphans."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0015"


def upgrade() -> None:
    """Add the columns and the table. Earlier runs indexed their documents."""
    op.add_column(
        "run",
        sa.Column(
            "mode", sa.Text, nullable=False, server_default=sa.text("'accept'"),
            comment="what becomes of what it finds",
        ),
    )  # fmt: skip
    op.add_column(
        "run",
        sa.Column(
            "forget", sa.Boolean, nullable=False, server_default=sa.text("false"), comment="it goes when it is done"
        ),
    )
    op.add_column(
        "source",
        sa.Column("test_of", sa.Integer, comment="the source that it is a copy of, for a crawl that delivers nothing"),
    )
    op.create_table(
        "parameters",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("settings", sa.Text, nullable=False, comment="JSON, for each kind of source those that it has"),
        sa.Column("version", sa.Integer, nullable=False, server_default=sa.text("1"), comment="counts edits"),
        sa.Column("created_at", sa.Double, nullable=False),
    )
    op.add_column(
        "content",
        sa.Column(
            "unvisited", sa.Boolean, nullable=False, server_default=sa.text("false"),
            comment="receivers were told that nothing links to it any more",
        ),
    )  # fmt: skip
