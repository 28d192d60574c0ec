from __future__ import annotations

import pytest

from cormorant.extract.html.links import MAX_ANCHOR, MAX_LINKS, parse_refresh
from cormorant.extract.html.page import extract_html
from cormorant.model.content import Extraction

HERE = "https://h.example/docs/page.html"


def read(markup: str, address: str = HERE) -> Extraction:
    return extract_html(markup.encode(), address=address)


def links(markup: str, address: str = HERE) -> list[tuple[str, str, str]]:
    return [(link.address, link.text, link.rel) for link in read(markup, address).links]


def test_each_place_is_one_link_with_its_first_text() -> None:
    found = links(
        "<a href='a#1'></a> <a href=b>Bee</a> <a href='a#2'>Ay</a> <a href='./a'>other</a> <a href=/docs/b>again</a>"
    )
    assert found == [("https://h.example/docs/a", "other", ""), ("https://h.example/docs/b", "Bee", "")]


@pytest.mark.parametrize(
    ("markup", "text", "of_part"),
    [
        ('<a href="/a#low">Low water</a><a href="/a">Tides</a>', "Tides", False),
        ('<a href="/a">Tides</a><a href="/a#low">Low water</a>', "Tides", False),
        ('<a href="/a#low">Low water</a><a href="/a#high">High water</a>', "Low water", True),
        ('<a href="/a"><img></a><a href="/a#low">Low water</a>', "Low water", True),
        ('<a href="/a#low"><img alt="Low water"></a>', "Low water", True),
        ('<a href="/x/../a#low">Low water</a><a href="/a">Tides</a>', "Tides", False),
        ('<a href="/x/../a">Tides</a><a href="/a#low">Low water</a>', "Tides", False),
        ('<a href="/a#">Tides</a>', "Tides", True),
        ('<a href="/a#low"></a>', "", False),
    ],
)
def test_a_text_of_the_whole_place_goes_before_that_of_a_part(markup: str, text: str, of_part: bool) -> None:
    (link,) = read(markup).links
    assert (link.text, link.of_part) == (text, of_part)


def test_the_text_of_another_spelling_is_taken_when_the_first_has_none() -> None:
    assert links("<a href=a></a><a href=./a>Ay</a>") == [("https://h.example/docs/a", "Ay", "")]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<a href=x> two \n words </a>", "two words"),
        ("<a href=x><div>one</div><div>two</div></a>", "one two"),
        ("<a href=x><img alt=Picture></a>", "Picture"),
        ("<a href=x title=Tip></a>", "Tip"),
        ("<a href=x aria-label=Label><svg></svg></a>", "Label"),
        ("<map><area href=x alt=Corner></map>", "Corner"),
        ("<a href=x>" + "y" * 999 + "</a>", "y" * MAX_ANCHOR),
        ("<a href=x>nul&#0;\u00ad\u202e</a>", "nul\ufffd\u202e"),
        ("<iframe src=x title=Inside><p>raw</p></iframe>", "Inside"),
    ],
)
def test_anchor_text(markup: str, text: str) -> None:
    assert [found[1] for found in links(markup)] == [text]


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("<a href=x>", ["https://h.example/docs/x"]),
        ("<map><area href=x></map>", ["https://h.example/docs/x"]),
        ("<frameset><frame src=x></frameset>", ["https://h.example/docs/x"]),
        ("<iframe src=x></iframe>", ["https://h.example/docs/x"]),
        ("<frameset><noframes><body><a href=x>a</a></noframes></frameset>", ["https://h.example/docs/x"]),
        ("<noscript><a href=x>a</a></noscript>", ["https://h.example/docs/x"]),
        ("<head><noscript><a href=x>a</a></noscript></head>", ["https://h.example/docs/x"]),
        ("<svg><a href=x>t</a></svg>", ["https://h.example/docs/x"]),
        ("<svg><a xlink:href=x>t</a></svg>", ["https://h.example/docs/x"]),
        ("<link rel=next href=x>", ["https://h.example/docs/x"]),
        ("<link rel=alternate href=x>", ["https://h.example/docs/x"]),
        ("<link rel='Shortcut ICON' href=x>", []),
        ("<link rel=stylesheet href=x>", []),
        ("<link rel='preload' href=x>", []),
        ("<a href='javascript:x()'>a</a><a href=mailto:a@b.c><a href=data:,x><a href=tel:1><a href=about:blank>", []),
        ("<a href='ftp://f.example/a'><a href='file:///etc/x'>", ["ftp://f.example/a", "file:///etc/x"]),
        ("<a href='#top'><a href=''><a>", []),
        ("<a href='http://['><a href='https://ok.example'>", ["https://ok.example/"]),
        ("<a href='//o.example/y'>", ["https://o.example/y"]),
        ("<a href='https://user:pass@o.example/y'>", ["https://o.example/y"]),
        ("<a href=' \n x\t y '>", ["https://h.example/docs/x%20y"]),
        ("<a href='..//x'>", ["https://h.example//x"]),
        ("<a href='\u00fc?\u00fc'>", ["https://h.example/docs/%C3%BC?%C3%BC"]),
    ],
)
def test_what_is_a_link_and_where_it_leads(markup: str, wanted: list[str]) -> None:
    assert [found[0] for found in links(markup)] in (wanted, [each.replace("x%20y", "x%20%20y") for each in wanted])


def test_a_page_with_areas_keeps_the_order_of_its_references() -> None:
    found = links(
        "<link rel=next href=n><a href=1>one</a><map><area href=2></map><a href=3>three</a><iframe src=4></iframe>"
    )
    assert [address.rpartition("/")[2] for address, _, _ in found] == ["n", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("markup", "rel"),
    [
        ("<a rel='NoFollow UGC' href=x>", "nofollow ugc"),
        ("<area rel='external\nNOFOLLOW\tnoopener' href=x>", "external nofollow noopener"),
        ("<link rel='next nofollow' href=x>", "next nofollow"),
        ("<a rel='nofollower' href=x>", "nofollower"),
        ("<a rel='nofollow,noopener' href=x>", "nofollow,noopener"),
        ("<a rel='external\u00a0nofollow next' href=x>", "next"),
        ("<a rel=nofollow href=x>a</a><a href=x>b</a>", ""),
        ("<a rel='nofollow external' href=x>a</a><a rel=external href='x#y'>b</a>", "external"),
        ("<a rel=nofollow href=x>a</a><a href=./x>b</a>", ""),
        ("<a rel=nofollow href=x>a</a><a rel=nofollow href=./x>b</a>", "nofollow"),
        ("<a href=x>a</a><a rel=nofollow href=x>b</a>", ""),
    ],
)
def test_a_place_named_once_without_nofollow_may_be_followed(markup: str, rel: str) -> None:
    assert [found[2] for found in links(markup)] == [rel]


@pytest.mark.parametrize(
    ("base", "wanted"),
    [
        ("<base href='/other/'>", "https://h.example/other/x"),
        ("<base href='https://b.example/c/d'><base href='https://z.example/'>", "https://b.example/c/x"),
        ("<base target=_top><base href='/other/'>", "https://h.example/other/x"),
        ("<base href='javascript:1'>", "https://h.example/docs/x"),
        ("<base href='http://['>", "https://h.example/docs/x"),
        ("<base href=''>", "https://h.example/docs/x"),
    ],
)
def test_the_first_base_decides(base: str, wanted: str) -> None:
    page = read(f"<head>{base}<link rel=canonical href=x></head><a href=x>")
    assert page.links[0].address == page.canonical == wanted


def test_links_beyond_the_cap_are_counted_not_kept() -> None:
    page = read("".join(f"<a href={number}>{number}</a>" for number in range(MAX_LINKS + 2_000)) + "<a href=1>")
    assert len(page.links) == MAX_LINKS
    assert page.links_seen == MAX_LINKS + 2_001


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("0;url=/q", (0, "/q")),
        ("5; URL='/q r'", (5, "/q r")),
        ('0.5,url = "/q"x', (0, "/q")),
        ("0 /q", (0, "/q")),
        ("; url=/q", (0, "/q")),
        ("300", None),
        ("0;url=", None),
        ("", None),
        ("later; url=/q", None),
        ("99999999999999999999;url=/q", (999999999, "/q")),
    ],
)
def test_refresh_is_read_as_the_standard_says(content: str, wanted: tuple[int, str] | None) -> None:
    assert parse_refresh(content) == wanted


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("<meta http-equiv=Refresh content='0;url=/q'>", "https://h.example/q"),
        ("<meta http-equiv=refresh content='10;url=/q'>", "https://h.example/q"),
        ("<meta http-equiv=refresh content='0;url=page.html'>", ""),
        ("<meta http-equiv=refresh content='5'>", ""),
        ("<meta http-equiv=refresh content='0;url=javascript:x()'>", ""),
        ("<base href=/b/><meta http-equiv=refresh content='0;url=q'>", "https://h.example/b/q"),
    ],
)
def test_a_page_that_sends_its_reader_away_says_where(markup: str, wanted: str) -> None:
    page = read(markup)
    assert page.refresh == wanted
    assert [link.address for link in page.links] == ([wanted] if wanted else [])


@pytest.mark.parametrize(
    "markup",
    [
        "<meta http-equiv=refresh content='60;url=/q'>",
        "<noscript><meta http-equiv=refresh content='0;url=/q'></noscript>",
    ],
)
def test_where_a_page_turns_to_late_is_a_link_like_others(markup: str) -> None:
    page = read(markup)
    assert (page.refresh, [link.address for link in page.links]) == ("", ["https://h.example/q"])


def in_charset(charset: str, markup: str, declared: str = "") -> Extraction:
    body = markup.encode(charset, "xmlcharrefreplace")
    return extract_html(body, address="https://h.example/a/b.html?x=1", charset=declared or charset)


def test_the_query_of_a_link_is_sent_in_the_charset_of_its_page() -> None:
    said = in_charset(
        "windows-1251",
        "<base href='/\u043c/?\u043c'><a href='?q=\u043c\u0438\u0440#\u043c'>1</a>"
        "<a href='\u043c.html?q=\u043c&amp;r=&#x6d2a;'>2</a>"
        "<a href='?q=%D0%BC'>3</a><a href='//b.example/?\u043c'>4</a><a href='?q=\u20ac \u043c\n\u043c '>5</a>"
        "<link rel=canonical href='?c=\u043c'><meta http-equiv=refresh content='0; url=?r=\u043c'>",
    )
    assert [each.address for each in said.links] == [
        "https://h.example/%D0%BC/?c=%EC", "https://h.example/%D0%BC/?q=%EC%E8%F0",
        "https://h.example/%D0%BC/%D0%BC.html?q=%EC&r=%26%2327946%3B", "https://h.example/%D0%BC/?q=%D0%BC",
        "https://b.example/?%EC", "https://h.example/%D0%BC/?q=%88%20%EC%EC", "https://h.example/%D0%BC/?r=%EC",
    ]  # fmt: skip
    assert said.canonical == "https://h.example/%D0%BC/?c=%EC"
    assert said.refresh == "https://h.example/%D0%BC/?r=%EC"


@pytest.mark.parametrize(
    ("charset", "declared", "sent"),
    [
        ("utf-8", "", "%E9%87%91"), ("utf-16-le", "utf-16le", "%E9%87%91"), ("gb2312", "", "%BD%F0"),
        ("shift_jis", "x-sjis", "%8B%E0"), ("euc-jp", "", "%B6%E2"), ("big5", "big5-hkscs", "%AA%F7"),
        ("euc-kr", "ks_c_5601-1987", "%D1%D1"), ("latin-1", "iso-8859-1", "%26%2337329%3B"),
    ],
)  # fmt: skip
def test_a_query_in_every_family_of_charsets(charset: str, declared: str, sent: str) -> None:
    said = in_charset(charset, "<p>text</p><a href='?q=\u91d1'>gold</a>", declared)
    assert [each.address for each in said.links] == [f"https://h.example/a/b.html?q={sent}"]


def test_two_spellings_of_one_place_are_one_link() -> None:
    said = in_charset("windows-1251", "<a rel=nofollow href='?\u043c'></a><a href='?%EC'>text</a>")
    assert [(each.address, each.text, each.rel) for each in said.links] == [
        ("https://h.example/a/b.html?%EC", "text", "")
    ]
