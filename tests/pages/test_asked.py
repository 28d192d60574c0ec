"""What readers look for, as who looks after the search sees it: the browser itself says what was opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.clocks import until
from tests.pages.visitor import WIDE, Look, Visitor

Visit = Callable[..., Visitor]
everybody = pytest.mark.parametrize("look", [WIDE, WIDE._replace(scripts=False)], ids=["scripts", "bare"])


def newest(visitor: Visitor, text: str) -> dict[str, Any] | None:
    """The newest search for this, once a result of it has been opened."""
    found: list[dict[str, Any]] = json.loads(visitor.house.get("/api/v1/queries")[1])["queries"]
    return next((each for each in found if each["text"] == text and each["clicks"]), None)


@everybody
def test_a_result_that_is_opened_is_counted(look: Look, visit: Visit) -> None:
    reader = visit("sample", look)
    text = f"storm petrel {'bare' if not look.scripts else 'scripted'}"
    reader.open(f"/search?q={text.replace(' ', '+')}")
    link = reader.page.locator(".hit h2 a").first
    there = str(link.get_attribute("href"))
    assert "/clicked/" not in there, "a link that is copied leads to the document itself"
    link.click()
    expect(reader.page).to_have_url(there)
    assert until(lambda: newest(reader, text))["clicks"] == 1


def test_what_was_not_found_is_listed(visit: Visit) -> None:
    keeper = visit()
    keeper.open("/search?q=dodo+zeppelin")
    keeper.open("/queries")
    expect(keeper.page.locator("#zero")).to_contain_text("dodo zeppelin")
    keeper.follow(keeper.page.locator("#zero").get_by_role("link", name="dodo zeppelin"))
    expect(keeper.page.get_by_role("heading", level=1)).to_have_text("Nothing found for “dodo zeppelin”")
