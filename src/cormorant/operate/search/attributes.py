"""Search attributes: list, add, edit, delete. Documents are kept in their types from the next crawl on.

After an edit that changes how documents are kept, the next crawl of every source judges all its documents again, from
their kept copies if nothing is new. `impact` previews that.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from cormorant.base.clock import rfc3339
from cormorant.base.errors import ConflictError, NotFoundError, UsageError
from cormorant.frontier.staging import pending_deletes
from cormorant.model.attribute import BUILT_IN, FIELDS, AttributeType, attribute_name
from cormorant.operate.installation import Installation
from cormorant.operate.records.search import AttributeImpact, AttributeRecord, DeletedAttribute, EditedAttribute
from cormorant.search.reader import AttributeCatalog, KnownAttributes
from cormorant.store.catalog import attribute_values, attributes, sources
from cormorant.store.catalog.attributes import ADMINISTRATOR, SearchAttribute
from cormorant.store.db.database import Tx

SYSTEM: Final = "system"
"""The origin of attributes that every installation has."""
LONGEST_ABOUT: Final = 500
_PROTECTED: Final = {name.lower(): name for name in (*BUILT_IN, *FIELDS)}


@dataclass(frozen=True, slots=True)
class AttributeEdit:
    """Changes of an attribute; None leaves a property as it is."""

    type: str | None = None
    about: str | None = None
    facet: bool | None = None


def known(house: Installation) -> KnownAttributes:
    """Return the attributes that a query may name, by names in lower case."""
    with house.store.read() as tx:
        kinds = attributes.types(tx)
    return {name.lower(): (name, kind) for name, kind in kinds.items() if kind is not None}


def catalog(house: Installation) -> AttributeCatalog:
    """Return the attributes that a query may name.

    Every reader may know of those of every document and those with a list of values for all sources.
    """

    def public(names: Collection[str]) -> frozenset[str]:
        own = frozenset(_PROTECTED.keys() & names)
        others = frozenset(names) - own
        if not others:
            return own
        with house.store.read() as tx:
            return own | attribute_values.in_common_lists(tx, others)

    return AttributeCatalog(known(house), public)


def offered(house: Installation) -> tuple[str, ...]:
    """Return the attributes whose values are offered beside results."""
    with house.store.read() as tx:
        return tuple(each.name for each in attributes.every(tx) if each.facet)


def listed(house: Installation) -> list[AttributeRecord]:
    """List every search attribute: fields of all documents, those of readers, and those added or found."""
    with house.store.read() as tx:
        counts, rows = attribute_values.counts(tx), {each.name: each for each in attributes.every(tx)}
    known = {name: (AttributeType.STRING, field) for name, field in FIELDS.items()}
    known["LastModifiedDate"] = (AttributeType.DATE, FIELDS["LastModifiedDate"])
    known |= {name: (kind, name) for name, kind in BUILT_IN.items()}
    found = [
        _of_system(name, kind, field, counts, rows.get(name)) for name, (kind, field) in known.items()
    ]  # fmt: skip
    found += [_record(each, counts) for name, each in rows.items() if name not in known]
    return sorted(found, key=lambda each: each["name"].lower())


def show(house: Installation, name: str) -> AttributeRecord:
    """Return one attribute. Raises NotFoundError, with names like it."""
    found = {each["name"].lower(): each for each in listed(house)}
    if name.lower() not in found:
        near = difflib.get_close_matches(name.lower(), found, n=1)
        hint = f" Did you mean {found[near[0]]['name']!r}?" if near else " `cormorant attribute list` lists them."
        raise NotFoundError(f"There is no attribute {name!r}.{hint}")
    return found[name.lower()]


def add(house: Installation, name: str, given: AttributeEdit) -> EditedAttribute:
    """Add an attribute, or restore a deleted one.

    Raises UsageError for an invalid name or type, ConflictError for an existing attribute.
    """
    kind = _type(given.type or AttributeType.STRING)
    try:
        name = attribute_name(name)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if name.lower() in _PROTECTED:
        raise ConflictError(f"{_PROTECTED[name.lower()]!r} is an attribute of every document, and its type is set.")
    with house.store.begin() as tx:
        before = attributes.find(tx, name)
        if before is not None and not before.deleted:
            raise ConflictError(
                f"There is an attribute {before.name!r} ({before.type}). `cormorant attribute edit` changes it."
            )
        now = tx.now()
        name = before.name if before is not None else name
        row = SearchAttribute(
            name, kind, ADMINISTRATOR, _about(given.about), bool(given.facet), False, now, now if before else 0.0
        )
        attributes.put(tx, row)
        impact = _impact(tx) if before is not None else None
    return {**_record(row, {}), "recrawl": impact}


def edit(house: Installation, name: str, given: AttributeEdit) -> EditedAttribute:
    """Change an attribute. Raises NotFoundError, UsageError, and ConflictError for the type of a built-in one."""
    show(house, name)
    with house.store.begin() as tx:
        row = _editable(tx, name)
        kind = _type(given.type) if given.type is not None else row.type
        if kind is not row.type and row.name in BUILT_IN:
            raise ConflictError(f"{row.name!r} is an attribute of every installation; its type stays {row.type}.")
        retyped = kind is not row.type
        changed = replace(
            row, type=kind, about=row.about if given.about is None else _about(given.about),
            facet=row.facet if given.facet is None else given.facet,
            judged_from=tx.now() if retyped else row.judged_from,
        )  # fmt: skip
        attributes.put(tx, changed)
        impact, counts = _impact(tx) if retyped else None, attribute_values.counts(tx)
    return {**_record(changed, counts), "recrawl": impact}


def _editable(tx: Tx, name: str) -> SearchAttribute:
    """Return an attribute that may be edited. Raises ConflictError for a field, which has no properties of its own."""
    found = attributes.find(tx, name)
    if found is not None and not found.deleted:
        return found
    own = _PROTECTED.get(name.lower(), name)
    if own not in BUILT_IN:
        raise ConflictError(f"{own!r} is a field of every document and stays as it is.")
    return SearchAttribute(own, BUILT_IN[own], SYSTEM, "", False, False, tx.now(), 0.0)


def delete(house: Installation, name: str) -> DeletedAttribute:
    """Delete an attribute from future documents. Raises NotFoundError, and ConflictError for one of the system."""
    if name.lower() in _PROTECTED:
        raise ConflictError(
            f"{_PROTECTED[name.lower()]!r} is an attribute of every installation. The setting attribute_map of a "
            "source keeps it out of that source's documents."
        )
    show(house, name)
    with house.store.begin() as tx:
        row = attributes.named(tx, name)
        attributes.put(tx, replace(row, deleted=True, facet=False, judged_from=tx.now()))
        attribute_values.forget(tx, row.name)
        impact = _impact(tx)
    return {"deleted": row.name, "recrawl": impact}


def impact(house: Installation) -> AttributeImpact:
    """Return the effect on the next crawls if an attribute gets another type or is deleted."""
    with house.store.read() as tx:
        return _impact(tx)


def impact_sentence(found: AttributeImpact) -> str:
    """Return the sentence that announces this effect."""
    return (
        f"The next crawl judges all documents again: {found['documents']:,} of {found['sources']:,} sources, about one "
        "request for each; those that are unchanged are read from their kept copies."
    )


def _impact(tx: Tx) -> AttributeImpact:
    rows = sources.every(tx)
    return {"sources": len(rows), "documents": sum(pending_deletes.indexed_count(tx, each.id) for each in rows)}


def _type(text: str) -> AttributeType:
    if text not in [*AttributeType]:
        raise UsageError(f"There is no type {text!r}. An attribute is of the type {', '.join(AttributeType)}.")
    return AttributeType(text)


def _about(text: str | None) -> str:
    about = " ".join((text or "").split())
    if len(about) > LONGEST_ABOUT:
        raise UsageError(f"A description of an attribute has {LONGEST_ABOUT} characters at most.")
    return about


def _of_system(
    name: str, kind: AttributeType, field: str, counts: dict[str, int], row: SearchAttribute | None
) -> AttributeRecord:
    about = row.about if row is not None else ""
    return {
        "name": name, "type": kind.value, "origin": SYSTEM, "about": about, "facet": row is not None and row.facet,
        "field": field, "values": counts.get(name, 0), "created_at": None,
    }  # fmt: skip


def _record(row: SearchAttribute, counts: dict[str, int]) -> AttributeRecord:
    return {
        "name": row.name, "type": row.type.value, "origin": row.origin, "about": row.about, "facet": row.facet,
        "field": row.name, "values": counts.get(row.name, 0), "created_at": rfc3339(row.created_at),
    }  # fmt: skip
