"""Does something give every status that is promised, and does a test see it given?

What is looked for is the number, or its name, in the package and in the tests: that a test which names a number also
sees it given is for its reader to judge. Numbers of HTTP need no line in the package, since servers give them.
"""

from __future__ import annotations

import ast

from cormorant.model.status import TABLE, Status
from tests.house.reading import PACKAGE, Module, plant, read

UNBUILT = {
    Status.DUPLICATE_FOUND, Status.CRAWLED, Status.LOGIN_FAILED,
    Status.BAD_DISPLAY_ADDRESS, Status.LEFT_OVER,
}  # fmt: skip
"""Explained, but of parts that are not there yet. Whoever builds one takes its number out of here."""
TABLES = ("src/cormorant/model/status.py", "tests/model/test_status.py", "tests/house/test_statuses.py")
"""Where every number stands whether or not it is given."""
HTTP = range(200, 600)


def named(modules: tuple[Module, ...]) -> set[int]:
    """The statuses that these files name, by number or by name."""
    found: set[int] = set()
    for module in modules:
        for node in ast.walk(module.tree) if module.path not in TABLES else ():
            if isinstance(node, ast.Constant) and type(node.value) is int:
                found.add(node.value)
            elif isinstance(node, ast.Attribute) and node.attr in Status.__members__ and _is_status(node.value):
                found.add(int(Status[node.attr]))
    return found


def _is_status(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "Status"


def ungiven(package: tuple[Module, ...], tests: tuple[Module, ...]) -> set[int]:
    """The statuses, reserved ones aside, that nothing gives or no test sees."""
    given, seen = named(package) | set(HTTP), named(tests)
    counted = range(Status.UNREACHABLE_1, Status.UNREACHABLE_5 + 1)  # the package counts up from the first
    given |= set(counted) if counted[0] in given else set()
    return {number for number, row in TABLE.items() if not row.reserved and not (number in given and number in seen)}


def test_every_status_is_given_and_seen() -> None:
    assert ungiven(read(PACKAGE), read("tests")) == {int(each) for each in UNBUILT}


def test_one_that_nobody_gives_is_found() -> None:
    tests = tuple(plant(f"x = {number}", "tests/x.py") for number in TABLE)
    assert Status.TOO_BIG in ungiven((plant("a = 1"),), tests)
    assert Status.TOO_BIG not in ungiven((plant("a = Status.TOO_BIG"),), tests)


def test_one_that_no_test_sees_is_found() -> None:
    assert 402 in ungiven(read(PACKAGE), (plant("a = 404", "tests/x.py"),))
