"""Nobody is shut out: axe finds nothing serious on any page, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route

from tests.pages.pages import PAGES, Listed
from tests.pages.test_markup import TOOLS
from tests.pages.visitor import LOOKS, Visitor

Visit = Callable[..., Visitor]
GRAVE = frozenset({"serious", "critical"})
RUN = "async () => (await axe.run(document, {resultTypes: ['violations'], preload: false})).violations"


def violations(visitor: Visitor) -> list[str]:
    """What axe finds on the page as it is."""
    if not visitor.page.evaluate("typeof axe === 'object'"):
        visitor.page.evaluate((TOOLS / "axe-core" / "axe.min.js").read_text("utf-8"))
    found: list[dict[str, Any]] = visitor.page.evaluate(RUN)
    return [
        f"{each['impact']} {each['id']}: {node['html'][:200]} {node['failureSummary']}"
        for each in found
        if each["impact"] in GRAVE
        for node in each["nodes"]
    ]


def unlocked(route: Route) -> None:
    """A kept copy without its sandbox, in which axe could not run either."""
    answer = route.fetch()
    headers = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
    route.fulfill(response=answer, headers=headers)


@pytest.mark.parametrize("listed", PAGES, ids=lambda listed: listed.name)
def test_nothing_serious_is_found(listed: Listed, visit: Visit) -> None:
    visitor = visit(listed.house)
    visitor.look_at(listed)
    for name, look in LOOKS.items():
        visitor.change(look)
        found = violations(visitor)
        assert not found, name + "\n" + "\n".join(found)


@pytest.mark.parametrize("words", ["puffin", "handbook volunteers", "deutsch", "timetable"])
def test_nothing_serious_is_found_in_a_copy(words: str, visit: Visit) -> None:
    visitor = visit()
    visitor.page.route("**/content*", unlocked)
    visitor.open(f"/cached/{visitor.house.number(words)}/content?q=island+{words.split(maxsplit=1)[0]}")
    for name, look in LOOKS.items():
        visitor.change(look)
        found = violations(visitor)
        assert not found, name + "\n" + "\n".join(found)


def test_what_is_serious_is_found(visit: Visit) -> None:
    visitor = visit()
    visitor.open("/")
    visitor.page.evaluate("document.querySelector('label').remove(); document.documentElement.removeAttribute('lang')")
    found = violations(visitor)
    assert {line.split()[1] for line in found} >= {"html-has-lang:", "label:"}, found
