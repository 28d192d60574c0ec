from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.convert import convert
from cormorant.extract.html.xhtml import XHTML, extract_xhtml
from cormorant.extract.job import decode_result, encode_task
from cormorant.extract.router import extract_inline
from cormorant.model.content import Extraction, LinkKind, Manner

HERE = "https://h.example/docs/page.xhtml"
STRICT = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en-GB">'
)


def read(markup: str | bytes, charset: str = "", *links: LinkKind) -> Extraction:
    body = markup if isinstance(markup, bytes) else markup.encode()
    return extract_inline(XHTML, body, address=HERE, charset=charset, manner=Manner(main=True, links=links))


def page(body: str, head: str = "<title>Own</title>") -> Extraction:
    return read(f"{STRICT}<head>{head}</head><body>{body}</body></html>")


def test_a_page_says_what_it_says() -> None:
    said = page(
        '<h1>Head</h1><p>One&nbsp;two.</p><ul><li>a</li><li>b</li></ul><p><a href="next" rel="NoFollow">Next</a></p>',
        '<title>Own</title><base href="/b/"/><meta name="robots" content="noindex"/><link rel="canonical" href="c"/>',
    )
    assert said.text == "Head\n\nOne two.\n\na\n\nb\n\nNext"
    assert (said.title, said.language, said.charset, said.charset_from) == ("Own", "en-gb", "utf-8", "page")
    assert (said.directives, said.canonical, said.fault) == (("noindex",), "https://h.example/b/c", "")
    assert [(link.address, link.text, link.rel) for link in said.links] == [
        ("https://h.example/b/c", "", "canonical"), ("https://h.example/b/next", "Next", "nofollow"),
    ]  # fmt: skip
    assert said.attributes == {"Headline1": ("Head",)}


@pytest.mark.parametrize(
    "empty",
    [
        "<script/>", '<script src="a.js" type="text/javascript"/>', "<style/>", "<textarea/>", '<iframe src="x"/>',
        "<title/>", "<noscript/>", "<noframes/>", "<noembed/>", "<xmp/>", "<plaintext/>", "<select/>", "<template/>",
        "<object/>", "<video/>", "<svg/>", "<math/>", "<p/>", "<div/>", "<table/>", "<option/>",
    ],
)  # fmt: skip
def test_an_empty_element_swallows_nothing(empty: str) -> None:
    said = page(f"<p>one</p>{empty}<p>two</p>")
    assert said.text == "one\n\ntwo"
    assert page("<p>one</p>", f"{empty}<title>Own</title>").title in ("Own", "page.xhtml")


def test_an_anchor_and_a_title_that_are_empty_end_where_they_stand() -> None:
    said = page('<a id="top"/><p>one <b/>two</p><p><a href="x">ex</a></p>', "<title/>")
    assert (said.title, said.text) == ("page.xhtml", "one two\n\nex")
    assert [(link.address, link.text) for link in said.links] == [("https://h.example/docs/x", "ex")]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("<p><![CDATA[a & < b &nbsp; <i>c</i>]]></p>", "a & < b &nbsp; <i>c</i>"),
        ("<p>&copy;&eacute;&hellip;&lt;&amp;&#x41;&NotEqualTilde;</p>", "©é…<&A≂̸"),
        ("<p title='&nbsp;&quot;'>a</p>", "a"),
        ("<!-- &nbsp; --><p>a</p><?php echo ?>", "a"),
        ("<p>a<br/>b<br></br>c<hr/>d</p>", "a\nb\nc\n\nd"),
        ("<P>upper</P>", "upper"),
        ("<script><![CDATA[ if (a<b) '</script>' ]]></script><p>a</p>", "a"),
        ("<script>&lt;!--&lt;script></script><p>a</p>", "a"),
        ("<style>p { }</style><p>a</p>", "a"),
        ("<iframe src='x'><p>fallback</p></iframe><p>a</p>", "a"),
        ("<textarea>a<b>c</b> &lt;/textarea></textarea><p>d</p>", "ac </textarea>\n\nd"),
        ("<noframes><p>a</p></noframes><xmp>b<i>c</i></xmp>", "a\n\nbc"),
        ("<p>H<sub>2</sub>O <o:p xmlns:o='urn:o'>mo<o:b>bi</o:b>le</o:p></p>", "H2O mobile"),
        ("<svg xmlns='http://www.w3.org/2000/svg'><title>a</title><script/><text>b</text></svg><p>c</p>", "a b\n\nc"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
    ],
)
def test_xml_means_what_xml_says(body: str, wanted: str) -> None:
    said = page(body)
    assert (said.text, said.title, said.fault) == (wanted, "Own", "")


def test_other_prefixes_and_none() -> None:
    prefixed = read(
        "<h:html xmlns:h='http://www.w3.org/1999/xhtml' xmlns:x='http://www.w3.org/1999/xlink'><h:head><h:title>T</h:title>"
        "</h:head><h:body><h:p>a<h:br/>b</h:p><s:svg xmlns:s='http://www.w3.org/2000/svg'><s:a x:href='y'><s:text>c"
        "</s:text></s:a></s:svg></h:body></h:html>"
    )
    assert (prefixed.title, prefixed.text) == ("T", "a\nb\n\nc")
    assert [link.address for link in prefixed.links] == ["https://h.example/docs/y"]
    assert read("<html><head><title/><script/></head><body><p>a</p></body></html>").text == "a"


@pytest.mark.parametrize(
    ("body", "charset", "text", "name", "known_from"),
    [
        ("<html><p>é</p></html>".encode(), "", "é", "utf-8", "bytes"),
        (b"<?xml version='1.0' encoding='iso-8859-1'?><html><p>\xe9</p></html>", "", "é", "iso-8859-1", "page"),
        (b"<?xml version='1.0' encoding='utf-8'?><html><p>\xe9</p></html>", "latin1", "é", "latin1", "header"),
        ("\ufeff<html><p>é</p></html>".encode("utf-16-le"), "", "é", "utf-16le", "mark"),
        ("<?xml version='1.0' encoding='UTF-16'?><html><p>é</p></html>".encode("utf-16"), "", "é", "utf-16le", "mark"),
    ],
)  # fmt: skip
def test_charsets(body: bytes, charset: str, text: str, name: str, known_from: str) -> None:
    said = read(body, charset)
    assert (said.text, said.charset, said.charset_from, said.fault) == (text, name, known_from, "")


@pytest.mark.parametrize(
    ("markup", "text", "fault"),
    [
        ("<html><head><title/><script src='a'/></head><body><p>one<p>two</body></html>", "one\n\ntwo",
         "It is not well-formed XML (mismatched tag, line 1): it was read as HTML."),
        ("<!doctype html>\n<p>plain HTML<br>here", "plain HTML\nhere",
         "It is not well-formed XML (syntax error, line 1): it was read as HTML."),
        ("<html><p>a</p>", "a", "It is not well-formed XML (no element found, line 1): it was read as HTML."),
        ("<html><p>&unknown;</p></html>", "&unknown;",
         "It is not well-formed XML (undefined entity, line 1): it was read as HTML."),
        ("<html>" + "<i>" * 1_001 + "a" + "</i>" * 1_001 + "</html>", "a",
         "It is not read as XML with more than 1,000 elements in each other: it was read as HTML."),
        ("", "", ""),
        (" \n", "", ""),
    ],
)  # fmt: skip
def test_a_page_that_is_no_xml_is_read_as_html_and_says_so(markup: str, text: str, fault: str) -> None:
    said = read(markup)
    assert (said.text, said.fault) == (text, fault)


@pytest.mark.parametrize(
    ("markup", "known_from"),
    [
        (b"<?xml version='1.0' encoding='koi8-r'?><html><p>\xd6", "page"),
        (b"<html><meta charset=koi8-r><p>\xd6", "page"),
    ],
)
def test_the_charset_of_a_page_that_is_no_xml(markup: bytes, known_from: str) -> None:
    said = read(markup)
    assert (said.text, said.charset, said.charset_from) == ("ж", "koi8-r", known_from)
    assert said.fault


BOMBS = (
    '<!DOCTYPE html [<!ENTITY a "' + "x" * 100_000 + '">]><html><p>' + "&a;" * 100_000 + "</p></html>",
    "<!DOCTYPE html [<!ENTITY l0 'lol'>" + "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))
    + "]><html><p>&l9;</p></html>",
    '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html><p>&x;</p></html>',
    '<!DOCTYPE html [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]><html><p>a</p></html>',
    '<!DOCTYPE html [<!ATTLIST p title CDATA "' + "x" * 100_000 + '">]><html>' + "<p/>" * 50_000 + "</html>",
    "<html" + "".join(f" xmlns:n{n}='urn:{n}'" for n in range(20_000)) + "><p>a</p></html>",
    "<html>" + "<![CDATA[" * 100_000, "<html>" + "<a " * 200_000, "<html>" + "<!--" * 100_000, "<" * 200_000,
    "<html>" + "&amp" * 200_000, "<html>" + "<i>" * 200_000,
)  # fmt: skip


@pytest.mark.parametrize("number", range(len(BOMBS)))
def test_bombs_are_harmless(number: int) -> None:
    before = time.process_time()
    said = read(BOMBS[number])
    assert time.process_time() - before < 3
    assert "root:" not in said.text
    assert len(said.text) < 2_000_000


@given(st.text(st.sampled_from("<>/&;![]-=\"'?axp #"), max_size=60) | st.binary(max_size=60))
def test_anything_is_read(inside: str | bytes) -> None:
    body = inside if isinstance(inside, bytes) else inside.encode()
    read(body)
    read(b"<html xmlns='http://www.w3.org/1999/xhtml'><p>" + body + b"</p></html>")


def test_a_child_tells_what_was_wrong() -> None:
    for body, fault in ((b"<html><p>a</html>", True), (b"<html><p>a</p></html>", False)):
        said = decode_result(convert(b"".join(encode_task(XHTML, body, address=HERE))))
        assert isinstance(said, Extraction)
        assert (said.text, bool(said.fault)) == ("a", fault)


def test_links_by_choice_are_those_of_html() -> None:
    said = read(
        f"{STRICT}<head><title>T</title><script src='a.js'>see http://x.example/s</script></head><body>"
        "<!-- http://x.example/c --><p>a</p></body></html>", "", "resources", "text",
    )  # fmt: skip
    found = {link.address for link in said.links}
    assert {"https://h.example/docs/a.js", "http://x.example/s", "http://x.example/c"} <= found
    assert "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd" in found


def test_what_is_sent_as_html_is_html() -> None:
    said = extract_inline("text/html", f"{STRICT}<head><title/></head><body>a</body></html>".encode(), address=HERE)
    assert said.text == "", "browsers swallow it too"
    assert extract_xhtml(b"<html><p>a</p></html>", address=HERE).text == "a"
