"""Everything by keys: single ones for those who like them, Tab for everybody, and always to be seen where one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from tests.pages.pages import PAGES, Listed
from tests.pages.visitor import NARROW, WIDE, Look, Visitor

Visit = Callable[..., Visitor]
MOST_STOPS = 120
OUTLINE_PX = 3
IN_A_COPY = 1_000
"""Where the numbers of stops in a kept copy begin."""

# Where the focus is, whether that can be seen, and whether anything lies over it: near its top, or in the middle of
# what is left of it when that is beyond the window's edge.
STOP = """() => {
  const at = document.activeElement;
  if (!at || at === document.body || at === document.documentElement) return null;
  const box = at.getBoundingClientRect(), style = getComputedStyle(at);
  const low = Math.min(box.bottom, innerHeight);
  const x = box.left + box.width / 2, y = box.top < 0 ? low / 2 : box.top + Math.min(box.height / 2, 10);
  const top = document.elementFromPoint(Math.min(Math.max(x, 0), innerWidth - 1), y);
  if (!window.stops) window.stops = new Map();
  if (!window.stops.has(at)) window.stops.set(at, window.stops.size);
  return {
    number: window.stops.get(at), what: at.outerHTML.slice(0, 120),
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    seen: box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < innerHeight && box.right > 0
      && box.left < innerWidth && style.visibility === "visible" && style.clipPath === "none",
    free: Boolean(top) && (at.contains(top) || top.contains(at)),
  };
}"""


class Stop(NamedTuple):
    """A place where Tab stops."""

    number: int
    what: str
    outline: float
    seen: bool
    free: bool


def stops(visitor: Visitor, key: str) -> list[Stop]:
    """Every place where this key stops, once round; nothing where the browser's own bar begins."""
    found: list[Stop] = []
    for _ in range(MOST_STOPS):
        visitor.page.keyboard.press(key)
        at = visitor.page.evaluate(STOP)
        if at and at["what"].startswith("<iframe") and (inner := visitor.framed.evaluate(STOP)):
            at = inner | {"number": IN_A_COPY + inner["number"]}  # there the focus is, and shown
        if at is None or (found and at["number"] == found[0].number):
            return found
        found.append(Stop(**at))
    raise AssertionError(f"{key} stops more than {MOST_STOPS} times: {found[-3:]}")


@pytest.mark.parametrize("look", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("listed", PAGES, ids=lambda listed: listed.name)
def test_it_can_be_seen_where_the_focus_is(listed: Listed, look: Look, visit: Visit) -> None:
    visitor = visit(listed.house, look)
    visitor.look_at(listed)
    visitor.begin()
    onward = stops(visitor, "Tab")
    assert onward
    back = stops(visitor, "Shift+Tab")
    lost = [each for each in (*onward, *back) if not (each.seen and each.free and each.outline >= OUTLINE_PX)]
    assert not lost, "\n".join(map(str, lost))
    assert {each.what for each in onward} == {each.what for each in back}


@pytest.mark.parametrize("listed", PAGES, ids=lambda listed: listed.name)
def test_the_first_stop_skips_to_the_content(listed: Listed, visit: Visit) -> None:
    visitor = visit(listed.house)
    page = visitor.page
    visitor.look_at(listed)
    visitor.begin()
    page.keyboard.press("Tab")
    assert visitor.focused == "Skip to content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = page.evaluate("document.activeElement === document.body || !document.activeElement.closest('header')")
    assert inside, visitor.focused


def test_single_keys_find_and_open(visit: Visit) -> None:
    reader = visit()
    page = reader.page
    reader.open("/")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    page.keyboard.type("island")
    expect(page.locator("#q")).to_have_value("island")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=island")
    titles = page.locator(".hit h2 a").all_inner_texts()

    page.keyboard.press("k")
    expect(page.locator(".hit.at")).to_have_count(0)
    for title in titles[:3]:
        page.keyboard.press("j")
        assert reader.focused == title
        expect(page.locator(".hit.at h2")).to_have_text(title)
    page.keyboard.press("k")
    assert reader.focused == titles[1]
    there = str(page.locator(".hit.at h2 a").get_attribute("href"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(there)


def test_the_last_result_is_the_last(visit: Visit) -> None:
    reader = visit()
    reader.open("/search?q=island&page=2")
    titles = reader.page.locator(".hit h2 a").all_inner_texts()
    for _ in range(len(titles) + 2):
        reader.page.keyboard.press("j")
    assert reader.focused == titles[-1]


def test_tab_takes_the_mark_along(visit: Visit) -> None:
    reader = visit()
    page = reader.page
    reader.open("/search?q=island")
    titles = page.locator(".hit h2 a").all_inner_texts()
    page.keyboard.press("j")
    links = page.locator(".hit").first.locator("a").count()
    for _ in range(links):
        page.keyboard.press("Tab")
    expect(page.locator(".hit.at h2")).to_have_text(titles[1])
    page.keyboard.press("j")
    assert reader.focused == titles[2]


def test_enter_opens_what_is_marked_after_a_click_beside_it(visit: Visit) -> None:
    reader = visit()
    page = reader.page
    reader.open("/search?q=island")
    page.keyboard.press("j")
    there = str(page.locator(".hit.at h2 a").get_attribute("href"))
    page.locator(".foot").click()
    page.keyboard.press("Enter")
    expect(page).to_have_url(there)


def test_keys_are_letters_while_somebody_types(visit: Visit) -> None:
    reader = visit()
    page = reader.page
    reader.open("/search?q=island")
    box = page.locator("#q")
    box.fill("")
    box.press_sequentially("jk/jk")
    expect(box).to_have_value("jk/jk")
    expect(page.locator(".hit.at")).to_have_count(0)


@pytest.mark.parametrize("held", ["Control", "Alt", "Meta"])
def test_keys_of_the_browser_are_left_to_it(held: str, visit: Visit) -> None:
    reader = visit()
    reader.open("/search?q=island")
    reader.page.keyboard.press(f"{held}+j")
    expect(reader.page.locator(".hit.at")).to_have_count(0)


def test_single_keys_are_switched_off_and_on_again(visit: Visit) -> None:
    reader = visit()
    page = reader.page
    reader.open("/")
    expect(page.get_by_text("back to this box")).to_be_visible()
    reader.follow(page.get_by_role("button", name="Turn off keyboard shortcuts"))
    reader.open("/search?q=island")
    page.keyboard.press("j")
    page.keyboard.press("/")
    expect(page.locator(".hit.at")).to_have_count(0)
    assert page.evaluate("document.activeElement === document.body")
    assert not page.locator("script[src*=keys]").count()
    expect(page.locator("kbd")).to_have_count(0)
    reader.open("/")
    reader.follow(page.get_by_role("button", name="Turn on keyboard shortcuts"))
    reader.open("/search?q=island")
    page.keyboard.press("j")
    expect(page.locator(".hit.at")).to_have_count(1)


@pytest.mark.parametrize("address", ["/", "/search?q=island"])
def test_nothing_is_said_of_keys_where_no_scripts_run(address: str, visit: Visit) -> None:
    reader = visit("sample", WIDE._replace(scripts=False))
    reader.open(address)
    for each in reader.page.locator("kbd").all():
        expect(each).to_be_hidden()
