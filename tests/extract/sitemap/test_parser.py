"""What sitemaps and feeds name, whole or broken, and what cases that others wrote expect of them."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from cormorant.extract.errors import Unreadable
from cormorant.extract.formats.gzip import gunzipped
from cormorant.extract.html.links import SCHEMES
from cormorant.extract.job import ConversionFault, encode_task
from cormorant.extract.sitemap.fields import moment, weight
from cormorant.extract.sitemap.job import INLINE_BYTES, decode_sitemap, is_read_inline, read, sitemap_or_fault
from cormorant.extract.sitemap.parser import MAX_ENTRIES, MAX_ITEMS, read_sitemap
from cormorant.model.content import FeedEntry, Sitemap
from tests.clocks import cpu_s
from tests.suites.record import record

AT = "https://a.example/maps/s.xml"
DAY = 86_400
Suite = Callable[[str], Path]


def said(text: str | bytes) -> Sitemap:
    return read_sitemap(text.encode() if isinstance(text, str) else text, address=AT)


def named(text: str | bytes) -> list[str]:
    return [each.address for each in said(text).entries]


def test_what_an_entry_says() -> None:
    (entry,) = said(
        "<urlset><url><loc> https://a.example/x?a=1&amp;b=2 </loc><lastmod>2024-02-29T12:00:00+02:00</lastmod>"
        "<changefreq>Weekly</changefreq><priority>0.8</priority></url></urlset>"
    ).entries
    assert entry == FeedEntry("https://a.example/x?a=1&b=2", False, 1709200800.0, 1709200800.0, 7 * DAY, 0.8)


@pytest.mark.parametrize(
    ("feed", "wanted"),
    [
        ("<rss><channel><item><link>b</link></item><item><link>../c</link></item></channel></rss>", ["maps/b", "c"]),
        ("<rss xml:base='/x/'><channel><item><link>b</link></item><item xml:base='y/'><link>c</link></item>"
         "<item><link>d</link></item></channel></rss>", ["x/b", "x/y/c", "x/d"]),
        ("<feed xml:base='https://a.example/x/'><entry xml:base='y/'><link xml:base='z/' href='b'/></entry>"
         "<entry><link href='c'/></entry></feed>", ["x/y/z/b", "x/c"]),
        ("<feed xml:base='http://['><entry xml:base=''><link href='b'/></entry></feed>", ["maps/b"]),
        ("<rss><item><link>/1</link><enclosure url='/no.mp3'/></item><item><enclosure url='/2.pdf'/></item>"
         "<item><title>t</title><enclosure url='/3.pdf'></enclosure><guid>https://a.example/4</guid></item></rss>",
         ["1", "2.pdf", "4"]),
        ("<feed><entry><link rel='enclosure' href='/no.mp3'/><link href='/1'/></entry>"
         "<entry><link rel='enclosure' href='/2.pdf'/><link rel='self' href='/no'/></entry></feed>", ["1", "2.pdf"]),
    ],
)  # fmt: skip
def test_relative_links_bases_and_enclosures_of_feeds(feed: str, wanted: list[str]) -> None:
    assert named(feed) == [f"https://a.example/{each}" for each in wanted]


def test_a_json_feed() -> None:
    read = said(
        '{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": ['
        '{"id": "1", "url": "/1", "date_published": "2024-01-01T00:00:00Z", "date_modified": "2024-02-29T10:00:00Z"},'
        '{"id": "https://a.example/2"}, {"external_url": "https://a.example/3", "url": null}, {"id": 4}, 5, null,'
        '{"url": "mailto:x@a.example"}]}'
    )
    assert [each.address for each in read.entries] == [f"https://a.example/{number}" for number in (1, 2, 3)]
    assert (read.form, read.unusable, read.truncated, read.entries[0].modified_at) == ("json", 4, False, 1709200800.0)
    read = said(json.dumps({"items": [{"url": f"/{number}"} for number in range(MAX_ITEMS + 5)]}))
    assert (len(read.entries), read.truncated) == (MAX_ITEMS, True)


@pytest.mark.parametrize("text", ['{"items": [', "{}", '{"items": {}}', '{"a":' * 50_000, "{nonsense}"])
def test_json_that_is_no_feed(text: str) -> None:
    with pytest.raises(Unreadable):
        said(text)


LINK = '<xhtml:link rel="alternate" hreflang="{0}" href="{1}"/>'


def test_other_languages_of_a_page_come_behind_the_entries_without_its_dates() -> None:
    body = (
        '<urlset xmlns:xhtml="x"><url>' + LINK.format("en", "https://a.example/en?a=1&amp;b=2") + "<loc>/de</loc>"
        + LINK.format("de", "https://a.example/de") + LINK.format("x-default", " /any ")
        + "<lastmod>2024-01-01</lastmod>"
        "</url><url><loc>/fr</loc>" + LINK.format("en", "https://a.example/en?a=1&amp;b=2") + "</url></urlset>"
    )  # fmt: skip
    assert named(body) == [f"https://a.example/{each}" for each in ("de", "fr", "en?a=1&b=2", "any")]
    assert [each.modified_at is None for each in said(body).entries] == [False, True, True, True]


@pytest.mark.parametrize(
    "link",
    [
        '<xhtml:link rel="alternate" media="only screen" href="/m"/>', '<xhtml:link hreflang="en" href="/m"/>',
        '<xhtml:link rel="alternate" hreflang="en"/>', '<xhtml:link rel="alternate" hreflang="" href="/m"/>',
        '<xhtml:link rel="alternate" hreflang="en" href="mailto:a@b.example"/>',
        '<xhtml:link rel="alternate" hreflang="en" href="http://["/>', '</xhtml:link>',
        '<xhtml:link rel="stylesheet" hreflang="en" href="/m"/>', "<xhtml:link/>",
    ],
)  # fmt: skip
def test_other_links_of_an_entry_name_nothing(link: str) -> None:
    assert named(f"<urlset><url><loc>/1</loc>{link}</url></urlset>") == ["https://a.example/1"]


@pytest.mark.parametrize(
    "link",
    [
        "<XHTML:LINK REL='Alternate' HrefLang=\"en\" HREF='/2'></XHTML:LINK>",
        '<link rel="alternate" hreflang="en" href="/2"/>', '<x:link href="/2" hreflang="en" rel="nofollow alternate">',
        '<xhtml:link rel="alternate" hreflang="en" href="/2"',
    ],
)  # fmt: skip
def test_alternates_as_people_write_them(link: str) -> None:
    cut = link.endswith('"')
    found = named(f"<urlset><url><loc>/1</loc>{link}" + ("" if cut else "</url></urlset>"))
    assert found == ["https://a.example/1", "https://a.example/2"][: 1 if cut else 2]


def test_alternates_leave_room_for_every_entry() -> None:
    links = "".join(LINK.format("en", f"/en/{n}") for n in range(3))
    pages = "".join(f"<url><loc>/{n}</loc>{links if n < 10 else ''}</url>" for n in range(MAX_ENTRIES - 2))
    read = said(f"<urlset>{pages}</urlset>")
    assert (len(read.entries), read.truncated) == (MAX_ENTRIES, True)
    assert read.entries[-1].address == "https://a.example/en/1"
    many = "".join(LINK.format("en", f"/{n}") for n in range(3 * MAX_ENTRIES))
    read = said(f"<urlset><url><loc>/first</loc>{many}</url><url><loc>/last</loc></url></urlset>")
    assert [each.address[18:] for each in read.entries[:2]] == ["first", "last"]
    assert (len(read.entries), read.truncated) == (MAX_ENTRIES, True)


@pytest.mark.parametrize(
    "text",
    [
        "<urlset><url><loc>https://a.example/1</loc><url><loc>https://a.example/2</loc>",
        "<urlset><url><loc>https://a.example/1</url><url><loc>https://a.example/2</loc></url></urlset>",
        "<urlset><loc>https://a.example/1</loc><loc>https://a.example/2</loc></urlset>",
        "<URLSET><URL><LOC>https://a.example/1</LOC></URL><URL><LOC>https://a.example/2</LOC></URL></URLSET>",
        "\ufeff\n <urlset><url><loc><![CDATA[https://a.example/1]]></loc></url><url><loc>/2</loc></url></urlset>",
        "<x:urlset xmlns:x='q'><x:url><x:loc>https://a.example/1</x:loc></x:url><x:url><x:loc>/2</x:loc></x:url>",
        "<urlset><url><loc>https://a.example/1</loc><x & < y></url><!-- <url><loc>/no</loc> --><url><loc>/2</loc>"
        "</url><url><loc>https://a.example/cut",
        "<rss><channel><link>/no</link><item><link>/1</link></item><item><guid>https://a.example/2</guid></item>",
        "<feed><link href='/no'/><entry><link rel='self' href='/no'/><link href='/1'/></entry>"
        "<entry><link rel='alternate' href='/2'/></entry></feed>",
        "<rdf:RDF><image><url>/no</url></image><item rdf:about='/1'></item><item><link>/2</link></item></rdf:RDF>",
        "# a list\nhttps://a.example/1\r\n\nhttps://a.example/2\n",
    ],
)  # fmt: skip
def test_what_can_be_used_of_a_broken_one_is_used(text: str) -> None:
    assert named(text) == ["https://a.example/1", "https://a.example/2"]
    assert named(gzip.compress(text.encode())) == named(text)
    assert named(text.encode("utf-16")) == named(text)


def test_a_guid_that_is_only_a_name_is_no_address() -> None:
    names = "<item><guid isPermaLink='false'>abc-123</guid></item><item><guid>4711</guid></item>"
    found = said(f"<rss>{names}<item><guid isPermaLink='false'>https://a.example/1</guid></item></rss>")
    assert ([each.address for each in found.entries], found.unusable) == (["https://a.example/1"], 2)


def test_pictures_and_films_of_a_page_are_no_pages() -> None:
    picture = "<image:image><image:loc>/no.png</image:loc></image:image><image><loc>/no.png</loc></image>"
    assert named(f"<urlset><url>{picture}<loc>/1</loc>{picture}</url></urlset>") == ["https://a.example/1"]


def test_an_index_leads_to_sitemaps() -> None:
    entries = said("<sitemapindex><sitemap><loc>/1.xml</loc></sitemap><sitemap>https://a.example/2</sitemap>").entries
    assert [(each.address, each.is_map) for each in entries] == [
        ("https://a.example/1.xml", True), ("https://a.example/2", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["<html><urlset><url><loc>https://a.example/</loc></html>", "Not found", "<a><b/></a>", "\0\1", "<!DOCTYPE"],
)
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="it is no sitemap"):
        said(text)


def test_what_names_nothing_is_one_all_the_same() -> None:
    assert said("").entries == said("<urlset/>").entries == said("<rss></rss>").entries == ()


def test_entities_of_its_own_are_not_believed() -> None:
    text = (
        '<!DOCTYPE urlset [<!ENTITY x "y"><!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>/&x;</loc></url>'
    )
    found = said(text + "<url><loc>/&f;</loc></url><url><loc>/&eacute;&#65;</loc></url></urlset>")
    assert ([each.address for each in found.entries], found.unusable) == (["https://a.example/%C3%A9A"], 2)


@pytest.mark.parametrize("long", ["&amp;" * 4_000, "a<b/>" * 30, "<![CDATA[a]]>" * 30, "a" * 20_000])
def test_an_address_that_is_too_long_or_torn_is_none_rather_than_another(long: str) -> None:
    found = said(f"<urlset><url><loc>/{long}</loc></url><url><loc>/a<b/>b</loc></url></urlset>")
    assert ([each.address for each in found.entries], found.unusable) == (["https://a.example/ab"], 1)


def test_limits() -> None:
    many = "".join(f"<url><loc>/{number}</loc></url>" for number in range(MAX_ENTRIES))
    whole = said(f"<urlset>{many}</urlset>")
    assert (len(whole.entries), whole.truncated) == (MAX_ENTRIES, False)
    over = said(f"<urlset>{many}<url><loc>/more</loc></url></urlset>")
    assert (len(over.entries), over.truncated) == (MAX_ENTRIES, True)
    assert len(said("<rss>" + "<item><link>/{}</link></item>" * 2).entries) == 1, "each address once"
    items = "".join(f"<item><link>/{number}</link></item>" for number in range(MAX_ITEMS + 5))
    assert len(said(f"<rss>{items}</rss>").entries) == MAX_ITEMS


def test_a_bomb_is_refused_and_a_cut_one_used() -> None:
    with pytest.raises(Unreadable, match="grows more than"):
        said(gzip.compress(b"<urlset>" + b" " * (30 << 20)))
    pages = "".join(f"<url><loc>/{number:05}</loc></url>" for number in range(2_000))
    packed = gzip.compress(f"<urlset>{pages}</urlset>".encode())
    cut = said(packed[: len(packed) // 2])
    assert 500 < len(cut.entries) < 1_500
    assert cut.truncated
    assert gunzipped(b"x" * 100, 10) == (b"x" * 10, True)
    assert gunzipped(gzip.compress(b"x") * 1_001) == (b"x" * 1_000, True)


@pytest.mark.parametrize(
    "body",
    [
        b"<urlset>" + b"<" * 3_000_000, b"<urlset>" + b"<!--" * 1_000_000, b"<urlset>" + b"<![CDATA[" * 500_000,
        b"<urlset><url><loc>" + b"&amp;" * 8_000_000, b"<feed><entry><link " + b"a=" * 2_000_000 + b"></entry>",
        b"<urlset>" + b"<url><loc>" * 200_000, b"<rss><item>" + b"<x " * 500_000,
        b"<urlset><" + b"a" * 60 + b":" + b"b" * 60 + b" " * 2_000_000,
        b"<rdf:RDF>" + (b"<item about" + b"a" * 16_000 + b">") * 150,
    ],
    ids=lambda body: body[:24].decode(),
)  # fmt: skip
def test_nothing_takes_long(body: bytes) -> None:
    assert cpu_s(lambda: read_sitemap(body, address=AT)) < 2.0


def test_the_form_of_a_date() -> None:
    assert moment("2024-02-29") == (1709164800.0, 1709164800.0 + DAY - 1)
    assert moment("2023-12") == (1701388800.0, 1704067199.0)
    assert moment("2023") == (1672531200.0, 1704067199.0)
    assert moment("Thu, 05 Jan 2017 13:34:51 +0100")[0] == 1483619691.0
    for wrong in ("", "yesterday", "2024-13-01", "0000-00-00", "9999-12-31", "1" * 100, "2024-02-30T25:00:00Z"):
        assert moment(wrong)[0] is None or wrong.startswith("9999"), wrong
    assert [weight(text) for text in ("0.5", "7", "-1", "nan", "x", "")] == [0.5, 1.0, 0.0, None, None, None]


PIECES = """<urlset>|<url>|</url>|<loc>|</loc>|<sitemap>|<sitemapindex>|<rss>|<item>|<link>|<feed>|<entry>|<![CDATA[|]]>
<link href='/x'/>|<!--|-->|<!ENTITY x ''>|&x;|&#0;|&#xD800;|https://a.example/|javascript:x|<lastmod>2024</lastmod>|\x1f\x8b
\0|\xff|<|>|</urlset>|<html>|http://[|<x:loc>|<image>|</image>|<guid>|<rdf:RDF>|rdf:about='/y'"""


@given(
    st.binary(max_size=400)
    | st.lists(st.sampled_from(PIECES.replace("\n", "|").encode("latin-1").split(b"|")), max_size=30).map(b"".join)
)
def test_any_bytes_end_as_addresses_or_as_a_reason(body: bytes) -> None:
    found = sitemap_or_fault(body, address=AT)
    if isinstance(found, ConversionFault):
        assert found.reason.startswith("It cannot be used: it is no sitemap")
        return
    assert all(each.address.startswith(SCHEMES) and each.address.isascii() for each in found.entries)
    assert len({each.address for each in found.entries}) == len(found.entries)
    assert decode_sitemap(read(b"".join(encode_task("", body, address=AT)))) == found


def test_what_a_child_answers_is_judged_again() -> None:
    assert isinstance(decode_sitemap(b"nonsense"), ConversionFault)
    forged = [
        ["https://a.example/", False, math.nan, 1e300, 1 << 62, math.inf],
        ["https://a.example/2", False, 1.0, 1e13, -1, 0.5],
    ]
    told = decode_sitemap(msgspec.msgpack.encode(["sitemap", "urlset", forged, -(1 << 62), False]))
    assert isinstance(told, Sitemap)
    assert [each[2:] for each in told.entries] == [(None, None, 0, None), (None, None, 0, 0.5)]
    assert told.unusable == 0
    assert is_read_inline(b"x" * INLINE_BYTES)
    assert is_read_inline(gzip.compress(b"x"))
    assert not is_read_inline(b"x" * (INLINE_BYTES + 1))
    assert not is_read_inline(gzip.compress(b"x" * (INLINE_BYTES + 1)))


DEVIATIONS = {
    "testSitemapXXEWithDocTypeAllowed": "the suite holds only the first two lines of the document",
    "testSitemapXMLfilterUrls": "the suite holds no document",
    "testLenientParser strict": "a sitemap may name pages above its folder; the boundary decides what is visited",
    "isValid": "what is outside the sitemap's own folder is judged by the boundary, not by its place",
}
"""Where we mean to differ, or the case cannot be run."""


def test_crawler_commons_sitemaps(suite: Suite) -> None:
    folder = suite("crawler-commons")
    cases = json.loads((folder / "sitemap_cases.json").read_text())["cases"]
    differ: dict[str, str] = {}
    passed = total = 0
    for number, case in enumerate(cases):
        strict = case["test"] == "testLenientParser" and case["parser_options"]["ctor"] == []
        got = _Java(case, folder)
        for place, check in enumerate(case["checks"]):
            total += 1
            if got.answers(check):
                passed += 1
                continue
            known = "isValid" if ["isValid"] in check["path"] else case["test"] + " strict" * strict
            assert known in DEVIATIONS, (case["test"], check, got.said)
            differ[f"{case['test']} {number}.{place}"] = DEVIATIONS[known]
    assert total == 110
    assert len(differ) <= 13
    record("crawler-commons-sitemaps", passed, total, differ)


class _Java:
    """A parsed sitemap under the names that the suite asks by."""

    def __init__(self, case: dict[str, Any], folder: Path) -> None:
        content = case["content"]
        body = (folder / content["file"]).read_bytes() if isinstance(content, dict) else content.encode()
        got = sitemap_or_fault(body, address=case["url"])
        self.said = got if isinstance(got, Sitemap) else None
        self._pages = iter(self.said.entries if self.said else ())
        self._now: FeedEntry | None = None

    def answers(self, check: dict[str, Any]) -> bool:
        """Is it what the suite expects?"""
        got, expected = self._ask(check["path"]), check["expect"]
        return got is not None if expected == "<not null>" else got == expected

    def _ask(self, path: list[list[str]]) -> Any:
        if self.said is None:
            return None
        names = [each[0] for each in path]
        match names:
            case [] | ["isProcessed"]:
                return True
            case ["isIndex"]:
                return self.said.form == "sitemapindex"
            case ["getType"]:
                return {"urlset": "XML", "rss": "RSS"}.get(self.said.form)
            case ["getSiteMapUrls" | "getSitemaps", "size"]:
                return len(self.said.entries)
            case ["getSitemap", *rest]:
                found = next((each for each in self.said.entries if each.address == path[0][1]), None)
                return None if found is None else self._of(found, rest)
            case ["getSiteMapUrls", "iterator", "next", *rest]:
                if self._now is None or rest not in (["getLastModified"], ["getChangeFrequency"]):
                    self._now = next(self._pages, None)
                return None if self._now is None else self._of(self._now, rest)
            case ["getLastModified"]:
                return next((each.modified_at for each in self.said.entries), None)
            case _:
                return None

    @staticmethod
    def _of(entry: FeedEntry, names: list[str]) -> Any:
        match names:
            case ["getUrl", *_] | []:
                return entry.address
            case ["getLastModified"]:
                return entry.modified_at
            case ["getChangeFrequency"]:
                return {DAY: "DAILY"}.get(entry.every_s)
            case _:
                return None


def test_crawler_commons_extensions(suite: Suite) -> None:
    folder = suite("crawler-commons") / "sitemaps" / "extension"
    counts = {path.name: len(read_sitemap(path.read_bytes(), address=AT).entries) for path in folder.iterdir()}
    assert counts == {
        "hebdenbridgetimes-articles-sitemap.xml": 74, "pagemaps-sitemap.xml": 2, "shinpaideshou-news-sitemap.xml": 3,
        "sitemap-images.xml": 1, "sitemap-links.xml": 3, "sitemap-mobile.xml": 3, "sitemap-news.xml": 2,
        "sitemap-videos-tvshow.xml": 1, "sitemap-videos.xml": 3,
    }  # fmt: skip


def test_defusedxml_bombs_are_no_sitemaps(suite: Suite) -> None:
    """None of them makes anything grow, opens a file or a connection: there is nothing here that could."""
    files = sorted(suite("defusedxml").glob("*.x*"))
    for path in files:
        wrapped = path.read_bytes() + b"<urlset><url><loc>/1</loc></url></urlset>"
        found = sitemap_or_fault(wrapped, address=AT)
        assert isinstance(found, ConversionFault) or [each.address for each in found.entries] == ["https://a.example/1"]
        assert cpu_s(partial(sitemap_or_fault, wrapped, address=AT)) < 2.0
    record("defusedxml-sitemaps", len(files), len(files), {})
    assert len(files) == 13
