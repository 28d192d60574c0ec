"""Somebody who finds nothing yet: each page says what to do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.pages.visitor import WIDE, Look, Visitor

Visit = Callable[..., Visitor]
everybody = pytest.mark.parametrize("look", [WIDE, WIDE._replace(scripts=False)], ids=["scripts", "bare"])


@everybody
def test_nothing_is_crawled_yet(look: Look, visit: Visit) -> None:
    newcomer = visit("empty", look)
    newcomer.open("/")
    assert "cormorant source add" in newcomer.words
    newcomer.page.locator("#q").fill("harbour")
    newcomer.page.locator("#q").press("Enter")
    expect(newcomer.page.get_by_role("heading", level=1)).to_have_text("Nothing found for “harbour”")
    assert "cormorant crawl" in newcomer.words


@everybody
def test_a_word_that_nothing_has(look: Look, visit: Visit) -> None:
    newcomer = visit("sample", look)
    page = newcomer.page
    newcomer.open("/search?q=zeppelin&source=office")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nothing found for “zeppelin”")
    page.get_by_role("link", name="Search everywhere").click()
    assert "Try fewer or other words" in newcomer.words
    page.locator("#q").fill("puffin")
    page.locator("#q").press("Enter")
    expect(page.locator(".hit").first).to_be_visible()


@everybody
def test_a_misspelt_address(look: Look, visit: Visit) -> None:
    newcomer = visit("sample", look)
    newcomer.open("/saerch?q=puffin", 404)
    expect(newcomer.page.get_by_role("heading", level=1)).to_have_text("There is no page at this address")
    expect(newcomer.page.locator("#q")).to_have_value("puffin")
    newcomer.page.get_by_role("link", name="Search", exact=True).click()
    expect(newcomer.page.locator(".hit").first).to_be_visible()


@everybody
def test_a_page_that_there_is_not(look: Look, visit: Visit) -> None:
    newcomer = visit("sample", look)
    newcomer.open("/search?q=island&page=9")
    expect(newcomer.page.get_by_text("There is no page 9; this is the last one")).to_be_visible()
    expect(newcomer.page.locator(".hit").first).to_be_visible()
