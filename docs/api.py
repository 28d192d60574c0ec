"""The pages of the REST interface and of the error codes, written from the code."""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cormorant.base.errors import every
from cormorant.model.run import Mode, Refresh
from cormorant.model.schedule.schedule import MissedPolicy, Overrun, Revisit
from cormorant.model.scope import Scope
from cormorant.search.reader import GroupBy, Sort
from cormorant.web import app

ENUMS = {each.__name__: tuple(each) for each in (Sort, GroupBy, Overrun, MissedPolicy, Refresh, Revisit, Mode, Scope)}
"""Enumerations that are described by their values wherever a field has their type."""


def described() -> dict[str, Any]:
    """The content of /api/openapi.json; it needs no installation."""
    return app.application(None)[0].openapi()  # type: ignore[arg-type]


def interface() -> Iterator[str]:
    """The page of the interface: its routes, parameters and records."""
    drawn = described()
    schemas = drawn["components"]["schemas"]
    yield "# The interface for programs\n"
    yield (
        "This page is `/api/openapi.json` of every installation, for people. [How to use it](../how-to/api.md). Each\n"
        "route names the scope that a [token](../how-to/serving.md#tokens) needs for it: `search`, `operate` or\n"
        "`admin`, which include those before them. On the machine itself no token is needed. An error is a problem\n"
        "object (RFC 9457) with one of [these codes](errors.md).\n"
    )
    yield "## Routes\n"
    for path, operations in drawn["paths"].items():
        for method, operation in operations.items():
            yield f"### `{method.upper()} {path}`\n"
            yield f"{operation.get('description', '')}\n"
            yield f"{_needed(operation.get('x-scope', ''))}\n"
            rows = [_parameter(each) for each in operation.get("parameters", ())]
            if rows:
                yield from _table(("parameter", "takes", "default", "what for"), rows)
            sent = operation.get("requestBody")
            if sent:
                yield _taken(sent)
            yield from _answers(
                next(each for status, each in operation["responses"].items() if status[0] == "2")["content"]
            )
    yield "## Records\n"
    yield "Times are RFC 3339 in UTC, durations seconds, sizes bytes.\n"
    for name, schema in sorted(schemas.items()):
        if schema.get("properties"):
            yield f"### {name}\n"
            yield f"{schema['description']}\n"
            yield from _table(("field", "is", "what"), (_field(*each) for each in schema["properties"].items()))


def _taken(sent: dict[str, Any]) -> str:
    """Describe a request body; a route that reads its body by itself brings a description."""
    if "description" in sent:
        return f"Takes {sent['description'][0].lower()}{sent['description'][1:]}\n"
    return f"Takes {_kind(sent['content']['application/json']['schema'])} as `application/json`.\n"


def _needed(scope: str) -> str:
    """The scope that a route needs, in words."""
    if not scope:
        return "Open to everybody."
    readers = "; readers have it without a token, unless `serve --private`" if scope == Scope.SEARCH else ""
    return f"Needs the scope `{scope}`{readers}."


def codes() -> Iterator[str]:
    """The page of the error codes."""
    yield "# Codes of errors\n"
    yield (
        "An error is one sentence: what happened, why, what to do. A program gets it as a problem object (RFC 9457),\n"
        "from commands with `--json` and from the [interface](api.md) alike. Its `type` is the place on the page\n"
        "`/help/errors` of every installation that says what this table says.\n"
    )
    rows = ((f"`{each.code}`", _joined(each.statuses()), each.exit_code, each.meaning()) for each in every())
    yield from _table(("code", "HTTP status", "exit code", "means"), rows)
    yield "The first status of a code is what it comes with mostly, and always from commands. The others mean:\n"
    others = ((f"`{each.code}`", status, when) for each in every() for status, when in each.statuses().items() if when)
    yield from _table(("code", "HTTP status", "when"), others)


def _joined(statuses: Iterable[int]) -> str:
    return ", ".join(map(str, statuses))


def _table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    head = list(heads)
    yield f"| {' | '.join(head)} |\n|{'---|' * len(head)}"
    for row in rows:
        cells = (str(cell).replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"
    yield ""


def _parameter(said: Mapping[str, Any]) -> tuple[str, str, str, str]:
    schema = said["schema"]
    default = schema.get("default")
    needed = "must be given" if said["required"] else "none" if default in (None, "") else f"`{default}`".lower()
    return f"`{said['name']}`", _kind(schema), needed, said.get("description", "")


def _field(name: str, schema: Mapping[str, Any]) -> tuple[str, str, str]:
    return f"`{name}`", _kind(schema), schema.get("description", "")


def _kind(schema: Mapping[str, Any]) -> str:
    """The type of a value in words."""
    if "$ref" in schema:
        return _named(schema["$ref"])
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"] if each)
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"])
    words = {"string": "text", "integer": "whole number", "boolean": "true or false", "null": "null"}
    bounds = [f"{word} {schema[name]:,}" for name, word in (("minimum", "at least"), ("maximum", "at most"))
              if name in schema]  # fmt: skip
    if schema.get("type") == "array":
        inner = schema.get("items") or {}
        return f"list of {_kind(inner)}" if inner else "list"
    return ", ".join([words.get(schema.get("type", ""), schema.get("type", "anything")), *bounds])


def _named(reference: str) -> str:
    name = reference.rpartition("/")[2]
    return " or ".join(f"`{each}`" for each in ENUMS[name]) if name in ENUMS else f"[{name}](#{name.lower()})"


def _answers(content: Mapping[str, Any]) -> Iterator[str]:
    drawn = {kind: each["schema"] for kind, each in content.items()}
    said = [f"{_kind(each)} as `{kind}`" for kind, each in drawn.items() if "$ref" in each or "anyOf" in each]
    if said:
        lines = ", a line each" if len(said) > 1 else ""
        yield f"Answers with {', or '.join(said)}{lines}.\n"
