from __future__ import annotations

import pytest

from cormorant.extract.html.head import MAX_HEADLINES, language_tag, meant_for
from cormorant.extract.html.page import extract_html
from cormorant.model.content import Extraction


def read(markup: str) -> Extraction:
    return extract_html(markup.encode(), address="https://h.example/p")


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("<meta name=robots content=noindex>", ("noindex",)),
        (
            "<meta name=ROBOTS content='noindex,noindex'><meta name=Cormorant content=nofollow>",
            ("noindex", "cormorant: nofollow"),
        ),
        ("<meta name=otherbot content='noindex, nofollow'>", ("otherbot: noindex", "otherbot: nofollow")),
        ("<meta name=otherbot content='noindex, and more'>", ("otherbot: noindex",)),
        ("<meta name=cormorant content='noindex,noimageclick'>", ("cormorant: noindex",)),
        ("<meta name=cormorant content='noimageclick noindex'>", ("cormorant: noindex",)),
        ("<meta name=cormorant content='noindex; nosnippet'>", ("cormorant: noindex", "cormorant: nosnippet")),
        (
            "<meta name=cormorant content='max-snippet : 5, noindex'>",
            ("cormorant: max-snippet : 5", "cormorant: noindex"),
        ),
        ("<meta name=og:title content='noindex'>", ()),
        ("<meta name=viewport content='width=device-width'>", ()),
        ("<meta name=robots><meta content=noindex>", ()),
        ("<p><meta name=robots content=none>", ("none",)),
    ],
)
def test_directives_are_those_for_everyone_for_us_and_named_for_others(markup: str, wanted: tuple[str, ...]) -> None:
    assert read(markup).directives == wanted


@pytest.mark.parametrize(
    ("agent", "wanted"),
    [
        ("acme", ("nofollow", "noindex", "none", "other: noindex", "acme2: noindex")),
        ("Acme", ("nofollow", "noindex", "none", "other: noindex", "acme2: noindex")),
        ("other", ("nofollow", "acme: noindex", "acme: none", "noindex", "acme2: noindex")),
        ("cormorant", ("nofollow", "acme: noindex", "acme: none", "other: noindex", "acme2: noindex")),
    ],
)
def test_directives_for_a_robot_by_name_are_meant_for_it_alone(agent: str, wanted: tuple[str, ...]) -> None:
    said = ("nofollow", "acme: noindex", "acme: none", "other: noindex", "acme2: noindex")
    assert meant_for(said, agent) == wanted


@pytest.mark.parametrize(
    ("markup", "name", "wanted"),
    [
        ("<meta name=Description content=' two\n lines '>", "Description", "two lines"),
        ("<meta property=og:description content=d>", "Description", "d"),
        ("<meta name=description content=first><meta name=description content=second>", "Description", "first"),
        ("<meta name=DC.Creator content=Ada>", "Author", "Ada"),
        ("<meta name=dcterms.subject content=Birds>", "Subject", "Birds"),
        ("<meta name=keywords content=' a b , c,,c'>", "Keywords", ("a b", "c")),
        ("<h1>a</h1><h1> </h1><h1>b<a href=#x>¶</a></h1>", "Headline1", ("a", "b")),
        ("<h2>C#</h2>", "Headline2", ("C#",)),
        ("<meta name=author content='&#0;\u00ad'>", "Author", "\ufffd"),
    ],
)
def test_attributes_are_named_as_searchers_know_them(markup: str, name: str, wanted: object) -> None:
    assert read(markup).attributes[name] == wanted


def test_attributes_that_say_nothing_are_not_there() -> None:
    assert read("<meta name=description content=' '><meta name=keywords content=,><h1></h1>").attributes in (
        {},
        {"Keywords": ()},
    )


def test_headings_are_counted_out() -> None:
    assert len(read("<h1>x</h1>" * 99).attributes["Headline1"]) == MAX_HEADLINES  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tag", "wanted"),
    [
        ("de", "de"),
        (" en_US ", "en-us"),
        ("zh-Hant-TW", "zh-hant-tw"),
        ("", ""),
        ("x", ""),
        ("en us", ""),
        ("a" * 50, ""),
    ],
)
def test_language_tags_have_one_form(tag: str, wanted: str) -> None:
    assert language_tag(tag) == wanted


def test_the_language_is_the_pages_else_the_metas() -> None:
    assert read("<html lang=fr><meta http-equiv=Content-Language content=de>").language == "fr"
    assert read("<meta http-equiv=Content-Language content='de, en'>").language == "de"
    assert read("<p>").language == ""
