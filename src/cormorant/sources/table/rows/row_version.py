"""Rows as a listing names them: where a row is, its version, where people open it, and its attachments."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.model.url import MAX_ADDRESS, try_canonical
from cormorant.sources.table.relation import ColumnRoles, Relation
from cormorant.sources.table.rows.cell_text import filled
from cormorant.sources.table.rows.row_key import key_value
from cormorant.sources.table.settings import TableSettings

_SHORT = 2_000
"""Bytes of a cell that may stand in an address."""


class ListedRow(NamedTuple):
    """A row of a listing. `attachments` are columns that hold one, each with its version."""

    key: tuple[str | bytes, ...]
    version: str
    display: str
    attachments: tuple[tuple[str, str], ...] = ()


class RowVersions:
    """Chooses what is selected of a row to know its version, and makes a ListedRow of what comes.

    `whole`: by all that its documents are made of; else by its modification time and its readers.
    """

    def __init__(self, relation: Relation, settings: TableSettings, *, whole: bool) -> None:
        roles = relation.roles
        self._roles, self._relation, self._template, self._whole = roles, relation, settings.display_url, whole
        self._versioned = self._compared(roles)
        self._display = tuple(column for _, column in roles.display)

    def _compared(self, roles: ColumnRoles) -> tuple[str, ...]:
        if self._whole:
            return tuple(each for each in roles.page if each not in roles.key)
        return tuple(dict.fromkeys(filter(None, (roles.modified, roles.grants, roles.denies))))

    @property
    def cells(self) -> list[sa.ColumnElement[Any]]:
        """The selected expressions, in the order in which `row` takes them; each has a name of its own."""
        relation = self._relation
        shown = [relation.cells.value(relation[each], relation.codes[each], _SHORT) for each in self._display]
        several = [*relation.keys, *relation.versions(self._versioned), *shown]
        for each in self._roles.attachments:
            size = relation.cells.size(relation[each], relation.codes[each])
            several.append(sa.literal(1) if size is None else size)
            several.append(relation.versions([each])[0] if self._whole or size is None else sa.literal(0))
        return [each.label(f"c{number}") for number, each in enumerate(several)]

    def row(self, cells: Sequence[object]) -> ListedRow | None:
        """Return the row; None when a column of its key has no value."""
        keys = len(self._roles.key)
        parts, rest = cells[:keys], cells[keys:]
        if any(each is None for each in parts):
            return None
        key = tuple(map(key_value, parts))
        versioned, rest = rest[: len(self._versioned)], rest[len(self._versioned) :]
        shown, rest = rest[: len(self._display)], rest[len(self._display) :]
        values = {name: cell for (name, _), cell in zip(self._roles.display, shown, strict=True)}
        display = display_of(self._template, values)
        found = [
            (column, rest[2 * place : 2 * place + 2]) for place, column in enumerate(self._roles.attachments)
            if rest[2 * place] and rest[2 * place + 1] is not None
        ]  # fmt: skip
        version = version_of((*key, *versioned, display, *(column for column, _ in found)))
        attachments = tuple((column, version_of((version, column, *said))) for column, said in found)
        return ListedRow(key, version, display, attachments)


def display_of(template: str, values: dict[str, object]) -> str:
    """Return the address that people open, canonical; "" without a template, and for a row that gives none."""
    if not template or any(each is None for each in values.values()):
        return ""
    address = try_canonical(filled(template, values, escaped=True)) or ""
    return address if len(address) <= MAX_ADDRESS and address.startswith(("http", "ftp:", "file:", "smb:")) else ""


def version_of(parts: Iterable[object]) -> str:
    """Return 32 hexadecimal digits that differ when any of the parts does."""
    digest = hashlib.blake2b(digest_size=16)
    for each in parts:
        data = bytes(each) if isinstance(each, bytes | bytearray | memoryview) else _encoded(each)
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def _encoded(value: object) -> bytes:
    """Return a value as bytes; NULL differs from an empty text."""
    return b"\0" if value is None else f"{value}".encode("utf-8", "surrogateescape")
