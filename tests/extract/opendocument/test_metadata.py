from __future__ import annotations

from tests.extract.opendocument.packages import odf, read

META = (
    "<dc:title>Annual report</dc:title><dc:subject>Money</dc:subject><dc:description>All of\nit</dc:description>"
    "<meta:initial-creator>Ann; Cid</meta:initial-creator><dc:creator>Bob</dc:creator><dc:language>de-DE</dc:language>"
    "<meta:keyword>one</meta:keyword><meta:keyword>two, three</meta:keyword>"
)


STANDARD = ("Author", "Subject", "Description", "Keywords")


def custom(name: str, value: str, kind: str = "string") -> str:
    return f'<meta:user-defined meta:name="{name}" meta:value-type="{kind}">{value}</meta:user-defined>'


def test_a_document_states_title_authors_and_keywords() -> None:
    said = read(odf(meta=META))
    assert said.title == "Annual report"
    assert said.language == "de-de"
    assert said.attributes == {
        "Author": ("Ann", "Cid", "Bob"),
        "Subject": "Money",
        "Description": "All of it",
        "Keywords": ("one", "two", "three"),
    }


def test_a_document_without_a_title_has_its_subject_or_its_name() -> None:
    assert read(odf(meta="<dc:subject>Money</dc:subject>")).title == "Money"
    assert read(odf()).title == "file.odt"


def test_custom_properties_have_their_types_and_change_no_other() -> None:
    made = META + (
        custom("Department", "Sales") + custom("Cost", "2.5", "float") + custom("Due", "2026-03-14T00:00:00", "date")
        + custom("Author", "Mallory") + custom("Protection", "password") + custom("Bad", "nan", "float")
        + custom("ScaleCrop", "false", "boolean") + custom("Info 1", "")
    )  # fmt: skip
    attributes = read(odf(meta=made)).attributes
    assert attributes["Author"] == ("Ann", "Cid", "Bob")
    assert {name: attributes[name] for name in attributes if name not in STANDARD} == {
        "Department": "Sales", "Cost": 2.5, "Due": "2026-03-14", "Bad": "nan",
    }  # fmt: skip


def test_custom_properties_without_end_are_cut() -> None:
    assert len(read(odf(meta="".join(custom(f"n{number}", "v") for number in range(500)))).attributes) == 50
