"""Who writes to the database: packages that may open a transaction, and never a function whose name only asks."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from tests.house.reading import PACKAGE, Finding, Function, Module, plant, read, report

PREDICATES = ("is_", "has_", "may_")
STATEMENTS = frozenset(("insert", "update", "delete"))
"""What SQLAlchemy, and our own `bulk`, call a statement that writes."""
OPENING = ("store", "crawl", "operate", "app")
"""Packages that open writing transactions."""
OPENING_BESIDE = ("frontier/queue/redirect_hosts.py", "frontier/state/reprioritize.py")
"""Modules of other packages that do: hosts that nobody has leased, and rows ranked anew page by page."""


def opened(node: ast.AST) -> Iterator[int]:
    """Lines on which a writing transaction is opened: `store.begin()`."""
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call) and not (each.args or each.keywords))
    yield from (call.lineno for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "begin")


def openings(modules: Iterable[Module]) -> list[Finding]:
    """Writing transactions opened where none should be."""
    allowed = tuple(f"{PACKAGE}/{each}/" for each in OPENING) + tuple(f"{PACKAGE}/{each}" for each in OPENING_BESIDE)
    return [
        module.finding(line, "opens a writing transaction, which is not for this package to do")
        for module in modules
        if not module.path.startswith(allowed)
        for line in opened(module.tree)
    ]


class Calls:
    """Who calls whom, as far as names say: functions of modules, and methods of the same class."""

    def __init__(self, modules: Iterable[Module]) -> None:
        self.known: dict[str, tuple[Module, Function]] = {}
        self.called: dict[str, set[str]] = {}
        for module in modules:
            names = _names(module)
            for inside, function in module.functions():
                name = f"{module.name}.{inside}"
                self.known[name] = module, function
                self.called[name] = set(_called(function, module.name, inside, names))

    def writing(self) -> set[str]:
        """The functions that write, by themselves or by what they call."""
        found = {name for name, (_, function) in self.known.items() if any(opened(function))}
        found |= {name for name, called in self.called.items() if any(map(_is_statement, called))}
        while more := {name for name, called in self.called.items() if called & found} - found:
            found |= more
        return found


def _is_statement(name: str) -> bool:
    owner, _, last = name.rpartition(".")
    return last in STATEMENTS and owner in ("sqlalchemy", "cormorant.store.db.bulk")


def _names(module: Module) -> dict[str, str]:
    """The full name of everything imported, and of the functions of the module."""
    found = {inside: f"{module.name}.{inside}" for inside, _ in module.functions() if "." not in inside}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _called(function: Function, module: str, inside: str, names: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in names:
                yield names[name]
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                yield f"{module}.{inside.rpartition('.')[0]}.{name}"
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)) if owner in names:
                yield f"{names[owner]}.{name}"
            case _:
                pass


def writing_predicates(modules: Iterable[Module]) -> list[Finding]:
    """Functions whose name asks something, and that write."""
    calls = Calls(modules)
    return [
        module.finding(function.lineno, f"{function.name} writes, though its name only asks")
        for name in sorted(calls.writing())
        for module, function in [calls.known[name]]
        if function.name.lstrip("_").startswith(PREDICATES)
    ]


def changed(function: Function) -> Iterator[int]:
    """Lines on which a method gives an attribute of its object another value."""
    for node in ast.walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store() | ast.Del()):
                yield node.lineno
            case _:
                pass


def changing_predicates(modules: Iterable[Module]) -> list[Finding]:
    """Methods whose name asks something, and that change their object. What they keep in a table they may."""
    return [
        module.finding(line, f"{name} changes its object, though its name only asks")
        for module in modules
        for name, function in module.functions()
        if function.name.lstrip("_").startswith(PREDICATES)
        for line in changed(function)
    ]


def test_who_opens_writing_transactions() -> None:
    findings = openings(read(PACKAGE))
    assert not findings, report(findings)


def test_no_predicate_writes() -> None:
    findings = writing_predicates(read(PACKAGE))
    assert not findings, report(findings)


def test_no_predicate_changes_its_object() -> None:
    findings = changing_predicates(read(PACKAGE))
    assert not findings, report(findings)


def test_a_planted_transaction_is_found() -> None:
    text = "def keep(store):\n    with store.begin() as tx:\n        tx.execute('')\n"
    assert openings([plant(text, f"{PACKAGE}/search/planted.py")])
    assert not openings([plant(text, f"{PACKAGE}/crawl/planted.py")])
    assert not openings([plant("turns.begin(site)", f"{PACKAGE}/search/planted.py")])


PLANTED = (
    "def is_held(store):\n    with store.begin():\n        return True\n",
    "import sqlalchemy as sa\ndef _has_row(tx):\n    tx.execute(sa.update(run))\n",
    "from cormorant.store.db import bulk\ndef may_go(tx):\n    bulk.insert(tx, run, (), [])\n",
    "from cormorant.store.db import bulk\ndef hold(tx):\n    bulk.insert(tx)\ndef is_held(tx):\n    hold(tx)\n",
    "class Run:\n    def _keep(self):\n        self.store.begin()\n    def is_over(self):\n        self._keep()\n",
)


def test_planted_predicates_that_write_are_found() -> None:
    assert [len(writing_predicates([plant(text)])) for text in PLANTED] == [1] * len(PLANTED)
    store = plant("import sqlalchemy as sa\ndef hold(tx):\n    sa.update(run)\n", f"{PACKAGE}/store/runs.py")
    asks = plant("from cormorant.store import runs\ndef is_held(tx):\n    return runs.hold(tx)\n")
    assert writing_predicates([store, asks])
    assert not writing_predicates([plant("def is_held(tx):\n    return tx.rows(held)\n"), store])


def test_planted_predicates_that_change_their_object_are_found() -> None:
    for text in ("self.late = True", "self.asked += 1", "one, self.asked = 1, 2", "del self.asked"):
        assert changing_predicates([plant(f"class Task:\n    def is_late(self):\n        {text}\n")])
    for text in ("self.known[1] = 2", "late = self.late", "return self.late"):
        assert not changing_predicates([plant(f"class Task:\n    def is_late(self):\n        {text}\n")])
