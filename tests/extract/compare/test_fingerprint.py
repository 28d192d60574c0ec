"""Which texts are alike but for their address and their figures?"""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.compare.fingerprint import likeness

AT, OTHER = "https://a.example/shop/red%20rose.html?x=1", "https://a.example/about"
DOWN = "Back soon. We are at {}. Report 17 at 12:03."


def test_the_address_and_figures_tell_nothing_apart() -> None:
    here = likeness("Down", DOWN.format("/shop/red rose.html"), AT)
    assert here == likeness("Down", DOWN.format("/about").replace("17", "4711"), OTHER)
    assert likeness("Down", DOWN.format("red rose.html"), AT) == likeness("Down", DOWN.format("about"), OTHER)
    assert likeness("red rose", "gone", AT) == likeness("about", "gone", OTHER)


def test_figures_count_where_they_are_asked_for() -> None:
    assert likeness("t", "17 degrees", OTHER) == likeness("t", "18 degrees", OTHER)
    assert likeness("t", "17 degrees", OTHER, figures=True) != likeness("t", "18 degrees", OTHER, figures=True)


@pytest.mark.parametrize(("title", "text"), [("Down", "back soon"), ("Up", "back soon!"), ("", "")])
def test_what_is_said_otherwise_has_another_key(title: str, text: str) -> None:
    assert likeness("Up", "back soon", AT) != likeness(title, text, AT)


@given(st.text(), st.text(), st.text())
def test_any_text_has_a_key_that_every_database_takes(title: str, text: str, name: str) -> None:
    assert 0 < likeness(title, text, f"https://a.example/{name}") < 1 << 63
