"""Arguments and return values of a receiver of the kind `python`, for `docs/reference/api.md`."""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator

from cormorant.receivers.protocol import Delivery, Refusal, Stop


def paragraphs() -> Iterator[str]:
    """Yield the paragraphs."""
    yield "## Arguments of a receiver in Python\n"
    yield (
        "A [function of your own](../how-to/receivers.md#a-function-of-your-own) is called with a list of `Delivery`,\n"
        "and may return a list of `Refusal` and `Stop`. `cormorant.plugins` exports all three. JSON Lines files and\n"
        "webhooks have the fields from `seq` to `reference`.\n"
    )
    for each in (Delivery, Refusal, Stop):
        yield f"### {each.__name__}\n"
        yield f"{inspect.cleandoc(each.__doc__ or '')}\n"
        yield "| field | is | what |\n|---|---|---|"
        for name, kind, text in fields(each):
            yield f"| `{name}` | `{kind}` | {text} |".replace(" | None`", "` or `None`")
        yield ""


def fields(of: type) -> Iterator[tuple[str, str, str]]:
    """The fields of a class, each with its type and its docstring. Raises LookupError if a docstring is missing."""
    (drawn,) = ast.parse(textwrap.dedent(inspect.getsource(of))).body
    body = drawn.body if isinstance(drawn, ast.ClassDef) else []
    for field, below in zip(body, [*body[1:], None], strict=True):
        if not isinstance(field, ast.AnnAssign):
            continue
        name = ast.unparse(field.target)
        doc = below.value if isinstance(below, ast.Expr) else None
        words = " ".join(str(doc.value).split()) if isinstance(doc, ast.Constant) else ""
        if not words:
            raise LookupError(f"Say below {of.__name__}.{name} what it is.")
        yield name, ast.unparse(field.annotation), words
