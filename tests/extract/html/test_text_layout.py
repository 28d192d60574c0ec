"""Which elements part words, and which leave a word whole: every element of HTML, in lower and in upper case."""

from __future__ import annotations

import time

import pytest

from cormorant.extract.html.page import extract_html
from cormorant.model.content import Extraction, Manner

BLOCKS = (
    "address", "article", "aside", "audio", "blockquote", "button", "canvas", "center", "dd", "details", "dialog",
    "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "hgroup", "legend", "li", "listing", "main", "marquee", "menu", "nav", "object", "ol", "optgroup",
    "option", "p", "pre", "search", "section", "select", "summary", "table", "textarea", "ul", "video", "xmp",
)  # fmt: skip
INLINE = (
    "a", "abbr", "acronym", "applet", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "label", "map", "mark", "meter", "my-element", "nobr", "noscript", "output", "picture",
    "progress", "q", "rb", "s", "samp", "slot", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
    "var",
)  # fmt: skip
VOID_THAT_JOIN = (
    "area", "base", "basefont", "bgsound", "link", "meta", "param", "source", "track", "wbr",
)  # fmt: skip
VOID_THAT_PART = (
    "br", "embed", "hr", "img", "input",
)  # fmt: skip
UNSEEN = (
    "datalist", "iframe", "noembed", "script", "style", "template", "title",
)  # fmt: skip

PROSE = "<p>This paragraph is long enough, with all of its words, to be taken for the main text of this page here.</p>"


def read(markup: str) -> Extraction:
    return extract_html(markup.encode(), address="https://h.example/p", manner=Manner(main=True))


def words(markup: str) -> list[str]:
    """Read the words of a page, and see that its main text has them too when there is prose around them."""
    found = read(markup).text.split()
    main = read(f"<article><h1>Head</h1>{PROSE * 3}<div>{markup}</div>{PROSE * 3}</article>").main_text.split()
    if "Head" in main and found and found[0] in main:
        assert [each for each in main if each in found] == found
    return found


def cased(tag: str) -> tuple[str, str]:
    return tag, tag.upper()


@pytest.mark.parametrize("tag", BLOCKS)
def test_a_block_parts_words(tag: str) -> None:
    for name in cased(tag):
        inside = "<tr><td>mid</table>" if tag == "table" else "mid"
        assert words(f"<div>left<{name}>{inside}</{name}>right</div>") == ["left", "mid", "right"]
        if tag not in ("dd", "dt", "li", "option", "optgroup", "legend"):  # which are not met there
            assert words(f"<div><span>left<{name}>{inside}</{name}></span>right</div>") == ["left", "mid", "right"]
            assert words(f"<x-card><{name}>{inside}</{name}>right</x-card>") == ["mid", "right"]


@pytest.mark.parametrize("tag", INLINE)
def test_an_inline_element_leaves_a_word_whole(tag: str) -> None:
    for name in cased(tag):
        assert words(f"<p>mo<{name}>bi</{name}>le") == ["mobile"]
        assert words(f"<p><{name}>m</{name}>obile") == ["mobile"]


@pytest.mark.parametrize("tag", UNSEEN)
def test_an_element_that_nobody_sees_has_no_words(tag: str) -> None:
    for name in cased(tag):
        assert "mid" not in read(f"<div>left<{name}>mid</{name}>right</div>").text


def test_void_elements() -> None:
    for tag in VOID_THAT_JOIN:
        assert [words(f"<p>mo<{name}>bile") for name in cased(tag)] == [["mobile"]] * 2, tag
    for tag in VOID_THAT_PART:
        assert [words(f"<p>left<{name}>right") for name in cased(tag)] == [["left", "right"]] * 2, tag
        assert words(f"<p>left<span><{tag}></span>right") == ["left", "right"], tag


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("<frameset><frame src=x><noframes><body><p>L</p><A href=y>R</A></body></noframes></frameset>", "L\n\nR"),
        ("<TABLE><TR><TD>L</TD><TD>R</TD></TR></TABLE>", "L R"),
        ("<table><tr><td>L<td>R<tr><th>S<th>T</table>", "L R\n\nS T"),
        ("<table><tr><td>L</td ><TD>R</TD\n></tr></table><TABLE><TR><TH>S</th><Td>T</tD></TABLE>", "L R\n\nS T"),
        ("<table><thead><tr><th>L</thead><tbody><tr><td>R</tbody><tfoot><tr><td>S</table>", "L\n\nR\n\nS"),
        ("<table><tr><td>L<table><tr><td>M<td>N</table><td>R</table>", "L\n\nM N R"),
        ("<table><caption>L</caption><colgroup><col><tr><td>R</table>S", "L\n\nR\n\nS"),
        ("<tr><td>L</td><TD>R</TD></tr><tr><td>S</td></tr>", "L R\n\nS"),
        ("\n<td>L</td><td>R", "L R"),
        ("<TBODY><tr><td>L</td><td>R", "L R"),
        ("<tt>L</tt>R", "LR"),
        ("<p>L<p>R", "L\n\nR"),
        ("<ul><li>L<li>R</ul>S", "L\n\nR\n\nS"),
        ("<dl><dt>L<dd>R</dl>S", "L\n\nR\n\nS"),
        ("<select><option>L<option>R</select>S", "L\n\nR\n\nS"),
        ("<select><optgroup><option>L<option>R</select>", "L\n\nR"),
        ("<fieldset><legend>L</legend>R</fieldset>S", "L\n\nR\n\nS"),
        ("<figure><img alt=x><figcaption>L</figcaption>R</figure>S", "L\n\nR\n\nS"),
        ("<details><summary>L</summary>R</details>S", "L\n\nR\n\nS"),
        ("<label>L</label><input><label>R</label>", "L R"),
        ("<a href=x><h3>L</h3></a>R", "L\nR"),
        ("<a href=x><span><div>L</div></span>R</a>S", "L\nRS"),
        ("<a href=x><h3>L</h3><p>R</p></a><a href=y><h3>S</h3></a>T", "L\n\nR\n\nS\nT"),
        ("<b>mo<div>L</div>bi</b>le", "mo\n\nL\nbile"),
        ("<x-a><p>L<hr>R</p></x-a>S", "L\n\nR\nS"),
        ("<p>L<br>R<br><br>S", "L\nR\n\nS"),
        ("<p>L&shy;R<wbr>S&ZeroWidthSpace;", "LRS\u200b"),
        ("<p>H<sub>2</sub>O x<sup>2</sup>", "H2O x2"),
        ("<p>L<img alt=M>R<a href=x><img></a>S", "L R S"),
        ("<p>L<picture><source><img></picture>R", "L R"),
        ("<p>L<svg><path/></svg>R", "L R"),
        ("<svg><title>L</title><desc>M</desc><text>R</text><text><tspan>S</tspan>T</text></svg>", "L M R ST"),
        ("<svg><foreignObject><div>L</div></foreignObject></svg>R", "L\nR"),
        ("<math><mi>L</mi><mo>+</mo><mi>R</mi></math>", "L+R"),
        ("<math><mtable><mtr><mtd>L</mtd><mtd>R</mtd></mtr></mtable></math>", "L R"),
        ("<math><mi>L</mi><annotation>R</annotation></math>", "L R"),
        ("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>を", "漢字(かんじ)を"),
        ("<p><ruby>明日<rp>(</rp><rt>Ashita</rt><rp>)</rp></ruby>", "明日(Ashita)"),
        ("<p><ruby>L</ruby>R", "LR"),
        ("<pre>L<br>R<hr>S</pre>T", "L\nR\n\nS\n\nT"),
        ("<pre><div>L</div><div>  R</div></pre>", "L\n  R"),
        ("<pre><code>L<div>R</div></code>S</pre>", "L\nR\nS"),
        ("<pre>L<b>M</b>\n  R</pre>", "LM\n  R"),
        ("<listing>L\n R</listing><xmp><b>\n S</xmp>", "L\n R\n\n<b>\n S"),
        ("<p hidden>a<p hidden=''>b<p style='display : NONE'>c<p style='text-decoration:none'>d<p hidden=until-found>e",
         "d\n\ne"),
        ("<p hidden><b hidden>a</b><i style='display:none'>b</i></p>c", "c"),
    ],
)  # fmt: skip
def test_words_of_shapes_that_pages_have(markup: str, wanted: str) -> None:
    assert read(markup).text == wanted


@pytest.mark.parametrize(
    "part",
    [
        "<ruby>a<rt>b",
        "<ruby>a<rt><b>x",
        "<rtc><rt>x",
        "<math><mtd>x",
        "<svg><text>x",
        "<span><div>x</div>",
        "<pre><br>x",
    ],
)
def test_what_is_mended_takes_no_longer_the_deeper_it_lies(part: str) -> None:
    before = time.process_time()
    assert len(read(part * 20_000).text) < 200_000
    assert time.process_time() - before < 3


def test_a_heading_that_stands_for_the_title_keeps_its_words_apart() -> None:
    assert read("<h1>L<br>R<wbr>S <B>T</B>U</h1>").title == "L RS TU"
    assert read("<H1><DIV>L</DIV><DIV>R</DIV></H1>").title == "L R"
    assert read("<TITLE>L<br>R</TITLE>").title == "L<br>R", "as browsers show it"
