"""How `explain` words what it is told."""

from __future__ import annotations

from cormorant.cli.explain import _read_as


def test_a_charset_known_in_a_way_of_another_version_is_shown_as_it_is() -> None:
    said = {
        "mime": "text/html",
        "charset": "utf-8",
        "charset_from": "a guess",
        "language": "en",
        "language_from": "page",
    }
    assert _read_as(said) == ["text/html, utf-8 (a guess), en (as it says itself)"]
