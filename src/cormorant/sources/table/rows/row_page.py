"""Documents of rows: a page of its values and texts, or the file that its one content column holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from cormorant.model.acl import ACL, EVERYONE
from cormorant.model.content import Content, Value
from cormorant.model.outcome import Excluded
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.url import try_canonical
from cormorant.sources.record_page import PAGE_TYPE, RecordSection, record_page
from cormorant.sources.table.relation import ColumnRoles
from cormorant.sources.table.rows.cell_text import (
    MAX_ATTRIBUTE,
    attribute_value,
    cell_text,
    decoded,
    filled,
    moment_of,
    split_names,
)
from cormorant.sources.table.rows.row_key import RowAddress
from cormorant.sources.table.settings import TableSettings

_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_LANGUAGE: Final = re.compile(r"[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,3}")
_PRINCIPAL: Final = re.compile(r"(?:user|group):\s*(\S.*)", re.IGNORECASE)
_PLAIN: Final = ("", "text/plain")


class RowCells(NamedTuple):
    """The cells of a row by column, and the sizes in bytes of those that may be large."""

    values: Mapping[str, Any]
    sizes: Mapping[str, int | None]


class RowPages:
    """Makes documents of the rows of a source. `place` names the table where a row has no title."""

    def __init__(self, roles: ColumnRoles, settings: TableSettings, place: str) -> None:
        self._roles, self._settings, self._place = roles, settings, place

    def document(self, where: RowAddress, address: str, row: RowCells, held: Sequence[str]) -> Content | Excluded:
        """Return the document of a row. `held` are the columns in which it has attachments."""
        acl = self._acl(row.values)
        too_big = [each for each in self._roles.content if (row.sizes.get(each) or 0) > self._settings.cell_limit]
        if too_big:
            return self._excluded(acl)
        title = self._title(row.values)
        body, mime = self._body(where, row.values, title, held)
        return self._content(address, body, mime, row.values, title, acl)

    def attachment(self, where: RowAddress, address: str, row: RowCells) -> Content | Excluded | None:
        """Return the document in an attachment column; None where there is none any more."""
        column, acl = where.attachment, self._acl(row.values)
        if (row.sizes.get(column) or 0) > self._settings.cell_limit:
            return self._excluded(acl)
        value = row.values.get(column)
        if value is None or value in ("", b""):
            return None
        is_text = isinstance(value, str)
        body = _bytes(value)
        cut, truncated = self._cut(body)
        if len(body) > self._settings.cell_limit:
            return self._excluded(acl)
        name = ", ".join(filter(None, (self._title(row.values), column)))
        return Content(
            address, cut, "text/plain" if is_text else "", "utf-8" if is_text else "", acl=acl, truncated=truncated,
            directives=("nofollow",), given_name=name, modified_at=self._modified_at(row.values),
        )  # fmt: skip

    def _content(
        self, address: str, body: bytes, mime: str, values: Mapping[str, Any], title: str, acl: ACL | None
    ) -> Content | Excluded:
        cut, truncated = self._cut(body)
        if truncated and self._settings.too_big == "drop":
            return self._excluded(acl)
        attributes = dict(self._attributes(values))
        mapped = {name: cell_text(values.get(column)) for column, name in self._roles.attributes}
        is_text = mime.startswith("text/")
        return Content(
            address, cut, mime, "utf-8" if is_text and decoded(cut) is not None else "", acl=acl, truncated=truncated,
            directives=("nofollow",), modified_at=self._modified_at(values), language=self._language(values),
            file_name="" if mime == PAGE_TYPE else self._named(values, self._roles.file_name)[:255],
            title=mapped.get("Title") or title, attributes=attributes,
        )  # fmt: skip

    def _body(self, where: RowAddress, values: Mapping[str, Any], title: str, held: Sequence[str]) -> tuple[bytes, str]:
        """Return the bytes of a row's document and their media type, "" where its bytes have to tell it."""
        content, mime = self._roles.content, self._named(values, self._roles.type).partition(";")[0].strip().lower()
        mime = mime if _TYPE.fullmatch(mime) else ""
        if len(content) == 1:
            value = values.get(content[0])
            is_file = isinstance(value, bytes | bytearray | memoryview) and len(value) > 0
            if is_file or (value and mime not in (*_PLAIN, PAGE_TYPE)):
                return _bytes(value), mime
        heading = len(content) > 1
        sections = [
            RecordSection(each if heading else "", text, mime == PAGE_TYPE)
            for each in content if (text := cell_text(values.get(each)))
        ]  # fmt: skip
        name = title or f"{self._place} {', '.join(cell_text(each) for each in where.key)}"
        fields = [(label, cell_text(values.get(column))) for column, label in self._roles.shown]
        fields.append(("Attachments", ", ".join(held)))
        return (
            record_page(name, fields, sections, language=self._language(values), links=self._links(values)),
            PAGE_TYPE,
        )

    def _links(self, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the addresses in the link columns; a script is none."""
        for column in self._roles.links:
            for text in cell_text(values.get(column)).split():
                address = try_canonical(text)
                if address is not None and address.startswith(("http:", "https:", "ftp:", "file:", "smb:", "mailto:")):
                    yield address, ""

    def _attributes(self, values: Mapping[str, Any]) -> Iterator[tuple[str, Value]]:
        for column, name in self._roles.attributes:
            value = attribute_value(name, values.get(column))
            if value is not None and name not in ("Title", "LastModifiedDate", "Language"):
                yield name, value

    def _title(self, values: Mapping[str, Any]) -> str:
        text, chosen = self._settings.title, dict(self._roles.title)
        if not text:
            return ""
        cells = {name: values.get(column) for name, column in chosen.items()}
        written = filled(text, cells, escaped=False) if "{" in text else cell_text(cells.get(text))
        return " ".join(written.split())[:MAX_ATTRIBUTE]

    def _modified_at(self, values: Mapping[str, Any]) -> float | None:
        mapped = next((column for column, name in self._roles.attributes if name == "LastModifiedDate"), "")
        column = mapped or self._roles.modified
        return moment_of(values.get(column)) if column else None

    def _language(self, values: Mapping[str, Any]) -> str:
        mapped = next((column for column, name in self._roles.attributes if name == "Language"), "")
        tag = self._named(values, self._roles.language or mapped).strip().lower().replace("_", "-")
        return tag if _LANGUAGE.fullmatch(tag) else ""

    @staticmethod
    def _named(values: Mapping[str, Any], column: str) -> str:
        return cell_text(values.get(column)) if column else ""

    def _acl(self, values: Mapping[str, Any]) -> ACL | None:
        """Return who may read a row; nobody where its column of readers is empty. None without such columns."""
        if not self._settings.has_own_rights:
            return None
        grants = self._principals(values, self._roles.grants) if self._roles.grants else self._settings.grants
        return ACL.of(grants, (*self._settings.denies, *self._principals(values, self._roles.denies)))

    def _principals(self, values: Mapping[str, Any], column: str) -> Iterator[str]:
        for name in split_names(values.get(column)) if column else ():
            if name.casefold() == EVERYONE:
                yield EVERYONE
            elif written := _PRINCIPAL.fullmatch(name):
                yield f"{name.partition(':')[0].lower()}:{written[1]}"
            else:
                yield f"{self._settings.principals_are}:{name}"

    def _cut(self, body: bytes) -> tuple[bytes, bool]:
        limit = self._settings.max_size_bytes
        return body[:limit], len(body) > limit

    def _excluded(self, acl: ACL | None) -> Excluded:
        rule = Ruling(False, Gate.SIZE, f"max_size_bytes = {self._settings.max_size_bytes}", Status.TOO_BIG)
        return Excluded(rule, Status.TOO_BIG, acl=acl)


def _bytes(value: Any) -> bytes:
    return bytes(value) if isinstance(value, bytes | bytearray | memoryview) else cell_text(value).encode("utf-8")
