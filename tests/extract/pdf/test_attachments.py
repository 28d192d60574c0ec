"""Which files lie inside a PDF?"""

from __future__ import annotations

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.pdf import attachments
from cormorant.extract.pdf.attachments import pdf_embedded_files
from cormorant.extract.pdf.pdf import extract_pdf
from tests.extract import writers
from tests.extract.pdf.pdf_writer import TASK, page_file, stream

NAMES = "/Names << /EmbeddedFiles << /Names [(1) 30 0 R (2) 32 0 R] >> >>"
FILES: dict[int, str | bytes] = {
    30: "<< /Type /Filespec /F (old.txt) /UF (notes.txt) /Desc (minutes of May) /EF << /F 31 0 R >> >>",
    31: stream(
        "first file", "/Type /EmbeddedFile /Subtype /text#2Fplain /Params << /ModDate (D:20260314120000+01'00') >>"
    ),
    32: "<< /Type /Filespec /F (a\\\\b.csv) /EF << /F 33 0 R >> >>",
    33: stream("1;2", "/Type /EmbeddedFile"),
}
ON_PAGE = "<< /Type /Annot /Subtype /FileAttachment /Rect [0 0 9 9] /FS {} 0 R /Contents (see there) >>"


def test_files_of_the_document_come_with_name_type_and_date() -> None:
    first, second = pdf_embedded_files(page_file("x", catalog=NAMES, more=FILES), TASK)
    assert (first.path, first.body, first.mime, first.refusal) == ("notes.txt", b"first file", "text/plain", "")
    assert first.modified_at == 1773486000
    assert (second.path, second.body, second.mime, second.modified_at) == ("a/b.csv", b"1;2", "", None)


def test_files_of_annotations_come_too_and_each_file_once() -> None:
    more = FILES | {20: ON_PAGE.format(30), 21: ON_PAGE.format(34), 34: "<< /F (c.txt) /EF << /F 33 0 R >> >>"}
    body = page_file("x", catalog=NAMES, page="/Annots [20 0 R 21 0 R]", more=more)
    assert [file.path for file in pdf_embedded_files(body, TASK)] == ["notes.txt", "a/b.csv", "c.txt"]


def test_names_and_descriptions_are_text_and_contents_are_not() -> None:
    more = FILES | {20: ON_PAGE.format(34), 34: "<< /F (c.txt) /EF << /F 33 0 R >> >>"}
    body = page_file("x", catalog=NAMES, page="/Annots [20 0 R]", more=more)
    assert extract_pdf(body, TASK).text == "x\n\nsee there\nc.txt\nnotes.txt\nminutes of May\na/b.csv"


def test_a_portfolio_is_its_cover_and_its_files() -> None:
    body = page_file("cover", catalog=f"{NAMES} /Collection << /View /D >>", more=FILES)
    assert [file.body for file in pdf_embedded_files(body, TASK)] == [b"first file", b"1;2"]
    assert extract_pdf(body, TASK).text.startswith("cover\n\nnotes.txt")


def test_a_file_whose_bytes_are_missing_is_refused() -> None:
    more = {number: each for number, each in FILES.items() if number != 33}
    assert [file.refusal for file in pdf_embedded_files(page_file("x", catalog=NAMES, more=more), TASK)] == [
        "",
        "it is damaged",
    ]


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "MAX_ATTACHMENT", 5)
    first, second = pdf_embedded_files(page_file("x", catalog=NAMES, more=FILES), TASK)
    assert (first.body, first.refusal) == (b"", "it has more than 0 MiB")
    assert second.body == b"1;2"


@pytest.mark.parametrize("date", ["D:20261399", "D:0000", "yesterday", "D:2026", "D:20260314120000-9900"])
def test_dates_that_are_none_raise_nothing(date: str) -> None:
    more = FILES | {31: stream("x", f"/Params << /ModDate ({date}) >>")}
    found = list(pdf_embedded_files(page_file("x", catalog=NAMES, more=more), TASK))
    assert (found[0].modified_at is not None) == (date == "D:2026")


def test_who_stops_in_the_middle_of_a_page_leaves_nothing_open() -> None:
    more = FILES | {20: ON_PAGE.format(34), 21: ON_PAGE.format(34), 34: "<< /F (c.txt) /EF << /F 33 0 R >> >>"}
    for _ in range(50):
        files = pdf_embedded_files(page_file("x", catalog=NAMES, page="/Annots [20 0 R 21 0 R]", more=more), TASK)
        assert [next(files).path for _ in range(3)][-1] == "c.txt"
        del files


def test_it_is_lazy_and_raises_as_the_reader_does() -> None:
    files = pdf_embedded_files(page_file("x", catalog=NAMES, more=FILES), TASK)
    assert next(files).path == "notes.txt"
    files.close()  # type: ignore[attr-defined]
    with pytest.raises(Protected):
        next(pdf_embedded_files(writers.pdf("x", password="y"), TASK))
    with pytest.raises(Unreadable):
        next(pdf_embedded_files(b"x", TASK))
