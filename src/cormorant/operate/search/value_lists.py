"""Lists of values of attributes (LOVs): list, add, edit, delete, import and export.

attribute,value,source,name,name:de          CSV: a column of display names for each language
{"attribute": ..., "value": ..., "source": null, "names": {"": "Sales", "de": "Vertrieb"}}     JSON, one a line
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from cormorant.base.errors import ConflictError, NotFoundError, UsageError
from cormorant.model.attribute import FIELDS, AttributeType, number, written
from cormorant.operate.installation import Installation
from cormorant.operate.records.search import AttributeRecord, DeletedValues, ImportedValues, ValueRecord
from cormorant.operate.search import attributes
from cormorant.store.catalog import attribute_values, sources
from cormorant.store.catalog.attribute_values import EVERYWHERE, ListedValue
from cormorant.store.db.database import Tx

MOST_VALUES: Final = 10_000
"""Values of one list."""
LONGEST_VALUE: Final = 200
LONGEST_NAME: Final = 200
MOST_IMPORT_BYTES: Final = 20_000_000
_TAG: Final = re.compile(r"[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,3}")
_NAME_COLUMN: Final = "name"


def listed(house: Installation, attribute: str = "", source: str | None = None) -> list[ValueRecord]:
    """List the values of an attribute ("": of all), in the list of a source or (None) in all lists.

    Raises NotFoundError for an unknown attribute or source.
    """
    name = attributes.show(house, attribute)["name"] if attribute else ""
    with house.store.read() as tx:
        if source:
            sources.named(tx, source)
        return [_record(each) for each in attribute_values.every(tx, name, source)]


def labels(
    house: Installation, names: Collection[str], languages: Sequence[str] = (), sources: Sequence[str] = ()
) -> dict[str, dict[str, str]]:
    """Return the display names of the listed values of attributes (in lower case), in the order of their lists.

    A name is that of the first of the reader's `languages` with one, else that for all languages, else the value
    itself. Lists of `sources` come before the common list; without `sources`, those of all sources come after it.
    """
    if not names:
        return {}
    with house.store.read() as tx:
        rows = attribute_values.of_attributes(tx, names, (EVERYWHERE, *sources) if sources else ())
    found: dict[str, dict[str, str]] = {}
    for each in sorted(rows, key=lambda row: _nearness(row, sources)):
        found.setdefault(each.attribute.lower(), {}).setdefault(each.value, display_name(each, languages))
    return found


def _nearness(row: ListedValue, sources: Sequence[str]) -> tuple[int, int]:
    own = row.source in sources
    return (0 if own else 1 if row.source == EVERYWHERE else 2, row.place)


def display_name(row: ListedValue, languages: Sequence[str]) -> str:
    """Return the name of a value in the first language that has one, by its whole tag or its primary language."""
    for tag in languages:
        for each in dict.fromkeys((tag.lower(), tag.lower().partition("-")[0])):
            if name := row.names.get(each):
                return name
    return row.names.get("") or row.value


def add(
    house: Installation, attribute: str, value: str, names: Mapping[str, str], source: str | None = None
) -> ValueRecord:
    """Put a value into a list. `names` are display names by language, with "" for every other one.

    Raises ConflictError if the list has it, NotFoundError, and UsageError for an invalid value or name.
    """
    wanted = _wanted(attributes.show(house, attribute), value, names, source)
    with house.store.begin() as tx:
        _see_source(tx, wanted.source)
        there = attribute_values.every(tx, wanted.attribute, wanted.source)
        if any(each.value == wanted.value for each in there):
            raise ConflictError(f"{wanted.value!r} is in this list. `cormorant lov edit` changes its names.")
        _see_room(wanted.attribute, len(there) + 1)
        row = _placed(wanted, max((each.place + 1 for each in there), default=0))
        attribute_values.put(tx, [row])
    return _record(row)


def edit(
    house: Installation, attribute: str, value: str, names: Mapping[str, str], source: str | None = None
) -> ValueRecord:
    """Change display names of a value; a name without text is removed (`de=`). Raises the errors of `add`."""
    wanted = _wanted(attributes.show(house, attribute), value, names, source)
    with house.store.begin() as tx:
        there = attribute_values.every(tx, wanted.attribute, wanted.source)
        found = next((each for each in there if each.value == wanted.value), None)
        if found is None:
            raise NotFoundError(f"{value!r} is not in this list. `cormorant lov list {wanted.attribute}` shows it.")
        both = {**found.names, **wanted.names}
        row = ListedValue(found.attribute, found.value, found.source, _filled(both), found.place)
        attribute_values.put(tx, [row])
    return _record(row)


def delete(house: Installation, attribute: str, value: str | None = None, source: str | None = None) -> DeletedValues:
    """Remove a value, or (None) all values, from a list. Raises NotFoundError if there is none."""
    name = attributes.show(house, attribute)["name"]
    with house.store.begin() as tx:
        chosen = None if value is None else [value]
        gone = attribute_values.forget(tx, name, source or EVERYWHERE, chosen)
    if not gone:
        raise NotFoundError(f"There is no such value in this list. `cormorant lov list {name}` shows what there is.")
    return {"attribute": name, "deleted": gone}


def exported(records: Iterable[ValueRecord], form: str) -> str:
    """Return values as CSV or JSON Lines, which `load` reads. `form` is csv or json."""
    rows = list(records)
    if form == "json":
        return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows)
    languages = sorted({tag for each in rows for tag in each["names"]} - {""})
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n")
    write.writerow(["attribute", "value", "source", _NAME_COLUMN, *(f"{_NAME_COLUMN}:{tag}" for tag in languages)])
    for each in rows:
        names = each["names"]
        cells = [each["attribute"], each["value"], each["source"] or "", names.get("", "")]
        write.writerow([*cells, *(names.get(tag, "") for tag in languages)])
    return text.getvalue()


def load(house: Installation, data: bytes) -> ImportedValues:
    """Read lists from CSV or JSON Lines, all or nothing. Existing values get the names in the file.

    Raises UsageError with the number of the invalid line, NotFoundError for an unknown attribute or source.
    """
    known = {each["name"].lower(): each for each in attributes.listed(house)}
    wanted = [_of_row(known, line, row) for line, row in _rows(data)]
    added = changed = 0
    with house.store.begin() as tx:
        lists: dict[tuple[str, str], dict[str, ListedValue]] = {}
        for each in wanted:
            key = (each.attribute, each.source)
            if key not in lists:
                _see_source(tx, each.source)
                lists[key] = {one.value: one for one in attribute_values.every(tx, *key)}
            there = lists[key]
            before = there.get(each.value)
            added += before is None
            changed += before is not None and dict(before.names) != dict(each.names)
            place = before.place if before is not None else max((one.place + 1 for one in there.values()), default=0)
            there[each.value] = _placed(each, place)
            _see_room(each.attribute, len(there))
        attribute_values.put(tx, [one for there in lists.values() for one in there.values()])
    return {"added": added, "changed": changed}


def display_names(given: Sequence[str]) -> dict[str, str]:
    """Read display names: `Sales` for every language, `de=Vertrieb` for one. Raises UsageError."""
    found: dict[str, str] = {}
    for each in given:
        tag, equals, name = each.partition("=")
        is_tag = bool(equals) and _TAG.fullmatch(tag.strip().lower()) is not None
        key, text = (tag.strip().lower(), name) if is_tag else ("", each)
        found[key] = _name(text)
    return found


def _name(text: str) -> str:
    name = " ".join(text.split())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise UsageError(f"{name[:40]!r}... is no display name: it has {LONGEST_NAME} printable characters at most.")
    return name


def _wanted(known: AttributeRecord, value: str, names: Mapping[str, str], source: str | None) -> ListedValue:
    if unknown := next((tag for tag in names if tag and not _TAG.fullmatch(tag)), None):
        raise UsageError(f"{unknown!r} is no language tag like de.")
    if known["name"] in FIELDS:
        raise ConflictError(f"{known['name']!r} is a field of every document; its values are those of the documents.")
    shown = {tag: _name(text) for tag, text in names.items()}
    return ListedValue(known["name"], _value(value, known["type"]), source or EVERYWHERE, shown, 0)


def _value(text: str, kind: str) -> str:
    value = " ".join(text.split())
    if not value or len(value) > LONGEST_VALUE or not value.isprintable():
        raise UsageError(f"{value[:40]!r} is no value: it has 1 to {LONGEST_VALUE} printable characters.")
    if kind == AttributeType.DATE:
        raise UsageError("A date has no list of values: people choose days.")
    if kind == AttributeType.NUMBER:
        found = number(value)
        if found is None:
            raise UsageError(f"{value!r} is no number, and the attribute is of that type.")
        return written(found)
    return value


def _placed(value: ListedValue, place: int) -> ListedValue:
    return ListedValue(value.attribute, value.value, value.source, _filled(value.names), place)


def _filled(names: Mapping[str, str]) -> dict[str, str]:
    return {tag: name for tag, name in names.items() if name}


def _see_source(tx: Tx, source: str) -> None:
    if source:
        sources.named(tx, source)


def _see_room(attribute: str, count: int) -> None:
    if count > MOST_VALUES:
        raise UsageError(f"The list of {attribute} would have more than {MOST_VALUES:,} values. Split it by source.")


def _record(row: ListedValue) -> ValueRecord:
    return {"attribute": row.attribute, "value": row.value, "source": row.source or None, "names": dict(row.names)}


def _rows(data: bytes) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a file, each with its line number."""
    if len(data) > MOST_IMPORT_BYTES:
        raise UsageError(f"The file is larger than {MOST_IMPORT_BYTES // 1_000_000} MB. Split it.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("The file is no text in UTF-8. Save it in that encoding.") from None
    if text.lstrip().startswith(("{", "[")):
        yield from _json_rows(text)
        return
    try:
        read = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        columns = set(read.fieldnames or ())
        if not {"attribute", "value"} <= columns:
            raise UsageError("The first line of a CSV file names the columns; it needs attribute and value.")
        for row in read:
            yield read.line_num, row
    except csv.Error as error:
        raise UsageError(f"The file is no CSV: {error}.") from None


def _json_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if text.lstrip().startswith("["):
        found = _json(text, 1)
        yield from enumerate(found if isinstance(found, list) else [], 1)
        return
    for line, each in enumerate(text.splitlines(), 1):
        if each.strip():
            yield line, _json(each, line)


def _json(text: str, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError(f"Line {line} is no JSON.") from None


def _of_row(known: Mapping[str, AttributeRecord], line: int, row: Any) -> ListedValue:
    """Return the value of a row. Raises UsageError that names the line."""
    try:
        if not isinstance(row, Mapping) or not isinstance(row.get("attribute"), str) or None in row:
            raise UsageError("it has no attribute, or more cells than there are columns.")
        names = row.get("names")
        if names is None:
            names = {
                key.partition(":")[2].strip().lower(): text for key, text in row.items()
                if isinstance(key, str) and key.partition(":")[0] == _NAME_COLUMN and text
            }  # fmt: skip
        if not isinstance(names, Mapping) or not all(isinstance(each, str) for pair in names.items() for each in pair):
            raise UsageError("its names are no texts by language.")
        attribute = known.get(row["attribute"].lower())
        if attribute is None:
            raise UsageError(f"there is no attribute {row['attribute']!r}; `cormorant attribute add` makes one.")
        return _wanted(attribute, str(row.get("value") or ""), names, str(row.get("source") or "") or None)
    except UsageError as error:
        raise UsageError(f"Line {line}: {error.sentence}") from None
