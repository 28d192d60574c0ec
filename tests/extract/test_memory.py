"""How often is a document in memory while it is read in the limited child? Once."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from cormorant.extract import convert, convert_office
from cormorant.extract.job import encode_task
from cormorant.model.content import Extraction

MIB = 1 << 20


@pytest.mark.parametrize(("where", "reader"), [(convert, "extract_text"), (convert_office, "extract_office")])
def test_a_document_is_held_once_and_its_reader_can_let_go_of_it(
    where: Any, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []

    def read(
        body: bytes,
        mime: str = "",
        *,
        address: str,
        charset: str = "",
        file_name: str = "",
        manner: object = None,
    ) -> Extraction:
        held.append(round(tracemalloc.get_traced_memory()[0] / MIB))
        del body
        held.append(round(tracemalloc.get_traced_memory()[0] / MIB))
        return Extraction(text="", title="")

    monkeypatch.setattr(where, reader, read)
    tracemalloc.start()
    try:
        where.convert(b"".join(encode_task("text/plain", bytes(20 * MIB), address="http://example.org/a")))
    finally:
        tracemalloc.stop()
    assert held == [20, 0]
