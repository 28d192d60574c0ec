"""Keep the search attributes that administrators added and documents brought, and lists of their values."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    """Add both tables. Attributes of existing documents are added when the documents are read again."""
    op.create_table(
        "attribute",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False, comment="string, number or date"),
        sa.Column(
            "origin", sa.Text, nullable=False, comment="administrator, source, or document: one brought it first"
        ),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("facet", sa.Boolean, nullable=False, comment="its values are offered beside results"),
        sa.Column("deleted", sa.Boolean, nullable=False, comment="documents that bring it are kept without it"),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column(
            "judged_from", sa.Double, nullable=False, comment="runs ordered before then judged by another type; 0: none"
        ),
        sa.PrimaryKeyConstraint("name", name="pk_attribute"),
    )
    op.create_table(
        "attribute_value",
        sa.Column("attribute", sa.Text, nullable=False),
        sa.Column(
            "source", sa.Text, nullable=False, comment="name of the source whose list it is in; empty: the list of all"
        ),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column(
            "names", sa.Text, nullable=False, comment="JSON, display names by language; empty: of every other language"
        ),
        sa.Column("place", sa.Integer, nullable=False, comment="in the list, from 0"),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("attribute", "source", "value", name="pk_attribute_value"),
    )
