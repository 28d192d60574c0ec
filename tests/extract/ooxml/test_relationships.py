from __future__ import annotations

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.ooxml.relationships import OoxmlPackage, Relationship
from tests.extract.ooxml.package_writer import OFFICE, STRICT_OFFICE, OfficePackage, zipped

RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'


def opened(relations: str, **parts: str) -> OoxmlPackage:
    files = {"_rels/.rels": RELATIONS.format(relations), "word/document.xml": "<d/>"}
    return OoxmlPackage(zipped(files | parts))


def relation(kind: str, target: str, identity: str = "r1", more: str = "") -> str:
    return f'<Relationship Id="{identity}" Type="{kind}" Target="{target}" {more}/>'


@pytest.mark.parametrize("kind", [f"{OFFICE}/officeDocument", f"{STRICT_OFFICE}/officeDocument"])
@pytest.mark.parametrize(
    "target",
    ["word/document.xml", "/word/document.xml", "./word/document.xml", "word\\document.xml", "WORD/Document.xml"],
)
def test_the_main_part_is_found_whatever_the_reference_looks_like(kind: str, target: str) -> None:
    assert opened(relation(kind, target)).main_part().lower() == "word/document.xml"


def test_a_name_that_is_percent_encoded_is_found() -> None:
    package = OoxmlPackage(zipped({"_rels/.rels": RELATIONS.format(relation("x/image", "a%20b.png")), "a b.png": "x"}))
    assert package.related("", "image") == ["a b.png"]


def test_the_main_part_is_found_by_its_type_where_the_relationships_are_lost() -> None:
    package = OfficePackage()
    package.add(
        "odd/main.xml", "<d/>", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    )
    assert OoxmlPackage(package.data()).main_part() == "odd/main.xml"


def test_the_main_part_is_found_by_its_usual_name_in_the_end() -> None:
    assert OoxmlPackage(zipped({"ppt/presentation.xml": "<p/>"})).main_part() == "ppt/presentation.xml"
    with pytest.raises(Unreadable, match="no main part"):
        OoxmlPackage(zipped({"a": "b"})).main_part()


def test_references_to_the_outside_are_kept_as_written() -> None:
    package = opened(relation("x/hyperlink", "https://a.example/?b=c#d", more='TargetMode="External"'))
    assert package.relationships() == {"r1": Relationship("r1", "hyperlink", "https://a.example/?b=c#d", True)}
    assert package.related("", "hyperlink") == []
    assert package.target("", "r1") == ""


def test_references_that_leave_the_document_or_lead_nowhere_lead_to_nothing() -> None:
    package = opened(relation("x/image", "../../etc/passwd") + relation("x/image", "gone.png", "r2"))
    assert package.related("", "image") == []
    assert package.target("", "r2") == ""


def test_the_first_of_equal_ids_counts() -> None:
    package = opened(relation("x/image", "word/document.xml") + relation("x/chart", "word/document.xml"))
    assert package.relationships()["r1"].kind == "image"


def test_content_types_are_those_of_the_part_else_of_its_extension() -> None:
    package = OfficePackage()
    package.add("a/b.xml", "<x/>", "Application/One+XML")
    opened_package = OoxmlPackage(package.data())
    assert opened_package.content_type("/A/B.xml") == "application/one+xml"
    assert opened_package.content_type("other.xml") == "application/xml"
    assert opened_package.content_type("other.png") == ""


def test_damage_is_noted_once() -> None:
    package = opened("", **{"word/styles.xml": "<a><b></a>"})
    package.xml("word/styles.xml")
    package.xml("word/styles.xml")
    assert package.faults == ["word/styles.xml"]
    assert package.xml("word/document.xml") is not None


def test_entities_are_refused_in_their_part_alone() -> None:
    package = opened("", **{"word/styles.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'})
    assert package.xml("word/styles.xml") is None
    assert package.faults == ["word/styles.xml"]


def test_a_document_behind_a_password_is_protected() -> None:
    with pytest.raises(Protected):
        OoxmlPackage(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))
