"""The form for everything: filled, sent, and opened again from the query that it made."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.pages.visitor import WIDE, Look, Visitor

Visit = Callable[..., Visitor]
everybody = pytest.mark.parametrize("look", [WIDE, WIDE._replace(scripts=False)], ids=["scripts", "bare"])


@everybody
def test_from_the_form_to_the_results_and_back(look: Look, visit: Visit) -> None:
    reader = visit("sample", look)
    page = reader.page
    reader.open("/")
    reader.follow(page.get_by_role("link", name="Advanced", exact=True))
    page.get_by_label("All of these words").fill("puffin")
    page.get_by_label("Any of these").fill("island burrow*")
    page.get_by_label("None of these").fill("zeppelin")
    page.get_by_label("observatory").check()
    page.get_by_label("Type").select_option("Web page")
    page.get_by_label("Language").select_option("English")
    reader.follow(page.get_by_role("button", name="Show the query"))
    query = page.locator("pre").inner_text()
    assert query == "+puffin +(island OR burrow*) source:observatory type:page lang:en -zeppelin"
    expect(page.get_by_role("link", name=re.compile(r"^\d+ documents? match(es)? now$"))).to_be_visible()
    reader.follow(page.get_by_role("button", name="Search", exact=True))
    expect(page.locator("#q")).to_have_value(query)
    expect(page.locator(".hit").first).to_be_visible()

    reader.follow(page.get_by_role("link", name="Advanced", exact=True))
    expect(page.get_by_label("All of these words")).to_have_value("puffin")
    expect(page.get_by_label("Any of these")).to_have_value("island burrow*")
    expect(page.get_by_label("None of these")).to_have_value("zeppelin")
    expect(page.get_by_label("observatory")).to_be_checked()
    expect(page.get_by_label("office")).not_to_be_checked()
    expect(page.get_by_label("Type")).to_have_value("page")
    expect(page.locator("pre")).to_have_text(query)
    reader.follow(page.get_by_role("link", name="Clear the form"))
    expect(page.get_by_label("All of these words")).to_have_value("")


@everybody
def test_what_no_field_can_say_is_kept(look: Look, visit: Visit) -> None:
    reader = visit("sample", look)
    reader.open("/advanced?q=%2Bpuffin+depth%3A%3C9")
    expect(reader.page.get_by_label("As a query")).to_have_value("depth:..8")
    reader.follow(reader.page.get_by_role("button", name="Search", exact=True))
    expect(reader.page.locator("#q")).to_have_value("+puffin depth:..8")
    expect(reader.page.locator(".hit").first).to_be_visible()
