"""Schema of the embedded index: the layout of an entry on the disk.

Fields of the embedded index: `id`, `fold`, `near`, `standing`, `modified_at`, `size_bytes`, `depth`, `links`, `level`
and `month` as columns; `grant`, `deny`, `unquoted` (must not be quoted) and `names` (`identifiers`) as exact
terms; the keys as both, their first values as numbers (`own_`), titles as steps of an order; `title`, `headings`,
`text`, `anchors` and `address` as words with their positions; `backwards`, the long words of texts whose language makes
compounds (`compounds`); attributes as words, whole values and numbers (`attribute_terms`); and, stored, the text in
UTF-8 as `body` and the rest as JSON in `rest`. Text is indexed with spaces where the tokenizer needs them, and kept
without.

A seal follows the JSON: the xxh3_64 of it and of the text, as 16 digits. Every read compares the entry with its seal.
Entries that were written before there were seals end with the JSON and are read unchecked.

One document is no entry: the mark, with the id -1 and without grants, which holds the place of the last change and the
name of the database whose rows are indexed. Every commit replaces it, so place and changes become durable together or
not at all. Older marks hold the place alone.
"""

from __future__ import annotations

import json
from typing import NamedTuple, cast

import tantivy
import xxhash

from cormorant.base.errors import IndexDamaged
from cormorant.model.text import display_directives
from cormorant.search.index.attribute_terms import number_terms, value_terms, word_terms
from cormorant.search.index.compounds import are_backwards, backwards
from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.filter_fields import (
    STEPS,
    called,
    exact,
    fold_key,
    headings,
    keys,
    mark_of,
    standing,
    title_steps,
)
from cormorant.search.index.identifiers import names
from cormorant.search.index.query import Field, Key, Number
from cormorant.search.index.static_score import Prior, columns
from cormorant.search.index.tantivy.integrity import Sound, altered
from cormorant.search.index.tokenizer import Prepared, analyzer, clean, prepare

LAYOUT = 6
"""Increased when the format of entries changes; an index of another layout has to be rebuilt."""

MARK = -1
"""The id of the mark."""

PRIORS = {Prior.LINKS: "links", Prior.DEPTH: "level", Prior.RECENCY: "month"}
"""The columns of the static score."""

GREATEST_ID = (1 << 63) - 1

TITLES = tuple(f"title_{step}" for step in range(STEPS))
"""Columns by which titles are sorted, in turn (`filter_fields.title_steps`)."""


def own(key: Key) -> str:
    """Return the column of the first value of a key of a document, as a number (`filter_fields.mark_of`)."""
    return f"own_{key}"


BACKWARDS = "backwards"
"""The field of reversed long words of title and text, for documents that may contain compounds."""

FILED = (Key.SOURCE, Key.SITE, Key.MIME, Key.LANGUAGE)
"""Keys that are columns as well."""

NAMES = "names"
"""The field of names with marks at an end, such as C++ (`identifiers`)."""

ATTRIBUTE_WORDS, ATTRIBUTE_VALUE, ATTRIBUTE_NUMBER = "attribute_words", "attribute_value", "attribute_number"
"""The fields of attributes."""

UNQUOTED, UNQUOTED_VALUE = "unquoted", "yes"
"""The field and value of documents that ask not to be quoted."""

_TOKENIZER = "words"
_SEAL = 16
"""Digits of a seal."""
_UNSEALED = b"]"
"""The last byte of the JSON, with which no seal ends."""


def schema() -> tantivy.Schema:
    """Return the fields."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", indexed=True, fast=True)
    builder.add_integer_field("fold", fast=True)
    builder.add_integer_field("near", fast=True)
    builder.add_integer_field("standing", fast=True)
    builder.add_float_field(Number.MODIFIED, fast=True)
    for terms in ("grant", "deny", UNQUOTED, NAMES):
        builder.add_text_field(terms, tokenizer_name="raw", index_option="basic")
    for filed in FILED:
        builder.add_text_field(filed, fast=True, tokenizer_name="raw", index_option="basic")
        builder.add_integer_field(own(filed), fast=True)
    for step in TITLES:
        builder.add_integer_field(step, fast=True)
    builder.add_integer_field(Number.SIZE, fast=True)
    builder.add_integer_field(Number.DEPTH, fast=True)
    for prior in PRIORS.values():
        builder.add_integer_field(prior, indexed=True, fast=True)
    for analysed in Field:
        builder.add_text_field(analysed, tokenizer_name=_TOKENIZER, index_option="position")
    builder.add_text_field(BACKWARDS, tokenizer_name=_TOKENIZER, index_option="basic")
    builder.add_text_field(ATTRIBUTE_WORDS, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field(ATTRIBUTE_VALUE, fast=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(ATTRIBUTE_NUMBER, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("body", stored=True)
    builder.add_bytes_field("rest", stored=True)
    return builder.build()


def register(index: tantivy.Index) -> None:
    """Prepare an opened index: register tokenizers, which are not stored with it, and reload only on request."""
    index.register_tokenizer(_TOKENIZER, analyzer())
    index.config_reader("manual")


def to_document(entry: IndexedDocument) -> tantivy.Document:
    """Return the engine's document for an entry."""
    document = tantivy.Document()
    document.add_integer("id", entry.id)
    fold = fold_key(entry.content_hash)
    if fold is not None:
        document.add_integer("fold", fold)
    if entry.near is not None:
        document.add_integer("near", entry.near)
    document.add_integer("standing", standing(entry))
    if entry.modified_at is not None:
        document.add_float(Number.MODIFIED, entry.modified_at)
    document.add_integer(Number.SIZE, entry.size_bytes)
    document.add_integer(Number.DEPTH, entry.depth)
    for prior, number in columns(entry).items():
        document.add_integer(PRIORS[prior], number)
    _file(document, entry)
    if display_directives.forbids(entry.attributes, display_directives.NO_SNIPPET):
        document.add_text(UNQUOTED, UNQUOTED_VALUE)
    title, text = prepare(entry.title), prepare(entry.text)
    for name, step in zip(TITLES, title_steps(title.kept), strict=False):
        document.add_integer(name, step)
    document.add_text(Field.TITLE, title.split)
    document.add_text(Field.TEXT, text.split)
    _add_parts(document, entry, title, text)
    for heading in headings(entry):
        document.add_text(Field.HEADINGS, prepare(heading).split)
    document.add_text(Field.ADDRESS, prepare(called(entry)).split)
    for anchor in entry.anchors:
        document.add_text(Field.ANCHORS, prepare(anchor).split)
    _add_attributes(document, entry)
    document.add_bytes("body", text.encoded)
    document.add_bytes("rest", _sealed(_pack(entry, title.kept), text.encoded))
    return document


def _add_parts(document: tantivy.Document, entry: IndexedDocument, title: Prepared, text: Prepared) -> None:
    """Add the terms that find identifiers as they were typed, and compounds by their last part."""
    for name in dict.fromkeys((*names(title), *names(text))):
        document.add_text(NAMES, name)
    if are_backwards(entry.language):
        document.add_text(BACKWARDS, backwards(title.split, text.split))


def _add_attributes(document: tantivy.Document, entry: IndexedDocument) -> None:
    """Add the terms that find attributes by their names."""
    if not entry.attributes:
        return
    for terms in word_terms(entry):
        document.add_text(ATTRIBUTE_WORDS, " ".join(terms))
    for value in value_terms(entry):
        document.add_text(ATTRIBUTE_VALUE, exact(value))
    for number in number_terms(entry):
        document.add_text(ATTRIBUTE_NUMBER, number)


def _file(document: tantivy.Document, entry: IndexedDocument) -> None:
    """Add the access rights and the values of keys."""
    filed = keys(entry)
    for name, values in (("grant", entry.grants), ("deny", entry.denies), *filed.items()):
        for value in values:
            document.add_text(name, exact(value))
    for key, values in filed.items():
        for value in values[:1]:
            document.add_integer(own(key), mark_of(exact(value)))


def _pack(entry: IndexedDocument, title: str) -> bytes:
    """Return everything but the text, in the order `to_entry` reads it."""
    return json.dumps(
        (
            *(entry.id, entry.source, clean(entry.url), title, entry.mime, entry.language, entry.size_bytes),
            *(entry.modified_at, entry.fetched_at, entry.grants, entry.denies, dict(entry.attributes)),
            *(entry.content_hash.hex(), entry.anchors, entry.depth, entry.link_score, entry.near),
        )
    ).encode()


def to_entry(document: tantivy.Document, number: int) -> IndexedDocument:
    """Return the stored entry with this id. Raises IndexDamaged if it is altered or has another id."""
    with Sound():
        entry = _unpack(_stored(document, "rest"), _stored(document, "body"))
    if entry.id != number:
        raise altered()
    return entry


def entry_in(document: tantivy.Document) -> IndexedDocument:
    """Return a stored entry, whatever its id. Raises IndexDamaged if it is altered."""
    with Sound():
        return _unpack(_stored(document, "rest"), _stored(document, "body"))


def texts_of(document: tantivy.Document) -> tuple[int, tuple[str, str]]:
    """Return the id of a stored entry, and its title and text. Raises IndexDamaged if it is altered."""
    entry = entry_in(document)
    return entry.id, (entry.title, entry.text)


def _unpack(rest: bytes, text: bytes) -> IndexedDocument:
    """Return the entry that was stored."""
    number, source, url, title, mime, language, size, modified, fetched, grants, denies, attributes, *last = json.loads(
        _unsealed(rest, text)
    )
    content_hash, anchors, depth, link_score, near = last
    return IndexedDocument(
        id=number,
        source=source,
        url=url,
        title=title,
        text=text.decode(),
        mime=mime,
        language=language,
        size_bytes=size,
        modified_at=modified,
        fetched_at=fetched,
        grants=tuple(grants),
        denies=tuple(denies),
        attributes=attributes,
        content_hash=bytes.fromhex(content_hash),
        anchors=tuple(anchors),
        depth=depth,
        link_score=link_score,
        near=near,
    )


def _sealed(packed: bytes, text: bytes = b"") -> bytes:
    """Return the JSON of an entry, followed by the seal of it and of the text."""
    return packed + _seal(packed, text)


def _unsealed(rest: bytes, text: bytes = b"") -> bytes:
    """Return the JSON alone. Raises IndexDamaged if it or the text does not match the seal."""
    if rest.endswith(_UNSEALED):
        return rest
    packed, seal = rest[:-_SEAL], rest[-_SEAL:]
    if seal != _seal(packed, text):
        raise altered()
    return packed


def _seal(packed: bytes, text: bytes) -> bytes:
    return xxhash.xxh3_64_hexdigest(packed, xxhash.xxh3_64_intdigest(text)).encode()


def _stored(document: tantivy.Document, name: str) -> bytes:
    """Return one stored value; the library returns bytes as a list of numbers or as bytes."""
    return bytes(cast(bytes, document.get_first(name)))


class Mark(NamedTuple):
    """The mark of the index: the place it has reached, and the database of that place; None if not recorded."""

    place: int
    origin: str | None = None


def to_mark(mark: Mark) -> tantivy.Document:
    """Return the mark as it is written."""
    document = tantivy.Document()
    document.add_integer("id", MARK)
    document.add_bytes("rest", _sealed(json.dumps((LAYOUT, *mark)).encode()))
    return document


def mark_in(searcher: tantivy.Searcher, fields: tantivy.Schema) -> Mark:
    """Return the mark of a committed state. Raises IndexDamaged if it was written in another layout."""
    found = searcher.search(tantivy.Query.term_query(fields, "id", MARK), 1).hits
    if found:
        with Sound():
            layout, place, *named = json.loads(_unsealed(_stored(searcher.doc(found[0][1]), "rest")))
        if layout == LAYOUT:
            return Mark(int(place), *named[:1])
    raise IndexDamaged("The index was written by another version of Cormorant. Run `cormorant index rebuild`.")
