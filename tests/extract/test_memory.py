"""How often is a document in memory while it is read in the limited child? Once."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from cormorant.extract import convert, convert_office
from cormorant.extract.detect.built_in import BY_MEDIA_TYPE
from cormorant.extract.job import encode_task
from cormorant.model.content import Extraction

MIB = 1 << 20


@pytest.mark.parametrize(
    ("server", "reader", "mime"),
    [
        (convert, "cormorant.extract.convert.extract_text", "text/plain"),
        (convert_office, BY_MEDIA_TYPE["application/rtf"].converter.replace(":", "."), "application/rtf"),
    ],
)
def test_a_document_is_held_once_and_its_reader_can_let_go_of_it(
    server: Any, reader: str, mime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []

    def read(body: bytes, *_: object, **__: object) -> Extraction:
        held.append(round(tracemalloc.get_traced_memory()[0] / MIB))
        del body
        held.append(round(tracemalloc.get_traced_memory()[0] / MIB))
        return Extraction(text="", title="")

    monkeypatch.setattr(reader, read)
    tracemalloc.start()
    try:
        server.convert(b"".join(encode_task(mime, bytes(20 * MIB), address="http://example.org/a")))
    finally:
        tracemalloc.stop()
    assert held == [20, 0]
