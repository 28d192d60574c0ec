"""The one MetaData, the version that the newest migration leaves, and what one database alone is told of a table.

The latter is said in DDL, since options of a dialect have that dialect loaded: PostgreSQL's takes a tenth of the time
in which a command on SQLite starts.
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
"""The revision of the newest file in `migrations/versions`; a test holds the two together."""


def also(table: Table, sql: str, dialect: str) -> None:
    """Say this too where the table is made in a database of this dialect, once the table is there."""
    event.listen(table, "after_create", DDL(sql).execute_if(dialect=dialect))  # type: ignore[no-untyped-call]


def partial(table: Table, name: str, columns: str, where: str, *, sqlite: str = "") -> None:
    """Have an index of those rows for which `where` is true, in the words of SQLite where these are others."""
    for dialect, said in (("sqlite", sqlite or where), ("postgresql", where)):
        also(table, f"CREATE INDEX {name} ON {table.name} ({columns}) WHERE {said}", dialect)
