"""A reader's story: from the first page to a document and back, with scripts and without them."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.pages.visitor import NARROW, WIDE, Look, Visitor

Visit = Callable[..., Visitor]
BARE = WIDE._replace(scripts=False)
LOOKS = {
    "wide": WIDE,
    "narrow": NARROW,
    "without scripts": BARE,
    "narrow without scripts": NARROW._replace(scripts=False),
}

everybody = pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)


@everybody
def test_from_the_first_page_to_a_document_and_back(look: Look, visit: Visit) -> None:
    reader = visit("sample", look)
    page = reader.page
    reader.open("/")
    page.locator("#q").fill("island")
    reader.follow(page.get_by_role("button", name="Search"))
    expect(page).to_have_url(re.compile(r"/search\?q=island$"))
    expect(page.locator(".hit")).to_have_count(10)
    first = _found(reader)

    reader.follow(page.get_by_role("link", name="Next", exact=True))
    expect(page.locator(".pages [aria-current]")).to_have_text("2")
    assert not set(_found(reader)) & set(first)

    page.go_back()
    hit = page.locator(".hit").filter(has_text="Atlantic puffin").first
    reader.follow(hit.get_by_role("link", name="Cached copy"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Atlantic puffin")
    copy = page.frame_locator(".cached-frame")
    expect(copy.locator("main")).to_contain_text("as high as a milk jug")
    expect(copy.locator("mark").first).to_be_visible()
    reader.follow(page.get_by_role("link", name="Show without marks"))
    expect(copy.locator("main")).to_contain_text("as high as a milk jug")
    expect(copy.locator("mark")).to_have_count(0)
    page.go_back()

    page.go_back()
    expect(page.locator("#q")).to_have_value("island")
    assert _found(reader) == first


def _found(reader: Visitor) -> list[str]:
    """Where the hits on the page lead to."""
    return [str(each.get_attribute("href")) for each in reader.page.locator(".hit h2 a").all()]


@everybody
def test_one_source_and_all_of_them_again(look: Look, visit: Visit) -> None:
    reader = visit("sample", look)
    page = reader.page
    reader.open("/search?q=ferry")
    if look.width < WIDE.width:
        page.get_by_text("Sort, group or narrow").click()
    reader.follow(page.get_by_role("link", name="office"))
    expect(page).to_have_url(re.compile("source=office"))
    steps = page.locator(".hit .where").all_inner_texts()
    assert steps
    assert all("documents" in each for each in steps)

    page.locator(".ask input").fill("budget")
    page.locator(".ask input").press("Enter")
    expect(page).to_have_url(re.compile(r"q=budget&source=office"))

    reader.follow(page.locator(".chip.on"))
    expect(page).to_have_url(re.compile(r"/search\?q=budget$"))


def test_a_title_leads_to_the_document_itself(visit: Visit) -> None:
    reader = visit()
    reader.open("/search?q=puffin")
    link = reader.page.locator(".hit h2 a").first
    there = str(link.get_attribute("href"))
    link.click()
    expect(reader.page).to_have_url(there)
    expect(reader.page.locator("h1")).to_have_text("Atlantic puffin")
    assert urlsplit(there).port != urlsplit(reader.house.origin).port


def test_duplicates_are_listed_unfolded_and_folded_again(visit: Visit) -> None:
    reader = visit()
    page = reader.page
    reader.open("/search?q=timetable")
    before = page.locator(".hit").count()
    title = page.locator(".hit").filter(has_text="1 duplicate").locator("h2").inner_text()
    reader.follow(page.get_by_role("link", name="1 duplicate"))
    expect(page.get_by_role("heading", level=1)).to_have_text("2 documents of equal content")
    expect(page.locator(".hit h2")).to_have_text([title, title])
    page.go_back()
    reader.follow(page.get_by_role("link", name="Show each"))
    expect(page.locator(".hit")).to_have_count(before + 1)
    reader.follow(page.get_by_role("link", name="Fold them"))
    expect(page.locator(".hit")).to_have_count(before)


@everybody
def test_results_are_narrowed_sorted_and_grouped(look: Look, visit: Visit) -> None:
    reader = visit("sample", look)
    page = reader.page
    reader.open("/search?q=island")

    def unfold() -> None:
        """On a narrow screen, show what sorts, groups and narrows."""
        if look.width < WIDE.width:
            page.get_by_text("Sort, group or narrow").click()

    def choose(name: str) -> int:
        unfold()
        link = page.locator(".facet:visible").get_by_role("link", name=name)
        count = int(link.locator(".n").inner_text())
        reader.follow(link)
        return count

    assert choose("PDF") == _total(reader)
    assert choose("Web page") < _total(reader), "both are looked for"
    expect(page.locator(".chip.on")).to_have_count(2)
    both = _total(reader)
    unfold()
    reader.follow(page.get_by_role("link", name="Title", exact=True))
    titles = [each.lower() for each in page.locator(".hit h2").all_inner_texts()]
    assert titles == sorted(titles)
    unfold()
    reader.follow(page.get_by_role("link", name="By source"))
    expect(page).to_have_url(re.compile(r"sort=title&group=source"))
    assert _total(reader) == both
    reader.follow(page.get_by_role("link", name="Clear all"))
    expect(page.locator(".chip.on")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/search\?q=island&sort=title&group=source$"))


def _total(reader: Visitor) -> int:
    return int(reader.page.locator("p.quiet strong").inner_text().replace(",", ""))


def test_days_are_set_and_let_go(visit: Visit) -> None:
    reader = visit()
    page = reader.page
    reader.open("/search?q=ferry&source=office")
    page.locator("#from").fill("2001-02-03")
    reader.follow(page.get_by_role("button", name="Set dates"))
    expect(page.locator(".chip.on")).to_have_text(["office remove", "since 3 Feb 2001 remove"])
    expect(page.locator("#from")).to_have_value("2001-02-03")
    reader.follow(page.locator(".chip.on").last)
    expect(page.locator(".chip.on")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "bare"])
def test_light_and_dark_are_switched_and_stay(scheme: str, scripts: bool, visit: Visit) -> None:
    reader = visit("sample", WIDE._replace(scheme=scheme, scripts=scripts))
    page = reader.page
    other = {"light": "dark", "dark": "light"}[scheme]
    reader.open("/search?q=island&page=2")
    before = _background(reader)
    reader.follow(page.get_by_role("button", name=f"Switch to {other}"))
    expect(page).to_have_url(re.compile(r"/search\?q=island&page=2$"))
    assert _background(reader) != before
    reader.open("/")
    assert _background(reader) != before
    reader.follow(page.get_by_role("button", name=f"Switch to {scheme}"))
    assert _background(reader) == before


def _background(reader: Visitor) -> str:
    colour: str = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


def test_a_chosen_theme_is_the_one_the_system_would_choose(visit: Visit) -> None:
    every = "Object.fromEntries([...document.styleSheets[0].cssRules[0].style].filter(n => n.startsWith('--'))" \
            ".map(n => [n, getComputedStyle(document.documentElement).getPropertyValue(n)]))"  # fmt: skip
    for scheme, other in (("dark", "light"), ("light", "dark")):
        system, chosen = visit("sample", WIDE._replace(scheme=scheme)), visit("sample", WIDE._replace(scheme=other))
        system.open("/")
        chosen.open("/")
        chosen.follow(chosen.page.get_by_role("button", name=f"Switch to {scheme}"))
        tokens = system.page.evaluate(every)
        assert len(tokens) > 30
        assert chosen.page.evaluate(every) == tokens
