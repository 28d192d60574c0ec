from __future__ import annotations

import base64
import zlib

import pytest

from cormorant.extract.detect.media_types import ENCRYPTED
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import write_compound
from cormorant.extract.ooxml.encrypted_document import encrypted_embedded_files, extract_encrypted
from cormorant.extract.ooxml.encryption import MAX_SPINS, decrypted_package
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
