"""The checks of a run: each is listed once, and what it finds is told in one form."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from cormorant.operate import checks
from cormorant.operate.checks.problem import RunProblem
from cormorant.operate.checks.registry import CHECKS, NOTICES, Check


def public_checks() -> Iterator[Check]:
    """Every public function of the package that yields problems of a context."""
    for module in iter_modules(checks.__path__, f"{checks.__name__}."):
        functions = inspect.getmembers(import_module(module.name), inspect.isfunction)
        yield from (found for name, found in functions if found.__module__ == module.name and _is_check(name, found))


def _is_check(name: str, found: Check) -> bool:
    said = found.__annotations__
    typed = (said.get("context"), said.get("return")) == ("CheckContext", "Iterator[RunProblem]")
    return typed and not name.startswith("_")


def test_every_check_is_listed_once() -> None:
    listed = [*CHECKS, *NOTICES]
    assert len({*listed}) == len(listed)
    assert {*listed} == {*public_checks()}


def test_a_problem_is_told_with_what_it_is_about() -> None:
    assert RunProblem("index", "It does not answer.").record() == {"kind": "index", "sentence": "It does not answer."}
    told = RunProblem("rule", "It matches nothing.", {"rule": "path:/x"}).record()
    assert list(told.items()) == [("kind", "rule"), ("rule", "path:/x"), ("sentence", "It matches nothing.")]
