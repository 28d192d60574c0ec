"""Every package is on the plan and says what question it answers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from tests.house.reading import PACKAGE, Finding, Module, plant, read, report, text_of

FIRST_SENTENCE_END = re.compile(r"[.?!](?=\s|$)")


def unmapped(modules: Iterable[Module], plan: str) -> list[Finding]:
    """Packages, and modules that stand beside them, which the plan does not name."""
    found = []
    for module in modules:
        parts = module.name.split(".")[1:]
        if not parts or parts[-1].startswith("_") or not (module.is_package or len(parts) == 1):
            continue
        written = f"{parts[-1]}/" if module.is_package else f"{parts[-1]}.py"
        if not re.search(rf"(?<![\w-]){re.escape(written)}", plan):
            found.append(module.finding(1, f"ARCHITECTURE.md does not mention {written}"))
    return found


def unasked(modules: Iterable[Module]) -> list[Finding]:
    """Packages whose docstring does not open with a question. The root is no room, so it need not."""
    return [
        module.finding(1, "the docstring does not open with the question this package answers")
        for module in modules
        if module.is_package and module.name.count(".") and not _asks(ast.get_docstring(module.tree) or "")
    ]


def _asks(docstring: str) -> bool:
    end = FIRST_SENTENCE_END.search(docstring)
    return end is not None and end.group() == "?"


def test_plan() -> None:
    found = unmapped(read(PACKAGE), text_of("ARCHITECTURE.md"))
    assert not found, report(found)


def test_questions() -> None:
    found = unasked(read(PACKAGE))
    assert not found, report(found)


def test_a_package_missing_from_the_plan_is_found() -> None:
    attic, cellar = (plant("", f"{PACKAGE}/{path}") for path in ("attic/__init__.py", "store/cellar/__init__.py"))
    assert len(unmapped([attic, cellar], "    store/   Where do rows live?  old_attic/")) == 2
    assert not unmapped([attic, cellar], "`attic/` and `store/cellar/`")


def test_a_module_beside_the_packages_is_on_the_plan_too() -> None:
    plugins = plant("", f"{PACKAGE}/plugins.py")
    assert unmapped([plugins], "plugins/")
    assert not unmapped(
        [plugins, plant("", f"{PACKAGE}/__main__.py"), plant("", f"{PACKAGE}/store/db/bulk.py")], "plugins.py"
    )


def test_a_package_without_a_question_is_found() -> None:
    for text in ("", '"""Where rows live."""', '"""Rows. Where do they live?"""'):
        assert unasked([plant(text, f"{PACKAGE}/store/__init__.py")]), text
    assert not unasked([plant('"""Where do rows live?\n\nHere."""', f"{PACKAGE}/store/__init__.py")])
