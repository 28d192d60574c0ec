"""Every package is on the plan, says what it is for, and is small enough to be looked through."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable

from tests.house.reading import PACKAGE, Finding, Module, plant, read, report, text_of

MODULES_LIMIT = 15
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


def undescribed(modules: Iterable[Module]) -> list[Finding]:
    """Packages whose docstring does not open with a sentence."""
    return [
        module.finding(1, "the docstring does not open with a sentence on what this package is for")
        for module in modules
        if module.is_package and module.name.count(".") and not _opens(ast.get_docstring(module.tree) or "")
    ]


def _opens(docstring: str) -> bool:
    end = FIRST_SENTENCE_END.search(docstring.partition("\n\n")[0])
    return end is not None and end.start() > 20


def crowded(modules: Iterable[Module], limit: int) -> list[Finding]:
    """Folders of more modules than a reader looks through; revisions of the schema are read one at a time."""
    folders = Counter(
        module.path.rpartition("/")[0]
        for module in modules
        if not module.is_package and "/migrations/" not in module.path
    )
    return [
        Finding(folder, 1, f"{count} modules, more than {limit}") for folder, count in folders.items() if count > limit
    ]


def test_plan() -> None:
    found = unmapped(read(PACKAGE), text_of("ARCHITECTURE.md"))
    assert not found, report(found)


def test_every_package_says_what_it_is_for() -> None:
    found = undescribed(read(PACKAGE))
    assert not found, report(found)


def test_folders_can_be_looked_through() -> None:
    found = crowded(read(PACKAGE), MODULES_LIMIT)
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


def test_a_package_without_a_sentence_is_found() -> None:
    for text in ("", '"""Rows."""', '"""Rows, of the frontier and of runs"""'):
        assert undescribed([plant(text, f"{PACKAGE}/store/__init__.py")]), text
    for text in ("Where do rows live, and why?", "Rows of the frontier and of runs."):
        assert not undescribed([plant(f'"""{text}\n\nHere."""', f"{PACKAGE}/store/__init__.py")])


def test_a_crowded_folder_is_found() -> None:
    modules = [plant("", f"{PACKAGE}/attic/{name}.py") for name in "abc"]
    assert crowded(modules, 2)
    assert not crowded([*modules, plant("", f"{PACKAGE}/attic/__init__.py")], 3)
