"""A browser, installations to look at with it, and a picture of whatever failed.

`visit` opens windows; at the end of a test nothing may have gone wrong in any. Where `make pages` has not put the
browser's driver, there is nothing to collect here.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tests.house.reading import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.pages.houses import Served
    from tests.pages.visitor import Look, Visitor

collect_ignore_glob = [] if find_spec("playwright") else ["test_*.py"]

PICTURES = ROOT / "build" / "pages"
NOWHERE = ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
"""No name has an address, so nothing leaves the machine whatever a page says."""
ENDED = pytest.StashKey[bool]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "pages":
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[ENDED] = report.passed
    return report


@pytest.fixture(scope="session")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Served]]:
    """Installations by their names, each made when it is first asked for."""
    from tests.pages.hostile import HOUSES as HOSTILE
    from tests.pages.houses import HOUSES
    from tests.pages.letters import HOUSES as LETTERS

    made: dict[str, Served] = {}
    with ExitStack() as stack:

        def house(name: str) -> Served:
            if name not in made:
                made[name] = stack.enter_context((HOUSES | HOSTILE | LETTERS)[name](tmp_path_factory.mktemp(name)))
            return made[name]

        yield house


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    assert program, "There is no chromium: `make pages` installs it, or apt-get install chromium."
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=NOWHERE)
        yield started
        started.close()


@pytest.fixture
def visit(
    browser: Browser, houses: Callable[[str], Served], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Visitor]]:
    """Open a window at an installation: `visit("sample", NARROW)`."""
    from tests.pages.visitor import WIDE, enter

    visitors: list[Visitor] = []

    def opened(house: str = "sample", look: Look = WIDE) -> Visitor:
        visitors.append(enter(browser, houses(house), look))
        return visitors[-1]

    yield opened
    passed = request.node.stash.get(ENDED, False) and not any(each.faults for each in visitors)
    for number, each in enumerate(visitors):
        if not passed:
            name = re.sub(r"[^\w.-]+", "-", request.node.name)
            each.page.screenshot(path=PICTURES / f"failed-{name}-{number}.png", full_page=True)
        each.page.context.close()
    faults = [fault for each in visitors for fault in each.faults]
    assert not faults, "\n".join(faults)
