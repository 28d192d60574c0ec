"""What holds for every page of the list: nothing on it is dead, nothing is loaded from elsewhere, little is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Request

from tests.pages.conftest import PICTURES
from tests.pages.pages import PAGES, Listed
from tests.pages.visitor import LOOKS, WIDE, Visitor

Visit = Callable[..., Visitor]
MOST_BYTES = 60_000
MOST_MS = 500
"""Until the first words are on the screen, beside other tests; of a page alone it is less than 200 (weights.txt)."""
OPENINGS = 4
"""How often a page is opened again that was slow, since a busy machine is slow with every page."""
REFUSALS = 6
"""Three scripts, a handler, a style, a base and a frame are tried on a page; one may be refused without a word."""
every_page = pytest.mark.parametrize("listed", PAGES, ids=lambda listed: listed.name)

# Where a reader is led out of these pages: to the document itself.
OUTWARD = ".hit h2 a, .cached-bar a.addr"
LINKS = "links => links.map(a => ({href: a.href, outward: a.matches(%r)}))" % OUTWARD  # noqa: UP031
PAINTED = "performance.getEntriesByType('paint').find(e => e.name === 'first-contentful-paint')?.startTime ?? -1"
INLINE = "document.querySelectorAll('script:not([src]), style, [style]').length + [...document.querySelectorAll('*')]" \
         ".filter(e => e.getAttributeNames().some(n => n.startsWith('on'))).length"  # fmt: skip
ASIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def links(visitor: Visitor) -> list[str]:
    """The addresses that the page leads to, within these pages. What leads elsewhere must be a document."""
    found: list[dict[str, Any]] = visitor.page.locator("a[href]").evaluate_all(LINKS)
    ours = [each["href"] for each in found if each["href"].startswith(visitor.house.origin + "/")]
    others = [each for each in found if not each["href"].startswith(visitor.house.origin + "/")]
    strange = [each for each in others if not (each["outward"] and each["href"].startswith("http"))]
    assert not strange
    return sorted({address.removeprefix(visitor.house.origin).partition("#")[0] for address in ours})


@pytest.fixture(scope="module")
def followed() -> set[tuple[str, str]]:
    """The links that have been followed, by installation."""
    return set()


@every_page
def test_no_link_is_dead(listed: Listed, visit: Visit, followed: set[tuple[str, str]]) -> None:
    visitor = visit(listed.house)
    visitor.look_at(listed)
    there = links(visitor)
    assert "/" in there
    for each in there:
        if (listed.house, each) in followed:
            continue
        followed.add((listed.house, each))
        visitor.open(each, listed.status if each == visitor.address(listed) else 200)


@every_page
def test_every_form_can_be_sent(listed: Listed, visit: Visit) -> None:
    visitor = visit(listed.house)
    visitor.look_at(listed)
    names = visitor.page.locator("form button:visible").count()
    for number in range(names):
        visitor.look_at(listed)
        button = visitor.page.locator("form button:visible").nth(number)
        fill(button)
        visitor.expected = listed.status
        with visitor.page.expect_navigation(wait_until="load") as gone:
            button.press("Enter")
        answer = gone.value
        assert answer is not None
        back = visitor.page.url == visitor.house.origin + visitor.address(listed)
        assert answer.status == (listed.status if back else 200), visitor.page.url


def fill(button: Locator) -> None:
    """Type something into what stands beside a button."""
    form = button.locator("xpath=ancestor::form")
    for field in form.locator("input:is([type=text], [type=search], [type=password])").all():
        if not field.input_value():
            field.fill("http://127.0.0.1:9/" if field.get_attribute("name") in ("address", "what") else "island")
    for field in form.locator("input[type=date]").all():
        if not field.input_value():
            field.fill("2126-03-14")  # a takedown ends on a day to come


@every_page
def test_little_is_sent_and_nothing_stands_inline(listed: Listed, visit: Visit) -> None:
    visitor = visit(listed.house)
    asked: list[Request] = []
    visitor.page.on("request", lambda request: asked.append(request))  # noqa: PLW0108 - it asks what it is given
    visitor.look_at(listed)
    sizes = [each.sizes() for each in asked]
    sent = sum(each["responseBodySize"] + each["responseHeadersSize"] for each in sizes)
    painted = quickest_paint(listed, visit, first_paint(visitor))
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (PICTURES / "weights.txt").open("a") as file:
        file.write(f"{listed.name:20} {sent:8,} bytes, first paint after {painted:4.0f} ms\n")
    assert min(each["responseBodySize"] for each in sizes) > 0
    assert sent <= MOST_BYTES
    assert 0 <= painted <= MOST_MS
    assert visitor.page.evaluate(INLINE) == 0


def quickest_paint(listed: Listed, visit: Visit, painted: float) -> float:
    """Milliseconds to the first words; opened anew while that is too long, since other tests may have delayed it."""
    for _ in range(OPENINGS):
        if 0 <= painted <= MOST_MS:
            break
        again = visit(listed.house)
        again.look_at(listed)
        painted = min((each for each in (painted, first_paint(again)) if each >= 0), default=-1)
    return painted


def first_paint(visitor: Visitor) -> float:
    """Milliseconds from asking to the first words on the screen, once they are there; -1 should that take too long."""
    for _ in range(40):
        painted: float = visitor.page.evaluate(PAINTED)
        if painted >= 0:
            return painted
        visitor.page.wait_for_timeout(50)
    return -1


@every_page
def test_pictures(listed: Listed, visit: Visit) -> None:
    visitor = visit(listed.house)
    visitor.look_at(listed)
    for name, look in LOOKS.items():
        visitor.change(look)
        assert visitor.page.evaluate(ASIDE) <= 0, f"{name}: the page scrolls sideways"
        # What stands in a frame is not painted beyond the window.
        whole = not visitor.page.locator("iframe").count()
        visitor.page.screenshot(path=PICTURES / f"{listed.name}-{name}.png", full_page=whole)


def test_the_policy_holds(visit: Visit) -> None:
    """What a page must not do is tried from within it; that it was refused is said on the console."""
    visitor = visit("sample", WIDE)
    for address in ("/", "/search?q=island", "/search?q=zeppelin"):
        visitor.open(address)
        for attempt in (
            "script.textContent = 'document.documentElement.dataset.ran = 1'",
            "script.src = 'http://127.0.0.1:1/x.js'",
            "script.src = 'data:text/javascript,document.documentElement.dataset.ran = 1'",
        ):
            visitor.page.evaluate(
                f"const script = document.createElement('script'); {attempt}; document.body.append(script)"
            )
        visitor.page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"a()\"><i style=top:0>')"
        )
        visitor.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<base href=/other/><iframe src=/>')")
        refused = refusals(visitor)
        assert len(refused) >= REFUSALS, visitor.faults
        assert visitor.page.evaluate("document.documentElement.dataset.ran") is None
        assert visitor.page.evaluate("new URL('x', document.baseURI).pathname") != "/other/x"
        visitor.faults.clear()


def refusals(visitor: Visitor) -> list[str]:
    """What the policy has refused, once that is enough or has taken too long."""
    found: list[str] = []
    for _ in range(40):
        found = [fault for fault in visitor.faults if "Content Security Policy" in fault]
        if len(found) >= REFUSALS:
            break
        visitor.page.wait_for_timeout(50)
    return found


def test_a_copy_is_a_stranger(visit: Visit) -> None:
    visitor = visit()
    listed = next(each for each in PAGES if each.name == "copy")
    visitor.look_at(listed)
    assert visitor.framed.evaluate("self.origin") == "null"
    visitor.open(f"{visitor.address(listed)}/content")
    assert visitor.page.evaluate("self.origin") == "null", "not even outside of the frame"


def test_what_must_not_happen_is_noticed(visit: Visit) -> None:
    """A page without a policy does everything that no page may."""
    body = "<!DOCTYPE html><script>alert(1)</script><img src='http://127.0.0.1:9/x'><img src='/y'><script>no()</script>"
    visitor = visit()
    visitor.page.route("**/z", lambda route: route.fulfill(body=body, content_type="text/html"))
    visitor.open("/z")
    for each in ("a dialog: 1", "a request to elsewhere: http://127.0.0.1:9/x", "y answered 404", "no is not defined"):
        assert any(each in fault for fault in visitor.faults), visitor.faults
    visitor.faults.clear()
