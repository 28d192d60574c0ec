from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from cormorant.search.index.filter_fields import (
    called,
    filed_under,
    fold_key,
    keys,
    language_keys,
    site_keys,
    standing,
    title_order,
)
from cormorant.search.index.query import Key
from tests.search.index.shelves import entry


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://docs.example.org:8443/a", ("docs.example.org:8443", "docs.example.org", "example.org")),
        ("https://example.org/", ("example.org",)),
        ("http://localhost:8000/", ("localhost:8000", "localhost")),
        ("http://10.0.0.1/x", ("10.0.0.1",)),
        ("http://[::1]:80/x", ("::1:80", "::1")),
        ("https://user:word@Host.Example.ORG?x=/1", ("host.example.org", "example.org")),
        ("smb://share/folder", ("share",)),
        ("file:///srv/x", ()),
        ("mailto:ada@example.org", ()),
        ("http://[bad/", ()),
        ("http://h:99999/", ()),
        ("", ()),
    ],
)
def test_site(url: str, found: tuple[str, ...]) -> None:
    assert site_keys(url) == found


def test_language() -> None:
    assert (language_keys("de-CH"), language_keys("en"), language_keys("")) == (("de-ch", "de"), ("en",), ("und",))


def test_a_name_that_a_server_gives_stands_beside_the_address() -> None:
    bare = entry(1, "text", url="https://h.example/get.php?id=7")
    assert called(bare) == "h.example/get.php?id=7"
    assert called(replace(bare, attributes={"FileName": "Report 2026.pdf"})) == "h.example/get.php?id=7 Report 2026.pdf"


def test_fold() -> None:
    assert fold_key(b"") is None
    assert fold_key(b"\xff" * 32) == -1
    assert fold_key(hashlib.sha256(b"a").digest()) != fold_key(hashlib.sha256(b"b").digest())


def test_every_key_but_the_id_and_what_folds() -> None:
    filed = keys(entry(1, mime="Text/HTML", language="en"))
    assert set(filed) == set(Key) - {Key.ID, Key.CONTENT, Key.NEAR}
    assert (filed[Key.MIME], filed[Key.SOURCE]) == (("text/html",), ("docs",))
    assert keys(entry(1))[Key.MIME] == ()


@pytest.mark.parametrize(
    "url", ["https://docs.example.org:8443/a", "http://localhost:8000/", "http://10.0.0.1:81/x", "http://[::1]:80/x",
            "http://[fe80::1]/x", "https://a.b.example.org/", "http://h/"],
)  # fmt: skip
def test_the_first_value_tells_the_others(url: str) -> None:
    assert filed_under(Key.SITE, site_keys(url)[0]) == site_keys(url)


def test_the_first_language_tells_the_others() -> None:
    assert filed_under(Key.LANGUAGE, "de-ch") == ("de-ch", "de")
    assert filed_under(Key.MIME, "text/html") == ("text/html",)
    assert filed_under(Key.SITE, None) == ()


@pytest.mark.parametrize(
    ("title", "order"), [("Über Ångström!", "uber angstrom"), ("  “The” C++ guide", "the c guide"), ("…", ""), ("", "")]
)
def test_titles_are_ordered_by_their_words(title: str, order: str) -> None:
    assert title_order(title) == order


def test_of_equals_the_canonical_one_stands_for_all_then_the_one_of_the_shortest_address() -> None:
    long, short = "https://docs.example.org/a/long/way", "https://docs.example.org/"
    worth = [
        standing(entry(1, url=long, attributes={"Canonical": long})), standing(entry(2, url=short)),
        standing(entry(3, url=long)),
    ]  # fmt: skip
    assert worth == sorted(worth)
    assert len(set(worth)) == 3
