from __future__ import annotations

import random
from contextlib import suppress

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.formats.epub import extract_epub
from cormorant.extract.job import ExtractionTask
from cormorant.model.content import Extraction
from tests.clocks import cpu_s
from tests.extract.writers import zipped

TASK = ExtractionTask("application/epub+zip", "https://h.example/shelf/book.epub")
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile'
    ' full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
METADATA = (
    "<dc:title>The Heron</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:language>en-GB"
    "</dc:language><dc:subject>Birds</dc:subject><dc:publisher>Reed</dc:publisher><dc:description>&lt;p&gt;About"
    " &lt;b&gt;herons&lt;/b&gt;&lt;/p&gt;</dc:description>"
)


def package(chapters: dict[str, str], *, metadata: str = METADATA, spine: str = "", navigation: str = "") -> str:
    nav = ' properties="nav"'
    items = "".join(
        f'<item id="{key}" href="{href}" media-type="application/xhtml+xml"{nav if key == navigation else ""}/>'
        for key, href in chapters.items()
    )
    listed = spine or "".join(f'<itemref idref="{key}"/>' for key in chapters)
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"{metadata}</metadata><manifest>{items}</manifest><spine>{listed}</spine></package>"
    )


def page(inner: str) -> str:
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{inner}</body></html>'


def book(pages: dict[str, str], *, navigation: str = "", spine: str = "", **more: str) -> bytes:
    """Return a book; `pages` are chapters by their keys, which are their names too."""
    chapters = {key: f"text/{key}.xhtml" for key in pages}
    files: dict[str, str | bytes] = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package(chapters, spine=spine, navigation=navigation),
        **{f"OEBPS/text/{key}.xhtml": page(inner) for key, inner in pages.items()},
        **more,
    }
    return zipped(files)


def read(body: bytes) -> Extraction:
    return extract_epub(body, TASK)


def test_chapters_are_read_in_the_order_of_the_spine() -> None:
    spine = '<itemref idref="b"/><itemref idref="a"/><itemref idref="b"/><itemref idref="none"/>'
    said = read(book({"a": "<p>last</p>", "b": "<p>first</p>", "c": "<p>unlisted</p>"}, spine=spine))
    assert said.text == "first\n\nlast"
    assert not said.truncated


def test_a_book_states_its_particulars() -> None:
    said = read(book({"a": "<p>x</p>"}))
    assert said.title == "The Heron"
    assert said.language == "en-gb"
    assert said.attributes == {
        "Author": ("Ann", "Bob"),
        "Subject": "Birds",
        "Publisher": "Reed",
        "Description": "About herons",
    }


def test_links_out_of_the_book_count_and_links_within_it_do_not() -> None:
    inner = '<p><a href="b.xhtml#x">next</a> <a href="../../../x">up</a> <a href="https://x.example/y">far</a></p>'
    said = read(book({"a": inner, "b": "<p>y</p>"}))
    assert [(link.address, link.text) for link in said.links] == [("https://x.example/y", "far")]


def test_a_table_of_contents_that_repeats_titles_is_left_out() -> None:
    nav = '<nav><h1>Contents</h1><ol><li><a href="a.xhtml">One</a></li></ol></nav>'
    assert read(book({"n": nav, "a": "<h1>One</h1><p>x</p>"}, navigation="n")).text == "One\n\nx"
    said = read(book({"n": nav.replace(">One<", ">Other<"), "a": "<h1>One</h1><p>x</p>"}, navigation="n"))
    assert said.text.startswith("Contents")
    assert "Other" in said.text
    assert read(book({"n": nav}, navigation="n")).text.startswith("Contents")


def locked(algorithm: str, name: str) -> dict[str, str]:
    """Return the part that says of a file that it is encrypted."""
    return {
        "META-INF/encryption.xml": '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
        ' xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod'
        f' Algorithm="{algorithm}"/><enc:CipherData><enc:CipherReference URI="{name}"/></enc:CipherData>'
        "</enc:EncryptedData></encryption>"
    }


def test_contents_that_are_no_line_of_the_text_are_found_after_it() -> None:
    nav = '<nav epub:type="toc"><a href="a.xhtml">One</a><a href="b.xhtml">A map</a></nav><nav><a>page 1</a></nav>'
    nav = page(nav).replace("<html ", '<html xmlns:epub="http://www.idpf.org/2007/ops" ')
    ncx = "<ncx><navMap><navPoint><navLabel><text>A map</text></navLabel></navPoint></navMap></ncx>"
    item = '<item id="t" href="%s" media-type="%s" properties="%s"/></manifest>'
    for name, listed, kind, properties in (
        ("nav.xhtml", nav, "application/xhtml+xml", "nav"),
        ("toc.ncx", ncx, "application/x-dtbncx+xml", ""),
    ):
        opf = package({"a": "a.xhtml"}).replace("</manifest>", item % (name, kind, properties))
        assert read(zipped({"x.opf": opf, "a.xhtml": page("<p>One</p>"), name: listed})).text == "One\n\nA map"


def test_pictures_have_the_text_that_a_person_gave_them() -> None:
    inner = "<p>x<img src='a.png' alt='A heron &amp; reed'/><img alt=\"a.png\" src='a.png'/><img alt='cut</p><p>y</p>"
    assert read(book({"a": f"<div>{inner}</div>"})).text.startswith("x A heron & reed")
    assert ".png" not in read(book({"a": inner.partition("<img alt='cut")[0] + "</p>"})).text


def test_a_mark_of_a_note_is_not_glued_to_its_word() -> None:
    assert read(book({"a": '<p>word<a class="noteref" href="#n"><sup>1</sup></a></p>'})).text == "word 1"


def test_a_book_with_rights_management_is_protected() -> None:
    chapter = locked("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/text/a.xhtml")
    with pytest.raises(Protected):
        read(book({"a": "<p>x</p>"}, **chapter))
    partly = read(book({"a": "<p>x</p>", "b": "<p>y</p>"}, **chapter))
    assert partly.text == "y"
    assert partly.fault == "1 of its 2 chapters are encrypted."


def test_fonts_that_are_hidden_protect_no_book() -> None:
    font = locked("http://www.idpf.org/2008/embedding", "OEBPS/fonts/a.otf")
    assert not read(book({"a": "<p>x</p>"}, **font)).fault


def test_a_missing_chapter_is_a_fault() -> None:
    made = zipped({
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package({"a": "a.xhtml", "gone": "gone.xhtml"}),
        "OEBPS/a.xhtml": page("<p>here</p>"),
    })  # fmt: skip
    said = read(made)
    assert said.text == "here"
    assert said.truncated
    assert said.fault == "1 of its 2 chapters are missing."


@pytest.mark.parametrize(
    "files",
    [
        {"x.opf": package({"a": "a%20b.xhtml"}), "a b.xhtml": page("<p>here</p>")},
        {"META-INF/container.xml": "<broken", "x.opf": package({"a": "A B.XHTML"}), "a b.xhtml": page("<p>here</p>")},
        {"META-INF/container.xml": CONTAINER, "a b.xhtml": page("<p>here</p>")},
        {"OEBPS/book.opf": "<package/>", "META-INF/container.xml": CONTAINER, "a.html": "<p>here"},
    ],
)
def test_a_book_whose_lists_are_damaged_is_read_all_the_same(files: dict[str, str | bytes]) -> None:
    assert read(zipped(files)).text == "here"


def test_a_chapter_that_is_no_xml_is_read_as_html() -> None:
    assert read(book({"a": "<p>one<br>two & three"})).text == "one\ntwo & three"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"PK",
        zipped({"mimetype": "application/epub+zip"}),
        zipped({"META-INF/container.xml": CONTAINER}),
        zipped({"x.opf": package({"a": "../../../etc/passwd.html"})}),
        zipped({"x.opf": "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"}),
    ],
)
def test_what_is_no_book_is_refused(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read(body)


@pytest.mark.parametrize("inner", ["<img " + "alt='a" * 200_000, "<a " * 200_000 + "noteref", "<img alt=" * 200_000])
def test_hostile_pages_cost_little(inner: str) -> None:
    assert cpu_s(lambda: read(book({"a": inner})), 1) < 5


def test_mutations_raise_nothing_unexpected() -> None:
    chance = random.Random(3)
    files: dict[str, str | bytes] = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package({"a": "a.xhtml", "n": "n.xhtml"}, navigation="n"),
        "OEBPS/a.xhtml": page("<p>x</p>"),
        "OEBPS/n.xhtml": page('<a href="a.xhtml">x</a>'),
    }
    whole = zipped(files, stored=tuple(files))
    for _ in range(300):
        broken = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        with suppress(Unreadable, Protected):
            read(bytes(broken))
