"""What does a PDF say of itself, and where?"""

from __future__ import annotations

import zlib

import pytest

from cormorant.extract.pdf.metadata.xmp import document_packet
from cormorant.extract.pdf.pdf import extract_pdf
from cormorant.model.content import Extraction
from tests.extract.pdf.pdf_writer import TASK, page_file, stream

PROPERTIES = """
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Title of XMP</rdf:li><rdf:li xml:lang="de">Titel</rdf:li></rdf:Alt>
</dc:title>
<dc:creator><rdf:Seq><rdf:li>Ada L.</rdf:li><rdf:li>Bo M.</rdf:li></rdf:Seq></dc:creator>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">All about pumps</rdf:li></rdf:Alt></dc:description>
<dc:subject><rdf:Bag><rdf:li>water</rdf:li><rdf:li>steam</rdf:li></rdf:Bag></dc:subject>
<dc:language><rdf:Bag><rdf:li>fr-CA</rdf:li></rdf:Bag></dc:language>
<pdf:Keywords>air; water</pdf:Keywords>
<pdfx:Project>Blue &amp; Green</pdfx:Project><pdfx:SourceModified>D:2026</pdfx:SourceModified>
"""


def packet(properties: str, attributes: str = "") -> str:
    return (
        '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF'
        ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"'
        f' xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/" {attributes}>{properties}</rdf:Description></rdf:RDF></x:xmpmeta>'
        '<?xpacket end="w"?>'
    )


def read(info: str = "", *packets: str | bytes, entries: str = "", catalog: str = "") -> Extraction:
    more: dict[int, str | bytes] = {9: f"<< {info} >>"}
    for number, each in enumerate(packets, 20):
        more[number] = stream(each, f"/Type /Metadata /Subtype /XML {entries}")
    metadata = "/Metadata 20 0 R" if packets else ""
    return extract_pdf(page_file("x", catalog=metadata + catalog, more=more, trailer="/Info 9 0 R"), TASK)


def test_the_info_dictionary_is_read() -> None:
    info = (
        "/Title (The pumps) /Author (Ada; Bo) /Subject (Water) /Keywords (water; air,water) /Comments (A draft)"
        " /Company (Pump Works) /Category (Manual) /Producer (nobody)"
    )
    found = read(info)
    assert found.title == "The pumps"
    assert found.attributes == {
        "Author": ("Ada", "Bo"),
        "Subject": "Water",
        "Description": "A draft",
        "Keywords": ("water", "air"),
        "Company": "Pump Works",
        "Category": "Manual",
    }


def test_the_packet_is_read_where_there_is_no_info() -> None:
    found = read("", packet(PROPERTIES))
    assert (found.title, found.language) == ("Title of XMP", "fr-ca")
    assert found.attributes == {
        "Project": "Blue & Green",
        "Author": ("Ada L.", "Bo M."),
        "Description": "All about pumps",
        "Keywords": ("air", "water", "steam"),
    }


def test_both_are_put_together() -> None:
    found = read("/Title (Untitled) /Author (Ada) /Subject (All about pumps) /Keywords (oil)", packet(PROPERTIES))
    assert found.title == "Title of XMP"
    assert found.attributes["Author"] == ("Ada L.", "Bo M.")
    assert found.attributes["Subject"] == "All about pumps"
    assert "Description" not in found.attributes
    assert found.attributes["Keywords"] == ("oil", "air", "water", "steam")
    assert read("/Title (Info)", packet(PROPERTIES), catalog="/Lang (de)").language == "de"


def test_properties_may_be_attributes_and_packets_compressed() -> None:
    short = packet("", 'pdf:Producer="p" pdf:Keywords="steam" dc:format="application/pdf" pdfx:Room="12"')
    assert read("", short).attributes == {"Keywords": ("steam",), "Room": "12"}
    squeezed = zlib.compress(short.encode())
    assert read("", squeezed, entries="/Filter /FlateDecode").attributes["Keywords"] == ("steam",)


def test_the_packet_of_a_picture_says_nothing_of_the_document() -> None:
    picture = packet("<dc:format>image/jpeg</dc:format><dc:title>Sunset</dc:title>")
    assert read("", packet(PROPERTIES), picture).title == "Title of XMP"
    assert document_packet(page_file("x", more={20: stream(picture, "/Type /Metadata")})).dublin_core("title") == []


def test_the_last_of_several_versions_counts() -> None:
    newer = packet("<dc:format>application/pdf</dc:format><dc:title>Newer</dc:title>")
    assert read("", packet(PROPERTIES), newer).title == "Newer"


@pytest.mark.parametrize(
    "hostile",
    [
        "<rdf:RDF",
        '<!DOCTYPE a [<!ENTITY b "c">]><rdf:RDF>&b;</rdf:RDF>',
        "<a>" * 100_000 + "rdf:RDF",
        b"\xff\xfe\x00 rdf:RDF \x80",
    ],
)
def test_a_packet_that_is_none_is_no_fault(hostile: str | bytes) -> None:
    assert read("/Title (Info)", hostile).title == "Info"


def test_custom_properties_have_a_bound() -> None:
    many = "".join(f"<pdfx:P{number}>v</pdfx:P{number}>" for number in range(200))
    assert len(read("", packet("<dc:format>application/pdf</dc:format>" + many)).attributes) == 50


def test_entries_of_the_authors_own_are_attributes() -> None:
    info = (
        "/Title (The pumps) /Department (Water \\(cold\\)) /Count 5 /Odd#20name <FEFF00E9> /Status /Draft"
        " /Parts [/In (x)] /More << /Deep (x) >> % /Remark (x)\n /Unit(m) /Protection (password) /Trapped /True"
        " /CreationDate (D:2026) /Producer (nobody) /Description (Of pumps)"
    )
    assert read(info).attributes == {
        "Department": "Water (cold)", "Odd name": "\u00e9", "Unit": "m", "Description": "Of pumps",
    }  # fmt: skip


def test_entries_in_both_places_are_one_attribute() -> None:
    packet_of = packet("<dc:format>application/pdf</dc:format><pdfx:Room\u21820020no>12</pdfx:Room\u21820020no>")
    assert read("/Room#20no (12) /Floor (1)", packet_of.encode()).attributes == {"Room no": "12", "Floor": "1"}


def test_entries_of_the_info_dictionary_have_a_bound() -> None:
    assert len(read("".join(f"/K{number} (v) " for number in range(2_000))).attributes) == 50
