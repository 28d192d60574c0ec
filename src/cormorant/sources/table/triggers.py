"""Statements that make a log table and the triggers that write to it, for an administrator of the database to run.

Identifiers are quoted by the dialect; nothing here is run by us, who may only read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from cormorant.base.errors import UsageError
from cormorant.sources.table.change_log import MOMENT, NUMBER
from cormorant.sources.table.place import MYSQL, POSTGRESQL, SQLITE, url_of
from cormorant.sources.table.relation import parse_table
from cormorant.sources.table.settings import TableSettings

_DONE: Final = "-- Then: cormorant source edit NAME --set incremental=log"


class _Names(NamedTuple):
    """Quoted names that a script is made of; `stem` is the unquoted beginning of names of triggers."""

    table: str
    log: str
    keys: tuple[str, ...]
    stem: str
    user: str
    quote: Callable[[str], str]

    def trigger(self, event: str) -> str:
        """Return the name of a trigger or function."""
        return self.quote(f"{self.stem}_{event}")

    def values(self, row: str) -> str:
        """Return the keys of NEW or OLD."""
        return ", ".join(f"{row}.{each}" for each in self.keys)

    @property
    def columns(self) -> str:
        return ", ".join(self.keys)

    @property
    def added(self) -> str:
        """Return how a statement begins that writes an entry."""
        return f"INSERT INTO {self.log} ({self.columns}) VALUES"

    @property
    def nothing(self) -> str:
        """Return a query for the key columns without a row."""
        return f"SELECT {self.columns} FROM {self.table} WHERE 1 = 0"  # noqa: S608 - quoted, and not run by us


def trigger_script(settings: TableSettings) -> str:
    """Return the statements for the database of a source. Raises UsageError where none can be made."""
    write = _SCRIPTS.get(settings.place.dialect)
    if not settings.table or not settings.key:
        raise UsageError("Triggers are for a table whose key is set: --set table=tickets --set key=id.")
    if write is None:
        raise UsageError(
            f"There is no script for {settings.place.dialect}. A log table has the columns {NUMBER}, {MOMENT} and "
            "those of the key; have triggers add the key of each row that is inserted, changed or deleted."
        )
    return write(_names(settings))


def _names(settings: TableSettings) -> _Names:
    preparer = url_of(settings.place).get_dialect()().identifier_preparer
    schema, table = parse_table(settings.table)
    log_schema, log = parse_table(settings.log_table or f"{table}_changes")

    def full(front: str, name: str) -> str:
        return f"{preparer.quote_identifier(front)}.{quote(name)}" if front else quote(name)

    def quote(name: str) -> str:
        return str(preparer.quote_identifier(name))

    user = settings.place.user
    keys = tuple(quote(each.strip()) for each in settings.key)
    stem = f"cormorant_{log}"[:50]
    return _Names(full(schema, table), full(log_schema or schema, log), keys, stem, quote(user) if user else "", quote)


def _sqlite(names: _Names) -> str:
    lines = [
        f"CREATE TABLE {names.log} (",
        f"  {NUMBER} INTEGER PRIMARY KEY AUTOINCREMENT,",
        f"  {MOMENT} TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),",
        f"  {', '.join(names.keys)}",
        ");",
    ]
    for event, rows in (("insert", ("NEW",)), ("update", ("OLD", "NEW")), ("delete", ("OLD",))):
        writes = " ".join(f"{names.added} ({names.values(row)});" for row in rows)
        lines.append(f"CREATE TRIGGER {names.trigger(event)} AFTER {event.upper()} ON {names.table}")
        lines.append(f"  BEGIN {writes} END;")
    return _script(names, lines)


def _mysql(names: _Names) -> str:
    lines = [
        f"CREATE TABLE {names.log} (",
        f"  {NUMBER} BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,",
        f"  {MOMENT} TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), INDEX ({MOMENT})",
        f") AS {names.nothing};",
    ]
    for event, rows in (("insert", ("NEW",)), ("update", ("OLD", "NEW")), ("delete", ("OLD",))):
        values = ", ".join(f"({names.values(row)})" for row in rows)
        lines.append(f"CREATE TRIGGER {names.trigger(event)} AFTER {event.upper()} ON {names.table} FOR EACH ROW")
        lines.append(f"  {names.added} {values};")
    return _script(names, lines)


def _postgresql(names: _Names) -> str:
    function = names.trigger("write")
    return _script(
        names,
        [
            f"CREATE TABLE {names.log} AS {names.nothing};",
            f"ALTER TABLE {names.log}",
            f"  ADD COLUMN {NUMBER} bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,",
            f"  ADD COLUMN {MOMENT} timestamptz NOT NULL DEFAULT clock_timestamp();",
            f"CREATE INDEX ON {names.log} ({MOMENT});",
            f"CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$",
            "BEGIN",
            f"  IF TG_OP = 'TRUNCATE' THEN INSERT INTO {names.log} DEFAULT VALUES; END IF;",
            f"  IF TG_OP IN ('UPDATE', 'DELETE') THEN {names.added} ({names.values('OLD')}); END IF;",
            f"  IF TG_OP IN ('INSERT', 'UPDATE') THEN {names.added} ({names.values('NEW')}); END IF;",
            "  RETURN NULL;",
            "END $$;",
            f"CREATE TRIGGER {names.trigger('row')} AFTER INSERT OR UPDATE OR DELETE ON {names.table}",
            f"  FOR EACH ROW EXECUTE FUNCTION {function}();",
            f"CREATE TRIGGER {names.trigger('truncate')} AFTER TRUNCATE ON {names.table}",
            f"  FOR EACH STATEMENT EXECUTE FUNCTION {function}();",
        ],
    )


def _script(names: _Names, lines: list[str]) -> str:
    grant = [f"GRANT SELECT ON {names.log} TO {names.user};"] if names.user else []
    old = f"-- Once in a while delete the entries of {names.log} that are older than a few weeks, by {MOMENT}."
    return "\n".join([*lines, *grant, old, _DONE, ""])


_SCRIPTS: Final[Mapping[str, Callable[[_Names], str]]] = MappingProxyType(
    {SQLITE: _sqlite, MYSQL: _mysql, POSTGRESQL: _postgresql}
)
