"""Rendering of a query as text that a person could type."""

from __future__ import annotations

import re
from typing import assert_never

from cormorant.search.index import query as ask
from cormorant.search.index.query import Field, Key, Query
from cormorant.search.query import attribute_query
from cormorant.search.query.ranges import written
from cormorant.search.query.type_names import NAMES

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9./-]*[A-Za-z0-9]|[A-Za-z0-9]")
_FIELDS = {
    Field.TITLE: "title", Field.HEADINGS: "heading", Field.TEXT: "text", Field.ADDRESS: "url", Field.ANCHORS: "link",
}  # fmt: skip
_NAMES = {
    Key.SITE: "site", Key.SOURCE: "source", Key.LANGUAGE: "lang", Key.MIME: "type", Key.ID: "id",
    Key.CONTENT: "content",
    Key.NEAR: "near",
}  # fmt: skip


def render(node: Query) -> str:
    """Return text that is parsed as this query; "" for a query that finds nothing."""
    if isinstance(node, ask.Clauses):
        return _clauses(node)
    if isinstance(node, ask.And):
        return " AND ".join(map(_inner, node.parts))
    if isinstance(node, ask.Or):
        return " OR ".join(map(_inner, node.parts))
    return _inner(node)


def _inner(node: Query) -> str:
    """Return text for a part of a query, in brackets if it needs them."""
    match node:
        case ask.QueryWord() | ask.Phrase() | ask.Near() | ask.Prefix() | ask.Pattern() | ask.Like():
            return f"{_field(node)}{_leaf(node)}"
        case ask.Range():
            return written(node)
        case ask.Exact():
            texts = _exact(node)
            return texts[0] if len(texts) == 1 else f"({' OR '.join(texts)})"
        case ask.AttributeMatch() | ask.AttributeRange():
            texts = attribute_query.written(node)
            return texts[0] if len(texts) == 1 else f"({' OR '.join(texts)})"
        case ask.Everything():
            return "*"
        case ask.Nothing():
            return ""
        case ask.Not():
            return f"NOT {_inner(node.part)}"
        case ask.And() | ask.Or() | ask.Clauses():
            return f"({render(node)})"
    assert_never(node)


def _leaf(node: ask.Leaf) -> str:
    """Return text for a leaf."""
    match node:
        case ask.QueryWord():
            return node.text
        case ask.Phrase():
            return f'"{node.text}"'
        case ask.Near():
            return f'"{node.text}"~{node.within}'
        case ask.Prefix():
            return f"{node.text}*"
        case ask.Pattern():
            return node.text
        case ask.Like():
            return f"{node.text}~{node.edits}"
    assert_never(node)


def _field(leaf: ask.Leaf) -> str:
    """Return the field name before a leaf."""
    return f"{_FIELDS[leaf.field]}:" if leaf.field else ""


def _exact(node: ask.Exact) -> list[str]:
    """Return texts for a filter, which are alternatives."""
    values = list(node.values)
    texts = []
    if node.key is Key.MIME:
        for name, types in NAMES.items():
            if set(types) <= set(values):
                texts.append(f"type:{name}")
                values = [value for value in values if value not in types]
    return [*texts, *(f"{_NAMES[node.key]}:{_quoted(value)}" for value in values)]


def _quoted(value: str) -> str:
    """Return a value in quotes if the lexer would split it otherwise."""
    return value if _PLAIN.fullmatch(value) else f'"{value}"'


def _must(part: Query) -> str:
    """Return text for a part that must match, with a + if it would be optional otherwise."""
    if isinstance(part, ask.Exact):
        return " ".join(_exact(part))
    if isinstance(part, ask.Range):
        return written(part)
    if isinstance(part, ask.AttributeMatch | ask.AttributeRange):
        return " ".join(attribute_query.written(part))
    return _inner(part) if isinstance(part, ask.And | ask.Everything) else f"+{_inner(part)}"


def _clauses(node: ask.Clauses) -> str:
    """Return text for parts side by side: required ones first, then optional ones, then forbidden ones."""
    texts = [_must(part) for part in node.must]
    texts += map(_inner, node.should)
    texts += [f"-{_inner(part)}" for part in node.never]
    return " ".join(texts)
