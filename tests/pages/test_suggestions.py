"""Suggestions under the search boxes: by keys, by mouse, and for who hears the page instead of seeing it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.pages.test_accessible import violations
from tests.pages.visitor import LOOKS, WIDE, Visitor

Visit = Callable[..., Visitor]
boxes = pytest.mark.parametrize("address", ["/", "/search?q=ferry"], ids=["home", "results"])


def typed(visitor: Visitor, letters: str) -> tuple[Locator, Locator]:
    """Type so many letters into the box; returns it, and the list once it is there."""
    box, shown = visitor.page.locator("#q"), visitor.page.get_by_role("listbox")
    box.fill("")
    box.press_sequentially(letters)
    expect(shown).to_be_visible()
    return box, shown


@boxes
def test_a_suggestion_is_chosen_by_keys(address: str, visit: Visit) -> None:
    reader = visit()
    page = reader.page
    reader.open(address)
    box, shown = typed(reader, "isl")
    options = shown.get_by_role("option")
    expect(box).to_have_attribute("aria-expanded", "true")
    first = options.first.inner_text()
    assert first.startswith("isl")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-activedescendant", str(options.first.get_attribute("id")))
    expect(box).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(shown.locator("[aria-selected=true]")).to_have_count(0)
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/search\?q={first.strip()}"))
    expect(page.locator(".hit").first).to_be_visible()


@boxes
def test_enter_searches_for_what_was_typed_where_nothing_is_marked(address: str, visit: Visit) -> None:
    reader = visit()
    reader.open(address)
    typed(reader, "puff")
    with reader.page.expect_navigation():
        reader.page.keyboard.press("Enter")
    expect(reader.page).to_have_url(re.compile(r"/search\?q=puff$"))


@boxes
def test_escape_puts_the_list_away_and_leaves_what_was_typed(address: str, visit: Visit) -> None:
    reader = visit()
    reader.open(address)
    box, shown = typed(reader, "isl")
    reader.page.keyboard.press("Escape")
    expect(shown).to_be_hidden()
    expect(box).to_have_value("isl")
    expect(box).to_have_attribute("aria-expanded", "false")
    reader.page.keyboard.press("ArrowDown")
    expect(shown).to_be_visible()
    reader.page.keyboard.press("Tab")
    expect(shown).to_be_hidden()


def test_a_suggestion_is_chosen_by_mouse(visit: Visit) -> None:
    reader = visit()
    reader.open("/")
    _, shown = typed(reader, "isl")
    option = shown.get_by_role("group", name="Searches").get_by_role("option").first
    reader.follow(option)
    expect(reader.page).to_have_url(re.compile(r"/search\?q=isl\w+$"))


def test_a_document_is_opened_from_the_list(visit: Visit) -> None:
    reader = visit()
    reader.open("/")
    _, shown = typed(reader, "atlantic puff")
    documents = shown.get_by_role("group", name="Documents").get_by_role("option")
    expect(documents.first).to_contain_text("Atlantic puffin")
    there = str(documents.first.get_attribute("href"))
    documents.first.click()
    expect(reader.page).to_have_url(there)


def test_words_before_narrow_and_a_chosen_source_holds(visit: Visit) -> None:
    reader = visit()
    reader.open("/?source=office")
    _, shown = typed(reader, "volunteers hand")
    option = shown.get_by_role("option").first
    expect(option).to_have_text("volunteers handbook")
    reader.follow(option)
    expect(reader.page).to_have_url(re.compile(r"/search\?q=volunteers\+handbook&source=office"))


def test_how_many_there_are_is_said(visit: Visit) -> None:
    reader = visit()
    reader.open("/")
    _, shown = typed(reader, "isl")
    count = shown.get_by_role("option").count()
    expect(reader.page.get_by_role("status")).to_have_text(f"{count} suggestions")
    reader.page.locator("#q").fill("zeppelin")
    expect(reader.page.get_by_role("status")).to_have_text("No suggestions")
    expect(shown).to_be_hidden()


@boxes
def test_nothing_serious_is_found_while_it_is_open(address: str, visit: Visit) -> None:
    reader = visit()
    reader.open(address)
    _, shown = typed(reader, "isl")
    reader.page.keyboard.press("ArrowDown")
    for name, look in LOOKS.items():
        reader.change(look)
        expect(shown).to_be_visible()
        found = violations(reader)
        assert not found, name + "\n" + "\n".join(found)
        reader.page.screenshot(path=f"build/pages/suggestions-{address.strip('/')[:6] or 'home'}-{name}.png")


def test_without_scripts_it_is_a_plain_box(visit: Visit) -> None:
    reader = visit("sample", WIDE._replace(scripts=False))
    reader.open("/")
    box = reader.page.get_by_role("searchbox")
    box.press_sequentially("isl")
    expect(reader.page.get_by_role("listbox")).to_have_count(0)
    box.fill("island")
    with reader.page.expect_navigation():
        box.press("Enter")
    expect(reader.page.locator(".hit").first).to_be_visible()


def test_the_box_goes_on_where_nobody_answers(visit: Visit) -> None:
    reader = visit()
    reader.open("/")
    reader.page.route("**/api/v1/suggest*", lambda route: route.fulfill(status=503, body="{}"))
    reader.page.locator("#q").press_sequentially("isl")
    reader.page.wait_for_timeout(400)
    expect(reader.page.get_by_role("listbox")).to_be_hidden()
    with reader.page.expect_navigation():
        reader.page.keyboard.press("Enter")
    assert any("503" in fault for fault in reader.faults)
    reader.faults.clear()
