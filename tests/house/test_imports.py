"""What import-linter does not say: cycles between modules, the lazy root, and packages nobody declared."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata

from tests.house.reading import PACKAGE, Finding, Module, plant, read, report, text_of

OURS = "cormorant"
# The root package offers what `app` wires; whoever is below `app` would import upwards through it.
OF_EXTRAS: dict[str, list[str]] = {"PIL": ["pillow"], "cv2": ["opencv-python-headless"]}
"""Which distributions modules of extras belong to, where these are not installed."""
MAY_IMPORT_ROOT = ("cormorant.app", "cormorant.cli", "cormorant.__main__")


def imported(module: Module) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Line, module and names of every import, also those inside functions and for types only."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            yield node.lineno, _absolute(module, node), names


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    above = parts[: len(parts) - node.level + module.is_package]
    return ".".join((*above, node.module) if node.module else above)


def cycle(modules: Iterable[Module]) -> list[str]:
    """The modules of one import cycle in order, or nothing."""
    known = {module.name: module for module in modules}
    graph = {
        name: {target for _, base, names in imported(module) for target in _targets(base, names, known)} - {name}
        for name, module in known.items()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def _targets(base: str, names: tuple[str, ...], known: Mapping[str, Module]) -> set[str]:
    submodules = {f"{base}.{name}" for name in names} & known.keys()
    plain = base in known and (not names or len(submodules) < len(names))
    return submodules | ({base} if plain else set())


def root_imports(modules: Iterable[Module]) -> list[Finding]:
    """Imports of the root package from below `app`."""
    known = {module.name for module in modules}
    return [
        module.finding(line, "imports the root package from below app")
        for module in modules
        if not module.name.startswith(MAY_IMPORT_ROOT) and module.name != OURS
        for line, base, names in imported(module)
        if base == OURS and not {f"{OURS}.{name}" for name in names or ("",)} <= known
    ]


def undeclared(modules: Iterable[Module], declared: set[str], providers: Mapping[str, list[str]]) -> list[Finding]:
    """Imports of packages that no dependency of the project brings by name."""
    found = []
    for module in modules:
        for line, base, _ in imported(module):
            top = base.split(".")[0]
            if top in sys.stdlib_module_names or top == OURS:
                continue
            if not {_normal(name) for name in providers.get(top, [top])} & declared:
                found.append(module.finding(line, f"{top} is not among the dependencies in pyproject.toml"))
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared() -> set[str]:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    extras = [entry for group in project["optional-dependencies"].values() for entry in group]
    names = (re.match(r"[\w.-]+", entry) for entry in (*project["dependencies"], *extras))
    return {_normal(name.group()) for name in names if name}


def test_no_cycle() -> None:
    found = cycle(read(PACKAGE))
    assert not found, " -> ".join(found)


def test_the_root_is_imported_from_above_only() -> None:
    found = root_imports(read(PACKAGE))
    assert not found, report(found)


def test_dependencies_are_declared() -> None:
    found = undeclared(read(PACKAGE), _declared(), OF_EXTRAS | dict(metadata.packages_distributions()))
    assert not found, report(found)


def test_a_cycle_is_found_even_for_types_and_inside_functions() -> None:
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cormorant.store import b\n"
    a, b = (f"{PACKAGE}/store/{name}.py" for name in "ab")
    assert set(cycle([plant(types, a), plant("def f():\n    import cormorant.store.a\n", b)])) == {
        "cormorant.store.a",
        "cormorant.store.b",
    }
    assert set(cycle([plant(types, a), plant("from .a import x\n", b)])) == {"cormorant.store.a", "cormorant.store.b"}
    assert not cycle([plant(types, a), plant("", b)])


def test_an_import_of_the_root_is_found() -> None:
    store = f"{PACKAGE}/store/__init__.py"
    for text in ("import cormorant\n", "from cormorant import Cormorant\n"):
        assert root_imports([plant(text, store)]), text
        assert not root_imports([plant(text, f"{PACKAGE}/app/build.py")]), text
    assert not root_imports([plant("from cormorant import store\n", f"{PACKAGE}/search/index/a.py"), plant("", store)])


def test_an_undeclared_package_is_found() -> None:
    module = plant("import json\nimport yaml.loader\nfrom cormorant.base import clock\n")
    providers = {"yaml": ["PyYAML"]}
    assert [finding.line for finding in undeclared([module], {"rich"}, providers)] == [2]
    assert not undeclared([module], {"pyyaml"}, providers)
