from __future__ import annotations

import pytest

from cormorant.extract.ooxml.properties import MAX_CUSTOM
from cormorant.model.content import Extraction
from tests.extract.ooxml.package_writer import paragraph, read_word, word

CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/">{}</cp:coreProperties>'
)
CUSTOM = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"'
    ' xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">{}</Properties>'
)
KINDS = {
    "core": "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties",
    "app": "extended-properties",
    "custom": "custom-properties",
}


def said(**parts: str) -> Extraction:
    package = word(paragraph("x"))
    for name, content in parts.items():
        package.relate("", KINDS[name], package.add(f"docProps/{name}2.xml", content))
    return read_word(package)


def custom(name: str, value: str) -> str:
    return f'<property name="{name}">{value}</property>'


def test_core_properties_become_title_language_and_attributes() -> None:
    core = CORE.format(
        "<dc:title>Log of the isle</dc:title><dc:creator>Ada; Ben</dc:creator><dc:subject>Birds</dc:subject>"
        "<dc:description>A daily_x000D_\nlog</dc:description><cp:keywords>auks, terns; gulls</cp:keywords>"
        "<cp:category>Logs</cp:category><dc:language>de-DE</dc:language><cp:lastModifiedBy>Eve</cp:lastModifiedBy>"
    )
    found = said(core=core, app="<Properties><Company>Observatory</Company><Pages>3</Pages></Properties>")
    assert found.title == "Log of the isle"
    assert found.language == "de-de"
    assert found.attributes == {
        "Author": ("Ada", "Ben"),
        "Subject": "Birds",
        "Description": "A daily log",
        "Category": "Logs",
        "Keywords": ("auks", "terns", "gulls"),
        "Company": "Observatory",
    }


def test_one_author_is_a_text() -> None:
    assert said(core=CORE.format("<dc:creator>Ada</dc:creator>")).attributes == {"Author": "Ada"}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("<vt:lpwstr>Skarvholm</vt:lpwstr>", "Skarvholm"),
        ("<vt:i4>42</vt:i4>", 42.0),
        ("<vt:r8>2.5</vt:r8>", 2.5),
        ("<vt:filetime>2026-03-14T10:00:00Z</vt:filetime>", "2026-03-14"),
        ("<vt:filetime>2026-03-14T08:15:00Z</vt:filetime>", "2026-03-14 08:15:00"),
        ("<vt:bool>true</vt:bool>", None),
        ("<vt:r8>nan</vt:r8>", None),
        ("<vt:i4>many</vt:i4>", None),
        ("<vt:filetime>soon</vt:filetime>", None),
        ("<vt:lpwstr/>", None),
    ],
)
def test_custom_properties_keep_their_names_and_types(value: str, found: str | float | None) -> None:
    attributes = said(custom=CUSTOM.format(custom("Station", value))).attributes
    assert attributes.get("Station") == found


def test_custom_properties_of_programs_are_left_out_and_the_number_is_bounded() -> None:
    text = "<vt:lpwstr>v</vt:lpwstr>"
    names = ["_dlc_DocId", "MSIP_Label_1_Name", "ContentTypeId", *(f"Field {number}" for number in range(80))]
    attributes = said(custom=CUSTOM.format("".join(custom(name, text) for name in names))).attributes
    assert list(attributes) == [f"Field {number}" for number in range(MAX_CUSTOM)]


def test_a_custom_property_does_not_take_the_place_of_the_author() -> None:
    core = CORE.format("<dc:creator>Ada</dc:creator>")
    found = said(core=core, custom=CUSTOM.format(custom("Author", "<vt:lpwstr>Eve</vt:lpwstr>")))
    assert found.attributes == {"Author": "Ada"}


def test_damaged_properties_cost_no_text() -> None:
    found = said(core="<cp:core")
    assert found.text == "x"
    assert found.title == "paper.docx"
