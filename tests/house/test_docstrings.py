"""The first sentence of a docstring says what a thing is or does: no question, no clause that begins with a pronoun."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from tests.house.reading import PACKAGE, Finding, Function, Module, plant, read, report

_END = re.compile(r"(?<=[.?!])\s")
_CLAUSE = re.compile(r"(?:What|Who|Which|Whoever|Whatever|How|Where|When|Whether)\b")
_Documented = ast.Module | ast.ClassDef | Function


def unclear(modules: Iterable[Module]) -> list[Finding]:
    """Docstrings that open with a question or with a what-clause; the question of a package is none of these."""
    return [
        module.finding(getattr(node, "lineno", 1), f"opens with {first[:50]!r}")
        for module in modules
        for node, first in _openings(module)
        if first.endswith("?") or _CLAUSE.match(first)
    ]


def _openings(module: Module) -> Iterator[tuple[_Documented, str]]:
    for node in ast.walk(module.tree):
        if isinstance(node, _Documented) and (text := ast.get_docstring(node)):
            yield node, _END.split(text.partition("\n\n")[0].replace("\n", " "))[0]


def test_docstrings_open_with_a_statement() -> None:
    found = unclear(module for module in read(PACKAGE) if "/migrations/" not in module.path)
    assert not found, report(found)


def test_questions_and_clauses_are_found() -> None:
    for text in ("What is this for?", "What a visit leads to.", "Who is asking? A reader.", "Whether it is held."):
        assert unclear([plant(f'"""{text}"""')]), text
        assert unclear([plant(f'class A:\n    """{text}"""')]), text
    assert not unclear([plant('"""Leases of hosts. What is leased is not locked."""')])
