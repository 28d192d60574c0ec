"""One word for one idea: no drawer that anything can be put into."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from tests.house.reading import Finding, Module, plant, read, report

DRAWERS = frozenset({"util", "helper", "common", "manager", "handler", "misc"})
# What other people's base classes are called does not count; what ours are called does.
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


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
