"""An answer of a Tika server becomes what a document says; one that is hostile, cut or none harms nobody."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ConversionFault, ExtractionTask, decode_result, encode_task
from cormorant.extract.tika_answer import IN_PART, convert, extract_tika_answer
from cormorant.model.content import Extraction

TASK = ExtractionTask("application/onenote", "file:///srv/notes.one", file_name="notes.one")
PARSED = {"X-TIKA:Parsed-By": ["org.apache.tika.parser.DefaultParser", "org.apache.tika.parser.SomeParser"]}
LOCKED = "org.apache.tika.exception.EncryptedDocumentException: Unable to process: document is encrypted\n\tat a.b.C"
BROKEN = "org.apache.tika.exception.TikaException: unitMagic must always be: 0xa4\n\tat org.apache.tika.A.b(A.java:1)"
FAULT = "X-TIKA:EXCEPTION:container_exception"


def read(*documents: dict[str, Any]) -> Extraction:
    said = extract_tika_answer(json.dumps(documents).encode(), TASK)
    assert isinstance(said, Extraction)
    return said


def document(text: str = "", **about: Any) -> dict[str, Any]:
    return PARSED | {"X-TIKA:content": text} | {name.replace("__", ":"): value for name, value in about.items()}


def test_text_and_title() -> None:
    said = read(document("\n\n\n\nHarbour plan\n\nThe first line.\n\n\n\nThe second.\n", dc__title="Harbour plan"))
    assert said.text == "The first line.\n\nThe second.", "the title stands above it"
    assert said.title == "Harbour plan"
    assert (said.truncated, said.fault) == (False, "")


def test_a_document_that_says_nothing_but_its_title_has_no_text() -> None:
    said = read(document("\n\nHarbour project\n", dc__title="Harbour project"))
    assert (said.text, said.title) == ("", "Harbour project")


@pytest.mark.parametrize("title", ["", "Untitled", "Document1"])
def test_without_a_title_it_is_called_by_its_name(title: str) -> None:
    assert read(document("words", dc__title=title)).title == "notes.one"


def test_attributes_as_tika_3_names_them() -> None:
    about = document(
        "x", dc__creator=["Ada", "Ben"], dc__subject=["Moorings", "quay; mole"], dc__description="Where ships lie",
        dc__language="en-GB", meta__keyword="quay; mole", cp__category="Plans",
    )  # fmt: skip
    said = read(about | {"extended-properties:Company": "Harbour board"})
    assert said.attributes == {
        "Author": ("Ada", "Ben"), "Subject": "Moorings", "Description": "Where ships lie",
        "Keywords": ("quay", "mole"), "Category": "Plans", "Company": "Harbour board", "ReadBy": "Apache Tika",
    }  # fmt: skip
    assert said.language == "en-gb"


def test_attributes_as_tika_1_names_them() -> None:
    about = document("x", dc__creator="Ada", dc__subject="quay, mole", title="Plan")
    said = read(about | {"meta:keyword": "quay, mole", "cp:subject": "Moorings", "comment": "Where", "language": "de"})
    assert said.attributes == {
        "Author": "Ada", "Subject": "Moorings", "Description": "Where", "Keywords": ("quay", "mole"),
        "ReadBy": "Apache Tika",
    }  # fmt: skip
    assert (said.title, said.language) == ("Plan", "de")


@pytest.mark.parametrize(
    ("subjects", "expected"),
    [(["tern", "gull"], {"Keywords": ("tern", "gull")}), ("Birds", {"Subject": "Birds"})],
)
def test_subjects_without_keywords(subjects: Any, expected: dict[str, Any]) -> None:
    assert read(document("x", dc__subject=subjects)).attributes == expected | {"ReadBy": "Apache Tika"}


def test_what_differs_with_each_answer_is_not_said() -> None:
    def answer(number: int) -> dict[str, Any]:
        return document("words", dc__title="Plan") | {
            "X-TIKA:parse_time_millis": str(number), "File Modified Date": f"Sat Nov {number}", "X-TIKA:digest": "ab",
            "File Name": f"apache-tika-{number}.tmp", "X-TIKA:Parsed-By-Full-Set": [f"parser {number}"],
        }  # fmt: skip

    assert read(answer(1)) == read(answer(2))


def test_documents_within_stand_below_their_names() -> None:
    mail = document("Bring the boat.", dc__title="About the boat", dc__creator="Ben", resourceName="3.msg")
    picture = document("", resourceName="preview.jpg")
    said = read(document("Attached."), mail | {"Message-To": ["ada@example.org"]}, picture)
    assert said.text == "Attached.\n\n3.msg\nAbout the boat\nBen\nada@example.org\nBring the boat."


def test_one_within_that_cannot_be_read_is_told_of() -> None:
    failed = document("", resourceName="a.doc") | {"X-TIKA:EXCEPTION:embedded_exception": BROKEN}
    assert read(document("words"), failed).fault == "A document in it could not be read."
    assert read(document("words"), failed, failed).fault == "2 documents in it could not be read."
    picture = failed | {"Content-Type": "image/jpeg"}
    assert read(document("words"), picture).fault == "", "no text is missing"


def test_one_behind_a_password_is_kept_by_its_name() -> None:
    answer = json.dumps([PARSED | {FAULT: LOCKED}]).encode()
    with pytest.raises(Protected):
        extract_tika_answer(answer, TASK)
    said = decode_result(convert(b"".join(encode_task(TASK.mime, answer, address=TASK.address))))
    assert isinstance(said, Extraction)
    assert said.attributes == {"Protection": "password"}


@pytest.mark.parametrize("key", [FAULT, "X-TIKA:EXCEPTION:runtime"])
def test_a_damaged_one_yields_what_can_be_read(key: str) -> None:
    said = read(document("The beginning") | {key: BROKEN})
    assert (said.text, said.truncated, said.fault) == ("The beginning", True, IN_PART)


def test_a_damaged_one_without_text_has_failed() -> None:
    answer = json.dumps([PARSED | {FAULT: BROKEN}]).encode()
    said = decode_result(convert(b"".join(encode_task(TASK.mime, answer, address=TASK.address))))
    assert isinstance(said, ConversionFault)
    assert said.status == 903
    assert said.reason == "The document cannot be read: Apache Tika found it damaged, or of another format."
    assert said.detail == "org.apache.tika.exception.TikaException: unitMagic must always be: 0xa4"


def test_one_without_a_parser_is_told_apart_from_one_without_text() -> None:
    said = extract_tika_answer(b'[{"X-TIKA:Parsed-By": "org.apache.tika.parser.EmptyParser"}]', TASK)
    assert said == ConversionFault(908, "Apache Tika has no parser for application/onenote.")
    assert read(document("")).text == ""


@pytest.mark.parametrize("limit", ["write_limit_reached", "embedded_resource_limit_reached"])
def test_a_limit_that_was_reached_is_told(limit: str) -> None:
    assert read(document("words") | {f"X-TIKA:EXCEPTION:{limit}": "true"}).truncated


def test_of_an_answer_that_is_cut_what_is_complete_is_read() -> None:
    whole = json.dumps([document("one"), *(document(f'"two" }},{{ {n}', resourceName="x") for n in range(5))]).encode()
    whole = whole.replace(b"}, {", b"},{")
    for end in range(len(whole) - 40, len(whole) - 1):
        said = extract_tika_answer(whole[:end], TASK)
        assert isinstance(said, Extraction)
        assert said.truncated
        assert said.text.startswith("one\n\nx\n")
    with pytest.raises(Unreadable):
        extract_tika_answer(whole[:60], TASK)


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"null", b"{}", b"[]", b"[[]]", b"[null]", b"<html>502 Bad Gateway</html>", b"[" * 100_000,
        b'[{"a":' * 9_999, b"\xff\xfe", b'["},{\\"' * 9_999,
    ],
)  # fmt: skip
def test_what_is_no_answer(answer: bytes) -> None:
    with pytest.raises(Unreadable, match="the answer of the Tika server cannot be read"):
        extract_tika_answer(answer, TASK)


def test_values_of_other_kinds_count_as_absent() -> None:
    said = read({"X-TIKA:content": ["words \ud800"], "dc:title": 7, "dc:creator": [None, {"a": 1}, "Ada"]})
    assert (said.text, said.title, said.attributes["Author"]) == ("words", "notes.one", "Ada")
    task = encode_task(TASK.mime, b'[{"X-TIKA:content":"a\\u0000b\\u0007\\u200b c"}]', address=TASK.address)
    cleaned = decode_result(convert(b"".join(task)))
    assert isinstance(cleaned, Extraction)
    assert "\x00" not in cleaned.text


def test_mutations_harm_nobody() -> None:
    chance = random.Random(7)
    answer = json.dumps([document("Words of the harbour", dc__title="Plan"), document("More", resourceName="a")])
    for _ in range(300):
        body = bytearray(answer.encode())
        for _ in range(chance.randint(1, 6)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        try:
            extract_tika_answer(bytes(body[: chance.randint(1, len(body))]), TASK)
        except (Unreadable, Protected):
            continue
