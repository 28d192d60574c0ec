"""One tree of errors, each with its code; faults are swallowed in named places only."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from tests.house.reading import PACKAGE, Finding, Module, plant, read, report

ROOT_FILE = f"{PACKAGE}/base/errors.py"
# Where any exception may be caught, and why: around other people's code, around a visit, and before the terminal.
BROAD_LIMIT = 6
BROAD: Mapping[str, str] = {
    f"{PACKAGE}/base/entry_points.py::imported": "a package that cannot be imported costs what it adds and no more",
    f"{PACKAGE}/sandbox/child.py::_answer": "converters are other people's code, and a panic of Rust is no Exception",
    f"{PACKAGE}/crawl/visit/visit.py::bounded": "a plug-in, or input nobody foresaw, costs one document and no process",
    f"{PACKAGE}/crawl/deliver/sinks.py::ReceiverSink._ask": "a plug-in that fails rests, and the others go on",
    f"{PACKAGE}/sources/web/urls/rewrite.py::AddressRules._by_plugin": "a plug-in that fails changes no address",
    f"{PACKAGE}/cli/error_boundary.py::run": "the last one before the terminal: a traceback is shown only with -vv",
}


def shapeless(modules: Iterable[Module]) -> list[Finding]:
    """Errors of ours without a code of their own, with somebody else's code, or without a docstring."""
    found = []
    owners: dict[str, str] = {}
    for module, node in _family(modules):
        code = _code(node)
        if ast.get_docstring(node) is None:
            found.append(module.finding(node.lineno, f"{node.name} has no docstring: it is what a person reads"))
        if code is None:
            found.append(module.finding(node.lineno, f"{node.name} has no code of its own"))
        elif owners.setdefault(code, node.name) != node.name:
            found.append(module.finding(node.lineno, f"{node.name} has the code {code!r} of {owners[code]}"))
    return found


def _family(modules: Iterable[Module]) -> Iterator[tuple[Module, ast.ClassDef]]:
    """The root error and everything that descends from it, by name, whatever the order of the files."""
    ordered = sorted(modules, key=lambda module: (module.path != ROOT_FILE, module.path))
    classes = [(module, node) for module in ordered for node in module.classes()]
    names = {node.name for module, node in classes if module.path == ROOT_FILE and "Exception" in _bases(node)}
    size = 0
    while size < len(names):
        size = len(names)
        names |= {node.name for _, node in classes if names & _bases(node)}
    return ((module, node) for module, node in classes if node.name in names)


def _bases(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).split(".")[-1] for base in node.bases}


def _code(node: ast.ClassDef) -> str | None:
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if any(isinstance(target, ast.Name) and target.id == "code" for target in targets):
            return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
    return None


def broad(modules: Iterable[Module]) -> dict[str, Finding]:
    """Places that swallow any exception, as path::function. Catching it to raise it again swallows nothing."""
    found = {}
    for module in modules:
        homes = [(name, function) for name, function in module.functions()]
        for node in ast.walk(module.tree):
            if not _swallows(node):
                continue
            line: int = getattr(node, "lineno", 1)
            inside = [name for name, home in homes if home.lineno <= line <= (home.end_lineno or line)]
            place = f"{module.path}::{inside[-1] if inside else ''}"
            found[place] = module.finding(line, f"{place} catches everything")
    return found


def _swallows(node: ast.AST) -> bool:
    if isinstance(node, ast.ExceptHandler):
        ends = node.body[-1]
        again = isinstance(ends, ast.Raise) and (ends.exc is None or ast.unparse(ends.exc) == node.name)
        return not again and (node.type is None or _everything(node.type))
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
        return any(map(_everything, node.args))
    return False


def _everything(node: ast.expr) -> bool:
    kinds = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(ast.unparse(kind).split(".")[-1] in {"Exception", "BaseException"} for kind in kinds)


def test_error_shape() -> None:
    found = shapeless(read(PACKAGE))
    assert not found, report(found)


def test_broad_excepts() -> None:
    places = broad(read(PACKAGE))
    found = [finding for place, finding in places.items() if place not in BROAD]
    assert not found, report(found)
    assert set(BROAD) <= set(places), "a place in BROAD catches nothing any more: take it off the list"
    assert len(BROAD) <= BROAD_LIMIT


TREE = 'class Root(Exception):\n    """Wrong."""\n    code: str = "root"\n'


def test_shapeless_errors_are_found() -> None:
    root = plant(TREE, ROOT_FILE)
    planted = {
        'class Late(Root):\n    code = "late"\n': "no docstring",
        'class Late(Root):\n    """Late."""\n': "no code",
        'class Late(errors.Root):\n    """Late."""\n    code = "root"\n': "'root' of Root",
    }
    for text, words in planted.items():
        found = shapeless([plant(text), root])
        assert len(found) == 1, text
        assert words in found[0].what
    assert not shapeless(
        [root, plant('class Late(Root):\n    """Late."""\n    code = "late"\n'), plant("class A: ...\n")]
    )


def test_grandchildren_are_errors_too() -> None:
    text = "class Later(Late): pass\n" + 'class Late(Root):\n    """Late."""\n    code = "late"\n'
    assert {finding.what.split()[0] for finding in shapeless([plant(text), plant(TREE, ROOT_FILE)])} == {"Later"}


def test_broad_excepts_are_found() -> None:
    for clause in ("except Exception:", "except:", "except (OSError, BaseException) as e:"):
        text = f"class C:\n def f(self):\n  try: g()\n  {clause}\n   pass\n"
        assert list(broad([plant(text)])) == [f"{PACKAGE}/planted.py::C.f"], clause
    assert broad([plant("with contextlib.suppress(Exception): g()\n")])


def test_narrow_or_raising_excepts_are_not() -> None:
    for clause, end in (
        ("except OSError:", "pass"),
        ("except BaseException:", "raise"),
        ("except Exception as e:", "raise e"),
    ):
        assert not broad([plant(f"try: g()\n{clause}\n  h()\n  {end}\n")]), clause
