"""One word for one idea: no drawer that anything can be put into, no class name used twice, no gerund for a thing."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

from tests.house.reading import PACKAGE, Finding, Module, plant, read, report

DRAWERS = frozenset({"util", "helper", "common", "manager", "handler", "misc"})
# What other people's base classes are called does not count; what ours are called does.
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

GERUNDS = {
    "content_encoding": "the header field of HTTP (RFC 9110)",
    "crawl/url_rewriting": "the term of the field, as `mod_rewrite` has it",
    "formatting": "what every toolkit calls text for people",
    "housekeeping": "the term of the field",
    "keyring": "a thing, and no activity",
    "listing": "a thing: a page of documents",
    "polling": "the term of the field",
    "profiling": "the term of the field",
    "query_encoding": "the term of the URL standard",
    "ranking": "the term of the field",
    "redirect_pacing": "beside `crawl_delay`, which it is not",
    "remaining": "no activity",
    "routing": "the term of the web framework",
    "ruling": "a thing: the answer of a filter",
    "sampling": "the term of the field",
    "secret_masking": "the term of the field",
    "spelling": "the term of the field",
    "stemming": "the term of the field",
    "tracing": "the term of OpenTelemetry",
    "matching": "the part of a rule that decides",
}
"""Modules that are named by a gerund all the same, and why."""


def drawers(modules: Iterable[Module]) -> list[Finding]:
    """Files, folders and classes named after a drawer."""
    found = []
    for module in modules:
        path = PurePosixPath(module.path)
        found += [module.finding(1, f"{part} is a drawer") for part in (*path.parent.parts, path.stem) if _drawer(part)]
        found += [
            module.finding(node.lineno, f"{node.name} is a drawer") for node in module.classes() if _drawer(node.name)
        ]
    return found


def _drawer(name: str) -> bool:
    return any(word.lower().removesuffix("s") in DRAWERS for word in WORD.findall(name))


def test_names() -> None:
    found = drawers(read("src", "tests", "bench"))
    assert not found, report(found)


def test_drawers_are_found() -> None:
    for path in ("src/cormorant/utils.py", "src/cormorant/store/query_helpers.py", "src/cormorant/common/x.py"):
        assert drawers([plant("", path)]), path
    assert drawers([plant("class HTTPHandler: pass\n")])
    assert drawers([plant("class SourceManager: pass\n")])


def test_other_words_are_left_alone() -> None:
    assert not drawers([plant("class Uncommon: pass\nclass Mischief: pass\n", "src/cormorant/store/manage.py")])


def shared_names(modules: Iterable[Module]) -> list[Finding]:
    """Public classes whose name another class of the package has too."""
    named = defaultdict(list)
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                named[node.name].append((module, node))
    return [
        module.finding(node.lineno, f"{node.name} is the name of {len(there)} classes")
        for there in named.values()
        if len(there) > 1
        for module, node in there
    ]


def gerunds(modules: Iterable[Module]) -> list[Finding]:
    """Modules that are named by what is done, and not by a thing."""
    return [
        module.finding(1, "is named by a gerund; name the thing")
        for module in modules
        if module.path.endswith("ing.py")
        and not any(module.path.endswith(f"/{name}.py") for name in GERUNDS)
        and "/migrations/" not in module.path
    ]


def test_a_class_has_a_name_of_its_own() -> None:
    found = shared_names(read(PACKAGE))
    assert not found, report(found)


def test_modules_are_named_by_things() -> None:
    found = gerunds(read(PACKAGE))
    assert not found, report(found)


def test_a_shared_name_and_a_gerund_are_found() -> None:
    one, other = plant("class Entry: pass\n", f"{PACKAGE}/a.py"), plant("class Entry: pass\n", f"{PACKAGE}/b.py")
    assert len(shared_names([one, other])) == 2
    assert not shared_names([one, plant("class _Entry: pass\n")])
    assert gerunds([plant("", f"{PACKAGE}/crawl/tending.py")])
    assert not gerunds([plant("", f"{PACKAGE}/base/polling.py")])
