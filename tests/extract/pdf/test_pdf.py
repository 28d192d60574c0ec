"""What is found in a PDF, and in what order?"""

from __future__ import annotations

import random

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.pdf.attachments import pdf_embedded_files
from cormorant.extract.pdf.pdf import extract_pdf
from cormorant.model.content import Extraction, PageLink
from tests.extract import writers
from tests.extract.pdf.pdf_writer import FONT, TASK, encoded, page_file, pdf_file, shown, stream


def read(body: bytes) -> Extraction:
    return extract_pdf(body, TASK)


def test_pages_are_parted_by_a_blank_line() -> None:
    assert read(writers.pdf("Hello pumps", "page two")).text == "Hello pumps\n\npage two"


def test_a_title_that_nobody_wrote_gives_way_to_the_file_name() -> None:
    assert read(writers.pdf("x", title="untitled")).title == "a.pdf"
    assert read(writers.pdf("x", title="The pumps")).title == "The pumps"


def test_a_page_without_text_has_none() -> None:
    found = read(page_file())
    assert (found.text, found.truncated, found.fault) == ("", False, "")


# ------------------------------------------------------------------------------------------------------- annotations


def annotated(*annotations: str, more: dict[int, str | bytes] | None = None) -> Extraction:
    numbers = " ".join(f"{20 + number} 0 R" for number in range(len(annotations)))
    objects: dict[int, str | bytes] = {20 + number: each for number, each in enumerate(annotations)}
    return read(page_file("the page", page=f"/Annots [{numbers}]", more=objects | (more or {})))


def annotation(kind: str, entries: str) -> str:
    return f"<< /Type /Annot /Subtype /{kind} /Rect [50 690 200 715] {entries} >>"


def test_free_text_stands_with_its_page_and_comments_behind_all() -> None:
    said = annotated(
        annotation("Text", "/Contents (a remark)"),
        annotation("FreeText", "/Contents (written on the page)"),
        annotation("Highlight", "/Contents (well said)"),
    ).text
    assert said == "the page\nwritten on the page\n\na remark\nwell said"


def test_a_popup_is_found_once() -> None:
    parent = annotation("Text", "/Contents (a remark) /Popup 21 0 R")
    said = annotated(parent, annotation("Popup", "/Contents (a remark) /Parent 20 0 R")).text
    assert said.count("a remark") == 1


@pytest.mark.parametrize("entries", ["/F 2", "/F 32", "/StateModel (Review) /State (Accepted)"])
def test_what_nobody_sees_is_not_found(entries: str) -> None:
    assert annotated(annotation("Text", f"/Contents (secret) {entries}")).text == "the page"


def test_rich_text_stands_in_for_contents() -> None:
    rich = "/RC (<body xmlns='http://www.w3.org/1999/xhtml'><p>rich <b>words</b></p><p>and more</p></body>)"
    assert annotated(annotation("FreeText", rich)).text == "the page\nrich words and more"
    assert annotated(annotation("FreeText", "/RC (<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>)")).text == "the page"


def test_a_link_has_the_text_under_it() -> None:
    found = annotated(
        annotation("Link", "/A << /S /URI /URI (https://example.org/x y) >>"),
        annotation("Link", "/A << /S /URI /URI (other.html) >>"),
        annotation("Link", "/A << /S /GoToR /F (b c.pdf) /D [0 /Fit] >>"),
        annotation("Link", "/Dest [3 0 R /Fit]"),
        annotation("Link", "/A << /S /JavaScript /JS (app.alert\\(1\\)) >>"),
    )
    assert found.links == (
        PageLink("https://example.org/x%20y", "the page"),
        PageLink("http://example.org/papers/other.html", "the page"),
        PageLink("http://example.org/papers/b%20c.pdf", "the page"),
    )
    assert found.links_seen == 3


# ------------------------------------------------------------------------------------------------------------- forms


def form(*fields: str, more: dict[int, str | bytes] | None = None) -> str:
    numbers = " ".join(f"{20 + number} 0 R" for number in range(len(fields)))
    objects: dict[int, str | bytes] = {20 + number: each for number, each in enumerate(fields)}
    return read(
        page_file(
            "the page",
            page=f"/Annots [{numbers}]",
            catalog=f"/AcroForm << /Fields [{numbers}] /DA (/F1 12 Tf) >>",
            more=objects | (more or {}),
        )
    ).text


def widget(kind: str, entries: str) -> str:
    return annotation("Widget", f"/FT /{kind} {entries}")


def test_a_field_is_read_with_and_without_an_appearance() -> None:
    drawn = {30: stream("BT /F1 12 Tf (Ada) Tj ET", "/Subtype /Form /BBox [0 0 100 20]")}
    assert form(widget("Tx", "/T (name) /V (Ada) /AP << /N 30 0 R >>"), more=dict(drawn)) == "the page\nAda"
    assert form(widget("Tx", "/T (name) /V <FEFF00DC0062>")) == "the page\n\u00dcb"


def test_a_choice_is_read_as_it_is_shown() -> None:
    options = "/Opt [[(de) (Germany)] [(fr) (France)]]"
    assert form(widget("Ch", f"/T (land) /Ff 131072 {options} /V (fr)")) == "the page\nFrance"
    assert form(widget("Ch", f"/T (land) {options} /V [(de) (fr)]")) == "the page\nGermany\nFrance"
    assert form(widget("Ch", f"/T (land) /Ff 393216 {options} /V (Atlantis)")) == "the page\nAtlantis"
    assert form(widget("Ch", f"/T (land) /Ff 131072 {options}")) == "the page"


@pytest.mark.parametrize(
    "field",
    [
        widget("Btn", "/T (agree) /V /Yes /AS /Yes"),
        widget("Btn", "/T (which) /Ff 32768 /V /One"),
        widget("Tx", "/T (key) /Ff 8192 /V (secret)"),
        widget("Tx", "/T (key) /F 2 /V (secret)"),
        widget("Sig", "/T (signed)"),
    ],
)
def test_boxes_buttons_passwords_and_hidden_fields_say_nothing(field: str) -> None:
    assert form(field) == "the page"


def test_a_field_that_stands_twice_has_its_value_once() -> None:
    parent = "<< /FT /Tx /T (name) /V (Ada) /Kids [21 0 R 22 0 R] >>"
    kid = annotation("Widget", "/Parent 20 0 R")
    assert form(parent, kid, kid) == "the page\nAda"


def test_a_form_of_livecycle_is_read_from_its_packets() -> None:
    template = (
        "<template xmlns='http://www.xfa.org/schema/xfa-template/3.3/'><subform><draw><value><text>Apply here</text>"
        "</value></draw><field><caption><value><exData contentType='text/html'><body"
        " xmlns='http://www.w3.org/1999/xhtml'><p>Your</p><p>name</p></body></exData></value></caption><value>"
        "<text>not shown twice</text></value></field></subform></template>"
    )
    data = (
        "<xfa:datasets xmlns:xfa='http://www.xfa.org/schema/xfa-data/1.0/'><xfa:data><f><name>Ada</name>"
        f"<photo>{'QUJD' * 200}</photo></f></xfa:data></xfa:datasets>"
    )
    body = page_file(
        "Please wait...",
        catalog="/NeedsRendering true /AcroForm << /Fields [] /XFA [(template) 20 0 R (datasets) 21 0 R] >>",
        more={20: stream(template), 21: stream(data)},
    )
    assert read(body).text == "Apply here\nYour name\nAda"


# -------------------------------------------------------------------------------------------- outline, tags, language


def outline(*titles: str) -> dict[int, str | bytes]:
    last = 40 + len(titles) - 1
    items: dict[int, str | bytes] = {39: f"<< /First 40 0 R /Last {last} 0 R /Count {len(titles)} >>"}
    for number, title in enumerate(titles, 40):
        follows = f"/Next {number + 1} 0 R" if number < last else ""
        items[number] = f"<< /Title ({title}) /Parent 39 0 R /Dest [3 0 R /Fit] {follows} >>"
    return items


def test_bookmarks_are_found_unless_the_text_has_their_words() -> None:
    body = page_file("1. The  Pumps", "rest", catalog="/Outlines 39 0 R", more=outline("the pumps", "Valves"))
    assert read(body).text == "1. The Pumps\nrest\n\nValves"


def test_an_outline_that_runs_in_circles_ends() -> None:
    items = outline("one", "two")
    items[41] = "<< /Title (two) /Parent 39 0 R /Next 40 0 R /First 40 0 R /Last 41 0 R >>"
    assert read(page_file("x", catalog="/Outlines 39 0 R", more=items)).text == "x\n\none\ntwo"


def tagged(entries: str) -> bytes:
    content = f"/Figure << /MCID 0 >> BDC {shown('the page')} EMC"
    return pdf_file(
        {
            1: "<< /Type /Catalog /Pages 2 0 R /Lang (de-AT) /MarkInfo << /Marked true >> /StructTreeRoot 6 0 R >>",
            2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /StructParents 0"
            " /Resources << /Font << /F1 5 0 R >> >> >>",
            4: stream(content),
            5: FONT,
            6: "<< /Type /StructTreeRoot /K [7 0 R] /ParentTree << /Nums [0 [8 0 R]] >> >>",
            7: "<< /Type /StructElem /S /Document /P 6 0 R /K [8 0 R] >>",
            8: f"<< /Type /StructElem /S /Figure /P 7 0 R /Pg 3 0 R /K 0 {entries} >>",
        }
    )


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("/Alt (Ships at the quay)", "the page\nShips at the quay"),
        ("/ActualText (E = mc2)", "the page\nE = mc2"),
        ("/ActualText (the page)", "the page"),
        ("/ActualText (fi)", "the page"),
        ("/Alt (Picture 3)", "the page"),
        ("/Alt (IMG_2041.JPG)", "the page"),
        ("/Alt (A dog on a beach Description automatically generated)", "the page"),
    ],
)
def test_descriptions_that_somebody_wrote_are_found(entries: str, said: str) -> None:
    assert read(tagged(entries)).text == said


def test_the_language_is_that_of_the_catalog() -> None:
    assert read(tagged("")).language == "de-at"
    assert read(page_file("x", catalog="/Lang (no language)")).language == ""


# ----------------------------------------------------------------------------------------------------------- letters


def typeset(codes: str, *names: str) -> bytes:
    """Return a PDF that shows glyphs of these codes, 1 and following, whose characters are `names` (UTF-16, hex)."""
    rows = "".join(f"<{number:04x}> <{name}>\n" for number, name in enumerate(names, 1))
    table = f"begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange {len(names)} beginbfchar\n{rows}endbfchar"
    base = "/BaseFont /A /Encoding /Identity-H /DescendantFonts [11 0 R]"
    return pdf_file(
        {
            1: "<< /Type /Catalog /Pages 2 0 R >>",
            2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R"
            " /Resources << /Font << /F1 10 0 R >> >> >>",
            4: stream(f"BT /F1 12 Tf 50 700 Td <{codes}> Tj ET"),
            10: f"<< /Type /Font /Subtype /Type0 {base} {'/ToUnicode 12 0 R' if names else ''} >>",
            11: "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /DW 1000 /CIDSystemInfo << /Registry (Adobe)"
            " /Ordering (Identity) /Supplement 0 >> /FontDescriptor 13 0 R >>",
            12: stream(table),
            13: "<< /Type /FontDescriptor /FontName /A /Flags 4 /FontBBox [0 0 1000 1000] >>",
        }
    )


def test_ligatures_are_their_letters() -> None:
    assert read(typeset("000100020003", "fb01", "006e", "0064")).text == "find"
    assert read(typeset("00010002", "006f", "fb03")).text == "offi"


def test_arabic_and_hebrew_are_in_the_order_of_reading() -> None:
    # Shapes from left to right, as they are drawn: the word begins at the right.
    assert read(typeset("0001000200030004", "05dd", "05d5", "05dc", "05e9")).text == "\u05e9\u05dc\u05d5\u05dd"
    assert read(typeset("000100020003", "feeb", "ff21", "0062")).text == "\u0647\uff21b"


def test_a_page_whose_glyphs_have_no_characters_has_no_text() -> None:
    found = read(typeset("0024002500260027"))
    assert found.text == ""
    assert found.fault == "Page 1 cannot be read: the fonts do not say which letters they show."
    assert not found.truncated
    assert read(typeset("000100020003", "fffd", "e001", "0061")).text == ""


def test_soft_hyphens_within_words_are_gone() -> None:
    assert read(typeset("000100020003", "0061", "00ad", "0062")).text == "ab"


def test_text_that_stands_for_glyphs_is_taken() -> None:
    content = "/Span << /ActualText (drop) >> BDC BT /F1 12 Tf 50 700 Td (d r o p) Tj ET EMC"
    assert read(page_file(more={4: stream(content)})).text == "drop"


# ------------------------------------------------------------------------------------------------- locks and damage


def test_a_password_protects_and_the_empty_one_does_not() -> None:
    with pytest.raises(Protected):
        read(writers.pdf("secret words", password="swordfish"))
    lock = writers._Lock("")
    content = lock.crypt(shown("open words").encode(), 4)
    body = page_file(
        more={4: stream(content), 9: lock.dictionary()}, trailer=f"/Encrypt 9 0 R /ID [<{lock.ID.hex()}> <>]"
    )
    assert read(body).text == "open words"


def test_a_lock_that_needs_a_certificate_protects() -> None:
    with pytest.raises(Protected):
        read(page_file("x", more={9: "<< /Filter /Adobe.PubSec /V 4 >>"}, trailer="/Encrypt 9 0 R"))


@pytest.mark.parametrize("body", [b"", b"%PDF-1.4", b"no PDF at all", writers.pdf("x")[:120]])
def test_what_is_no_pdf_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable, match="damaged, or no PDF"):
        read(body)


def test_pages_that_cannot_be_read_are_named() -> None:
    pages = "[3 0 R 90 0 R 3 0 R 91 0 R]"
    found = read(page_file("seen", more={2: f"<< /Type /Pages /Kids {pages} /Count 4 >>"}))
    assert found.text == "seen\n\nseen"
    assert (found.truncated, found.fault) == (True, "Pages 2 and 4 cannot be read.")


@pytest.mark.parametrize("end", [b"xref", b"startxref", b"endobj\nxref"])
def test_a_file_that_lost_its_end_is_read_and_says_so(end: bytes) -> None:
    found = read(writers.pdf("Hello pumps").partition(end)[0])
    assert found.text == "Hello pumps"
    assert (found.truncated, found.fault) == (True, "The file has lost its end.")


def test_damage_raises_nothing_else() -> None:
    annotations = (annotation("FreeText", "/Contents (x)"), annotation("Link", "/A << /S /URI /URI (a) >>"))
    whole = page_file(
        "some text to be-",
        "gin with",
        page="/Annots [20 0 R 21 0 R 22 0 R]",
        catalog="/Outlines 39 0 R /AcroForm << /Fields [22 0 R] >>"
        " /Names << /EmbeddedFiles << /Names [(a) 30 0 R] >> >>",
        more={
            20: annotations[0],
            21: annotations[1],
            22: widget("Tx", "/T (n) /V (v)"),
            30: "<< /Type /Filespec /F (a.txt) /EF << /F 31 0 R >> >>",
            31: stream("hello"),
            **outline("one", "two"),
        },
    )
    chance = random.Random(7)
    for _ in range(300):
        body = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        cut = bytes(body[: chance.randrange(len(body))]) if chance.random() < 0.3 else bytes(body)
        try:
            read(cut)
            list(pdf_embedded_files(cut, TASK))
        except (Unreadable, Protected):
            continue


def test_counts_and_circles_are_not_believed() -> None:
    circle = {2: "<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 100000000 >>"}
    assert isinstance(read(page_file("x", more=dict(circle))), Extraction)
    kids = {20: "<< /FT /Tx /T (a) /Kids [20 0 R] /V (v) >>"}
    body = page_file("x", page="/Annots [20 0 R]", catalog="/AcroForm << /Fields [20 0 R] >>", more=dict(kids))
    assert read(body).text.startswith("x")


def test_cp1252_is_the_encoding_of_the_font() -> None:
    assert read(page_file("gr\u00fc\u00dfe \u201eja\u201c")).text == "gr\u00fc\u00dfe \u201eja\u201c"
    assert encoded("\u00fc") == b"\xfc"
