"""A program that is told over HTTP: batches are posted to an address as JSON, signed.

    batch -> portions of so many records and bytes -> POST --2xx--> what the answer refuses, which runs it stops
                              ^                         |--400, 413, 415, 422--> halves; a single one is refused
                              `-- comes again, later ---'--anything else, no answer--> raised: the batch comes again

What is posted: {"installation", "receiver", "first", "last", "records": [receiver records]}. `Idempotency-Key` names
installation, receiver, first and last number, so that a portion that comes again has the same; `Cormorant-Signature` is
`sha256=` and the HMAC of "TIMESTAMP.BODY" by the secret, `Cormorant-Timestamp` the epoch seconds in it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple
from urllib.parse import quote

import msgspec
from pydantic import Field, field_validator

from cormorant.base.errors import BadAddress
from cormorant.egress.gate import Egress
from cormorant.egress.policy import Consent
from cormorant.fetch.headers import content_type, retry_after
from cormorant.fetch.http import Fetcher
from cormorant.fetch.values import Answer, Fault, Request
from cormorant.model.address import canonical, origin_of
from cormorant.receivers.protocol import Delivery, NotTaken, ReceiverSettings, ReceiverTools, Refusal, Stop
from cormorant.receivers.record import UNFIT, encoded

PORTION_BYTES = 4 << 20
"""Of records in one request; a larger one goes by itself."""
MAX_ANSWER = 1 << 20
MOST_WAITED_S = 86_400.0
"""Seconds that a Retry-After is obeyed at the most."""
MOST_WORDS = 500
"""Characters that are kept of a reason."""
_OF_CONTENT = frozenset((400, 413, 415, 422))
"""Answers that are about what was sent, so that sending the same once more is no use."""
_SECRET = "secret:"  # noqa: S105 - how a secret is referred to


class WebhookSettings(ReceiverSettings):
    """Where batches go, and how it is known who sends them."""

    UNSHOWN = frozenset(("secret", "url"))

    url: str = Field(description="The address that batches are posted to, like https://hooks.example.org/found.")
    secret: str = Field(
        default="",
        description="The secret that signs every request, as secret:NAME; `cormorant secret add NAME` keeps one. "
        "Not set: nothing is signed.",
    )
    ca: str = Field(default="", description="PEM file of the authorities to trust in place of the system's.")
    network: tuple[str, ...] = Field(
        default=(),
        description="Besides the host of the address: public, private, loopback or ranges like 10.0.0.0/8. A host that "
        "is named in the address may be reached wherever it was when it was first asked for.",
    )
    batch: int = Field(default=100, ge=1, le=1000, description="Records in one request at the most.")
    timeout_s: float = Field(default=30.0, gt=0, le=3600, description="Seconds that one request may take.")

    @field_validator("url")
    @classmethod
    def _url(cls, text: str) -> str:
        if "@" in text:
            raise ValueError("no user name or password is written here, and an @ in a path is written %40.")
        try:
            address = canonical(text)
        except BadAddress:
            raise ValueError("it is no address. Write one like https://hooks.example.org/found.") from None
        if not address.startswith(("http://", "https://")):
            raise ValueError("only http and https are spoken.")
        return address

    @field_validator("secret")
    @classmethod
    def _secret(cls, text: str) -> str:
        if text and not (text.startswith(_SECRET) and text.removeprefix(_SECRET).strip()):
            raise ValueError("write secret:NAME, never the value. `cormorant secret add NAME` keeps one.")
        return text

    @field_validator("network")
    @classmethod
    def _network(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        Consent.of((), words)
        return words

    @property
    def secrets(self) -> frozenset[str]:
        """Names of the secrets it needs."""
        return frozenset((self.secret.removeprefix(_SECRET),)) if self.secret else frozenset()


class _Refused(msgspec.Struct):
    """One record that the other side cannot take."""

    seq: int
    reason: str = ""


class _Said(msgspec.Struct):
    """What the other side may answer; anything else in it is not looked at."""

    refused: list[_Refused] = []
    stop: bool | str = False


class _Portion(NamedTuple):
    """Deliveries that go in one request, and their records."""

    deliveries: tuple[Delivery, ...]
    records: tuple[bytes, ...]

    def halves(self) -> tuple[_Portion, _Portion]:
        """The same in two."""
        middle = len(self.records) // 2
        return (
            _Portion(self.deliveries[:middle], self.records[:middle]),
            _Portion(self.deliveries[middle:], self.records[middle:]),
        )


class WebhookReceiver:
    """Posts batches to one address; nothing is followed, and TLS is checked.

    It has an event loop of its own, since `receive` is called from one thread.
    """

    kind: ClassVar[str] = "webhook"

    def __init__(self, settings: WebhookSettings, tools: ReceiverTools) -> None:
        self.settings = settings
        self._tools = tools
        origin = origin_of(settings.url)
        self._consent = Consent.of(((origin.host, origin.port),), settings.network)
        self._key = b""
        self._runner: asyncio.Runner | None = None
        self._way: tuple[Egress, Fetcher] | None = None

    def open(self) -> None:
        """Look up the secret. Raises NotFoundError and SecretSealed; nothing is asked of the other side."""
        self._key = next((self._tools.secrets.reveal(name).encode() for name in self.settings.secrets), b"")

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Post a batch, in portions. Raises NotTaken when one was neither taken nor refused."""
        said: list[Refusal | Stop] = []
        ready = list[tuple[Delivery, bytes]]()
        for delivery in batch:
            try:
                ready.append((delivery, encoded(delivery)))
            except UNFIT as error:
                said.append(Refusal(delivery.seq, f"It cannot be written as JSON: {error}."))
        if ready:
            if self._runner is None:
                self._runner = asyncio.Runner()
            said += self._runner.run(self._post(list(self._portions(ready))))
        return said

    def close(self) -> None:
        """Close the connections."""
        if self._runner is not None:
            self._runner.run(self._leave())
            self._runner.close()
            self._runner = None

    def _portions(self, ready: Sequence[tuple[Delivery, bytes]]) -> Iterator[_Portion]:
        """Cut a batch where a request has enough."""
        some, size = list[tuple[Delivery, bytes]](), 0
        for each in ready:
            if some and (len(some) >= self.settings.batch or size + len(each[1]) > PORTION_BYTES):
                yield _portion(some)
                some, size = [], 0
            some.append(each)
            size += len(each[1])
        yield _portion(some)

    async def _post(self, portions: list[_Portion]) -> list[Refusal | Stop]:
        """Post one portion after the other; one that is refused as a whole goes in halves."""
        said: list[Refusal | Stop] = []
        portions.reverse()
        while portions:
            portion = portions.pop()
            answer = await self._fetcher().get(self._request(portion))
            if isinstance(answer, Answer) and 200 <= answer.status < 300:
                said += self._said(answer, portion.deliveries)
            elif isinstance(answer, Answer) and answer.status in _OF_CONTENT:
                if len(portion.records) > 1:
                    portions += reversed(portion.halves())
                else:
                    said.append(Refusal(portion.deliveries[0].seq, f"It was answered with {answer.status}."))
            else:
                raise self._not_taken(answer)
        return said

    def _request(self, portion: _Portion) -> Request:
        first, last = portion.deliveries[0].seq, portion.deliveries[-1].seq
        about = {"installation": self._tools.installation, "receiver": self._tools.name, "first": first, "last": last}
        records = b",".join(portion.records)
        body = msgspec.json.encode(about)[:-1] + b',"records":[' + records + b"]}"
        stamp = str(int(self._tools.clock.now()))
        headers = [
            "Content-Type: application/json",
            "Accept: application/json",
            "Expect:",  # libcurl would wait a second for leave to send what is large
            f"Idempotency-Key: {self._tools.installation}-{quote(self._tools.name, safe='')}-{first}-{last}",
            f"Cormorant-Timestamp: {stamp}",
        ]
        if self._key:
            digest = hmac.new(self._key, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
            headers.append(f"Cormorant-Signature: sha256={digest}")
        limit = self.settings.timeout_s
        return Request(
            self.settings.url, tuple(headers), self._consent, max_bytes=MAX_ANSWER, timeout_s=limit,
            idle_timeout_s=limit, connect_timeout_s=min(limit, 10.0), ca=self.settings.ca, body=body,
        )  # fmt: skip

    def _fetcher(self) -> Fetcher:
        """The way out, made on the running loop when it is first needed."""
        if self._way is None:
            if self._tools.egress is None:
                raise NotTaken("This receiver was opened to be looked at, and not to deliver.")
            egress = self._tools.egress()
            self._way = egress, Fetcher(egress, width=1)
        return self._way[1]

    async def _leave(self) -> None:
        if self._way is not None:
            egress, fetcher = self._way
            self._way = None
            await fetcher.close()
            await egress.close()

    def _said(self, answer: Answer, deliveries: Sequence[Delivery]) -> Iterator[Refusal | Stop]:
        """What an answer names. One that is no JSON says nothing. Raises NotTaken for one that cannot be understood."""
        if content_type(answer.headers.get("content-type"))[0] != "application/json" or not answer.body.strip():
            return
        try:
            said = msgspec.json.decode(answer.body, type=_Said)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise NotTaken(
                f"{self._place} answered {answer.status} with JSON that cannot be understood. It may be "
                '{"refused": [{"seq": 12, "reason": "..."}], "stop": "why"}.'
            ) from None
        for each in said.refused:
            yield Refusal(each.seq, each.reason[:MOST_WORDS] or "It gave no reason.")
        if said.stop:
            why = said.stop[:MOST_WORDS] if isinstance(said.stop, str) else "it gave no reason"
            for run in sorted({each.run for each in deliveries}):
                yield Stop(run, why)

    def _not_taken(self, answer: Answer | Fault) -> NotTaken:
        if isinstance(answer, Fault):
            return NotTaken(f"{self._place} was not reached: {answer.reason}")
        asked = retry_after(answer.headers.get("retry-after"), self._tools.clock.now()) or 0.0
        hint = ""
        if 300 <= answer.status < 400:
            hint = " Redirects are not followed: set url to where it leads."
        elif answer.status in (401, 403):
            hint = " Check its secret." if self._key else " Set its secret, if it asks for a signature."
        elif answer.status in (404, 405, 410):
            hint = " Check the url."
        return NotTaken(f"{self._place} answered {answer.status}.{hint}", min(asked, MOST_WAITED_S))

    @property
    def _place(self) -> str:
        """What may be told of the address: its path and query may hold what nobody else should know."""
        return str(origin_of(self.settings.url))


def _portion(some: Sequence[tuple[Delivery, bytes]]) -> _Portion:
    return _Portion(tuple(each for each, _ in some), tuple(record for _, record in some))
