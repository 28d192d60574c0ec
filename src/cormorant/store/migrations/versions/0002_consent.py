"""Store the consented class of addresses of each named host, for all later processes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the table; hosts named before are settled again at their next resolution."""
    op.create_table(
        "consent",
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("port", sa.Integer, nullable=False),
        sa.Column("address_class", sa.Text, nullable=False, comment="at the first resolution of a host that was named"),
        sa.Column("settled_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("host", "port", "address_class", name="pk_consent"),
    )
