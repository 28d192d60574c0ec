"""Strings that programs stumble over, on a page: as its text, its title and the target of its links."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path

from cormorant.extract.html.page import extract_html
from cormorant.model.url import join, try_canonical
from tests.suites.record import record

Suite = Callable[[str], Path]
BASE = "http://a.example/dir/page"
MARK = "marker"


def strings(suite: Suite) -> list[str]:
    found: list[str] = json.loads((suite("naughty-strings") / "blns.json").read_text("utf-8"))
    return found


def visible(text: str) -> str:
    """What is left of a text once white space and what cannot be seen is no matter."""
    return "".join(each for each in text if each.isprintable() and not each.isspace())


def test_a_page_says_them_as_they_are(suite: Suite) -> None:
    lost, found = [], strings(suite)
    for text in found:
        page = (
            f"<!doctype html><meta charset=utf-8><title>{html.escape(text)}</title><p>{MARK} {html.escape(text)} {MARK}"
        )
        said = extract_html(page.encode(), address=BASE)
        inside = said.text.partition(MARK)[2].rpartition(MARK)[0]
        if visible(inside) != visible(text):
            lost.append(text)
    assert not lost
    record("naughty-strings-pages", len(found) - len(lost), len(found), {})


def test_as_the_target_of_a_link_they_are_an_address_or_none(suite: Suite) -> None:
    found = strings(suite)
    for text in found:
        for _, address in join(BASE, [text]):
            assert try_canonical(address) == address, text
        page = f'<a href="{html.escape(text)}">x</a>'.encode()
        assert all(each.address.isascii() for each in extract_html(page, address=BASE).links)
    record("naughty-strings-links", len(found), len(found), {})
