from __future__ import annotations

import pytest

from cormorant.model.text.robots_directives import directives_for, parse_directives


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("noindex", ["noindex"]),
        ("NoIndex, NOFOLLOW", ["noindex", "nofollow"]),
        ("noindex nofollow", ["noindex", "nofollow"]),
        ("noindex;nofollow", ["noindex", "nofollow"]),
        ("none,", ["none"]),
        (" , ", []),
        ("max-snippet: 50, noindex", ["max-snippet: 50", "noindex"]),
        ("unavailable_after: 25 Jun 2030 15:00:00 GMT", ["unavailable_after: 25 jun 2030 15:00:00 gmt"]),
        (
            "unavailable_after: Friday, 25-Jun-30 15:00:00 GMT, noarchive",
            ["unavailable_after: friday, 25-jun-30 15:00:00 gmt", "noarchive"],
        ),
        ("ALL", ["all"]),
        ("noindexed, nonofollow", ["noindexed", "nonofollow"]),
        ("nofollow,max-snippet:-1,max-image-preview:large", ["nofollow", "max-snippet:-1", "max-image-preview:large"]),
        ("noindex max-snippet:-1 noarchive", ["noindex", "max-snippet:-1", "noarchive"]),
        ("max-snippet : 50 nofollow", ["max-snippet : 50", "nofollow"]),
        ("max-snippet:-1 max-video-preview:-1", ["max-snippet:-1", "max-video-preview:-1"]),
        ("noindex\tnofollow\nnoarchive", ["noindex", "nofollow", "noarchive"]),
        (
            "unavailable_after: 25 Jun 2030 15:00:00 GMT noindex",
            ["unavailable_after: 25 jun 2030 15:00:00 gmt", "noindex"],
        ),
    ],
)
def test_directives_are_words_in_lower_case(content: str, wanted: list[str]) -> None:
    assert parse_directives(content) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("noindex, nofollow", ("noindex", "nofollow")),
        ("NoIndex NoFollow", ("noindex", "nofollow")),
        ("noindex;nofollow", ("noindex", "nofollow")),
        ("noindex max-snippet:5", ("noindex", "max-snippet:5")),
        ("noindexed", ("noindexed",)),
        ("Acme: noindex, nofollow", ("noindex", "nofollow")),
        ("acme : noindex", ("noindex",)),
        ("other: noindex, nofollow", ()),
        ("noarchive, other: noindex, nofollow", ("noarchive",)),
        ("other: noindex, acme: nofollow", ("nofollow",)),
        ("other: noindex, nofollow, acme: noarchive, third: none", ("noarchive",)),
        ("other: noindex, *: nofollow", ("nofollow",)),
        ("acme2: noindex", ()),
        ("max-snippet: 20, unavailable_after: Friday, 25-Jun-30 15:00:00 GMT, noindex",
         ("max-snippet: 20", "unavailable_after: friday, 25-jun-30 15:00:00 gmt", "noindex")),
        ("acme: unavailable_after: 25 Jun 2030 15:00:00 GMT", ("unavailable_after: 25 jun 2030 15:00:00 gmt",)),
        ("other: unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex", ()),
        ("", ()),
        (" , ,", ()),
        (":", (":",)),
    ],
)  # fmt: skip
def test_fields_speak_to_every_robot_or_to_those_that_they_name(value: str, wanted: tuple[str, ...]) -> None:
    assert directives_for((value,), "Acme") == wanted


def test_a_name_holds_for_its_own_field() -> None:
    assert directives_for(("other: noindex", "nofollow"), "acme") == ("nofollow",)
