"""A page that finds little says what was probably meant, and leads there."""

from __future__ import annotations

import pytest

from tests.web.crawled import Crawled


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sargaso", "sargasso"),
        ("+sargaso source:nowhere", None),
        ("sargasso", None),
        ("%3Csargaso%3E", "sargasso"),
    ],
)
def test_what_was_probably_meant(crawled: Crawled, typed: str, meant: str | None) -> None:
    asked = f"/search?q={typed.replace('+', '%2B').replace(' ', '+')}"
    got = crawled.get(f"{asked}&as_typed=1")
    assert got.status == 200
    assert ("Did you mean" in got.body) is (meant is not None)
    if meant:
        assert f'<a href="/search?q={meant}"><bdi>{meant}</bdi></a>' in got.body
        assert "<strong>" in crawled.get(f"/search?q={meant}").body
        shown = crawled.get(asked).body
        assert f"Showing results for <strong><mark><bdi>{meant}</bdi></mark></strong>" in shown
        assert f'<a class="nowrap" href="{asked}&amp;as_typed=1">search instead for' in shown
