"""Client of an Apache Tika server: it reads the types without a converter here, one request each.

    content --PUT /rmeta/text--> 200: its answer, for a limited child to parse
                              |- 415, 422: the document's fault, an answer too
                              |- no end, broke off, 500: perhaps the document's fault: deferred, the second time failed
                              `- not reached, anything else: the server's fault: deferred, as all are for a while

The address is the administrator's, so it may be on an inner network; redirects are not followed, no credential is sent.
Tika gets the name and the bytes of a document, not its type: it knows more types than there are common names for.
Source: https://cwiki.apache.org/confluence/display/TIKA/TikaServer
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import quote

import msgspec

from cormorant.base.clock import Clock
from cormorant.base.log import logger
from cormorant.extract.detect.formats import by_name
from cormorant.extract.detect.media_types import extension_of
from cormorant.extract.detect.tika_formats import EXTENSION_OF
from cormorant.extract.detect.tika_types import TikaTypes
from cormorant.extract.sanitize import name_of, one_line
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Failed, Outcome
from cormorant.model.status import Status
from cormorant.model.url import origin_of
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.policy import Consent
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request, Response, TransportError

TIMEOUT_S: Final = 120.0
"""Seconds that one document may take, the same as in a limited child."""
CONNECT_S: Final = 10.0
LOOK_S: Final = 10.0
"""Seconds that the request for its version may take."""
MOST_BYTES: Final = 20 * 1024 * 1024
"""Decoded bytes of an answer at most; a longer one is cut."""
MOST_CHARACTERS: Final = 5_000_000
"""Characters of text that are requested: as UTF-8 they fit into an answer in any script."""
MOST_WITHIN: Final = 5_000
"""Embedded documents that are requested."""
RESTS_S: Final = (0.5, 1.0, 2.0, 4.0)
"""Rests between attempts to reach a server: Tika starts itself again when a document has exhausted it."""
AWAY_S: Final = 20.0
"""Seconds for which a server that was not reached is not contacted."""
STRIKES: Final = 2
"""Attempts without an end after which the document itself is taken for the cause."""
MOST_STRUCK: Final = 1_000
TIKA_TASK: Final = "read_tika_answer"
"""The task of a limited child that parses an answer."""
_MOST_NAME: Final = 150
_UNENDED: Final = frozenset((Status.READ_TIMEOUT, Status.BROKEN_STREAM))
_log = logger(__name__)

Sleep = Callable[[float], Awaitable[None]]


class TikaClient:
    """Client of one process for a Tika server. Create, use and close it on a running event loop.

    `types` are those that it reads, `parallel` documents at once.
    """

    def __init__(
        self, address: str, types: TikaTypes, egress: Egress, clock: Clock, *, parallel: int = 1,
        sleep: Sleep = asyncio.sleep,
    ) -> None:  # fmt: skip
        self._address, self._types = address.rstrip("/"), types
        self._clock, self._sleep = clock, sleep
        origin = origin_of(address)
        self.place = str(origin)
        """The part of the address that messages may show."""
        self._consent = Consent.of(((origin.host, origin.port),), ())
        self._fetcher = Fetcher(egress, width=parallel)
        self._places = asyncio.Semaphore(parallel)
        self._away, self._away_until = "", clock.monotonic()
        self._struck: dict[bytes, int] = {}

    @property
    def types(self) -> TikaTypes:
        """Return the types that are read by Tika."""
        return self._types

    def reads(self, mime: str) -> bool:
        """Return whether documents of this type are read by Tika."""
        return mime in self._types

    async def read(self, content: Content) -> bytes | Outcome:
        """Return Tika's answer about a document, for `tika_answer`, or the outcome of a failure."""
        async with self._places:
            if self._clock.monotonic() < self._away_until:
                return self._deferred(self._away)
            request = self._request(content)
            answer = await self._reached(request)
            if isinstance(answer, TransportError):
                return await self._missed(content, answer)
            return await self._judged(content, answer)

    async def version(self) -> str | TransportError:
        """Return the version that the server reports, like "Apache Tika 3.2.3", or why it reports none."""
        url = f"{self._address}/version"
        asked = Request(
            url, ("Accept: text/plain",), self._consent, max_bytes=1_000, cut=True, timeout_s=LOOK_S,
            idle_timeout_s=LOOK_S, connect_timeout_s=LOOK_S,
        )  # fmt: skip
        answer = await self._fetcher.get(asked)
        if isinstance(answer, TransportError):
            return answer
        if answer.status != 200:
            return TransportError(answer.status, f"{self.place} answered {answer.status}.")
        return one_line(answer.body.decode("utf-8", "replace"), 100)

    async def close(self) -> None:
        """Close the connections."""
        await self._fetcher.close()

    def _request(self, content: Content) -> Request:
        headers = (
            "Accept: application/json", "Content-Type: application/octet-stream",
            f"Content-Disposition: {disposition(content)}", f"writeLimit: {MOST_CHARACTERS}",
            f"maxEmbeddedResources: {MOST_WITHIN}", "Expect:",
        )  # fmt: skip
        return Request(
            f"{self._address}/rmeta/text", headers, self._consent, max_bytes=MOST_BYTES, cut=True,
            timeout_s=TIMEOUT_S, idle_timeout_s=TIMEOUT_S, connect_timeout_s=CONNECT_S, body=content.body, method="PUT",
        )  # fmt: skip

    async def _reached(self, request: Request) -> Response | TransportError:
        """Send a request; again after a rest if no connection was made, since the server may just be starting."""
        for rest_s in RESTS_S:
            answer = await self._fetcher.get(request)
            if not (isinstance(answer, TransportError) and answer.status == Status.CONNECTION_REFUSED):
                return answer
            await self._sleep(rest_s)
        return await self._fetcher.get(request)

    async def _missed(self, content: Content, error: TransportError) -> Outcome:
        if error.lack is not None:
            return Deferred(error.status, error.reason, lack=error.lack)
        if error.requests and error.status in _UNENDED:
            said = f"in {TIMEOUT_S:g} seconds" if error.status == Status.READ_TIMEOUT else "before the connection broke"
            return await self._unended(content, f"The Tika server at {self.place} did not read it {said}")
        return self._left_alone(f"The Tika server at {self.place} was not reached. {error.reason}")

    async def _judged(self, content: Content, answer: Response) -> bytes | Outcome:
        status = answer.status
        if status in (200, 204):
            if self._struck:
                self._struck.pop(hashlib.sha256(content.body).digest(), None)
            return answer.body or b"[{}]"
        if status == 415:
            return msgspec.json.encode([{"X-TIKA:Parsed-By": "org.apache.tika.parser.EmptyParser"}])
        if status == 422:  # the body has the cause if the server is configured so
            said = one_line(answer.body[:2_000].decode("utf-8", "replace")) or "422"
            return msgspec.json.encode([{"X-TIKA:EXCEPTION:container_exception": said}])
        if status == 413:
            return Failed(Status.CONVERSION_FAILED, f"The Tika server at {self.place} takes no document of this size.")
        if status == 500:
            return await self._unended(content, f"The Tika server at {self.place} failed over it (500)")
        hint = " Redirects are not followed: set tika to the target." if 300 <= status < 400 else ""
        return self._left_alone(f"The Tika server at {self.place} answered {status}.{hint}")

    async def _unended(self, content: Content, why: str) -> Outcome:
        """Return the outcome of a document whose processing did not end, by whichever side's fault."""
        key = hashlib.sha256(content.body).digest()
        if len(self._struck) >= MOST_STRUCK:
            self._struck.clear()
        self._struck[key] = times = self._struck.get(key, 0) + 1
        for rest_s in RESTS_S:
            if isinstance(await self.version(), str):
                if times < STRIKES:
                    return self._deferred(f"{why}.")
                return Failed(Status.CONVERSION_FAILED, f"{why}, {times} times in a row.")
            await self._sleep(rest_s)
        return self._left_alone(f"{why}.")

    def _left_alone(self, why: str) -> Deferred:
        """Defer a document, and the others for a while."""
        self._away, self._away_until = why, self._clock.monotonic() + AWAY_S
        _log.warning("tika.away", extra={"address": self.place, "reason": why})
        return self._deferred(why)

    @staticmethod
    def _deferred(why: str) -> Deferred:
        return Deferred(Status.TIKA, why, elsewhere=True)


def disposition(content: Content) -> str:
    """Return the header value that names a document; Tika uses the name to distinguish types that look alike.

    The extension is that of the document's type if the name has another one.
    """
    name = name_of(content.address, content.called)
    extension = extension_of(name)
    if by_name(name) != content.mime and content.mime in EXTENSION_OF:
        extension = EXTENSION_OF[content.mime]
        name = f"{name}.{extension}"
    plain = f"document.{extension}" if extension.isascii() and extension.isalnum() else "document"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name[-_MOST_NAME:], safe='')}"
