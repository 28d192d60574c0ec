"""Answers of servers are read in each form, and nothing in them is trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cormorant.sources.federated.answer import parse_answer_in_json, parse_answer_of_feed, text_of
from cormorant.sources.live import LiveAnswer

HERE = "https://a.example/search?q=x"
ATOM = """<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"
 xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><title>Search</title>
 <opensearch:totalResults>4230000</opensearch:totalResults><opensearch:startIndex>21</opensearch:startIndex>
 <entry xml:lang="en"><title type="html">New York &lt;b&gt;History&lt;/b&gt; &amp;amp; more</title>
 <link href="http://www.columbia.example/cu/nyc.html"/><id>urn:uuid:1</id><updated>2003-12-13T18:30:02Z</updated>
 <author><name>Ada</name></author><category term="city"/>
 <summary type="html">&lt;script&gt;alert(1)&lt;/script&gt;The &lt;i&gt;harbour&lt;/i&gt; of the city</summary></entry>
 <entry><title>No link</title><id>urn:uuid:2</id></entry>
 <entry><title>Bad link</title><link href="javascript:alert(1)"/><id>urn:uuid:3</id></entry>
 <entry><title/><link href="https://ada:secret@b.example/x#y"/><id>urn:uuid:4</id></entry></feed>"""


def feed(most: int = 10, **mapping: str) -> LiveAnswer:
    return parse_answer_of_feed(ATOM.encode(), HERE, "", most, mapping)


def test_atom_as_the_specification_shows_it() -> None:
    found = feed(Writer="author", Kept="published", Place="category")
    first, last = found.hits
    assert found.total == 4_230_000
    assert (first.url, first.title) == ("http://www.columbia.example/cu/nyc.html", "New York History & more")
    assert " ".join(first.text.split()) == "The harbour of the city"
    assert (first.language, first.modified_at) == ("en", 1_071_340_202.0)
    assert first.attributes == {"Writer": ["Ada"], "Place": ["city"]}
    assert (last.url, last.title) == ("https://b.example/x", "https://b.example/x")
    assert len(feed(1).hits) == 1


def in_json(value: object, **mapping: str) -> LiveAnswer:
    return parse_answer_in_json(json.dumps(value).encode(), HERE, 3, mapping)


def hit(**more: object) -> dict[str, Any]:
    return {"id": 7, "url": "https://b.example/", "title": "B", "snippet": "a <b> c", "cached": True} | more


def test_another_cormorant() -> None:
    found = in_json(
        {"total": 12, "hits": [hit(
            mime="text/html", language="de", size_bytes=9, modified_at="2026-11-28T19:00:00.000Z",
            attributes={"Author": ["Ada", 3], "pages": 4, "x": True},
        )]}, Writer="author", Pages="pages", No="x",
    )  # fmt: skip
    (only,) = found.hits
    assert found.total == 12
    assert (only.title, only.text, only.mime, only.language, only.size_bytes) == ("B", "a <b> c", "text/html", "de", 9)
    assert only.modified_at == 1_795_892_400.0
    assert only.attributes == {"Writer": ["Ada"], "Pages": 4}


def test_a_document_without_a_web_address_leads_to_its_copy_there() -> None:
    files = [hit(url="file:///srv/a.txt"), hit(url="file:///srv/b.txt", cached=False), hit(url="javascript:1", id=-1)]
    assert [each.url for each in in_json({"hits": files}).hits] == ["https://a.example/cached/7"]


def test_one_address_is_one_hit_and_there_are_no_more_than_asked_for() -> None:
    several = [hit(), hit(), *(hit(url=f"https://b.example/{number}") for number in range(9))]
    found = in_json({"hits": several})
    assert [each.url for each in found.hits] == ["https://b.example/", "https://b.example/0", "https://b.example/1"]


def test_json_feed() -> None:
    items = [{"id": "1", "url": "https://b.example/1", "title": "One", "content_text": "a < b"}]
    (only,) = in_json({"version": "https://jsonfeed.org/version/1.1", "items": items}).hits
    assert (only.title, only.text) == ("One", "a < b")


@pytest.mark.parametrize(
    "odd",
    [
        {"hits": None}, {"hits": {"url": 1}}, {"hits": [None, 3, [], hit(url=5, id="7")]},
        {"hits": [hit(url="x" * 9_000, cached=1)]}, {"total": "many", "hits": []}, {"hits": [hit(url="", id=1 << 70)]},
    ],
)  # fmt: skip
def test_odd_records_are_no_hits(odd: dict[str, object]) -> None:
    assert in_json(odd).hits == ()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"<html></html>", b'{"a": 1}', b"[" * 100_000])
def test_what_is_no_answer_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_answer_in_json(body, HERE, 3)


@pytest.mark.parametrize("body", [b"", b"<html></html>", b"{}", b"<!DOCTYPE a [<!ENTITY b 'c'>]><rss/>", b"plain"])
def test_what_is_no_feed_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_answer_of_feed(body, HERE, "", 3)


def test_markup_becomes_text_however_deep_it_is() -> None:
    assert text_of("a < b", is_html=False) == "a < b"
    assert "alert" not in text_of("<style>x</style><script>alert(1)</script><p onclick=alert(2)>Hello")
    assert "Hello" in text_of("<div>" * 3_000 + "Hello") or text_of("<div>" * 3_000 + "Hello") == ""
    assert text_of("") == ""


@given(st.binary(max_size=300))
def test_any_bytes_are_an_answer_or_refused(body: bytes) -> None:
    ways: list[Callable[[], LiveAnswer]] = [
        lambda: parse_answer_in_json(body, HERE, 3, {"A": "author"}),
        lambda: parse_answer_of_feed(body, HERE, "", 3),
    ]
    for read in ways:
        try:
            found = read()
        except ValueError:
            continue
        assert all(each.url.startswith(("http://", "https://")) for each in found.hits)
