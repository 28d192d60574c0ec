"""The converters the product uses, called the way a task calls them."""

from __future__ import annotations

import asyncio

import pypdfium2
import xberg


def pdf(payload: bytes) -> bytes:
    document = pypdfium2.PdfDocument(payload)
    return "\n".join(page.get_textpage().get_text_bounded() for page in document).encode()


def rtf(payload: bytes) -> bytes:
    async def extract() -> str:
        asked = xberg.ExtractInput(kind="bytes", bytes=payload, mime_type="application/rtf", filename="a.rtf")
        return "\n".join(document.content for document in (await xberg.extract(asked)).results)

    return asyncio.run(extract()).encode()
