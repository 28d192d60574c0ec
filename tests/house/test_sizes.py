"""Small is measured in the tail: no file, function or list of parameters that has to be scrolled."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable

import pytest

from tests.house.reading import Finding, Function, Module, plant, read, report

FILE_AIM, FILE_LIMIT = 400, 500
FUNCTION_AIM, FUNCTION_LIMIT = 40, 60
NESTING_LIMIT = 3
PARAMETER_LIMIT = 6
# Revisions of the schema are lists of tables; nobody edits them afterwards.
LISTS = ("/migrations/",)

BLOCKS = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match,
)  # fmt: skip

CODE = ("src", "tests", "bench")
"""Read by who checks it, not by everybody who collects tests: the trees of all files are half a gigabyte."""


def long_files(modules: Iterable[Module], limit: int) -> list[Finding]:
    """Files of more lines than `limit`."""
    counted = ((module, module.text.count("\n")) for module in modules)
    return [module.finding(1, f"{lines} lines, more than {limit}") for module, lines in counted if lines > limit]


def long_functions(modules: Iterable[Module], limit: int) -> list[Finding]:
    """Functions of more lines than `limit`, from `def` to the end, the docstring not counted."""
    return [
        module.finding(function.lineno, f"{name} has {lines} lines, more than {limit}")
        for module in modules
        for name, function in module.functions()
        if (lines := _length(function)) > limit
    ]


def _length(function: Function) -> int:
    first = function.body[0]
    text = first.value if isinstance(first, ast.Expr) else None
    documented = isinstance(text, ast.Constant) and isinstance(text.value, str)
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def deep_functions(modules: Iterable[Module], limit: int) -> list[Finding]:
    """Functions with blocks inside blocks more than `limit` deep."""
    return [
        module.finding(function.lineno, f"{name} is nested {depth} deep, more than {limit}")
        for module in modules
        for name, function in module.functions()
        if (depth := max(map(_depth, function.body))) > limit
    ]


def _depth(node: ast.AST) -> int:
    if isinstance(node, Function | ast.ClassDef | ast.expr):
        return 0  # a function inside a function is counted by itself
    inner = max(map(_depth, ast.iter_child_nodes(node)), default=0)
    if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        # An elif is written inside the else of its if, but read beside it.
        return max(1 + max(map(_depth, node.body)), _depth(node.orelse[0]))
    return inner + isinstance(node, BLOCKS)


def wide_functions(modules: Iterable[Module], limit: int) -> list[Finding]:
    """Functions of more than `limit` parameters, self and cls not counted."""
    return [
        module.finding(function.lineno, f"{name} has {len(names)} parameters, more than {limit}")
        for module in modules
        for name, function in module.functions()
        if len(names := _parameters(function)) > limit
    ]


def _parameters(function: Function) -> list[str]:
    given = function.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


@pytest.mark.filterwarnings("default")
def test_files() -> None:
    for finding in long_files(read(*CODE), FILE_AIM):
        warnings.warn(f"{finding} (a file should end here)", UserWarning, stacklevel=1)
    found = long_files(read(*CODE), FILE_LIMIT)
    assert not found, report(found)


@pytest.mark.filterwarnings("default")
def test_functions() -> None:
    code = [module for module in read(*CODE) if not any(part in module.path for part in LISTS)]
    for finding in long_functions(code, FUNCTION_AIM):
        warnings.warn(f"{finding} (a function should end here)", UserWarning, stacklevel=1)
    found = long_functions(code, FUNCTION_LIMIT)
    assert not found, report(found)


def test_nesting() -> None:
    found = deep_functions(read(*CODE), NESTING_LIMIT)
    assert not found, report(found)


def test_parameters() -> None:
    found = wide_functions(read(*CODE), PARAMETER_LIMIT)
    assert not found, report(found)


def test_a_long_file_is_found() -> None:
    assert long_files([plant("a = 1\n" * 501)], FILE_LIMIT)
    assert not long_files([plant("a = 1\n" * 500)], FILE_LIMIT)


def test_a_long_function_is_found() -> None:
    body = "    a = 1\n" * 60
    assert long_functions([plant(f"class C:\n  def f():\n{body}")], FUNCTION_LIMIT)
    assert not long_functions([plant(f"def f():\n{body[10:]}")], FUNCTION_LIMIT)


def test_a_docstring_does_not_make_a_function_long() -> None:
    text = 'def f():\n    """One.\n' + "\n" * 70 + '    """\n    return 1\n'
    assert not long_functions([plant(text)], FUNCTION_LIMIT)


def test_deep_nesting_is_found() -> None:
    deep = "def f():\n for a in b:\n  with a:\n   try:\n    if a: pass\n   finally: pass\n"
    assert [finding.what for finding in deep_functions([plant(deep)], NESTING_LIMIT)] == [
        "f is nested 4 deep, more than 3"
    ]


def test_elif_and_inner_functions_do_not_nest() -> None:
    chain = "def f():\n if a: pass\n elif b: pass\n elif c: pass\n elif d: pass\n else: pass\n"
    inner = "def f():\n if a:\n  if b:\n   if c:\n    def g():\n     if d: pass\n"
    assert not deep_functions([plant(chain), plant(inner)], NESTING_LIMIT)


def test_many_parameters_are_found() -> None:
    assert wide_functions([plant("def f(a, b, c, *, d, e, f, g): pass\n")], PARAMETER_LIMIT)
    assert not wide_functions([plant("class C:\n def f(self, a, b, c, *, d, e, f): pass\n")], PARAMETER_LIMIT)
