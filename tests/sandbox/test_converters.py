"""Real native converters live with the walls: nothing that they need is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from cormorant.sandbox import Answer, Finished, ServerHandle, start_server
from cormorant.sandbox.client import ChildPool

pytest.importorskip("pypdfium2")
pytest.importorskip("xberg")

RTF = rb"{\rtf1\ansi Cormorants dive \b deep\b0 .}"


def small_pdf() -> bytes:
    text = b"BT /F1 24 Tf 72 720 Td (Cormorants dive deep) Tj ET"
    bodies = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(data)
    return data + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


@pytest.fixture(scope="module")
def converters() -> Iterator[ServerHandle]:
    handle = start_server((), {name: f"tests.sandbox.converters:{name}" for name in ("pdf", "rtf")})
    yield handle
    handle.stop()


def convert(handle: ServerHandle, task: str, payload: bytes) -> Answer:
    return asyncio.run(ChildPool(handle.addresses).run(task, payload))


@pytest.mark.parametrize(("task", "payload"), [("pdf", small_pdf()), ("rtf", RTF)])
def test_a_document_is_converted_behind_all_walls(converters: ServerHandle, task: str, payload: bytes) -> None:
    answer = convert(converters, task, payload)
    assert isinstance(answer, Finished), answer
    assert "Cormorants dive deep" in answer.value.decode().replace("**", "")


@pytest.mark.parametrize("task", ["pdf", "rtf"])
def test_nonsense_is_an_answer_too(converters: ServerHandle, task: str) -> None:
    convert(converters, task, b"\x00nonsense" * 1000)
    assert converters.alive
