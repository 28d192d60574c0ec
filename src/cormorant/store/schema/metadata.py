"""The one MetaData, the version of the newest migration, and DDL for one kind of database.

The last is written as DDL, since options of a dialect would load that dialect: PostgreSQL's takes a tenth of the start
of a command on SQLite.
"""

from __future__ import annotations

from sqlalchemy import DDL, MetaData, Table, event

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

SCHEMA_VERSION = "0043"
"""The revision of the newest file in `migrations/versions`; a test compares the two."""


def also(table: Table, sql: str, dialect: str) -> None:
    """Execute this DDL after the table is created in a database of this dialect."""
    event.listen(table, "after_create", DDL(sql).execute_if(dialect=dialect))  # type: ignore[no-untyped-call]


def partial(table: Table, name: str, columns: str, where: str, *, sqlite: str = "") -> None:
    """Add an index of the rows for which `where` is true; `sqlite` is the condition there if it differs."""
    for dialect, condition in (("sqlite", sqlite or where), ("postgresql", where)):
        also(table, f"CREATE INDEX {name} ON {table.name} ({columns}) WHERE {condition}", dialect)
