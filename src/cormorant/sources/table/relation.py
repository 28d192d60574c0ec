"""The table, view or query of a source: its columns as the database names them, and its key."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import Unreachable
from cormorant.sources.table.expressions import Cell, CellExpressions
from cormorant.sources.table.settings import TableSettings, columns_of

_SHOWN: Final = 8
"""Names that an error lists."""
_PART: Final = re.compile(r'"((?:[^"]|"")*)"|([^".]+)')
_OWN_TABLES: Final = ("stream_head", "site_source", "resource")
"""Tables that only a database of this program has together."""


class ColumnRoles(NamedTuple):
    """The columns that the settings name, as the database writes them; "" and () for none.

    `shown` are the columns of the table of values on a row's page, with their names there; `templates` maps the names
    that templates use to columns.
    """

    key: tuple[str, ...]
    content: tuple[str, ...]
    language: str
    type: str
    file_name: str
    attributes: tuple[tuple[str, str], ...]
    attachments: tuple[str, ...]
    links: tuple[str, ...]
    grants: str
    denies: str
    modified: str
    shown: tuple[tuple[str, str], ...]
    title: tuple[tuple[str, str], ...]
    display: tuple[tuple[str, str], ...]

    @property
    def page(self) -> tuple[str, ...]:
        """The columns that the document of a row is made of, each once."""
        single = (self.language, self.type, self.file_name, self.grants, self.denies, self.modified)
        several = (*self.content, *self.links, *(column for column, _ in (*self.shown, *self.attributes)))
        templates = (column for _, column in (*self.title, *self.display))
        return tuple(dict.fromkeys(filter(None, (*self.key, *several, *single, *templates))))


class Relation:
    """A table or query that rows are selected from.

    `codes` are the driver's numbers of column types; `unique` says that keys are proven to tell rows apart.
    `source` is the table, or the query in parentheses.
    """

    def __init__(
        self, source: sa.FromClause, codes: dict[str, int], roles: ColumnRoles, cells: CellExpressions, *, unique: bool
    ) -> None:
        self.source, self.codes, self.roles, self.cells, self.unique = source, codes, roles, cells, unique

    def __getitem__(self, column: str) -> Cell:
        """Return a column."""
        return self.source.c[column]

    def versions(self, columns: Iterable[str]) -> list[Cell]:
        """Return what changes when any of the columns does, one expression for each."""
        return [self.cells.version(self[each], self.codes[each]) for each in columns]

    @property
    def keys(self) -> list[Cell]:
        """The key columns, as they are listed."""
        return [self.cells.key(self[each]) for each in self.roles.key]


def parse_table(text: str) -> tuple[str, str]:
    """Return schema ("" for none) and name of a table written like `desk.tickets` or `"odd.name"`."""
    parts = [(quoted or plain).replace('""', '"') for quoted, plain in _PART.findall(text.strip())]
    return (".".join(parts[:-1]), parts[-1]) if parts else ("", text)


def inspect(connection: sa.Connection, settings: TableSettings) -> Relation:
    """Look at the table or query. Raises Unreachable, naming the nearest names, for a table or column there is not.

    Raises as well what the driver raises.
    """
    _see_foreign(connection)
    schema, name = parse_table(settings.table) if settings.table else ("", "")
    codes = _columns(connection, _source(settings, schema, name, ()), settings)
    source = _source(settings, schema, name, tuple(codes))
    primary, unique = _known_keys(connection, schema, name) if name else ((), [])
    finder = _ColumnFinder(tuple(codes), settings.table or "the query")
    roles = finder.roles(settings, primary)
    proven = any(set(each) <= set(roles.key) for each in unique)
    return Relation(source, codes, roles, CellExpressions(settings.place.dialect), unique=proven)


def _source(settings: TableSettings, schema: str, name: str, columns: tuple[str, ...]) -> sa.FromClause:
    if name:
        return sa.table(name, *map(sa.column, columns), schema=schema or None)
    text = sa.text(settings.query.replace(":", r"\:") + "\n")
    return text.columns(*map(sa.column, columns)).subquery("rows_of_query")


def _columns(connection: sa.Connection, source: sa.FromClause, settings: TableSettings) -> dict[str, int]:
    """Return the columns with the driver's number of their types. Raises Unreachable for a table there is not."""
    statement = sa.select(sa.text("*")).select_from(source).where(sa.false())
    try:
        result = connection.execute(statement)
    except sa.exc.DBAPIError as error:
        if settings.table and not error.connection_invalidated and (advice := _near_tables(connection, settings)):
            raise Unreachable(advice) from None
        raise
    names = list(result.keys())
    described: Sequence[Sequence[Any]] = getattr(result.cursor, "description", ())
    result.close()
    twice = [each for each in names if names.count(each) > 1]
    if twice:
        raise Unreachable(f"The query has two columns {twice[0]!r}. Give one another name: SELECT ... AS other_name.")
    types = [each[1] if isinstance(each[1], int) else 0 for each in described]
    return dict(zip(names, types, strict=True))


def _near_tables(connection: sa.Connection, settings: TableSettings) -> str:
    """Say which tables there are when the one of the settings is not; "" when it is there, or nobody can say."""
    schema, name = parse_table(settings.table)
    try:
        connection.rollback()
        looked = sa.inspect(connection)
        names = [*looked.get_table_names(schema or None), *looked.get_view_names(schema or None)]
    except (sa.exc.SQLAlchemyError, NotImplementedError):
        return ""
    if name in names:
        return ""
    there = near(name, names)
    return f"There is no table or view {settings.table!r} that the account may see. {there or 'There is none at all.'}"


def _known_keys(connection: sa.Connection, schema: str, name: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the primary key of a table, () for none, and every set of columns that is proven to be unique."""
    looked = sa.inspect(connection)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sa.exc.SAWarning)
        try:
            primary = tuple(looked.get_pk_constraint(name, schema or None)["constrained_columns"] or ())
        except (sa.exc.SQLAlchemyError, NotImplementedError):
            primary = ()
    return primary, [primary] if primary else []


def _see_foreign(connection: sa.Connection) -> None:
    """Raise Unreachable for a database of this very program: it would read what it writes."""
    looked = sa.inspect(connection)
    if all(looked.has_table(each) for each in _OWN_TABLES):
        raise Unreachable("This is a database of Cormorant itself. Name the database that holds the rows.")


def near(name: str, names: Sequence[str]) -> str:
    """Say which names are nearest to one that there is not, or which there are; "" where there are none."""
    folded = {each.casefold(): each for each in names}
    close = [folded[each] for each in difflib.get_close_matches(name.casefold(), folded, 3, 0.6)]
    if close:
        return f"Perhaps {' or '.join(close)} is meant."
    rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"There are {', '.join(names[:_SHOWN])}{rest}." if names else ""


class _ColumnFinder:
    """Finds the columns that settings name: as written, else whatever the case, where that is one."""

    def __init__(self, names: tuple[str, ...], place: str) -> None:
        self._names, self._place = names, place

    def one(self, name: str) -> str:
        """Return the column; "" for "". Raises Unreachable."""
        name = name.strip()
        if not name or name in self._names:
            return name
        alike = [each for each in self._names if each.casefold() == name.casefold()]
        if len(alike) != 1:
            raise Unreachable(f"{self._place} has no column {name!r}. {near(name, self._names)}")
        return alike[0]

    def several(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.one(each) for each in names))

    def of_template(self, text: str) -> tuple[tuple[str, str], ...]:
        return tuple((each, self.one(each)) for each in columns_of(text))

    def roles(self, settings: TableSettings, primary: tuple[str, ...]) -> ColumnRoles:
        """Return what each column is for. Raises Unreachable when no key is known."""
        key = self.several(settings.key or primary)
        if not key:
            raise Unreachable(
                f"{self._place} has no primary key, so its rows cannot be told apart. Name the columns that do: "
                "--set key=id."
            )
        content, attachments = self.several(settings.content), self.several(settings.attachments)
        attributes = tuple((self.one(column), name) for column, name in settings.mapped)
        links = self.several(settings.link_columns)
        title = settings.title
        plain_title = ((title, self.one(title)),) if title and "{" not in title else self.of_template(title)
        grants, denies = self.one(settings.grants_column), self.one(settings.denies_column)
        used = {*content, *attachments, *links, grants, denies, *(column for _, column in plain_title)}
        everything = tuple((each, each) for each in self._names if each not in used)
        return ColumnRoles(
            key=key,
            content=content,
            language=self.one(settings.language_column),
            type=self.one(settings.type_column),
            file_name=self.one(settings.file_name_column),
            attributes=attributes,
            attachments=attachments,
            links=links,
            grants=grants,
            denies=denies,
            modified=self.one(settings.modified_column),
            shown=attributes if content else everything,
            title=plain_title,
            display=self.of_template(settings.display_url),
        )
