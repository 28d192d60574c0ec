from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from cormorant.sources.feed.entry import FeedDocument, FeedEnclosure, entry_content, entry_moment, stored_key
from cormorant.sources.feed.feed_list import read_list
from cormorant.sources.feed.parser import MAX_ENTRIES, parse_feed

HERE = "https://news.example/feed.xml"
RSS = b"""<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News</title>
 <language>en-GB</language><atom:link rel="next" href="?page=2"/><image><title>Logo</title><link>/logo</link></image>
 <item><guid isPermaLink="false">n1</guid><title>Elk &amp; moose</title><link>/p1</link><description>Short</description>
 <content:encoded><![CDATA[<p>The <b>elk</b>&nbsp;walks</p>]]></content:encoded><dc:creator>Ada</dc:creator>
 <category>animals</category><category>north</category><pubDate>Mon, 06 Sep 2021 16:20:00 +0000</pubDate>
 <enclosure url="/elk.mp3" type="audio/mpeg" length="3"/></item>
 <item><guid>https://news.example/p2</guid><title>Second</title></item></channel></rss>"""


def only(body: bytes, address: str = HERE) -> FeedDocument:
    (entry,) = parse_feed(body, address).entries
    return entry


def test_rss_2() -> None:
    page = parse_feed(RSS, HERE)
    first, second = page.entries
    assert (page.next, page.is_whole) == ("https://news.example/feed.xml?page=2", True)
    assert first == FeedDocument(
        "n1", "https://news.example/p1", "Elk & moose", "Short", "<p>The <b>elk</b>&#160;walks</p>",
        base="https://news.example/p1",
        authors=("Ada",), categories=("animals", "north"),
        enclosures=(FeedEnclosure("https://news.example/elk.mp3", "audio/mpeg", "3"),), published_at=1_630_945_200.0,
        language="en-gb", feed="News",
    )  # fmt: skip
    assert (second.key, second.link, second.content) == ("https://news.example/p2", "https://news.example/p2", "")


def test_older_forms_of_rss() -> None:
    old = b"""<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
      "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel><title>O</title>
      <item><title>Caf&eacute;</title><link>http://x.example/1</link></item></channel></rss>"""
    assert (only(old).title, only(old).link) == ("Caf\xe9", "http://x.example/1")
    rdf = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
      xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>C</title></channel><item rdf:about="x">
      <title>t</title><link>http://x.example/1</link><dc:date>2002-09-29T23:40:00+02:00</dc:date></item></rdf:RDF>"""
    assert (only(rdf).feed, only(rdf).published_at) == ("C", 1_033_335_600.0)


def test_atom() -> None:
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://b.example/x/" xml:lang="de"><title>F</title>
      <author><name>Quill</name></author><link rel="prev-archive" href="old"/><entry><id>urn:1</id>
      <title type="html">a &lt;b&gt;b&lt;/b&gt;</title><link href="y"/>
      <link rel="enclosure" href="z.pdf" type="application/pdf"/>
      <published>2020-01-02T03:04:05Z</published><updated>2021-01-02T03:04:05Z</updated>
      <category term="k" label="Label"/>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">hi <b>there</b></div></content></entry></feed>"""
    page = parse_feed(atom, HERE)
    (entry,) = page.entries
    assert page.next == "http://b.example/x/old"
    assert (entry.key, entry.title, entry.link, entry.language) == ("urn:1", "a b", "http://b.example/x/y", "de")
    assert "hi <b>there</b>" in entry.content
    assert (entry.authors, entry.categories, entry.feed) == (("Quill",), ("Label",), "F")
    assert (entry.published_at, entry.modified_at) == (1_577_934_245.0, 1_609_556_645.0)
    assert entry.enclosures == (FeedEnclosure("http://b.example/x/z.pdf", "application/pdf"),)


def test_plain_text_of_atom_is_escaped() -> None:
    summary = b"<summary>a &lt;b&gt; &amp; c</summary>"
    atom = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id>' + summary + b"</entry></feed>"
    assert only(atom).content == "a &lt;b&gt; &amp; c"


def test_json_feed() -> None:
    body = b"""{"version": "https://jsonfeed.org/version/1.1", "title": "J", "language": "fr", "next_url": "?p=2",
      "authors": [{"name": "Ada"}], "items": [{"id": 7, "url": "/a", "title": "T", "content_html": "<p>x</p>",
      "tags": ["t", 3], "date_published": "2020-01-02T03:04:05Z",
      "attachments": [{"url": "/f.mp3", "mime_type": "audio/mpeg"}]},
      {"id": "8", "content_text": "a < b"}, "no item"]}"""
    page = parse_feed(body, HERE)
    first, second = page.entries
    assert page.next == "https://news.example/feed.xml?p=2"
    assert (first.key, first.link, first.authors, first.categories) == ("7", "https://news.example/a", ("Ada",), ("t",))
    assert (first.language, first.published_at, len(first.enclosures)) == ("fr", 1_577_934_245.0, 1)
    assert second.content == "a &lt; b"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<!doctype html><html><body>x", "a page"), (b"", "neither"), (b"hello", "neither"), (b"<opml/>", "'opml'"),
        (b'{"items": 3}', "no feed"), (b'{"items": [', "cut off"), (b"[" * 100_000, "cut off"),
        (b'<!DOCTYPE rss [<!ENTITY a "b">]><rss><channel/></rss>', "entities"),
        (b'<!DOCTYPE rss SYSTEM "x"><!ENTITY a "b"><rss/>', "entities"),
    ],
)  # fmt: skip
def test_what_is_no_feed(body: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_feed(body, HERE)


def test_a_feed_that_is_cut_off_gives_its_whole_entries_and_says_so() -> None:
    page = parse_feed(RSS[: RSS.index(b"Second")], HERE)
    assert [each.key for each in page.entries] == ["n1"]
    assert not page.is_whole


def test_limits() -> None:
    item = b"<item><title>t</title><link>http://x.example/%d</link></item>"
    many = b"<rss><channel>" + b"".join(item % n for n in range(MAX_ENTRIES + 1)) + b"</channel></rss>"
    page = parse_feed(many, HERE)
    assert (len(page.entries), page.is_whole) == (MAX_ENTRIES, False)
    deep = b"<rss><channel><item><title>t</title>" + b"<a>" * 100_000 + b"</item></channel></rss>"
    assert not parse_feed(deep, HERE).is_whole


@given(st.one_of(st.binary(max_size=200), st.binary(max_size=100).map(lambda each: b"<rss><channel><item>" + each)))
def test_any_bytes_are_a_feed_or_none(body: bytes) -> None:
    with suppress(ValueError):
        for each in parse_feed(body, HERE).entries:
            assert entry_content("feed://1/x", each).body


def test_keys_that_can_be_kept() -> None:
    assert stored_key("urn:1") == "urn:1"
    assert stored_key("x" * 1001).startswith("sha256:")
    assert stored_key("a\0b").startswith("sha256:")
    assert stored_key("").startswith("sha256:")


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Mon, 06 Sep 2021 16:20:00 GMT", 1_630_945_200.0), ("2021-09-06", 1_630_886_400.0),
        ("2021-09", 1_630_454_400.0),
        ("2021", 1_609_459_200.0), ("6 Sep 2021 18:20 +0200", 1_630_945_200.0), ("tomorrow", None), ("", None),
    ],
)  # fmt: skip
def test_dates(text: str, at: float | None) -> None:
    assert entry_moment(text) == at


def test_the_page_of_an_entry_escapes_what_is_no_markup() -> None:
    entry = FeedDocument(
        "k", "https://x.example/a", "<i>T</i>", "", "<p>text</p>", base="https://x.example/", authors=("A & B",)
    )
    content = entry_content("feed://1/p/~k", entry)
    body = content.body.decode()
    assert "&lt;i&gt;T&lt;/i&gt;" in body
    assert '<base href="https://x.example/"><p>text</p>' in body
    assert "A &amp; B" in body
    assert (content.title, content.attributes["Author"], content.validator) == ("<i>T</i>", ["A & B"], entry.digest)


def test_lists_of_feeds() -> None:
    opml = b"""<opml version="2.0"><body><outline text="x"><outline type="rss" xmlUrl="http://a.example/f"/></outline>
      <outline type="include" url="more.opml"/></body></opml>"""
    assert read_list(opml, "http://l.example/x/l.opml") == (["http://a.example/f"], ["http://l.example/x/more.opml"])
    assert read_list(b"# mine\nhttp://a.example/f # one\n\nnothing\n", "") == (["http://a.example/f"], [])
    assert read_list(RSS, HERE)[0] == ["https://news.example/p1", "https://news.example/p2"]
    assert read_list(b"<html/>", HERE) == ([], [])
