"""A page of a stranger, made of what does nothing; and words marked in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings, strategies as st

from cormorant.extract.html import safe_html
from cormorant.extract.html.safe_html import SafeHtml
from tests.pages.vectors import OUTSIDE, PAYLOADS, said

AT = "https://docs.example.org/a/b.html"
HARMLESS = {
    "lang", "dir", "href", "title", "start", "value", "span", "colspan", "rowspan", "scope", "target", "rel", "id",
}  # fmt: skip


def nothing(text: str) -> Sequence[tuple[int, int, int]]:
    return ()


def word(looked_for: str) -> safe_html.Marks:
    """Marks one word, in any case."""
    return lambda text: [(*each.span(), 0) for each in re.finditer(looked_for, text, re.IGNORECASE)]


def shown(markup: str, marks: safe_html.Marks = nothing, charset: str = "utf-8") -> SafeHtml:
    return safe_html.page(markup.encode(charset, "replace"), address=AT, charset=charset, marks=marks)


class Made(HTMLParser):
    """What markup is made of, as a parser of another make sees it."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.words = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.words += data


def harmless(markup: str) -> Made:
    """See that markup holds nothing that does anything."""
    made = Made(markup)
    assert made.tags <= safe_html.KEPT | {"mark"}
    assert made.attributes <= HARMLESS
    assert all(re.match(r"https?://", each) for each in made.links)
    assert "<!--" not in markup
    return made


def test_what_can_be_read_stays_in_its_order() -> None:
    made = shown(
        "<html><head><title>T</title><style>p{}</style></head><body class=x onload=y><h1 id=a style='top:0'>Head</h1>"
        "<p>One <b>two</b> <font color=red>three</font></p><ul><li value=3>four</ul>"
        "<table><tr><th scope=row colspan=2>five<td>six</table><pre>se\n ven</pre><script>no</script>"
    )
    assert made.markup == (
        '<h1>Head</h1><p>One <b>two</b> three</p><ul><li value="3">four</li></ul>'
        '<table><tbody><tr><th scope="row" colspan="2">five</th><td>six</td></tr></tbody></table>'
        "<pre>se\n ven</pre>"
    )


@pytest.mark.parametrize(
    ("href", "there"),
    [
        ("c.html", "https://docs.example.org/a/c.html"), ("//x.example/y", "https://x.example/y"),
        ("/up?q=1&amp;r=2", "https://docs.example.org/up?q=1&r=2"), ("http://x.example/", "http://x.example/"),
    ],
)  # fmt: skip
def test_links_lead_outside_in_a_window_of_their_own(href: str, there: str) -> None:
    made = shown(f'<a href="{href}" id=x target=_top rel=opener ping=/z onclick=y>go</a>')
    assert Made(made.markup).links == [there]
    assert 'target="_blank"' in made.markup
    assert 'rel="noopener noreferrer nofollow"' in made.markup
    assert not {"ping", "onclick", "id"} & Made(made.markup).attributes


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "vbscript:x", "mailto:a@b", ""]
)
def test_a_link_to_what_is_no_page_leads_nowhere(href: str) -> None:
    made = shown(f'<a href="{href}">go</a>')
    assert Made(made.markup).links == []
    assert Made(made.markup).words == "go"


def test_the_base_of_the_page_counts() -> None:
    assert Made(shown('<base href="/other/"><a href=c>go</a>').markup).links == ["https://docs.example.org/other/c"]


def test_pictures_are_words() -> None:
    assert shown('<p>a <img src=x alt="A  puffin"> b <img src=y></p>').markup == "<p>a [A puffin] b </p>"


def test_what_is_hidden_stays_hidden() -> None:
    assert shown("<p>a</p><p hidden>b</p><p style='display:none'>c</p>").markup == "<p>a</p>"


@pytest.mark.parametrize("payload", PAYLOADS)
def test_every_vector_is_harmless(payload: str) -> None:
    text = said(payload, "v0001")
    for markup in (text, f"<p>{text}</p>", f"<body>{text}<p>and more", f"<table><tr><td>{text}"):
        made = harmless(shown(markup).markup)
        assert not any(each.startswith(OUTSIDE) for each in made.links) or "base" in payload


@settings(max_examples=300)
@given(st.text(max_size=80) | st.lists(st.sampled_from((
    "<svg>", "<math>", "<style>", "<p ", "</p>", "<mglyph>", "<table>", "<noscript>", "<a href=", "javascript:x", ">",
    "<img src=x onerror=y>", "<title>", "--!>", "<!--", "]]>", "<template>", "<select>", "<xmp>", "<plaintext>", "\0",
    "<textarea>", '"', "'", "<annotation-xml encoding=text/html>", "<iframe srcdoc=", "<b>", "&lt;script&gt;", "x",
)), max_size=9).map("".join))  # fmt: skip
def test_whatever_is_in_a_page_it_is_harmless(markup: str) -> None:
    once = shown(markup).markup
    harmless(once)
    harmless(shown(once, word("x")).markup)


def test_words_are_marked_where_they_stand() -> None:
    made = shown("<p>Ferry, <b>ferry</b>man</p><p>FERRY &lt;b&gt;</p>", word("ferry"))
    assert made.markup == (
        '<p><mark id="place-1">Ferry</mark>, <b><mark id="place-2">ferry</mark></b>man</p>'
        '<p><mark id="place-3">FERRY</mark> &lt;b&gt;</p>'
    )
    assert made.counts == {0: 3}


def test_marks_do_not_grow_without_end() -> None:
    made = shown("<p>ferry</p>" * (safe_html.MOST_MARKS + 50), word("ferry"))
    assert made.counts[0] == safe_html.MOST_MARKS


def test_a_text_is_shown_as_it_is() -> None:
    made = safe_html.plain("a <b>ferry</b> & \n\n\n second\nline \n\n", word("ferry"))
    assert made.markup == (
        '<p dir="auto">a &lt;b&gt;<mark id="place-1">ferry</mark>&lt;/b&gt; &amp;</p>\n<p dir="auto">second\nline</p>\n'
    )
    assert (made.counts, made.cut) == ({0: 1}, False)
    assert safe_html.plain("x" * (safe_html.MOST_TEXT + 1), nothing).cut


@given(st.text(max_size=60))
def test_any_text_is_harmless(text: str) -> None:
    harmless(safe_html.plain(text, word("x")).markup)


def test_the_charset_counts() -> None:
    assert shown("<p>caf\u00e9</p>", charset="windows-1252").markup == "<p>caf\u00e9</p>"
    assert (
        safe_html.page(b"<p>caf\xc3\xa9</p>", address=AT, charset="no-such", marks=nothing).markup == "<p>caf\u00e9</p>"
    )


@pytest.mark.parametrize(
    "markup", ["<div>" * 20_000, "<b>" * 20_000, "<table>" * 5_000, "<a href=x>" * 20_000, "<p x" * 20_000]
)
def test_what_is_nested_without_end_comes_to_one(markup: str) -> None:
    harmless(shown(markup + "end").markup)
