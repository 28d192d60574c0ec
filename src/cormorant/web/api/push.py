"""Push for programs: what `cormorant push` does, over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header, Path, Request
from fastapi.responses import Response

from cormorant.base.errors import Busy, TooLarge
from cormorant.operate.installation import Installation
from cormorant.operate.records.sources import PushAnswer
from cormorant.operate.sources import push
from cormorant.web.api.routing import Json, receive

MOST_AT_ONCE: Final = 4
"""Bodies that are held in memory at once; more senders are asked to come again."""

MOST_ATTACHMENT: Final = 64 << 20
"""Bytes of an attachment, the ceiling of every size setting."""
Name = Annotated[str, Path(examples=["tickets"])]
ItemId = Annotated[str, Path(description="Its `id`, percent-encoded.", examples=["17"])]
Attachment = Annotated[str, Path(description="Its name, percent-encoded.", examples=["report.pdf"])]
IdempotencyKey = Annotated[
    str,
    Header(max_length=push.LONGEST_KEY, description="Any word for this batch: sent again, it gets the same answer."),
]
_BATCH: Final[dict[str, Any]] = {
    "required": True,
    "description": "A batch of items as `application/json` or `application/xml`; see the guide on pushing.",
    "content": {"application/json": {"schema": {"type": "object"}}, "application/xml": {}},
}
_BYTES: Final[dict[str, Any]] = {
    "required": True,
    "description": "The bytes of the attachment, with their own media type.",
    "content": {"*/*": {}},
}


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""
    turns = asyncio.Semaphore(MOST_AT_ONCE)

    async def batch(request: Request) -> AsyncIterator[bytes]:
        async with _turn(turns):
            yield await _body(request, push.MOST_BYTES)

    async def bytes_sent(request: Request) -> AsyncIterator[bytes]:
        async with _turn(turns):
            yield await _body(request, MOST_ATTACHMENT)

    @receive(router, "POST", "/push/{source}", PushAnswer, _BATCH)
    def push_batch(
        request: Request, source: Name, body: bytes = Depends(batch), idempotency_key: IdempotencyKey = ""
    ) -> Response:
        """Push a batch of items. Accepted items are kept before the answer; a run takes it in at once.

        Refused (409) when it is out of its turn, or when every item of it is older than what came before.
        """
        media_type = request.headers.get("content-type", "")
        return Json(push.accept(house, source, body, media_type, idempotency_key), 202)

    @receive(router, "PUT", "/push/{source}/{item:path}/attachments/{name}", PushAnswer, _BYTES)
    def push_attachment(
        request: Request, source: Name, item: ItemId, name: Attachment, body: bytes = Depends(bytes_sent)
    ) -> Response:
        """Push an attachment of an item that was pushed before, in the place of the one of that name."""
        media_type = request.headers.get("content-type", "")
        return Json(push.upload(house, source, item, name, (body, media_type)), 202)


@asynccontextmanager
async def _turn(turns: asyncio.Semaphore) -> AsyncIterator[None]:
    """Hold one of few places in memory. Raises Busy when all are taken."""
    if turns.locked():
        raise Busy("Too many programs push at the moment. Send it again in a few seconds.")
    async with turns:
        yield


async def _body(request: Request, most: int) -> bytes:
    """Read the body of a request, and no more of it than is taken. Raises TooLarge."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise TooLarge(f"The request has more than {most >> 20} MiB, the limit here.")
    return bytes(body)
