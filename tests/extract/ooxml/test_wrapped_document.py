from __future__ import annotations

import base64
import io
import re
import zipfile
import zlib

import pytest

from cormorant.extract.detect.media_types import ENCRYPTED, FLAT_POWERPOINT, FLAT_WORD
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import write_compound
from cormorant.extract.ooxml import package_builder
from cormorant.extract.ooxml.encryption import MAX_SPINS, decrypted_package
from cormorant.extract.ooxml.word.word_document import extract_docx
from cormorant.extract.ooxml.wrapped_document import (
    encrypted_embedded_files,
    extract_encrypted,
    extract_flat,
    flat_embedded_files,
)
from tests.clocks import cpu_s
from tests.extract import writers
from tests.extract.ooxml.package_writer import word
from tests.extract.ooxml.sealed_documents import AGILE, STANDARD, made_elsewhere, sealed

TASK = ExtractionTask(ENCRYPTED, "https://host.example/folder/plan.docx")


def streams(sealed_document: dict[str, str], **changed: bytes) -> bytes:
    """Return a document made elsewhere with some of its streams changed."""
    kept = {name: zlib.decompress(base64.b64decode(data)) for name, data in sealed_document.items()}
    return write_compound(kept | changed)


@pytest.mark.parametrize("streams_of", [AGILE, STANDARD], ids=["agile", "standard"])
def test_a_document_with_the_password_that_office_tries_is_read_like_any_other(streams_of: dict[str, str]) -> None:
    body = made_elsewhere(streams_of)
    assert sniff("", body) == ENCRYPTED
    assert extract_encrypted(body, TASK).text == "Open to everybody"


@pytest.mark.parametrize(
    ("package", "text"),
    [
        (writers.docx("a paragraph", title="Plan"), "a paragraph"),
        (writers.xlsx(["north", 12]), "north\t12"),
        (writers.pptx("a slide"), "a slide"),
    ],
)
def test_the_reader_of_the_document_inside_reads_it(package: bytes, text: str) -> None:
    assert text in extract_encrypted(sealed(package), TASK).text


def test_a_document_of_many_segments_is_decrypted_to_its_last_byte() -> None:
    package = writers.zipped({f"part{number}": bytes(range(256)) * 40 for number in range(9)}, stored=["part0"])
    assert len(package) > 3 * 4096
    assert decrypted_package(sealed(package)) == package


def test_another_password_keeps_a_document_closed() -> None:
    package = writers.docx("for few")
    with pytest.raises(Protected):
        extract_encrypted(sealed(package, "another"), TASK)
    assert list(encrypted_embedded_files(sealed(package, "another"), TASK)) == []


@pytest.mark.parametrize(
    "information", [b"", b"\4\0\4\0@\0\0\0", b"\4\0\4\0@\0\0\0<encryption/>", b"\3\0\3\0" + bytes(300)]
)
def test_a_description_that_nobody_can_read_keeps_a_document_closed(information: bytes) -> None:
    with pytest.raises(Protected):
        decrypted_package(streams(AGILE, EncryptionInfo=information))


def test_every_byte_of_a_standard_description_may_be_wrong() -> None:
    information = zlib.decompress(base64.b64decode(STANDARD["EncryptionInfo"]))
    for size in (8, 12, 20, 40, 100, len(information) - 1):
        with pytest.raises(Protected):
            decrypted_package(streams(STANDARD, EncryptionInfo=information[:size]))
    for place in (8, 20, 28, 160, 180, 200):
        broken = information[:place] + bytes((information[place] ^ 0x55,)) + information[place + 1 :]
        with pytest.raises(Protected):
            decrypted_package(streams(STANDARD, EncryptionInfo=broken))


def test_other_ciphers_keep_a_document_closed() -> None:
    with pytest.raises(Protected):
        decrypted_package(sealed(writers.docx("x"), chaining="ChainingModeCFB"))


def test_a_document_cannot_ask_for_more_rounds_than_are_counted() -> None:
    body = sealed(writers.docx("x"), spins=MAX_SPINS + 1)

    def open_it() -> None:
        with pytest.raises(Protected):
            decrypted_package(body)

    assert cpu_s(open_it) < 0.5


def test_a_document_that_is_cut_short_says_so() -> None:
    with pytest.raises(Unreadable):
        decrypted_package(streams(AGILE, EncryptedPackage=b""))
    with pytest.raises(Unreadable):
        decrypted_package(streams(AGILE, EncryptedPackage=bytes(500)))
    package = zlib.decompress(base64.b64decode(AGILE["EncryptedPackage"]))
    said = extract_encrypted(streams(AGILE, EncryptedPackage=package[:-160]), TASK)
    assert said.text == "Open to everybody"
    assert said.truncated
    with pytest.raises(Unreadable):
        extract_encrypted(sealed(writers.zipped({"a.txt": "no Office document"})), TASK)


def test_files_in_an_encrypted_document_are_found() -> None:
    package = word("")
    part = package.add("word/embeddings/note.docx", writers.docx("inner"))
    package.relate("word/document.xml", "package", part)
    found = list(encrypted_embedded_files(sealed(package.data()), TASK))
    assert [(file.path, file.body) for file in found] == [("note.docx", writers.docx("inner"))]


def flat(package: bytes, *further: str) -> bytes:
    """Return a document as one XML file: the parts of a ZIP file, and further ones."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.startswith("[")}
    parts = "".join(
        f'<pkg:part pkg:name="/{name}" pkg:contentType="application/xml"><pkg:xmlData>'
        f"{re.sub(r'^<[?].*?[?]>', '', data.decode())}</pkg:xmlData></pkg:part>"
        for name, data in files.items()
    )
    return (
        "<?xml version='1.0'?><pkg:package xmlns:pkg='http://schemas.microsoft.com/office/2006/xmlPackage'>"
        f"{parts}{''.join(further)}</pkg:package>"
    ).encode()


def binary_part(name: str, data: bytes) -> str:
    """Return a part that is no XML."""
    text = base64.encodebytes(data).decode()
    return f'<pkg:part pkg:name="{name}" pkg:contentType="x/y"><pkg:binaryData>{text}</pkg:binaryData></pkg:part>'


def test_a_flat_document_is_read_like_its_zip_file() -> None:
    package = writers.docx("a paragraph", title="Plan", author="Mara", keywords="tide, wind")
    task = ExtractionTask(FLAT_WORD, TASK.address)
    picture = binary_part("/word/media/image1.png", bytes(range(256)) * 20)
    assert extract_flat(flat(package, picture), task) == extract_docx(package, TASK)
    show = writers.pptx("a slide")
    assert "a slide" in extract_flat(flat(show), ExtractionTask(FLAT_POWERPOINT, TASK.address)).text


def test_files_in_a_flat_document_are_found() -> None:
    inner = binary_part("/word/embeddings/note.docx", writers.docx("inner"))
    found = list(flat_embedded_files(flat(writers.docx("outer"), inner), ExtractionTask(FLAT_WORD, TASK.address)))
    assert [(file.path, file.body) for file in found] == [("note.docx", writers.docx("inner"))]


def test_a_flat_document_that_is_damaged_says_so() -> None:
    task = ExtractionTask(FLAT_WORD, TASK.address)
    whole = flat(writers.docx("first", "second"))
    said = extract_flat(whole[: whole.index(b"second")], task)
    assert said.text == "first"
    assert said.truncated
    assert said.fault
    broken = "<pkg:part pkg:name='/word/a.bin'><pkg:binaryData>x</pkg:binaryData></pkg:part>"
    assert extract_flat(flat(writers.docx("first"), broken), task).truncated
    for body in (b"", b"<pkg:package xmlns:pkg='x'/>", flat(writers.zipped({"a.xml": "<a/>"}))):
        with pytest.raises(Unreadable):
            extract_flat(body, task)


def test_the_parts_of_a_flat_document_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_builder, "MAX_PACKAGE", 10_000)
    body = flat(writers.docx("x"), *(binary_part(f"/word/media/{number}.png", bytes(900)) for number in range(12)))
    with pytest.raises(Unreadable, match="parts"):
        extract_flat(body, ExtractionTask(FLAT_WORD, TASK.address))
