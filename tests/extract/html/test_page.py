from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.base.profiling import StepTable
from cormorant.extract.html.page import extract_html
from cormorant.model.content import Extraction, Manner
from tests.clocks import cpu_s

HERE = "https://h.example/docs/page.html"


def read(markup: str | bytes, *, charset: str = "", main: bool = False) -> Extraction:
    body = markup if isinstance(markup, bytes) else markup.encode()
    return extract_html(body, address=HERE, charset=charset, manner=Manner(main=main))


def test_a_page_says_what_it_says() -> None:
    page = read(
        """<!doctype html><html lang="en-GB"><head><meta charset=utf-8><title> The
        title </title><meta name=description content="About it."><meta name=author content=Ada>
        <meta name=keywords content="one, two,,one"><link rel=canonical href="/docs/">
        </head><body><h1>Head¶</h1><p>First <b>pa</b>ra.</p><h2>Sub</h2><p>Second.</p>
        <a href="next.html#part">Next <i>page</i></a></body></html>"""
    )
    assert page.text == "Head¶\n\nFirst para.\n\nSub\n\nSecond.\n\nNext page"
    assert page.title == "The title"
    assert page.language == "en-gb"
    assert page.charset == "utf-8"
    assert page.canonical == "https://h.example/docs/"
    assert page.attributes == {
        "Description": "About it.",
        "Author": "Ada",
        "Keywords": ("one", "two"),
        "Headline1": ("Head",),
        "Headline2": ("Sub",),
    }
    assert [(link.address, link.text, link.rel) for link in page.links] == [
        ("https://h.example/docs/", "", "canonical"),
        ("https://h.example/docs/next.html", "Next page", ""),
    ]
    assert page.links_seen == 2
    assert not page.truncated


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("<title>Own</title><h1>Head</h1>", "Own"),
        ("<h2>Second</h2>", "Second"),
        ("<title> </title><h1>Head</h1>", "Head"),
        ("<title>Untitled Document</title><h1>Head</h1>", "Head"),
        ("<title>unbenanntes dokument</title><h2>Kopf</h2>", "Kopf"),
        ("<title>New Page 1</title><h1>Untitled</h1><h2>Second</h2>", "Second"),
        ("<title>Document sans titre</title>", "page.html"),
        ("<title>Page Title</title><h1>Untitled Document</h1>", "page.html"),
        ("<title>Untitled works of the 1920s</title><h1>Head</h1>", "Untitled works of the 1920s"),
        ("<title>Layout 1</title><h1>2024</h1>", "2024"),
        ("<title>News</title><h1>Head</h1>", "News"),
        ("<svg><title>Drawing</title></svg>", "page.html"),
        ("<p>nothing", "page.html"),
        ("<h1>Two<br>lines</h1>", "Two lines"),
    ],
)
def test_a_title_is_found_somewhere(markup: str, wanted: str) -> None:
    assert read(markup).title == wanted


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("a<script>x</script><style>y</style><template>z</template>b", "ab"),
        ("<div>hello</div><a>a</a>", "hello\n\na"),
        ("<p>seen<p hidden>hid<p style='color:red; DISPLAY:none'>gone", "seen"),
        ("<p hidden=until-found>found", "found"),
        ("<body hidden style='display:none'>all of it", "all of it"),
        ("<table><caption>cap</caption><tr><th>a<th>b<tr><td>1<td>2</table>", "cap\n\na b\n\n1 2"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a b\n\n1 2"),
        ("<table><tr><th>a</th><th>b<tr><TD>1</TD><td>2</td></table>", "a b\n\n1 2"),
        ("<ul>stray<li>one<li>two</ul>", "stray\n\none\n\ntwo"),
        ("<ol><div><li>deep</div></ol>", "deep"),
        ("<blockquote>said</blockquote>", "said"),
        ("<fieldset><legend>Name</legend>first</fieldset>", "Name\n\nfirst"),
        ("<select><option>one<option>two</select>", "one\n\ntwo"),
        ("<iframe src=x><p>No frames</p></iframe>after", "after"),
        ("<noscript>for all</noscript>", "for all"),
        ("x&#0;y&#1;z&#xD800;", "x\ufffdyz\ufffd"),
        ("<pre>  two\n    four</pre>", "two\n    four"),
    ],
)
def test_text_is_what_a_reader_sees_and_nothing_is_lost(markup: str, wanted: str) -> None:
    assert read(markup).text == wanted


def test_a_padded_table_is_not_blown_up() -> None:
    page = read("<table><tr><td>" + "x" * 10_000 + "<td>b" + "<tr><td>a<td>b" * 10_000 + "</table>")
    assert len(page.text) < 100_000


@pytest.mark.parametrize(
    ("body", "charset", "text", "name"),
    [
        ("<p>é".encode(), "", "é", "utf-8"),
        ("<p>é".encode("latin-1"), "", "é", "windows-1252"),
        ("<p>é".encode(), "koi8-r", "ц╘", "koi8-r"),
        (b"\xef\xbb\xbf<p>\xc3\xa9", "koi8-r", "é", "utf-8"),
        (b"<meta charset=koi8-r><p>\xd6", "", "ж", "koi8-r"),
        (b"<meta charset=koi8-r><p>\xc3\xa9", "utf-8", "é", "utf-8"),
        (b"<p>\xc3", "utf-8", "\ufffd", "utf-8"),
        (b"<p>\xc3\xa9", "no-such-charset", "é", "utf-8"),
        (b"<p>+ADw-b+AD4-", "utf-7", "+ADw-b+AD4-", "windows-1252"),
        (b"<meta charset=utf-7><p>+ADw-", "", "+ADw-", "windows-1252"),
        ("\ufeff<p>é".encode("utf-16-be"), "utf-8", "é", "utf-16be"),
        ("<p>é".encode("utf-16-le"), "", "é", "utf-16le"),
        ("<p>é".encode("utf-16-be"), "", "é", "utf-16be"),
        ("<p>привет мир как дела сегодня хорошо".encode("cp1251"), "", None, "windows-1251"),
    ],
)
def test_the_charset_is_found_in_the_order_of_the_standard(
    body: bytes, charset: str, text: str | None, name: str
) -> None:
    page = read(body, charset=charset)
    assert page.charset == name
    assert text is None or page.text == text


LABELS = st.sampled_from(["", "utf-8", "utf-16", "shift_jis", "x", "utf-7", "iso-2022-kr", "\ud800"]) | st.text(
    max_size=9
)


@given(st.binary(max_size=3000), LABELS)
def test_any_bytes_are_read(body: bytes, charset: str) -> None:
    page = read(body, charset=charset, main=True)
    for text in (page.text, page.title, page.main_text, *(link.text for link in page.links)):
        text.encode()
        assert "\0" not in text


PIECES = (
    "<a ",
    "href=",
    ">",
    "x",
    "</a>",
    "<p>",
    "<b q=1>",
    "<table>",
    "<td>",
    "&",
    "#",
    "'",
    "<!--",
    "-->",
    "<svg>",
    "//x",
    "?q",
)


@given(st.lists(st.sampled_from(PIECES)))
def test_any_soup_of_tags_is_read(pieces: list[str]) -> None:
    page = read("".join(pieces), main=True)
    assert page.title
    assert all(link.address.startswith(("http:", "https:", "ftp:", "file:")) for link in page.links)


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 100_000,
        b"<p>" * 1_000_000,
        b"<b>x" * 300_000,
        b"".join(b"<font size=%d><p>" % number for number in range(60_000)),
        b"".join(b"<b q=%d><p>" % number for number in range(5_000)),
        b"".join(b"<html a%d=b>" % number for number in range(60_000)),
        "".join(f"<b q={number}><p>" for number in range(60_000)).encode("utf-16"),
        b"<ol><li>x" * 100_000,
        b"<blockquote>x" * 100_000,
        b"<table><tr><td>" * 60_000,
        b"<a href=x><div>" * 100_000,
        b"<a href=x></a>" * 200_000,
        b"<p hidden>x" * 100_000,
        b"x" * 3_000_000,
    ],
    ids=lambda body: repr(body[:16]),
)
def test_hostile_pages_end_in_time_and_room(body: bytes) -> None:
    pages = []
    assert cpu_s(lambda: pages.append(extract_html(body, address=HERE, manner=Manner(main=True))), times=1) < 10
    assert len(pages[0].text) <= 4 * len(body)


def test_a_page_of_too_many_tags_is_cut_and_says_so() -> None:
    page = read(b"<p>word</p>" * 260_000)
    assert page.truncated
    assert page.text.startswith("word")


def test_main_text_is_made_only_when_asked_for() -> None:
    body = "<nav><a href=a>Home</a></nav><main>" + "<p>A sentence that is long enough to be content." * 5
    assert read(body).main_text == ""
    assert "Home" not in read(body, main=True).main_text


def test_steps_have_the_names_of_the_table() -> None:
    steps = StepTable()
    extract_html(b"<p>x", address=HERE, steps=steps)
    assert list(steps.rows) == ["parse", "links_title", "join", "text"]
