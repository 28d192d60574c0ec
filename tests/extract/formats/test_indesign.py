"""Documents of InDesign in its format for exchange."""

from __future__ import annotations

import pytest

from cormorant.extract.detect.sniff import sniff
from cormorant.extract.errors import Unreadable
from cormorant.extract.formats.indesign import extract_idml
from cormorant.extract.job import ExtractionTask
from cormorant.model.content import Extraction
from tests.clocks import cpu_s
from tests.extract.pdf.metadata.test_document_metadata import packet
from tests.extract.writers import zipped

MIME = "application/vnd.adobe.indesign-idml-package"
TASK = ExtractionTask(MIME, "https://example.org/print/leaflet.idml")
PACKAGING = "http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging"
CONTAINER = '<container><rootfiles><rootfile full-path="designmap.xml"/></rootfiles></container>'


def story(inner: str) -> str:
    return f'<?xml version="1.0"?><idPkg:Story xmlns:idPkg="{PACKAGING}"><Story>{inner}</Story></idPkg:Story>'


def paragraph(*texts: str, more: str = "") -> str:
    runs = "".join(f"<CharacterStyleRange {more}><Content>{text}</Content></CharacterStyleRange>" for text in texts)
    return f"<ParagraphStyleRange>{runs}</ParagraphStyleRange>"


def idml(stories: dict[str, str], *, design: str = "", **parts: str) -> bytes:
    listed = "".join(f'<idPkg:Story src="Stories/{name}.xml"/>' for name in stories)
    files: dict[str, str | bytes] = {
        "mimetype": MIME,
        "designmap.xml": f'<Document xmlns:idPkg="{PACKAGING}">{design}{listed}</Document>',
        "META-INF/container.xml": CONTAINER,
        **{f"Stories/{name}.xml": story(inner) for name, inner in sorted(stories.items())},
        **{name.replace("__", "/") + ".xml": data for name, data in parts.items()},
    }
    return zipped(files, stored=("mimetype",))


def read(inner: str) -> Extraction:
    return extract_idml(idml({"Story_u1": inner}), TASK)


def test_it_is_known_by_its_bytes() -> None:
    body = idml({"Story_u1": paragraph("x")})
    assert sniff("", body) == sniff("application/epub+zip", body, "a.epub") == MIME
    assert (
        sniff("", zipped({"designmap.xml": "<a/>", "META-INF/container.xml": CONTAINER, "Stories/a.xml": "<a/>"}))
        == MIME
    )


def test_stories_are_read_in_the_order_of_the_document() -> None:
    found = extract_idml(
        idml({"Story_u2": paragraph("First"), "Story_u1": paragraph("Se", "cond") + paragraph("Last")}), TASK
    )
    assert found.text == "First\n\nSecond\nLast"
    assert found.title == "leaflet.idml"
    assert (found.truncated, found.fault) == (False, "")


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<ParagraphStyleRange><Content>a</Content><Br/><Content>b</Content></ParagraphStyleRange>", "a\nb"),
        (paragraph("a\u2028b \u00adc"), "a\nb c"),
        (paragraph("Chapter<?ACE 8?>5", " of <?ACE 18?>x"), "Chapter\t5 of x"),
        (paragraph("kanji", more='RubyFlag="true" RubyString="reading"') , "kanji(reading)"),
        (paragraph("kanji", more='RubyFlag="false" RubyString="reading"') , "kanji"),
        ('<Change ChangeType="DeletedText">' + paragraph("gone") + "</Change>" + paragraph("kept"), "kept"),
        ('<Change ChangeType="InsertedText">' + paragraph("new") + "</Change>", "new"),
        ('<TextVariableInstance ResultText="Part 2"/>', "Part 2"),
        ("<Properties><Label><Content>no</Content></Label></Properties>" + paragraph("yes"), "yes"),
        (paragraph("a") + f"<Footnote>{paragraph('noted')}</Footnote><Note>{paragraph('why')}</Note>" + paragraph("b"),
         "a\nb\n\nnoted\nwhy"),
        ('<Rectangle><ObjectExportOption CustomAltText="A heron"/></Rectangle>' + paragraph("a"), "a\n\nA heron"),
    ],
)  # fmt: skip
def test_text_reads_as_displayed(inner: str, expected: str) -> None:
    assert read(inner).text == expected


def test_cells_of_a_row_stand_on_one_line() -> None:
    cells = "".join(
        f'<Cell Name="{name}">{paragraph(name)}{paragraph("x")}</Cell>' for name in ("1:0", "0:0", "0:1", "1:1")
    )
    assert read(f"<Table>{cells}<Cell Name='0:2'/><Cell>{paragraph('odd')}</Cell></Table>").text.split("\n") == [
        "0:0 x\t1:0 x", "0:1 x\t1:1 x", "odd",
    ]  # fmt: skip


def test_its_metadata_links_and_pictures_are_read() -> None:
    about = packet(
        "<dc:title><rdf:Alt><rdf:li>Leaflet</rdf:li></rdf:Alt></dc:title>"
        "<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>"
        "<dc:subject><rdf:Bag><rdf:li>water</rdf:li></rdf:Bag></dc:subject>"
        "<dc:description><rdf:Alt><rdf:li>All about pumps</rdf:li></rdf:Alt></dc:description>"
    )
    spread = '<a><ObjectExportOption CustomAltText="A pump"/><ObjectExportOption CustomAltText="$ID/"/></a>'
    link = '<HyperlinkURLDestination DestinationURL="https://example.com/pumps"/>'
    parts = {"META-INF__metadata": about, "Spreads__Spread_u1": spread}
    found = extract_idml(idml({"Story_u1": paragraph("x")}, design=link, **parts), TASK)
    assert (found.title, found.text) == ("Leaflet", "x\n\nA pump")
    assert found.attributes == {"Author": "Ada", "Description": "All about pumps", "Keywords": ("water",)}
    assert [each.address for each in found.links] == ["https://example.com/pumps"]


def test_a_damaged_story_is_reported_and_the_others_are_read() -> None:
    body = idml({"Story_u1": paragraph("one") + "<Cut", "Story_u2": paragraph("two")})
    found = extract_idml(body, TASK)
    assert found.text == "one\n\ntwo"
    assert found.fault == "1 of its stories are damaged or missing."


def test_notes_and_tables_may_lie_deep_in_one_another() -> None:
    for name in ("Footnote", "Table", "Cell"):
        assert read(f"<{name}>" * 800 + paragraph("x") + f"</{name}>" * 800).text == "x"
    assert cpu_s(lambda: read("<Table><Cell><Footnote>" * 20_000), 1) < 5


def test_a_package_without_stories_cannot_be_read() -> None:
    with pytest.raises(Unreadable):
        extract_idml(idml({}), TASK)
