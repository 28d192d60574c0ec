"""A program that is told over HTTP: batches are posted to an address as JSON, signed.

    batch -> portions of so many records and bytes -> POST --2xx--> what the answer refuses, which runs it stops
                              ^                         |--400, 413, 415, 422--> halves; a single one is refused
                              `-- comes again, later ---'--anything else, no answer--> raised: the batch comes again

What is posted: {"installation", "receiver", "first", "last", "records": [receiver records]}. `Idempotency-Key` names
installation, receiver, first and last number, so that a portion that comes again has the same; `Cormorant-Signature` is
`sha256=` and the HMAC of "TIMESTAMP.BODY" by the secret, `Cormorant-Timestamp` the epoch seconds in it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import ClassVar
from urllib.parse import quote

import msgspec
from pydantic import Field

from cormorant.model.settings.secret_name import SecretReference
from cormorant.net.http.headers import content_type
from cormorant.net.http.messages import Response, TransportError
from cormorant.receivers.http_sender import HttpSender, Portion, WireSettings, portions
from cormorant.receivers.protocol import Delivery, NotTaken, ReceiverTools, RecordSettings, Refusal, Stop
from cormorant.receivers.record import UNFIT, encoded

PORTION_BYTES = 4 << 20
"""Of records in one request; a larger one goes by itself."""
MAX_ANSWER = 1 << 20
MOST_WORDS = 500
"""Characters that are kept of a reason."""
_OF_CONTENT = frozenset((400, 413, 415, 422))
"""Answers that are about what was sent, so that sending the same once more is no use."""


class WebhookSettings(WireSettings, RecordSettings):
    """The settings for the URL that batches go to, and for the signature that identifies the sender."""

    LISTED_BY = "cormorant receiver kinds webhook"
    url: str = Field(description="The address that batches are posted to, like https://hooks.example.org/found.")
    secret: SecretReference = Field(
        default="",
        description="The secret that signs every request, as secret:NAME; `cormorant secret add NAME` keeps one. "
        "Not set: nothing is signed.",
    )
    batch: int = Field(default=100, ge=1, le=1000, description="Records in one request at the most.")


class _Refused(msgspec.Struct):
    """One record that the other side cannot take."""

    seq: int
    reason: str = ""


class _Said(msgspec.Struct):
    """The members that a response may have; any other members are ignored."""

    refused: list[_Refused] = []
    stop: bool | str = False


class WebhookReceiver:
    """Posts batches to one address; nothing is followed, and TLS is checked."""

    kind: ClassVar[str] = "webhook"

    def __init__(self, settings: WebhookSettings, tools: ReceiverTools) -> None:
        self.settings = settings
        self._tools = tools
        self._wire = HttpSender(settings, tools, MAX_ANSWER)
        self._key = b""

    def open(self) -> None:
        """Look up the secret. Raises NotFoundError, SecretSealed and BadSetting; nothing is asked of the other side."""
        self._wire.look()
        self._key = self._wire.reveal().encode()

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Post a batch, in portions. Raises NotTaken when one was neither taken nor refused."""
        said: list[Refusal | Stop] = []
        ready = list[tuple[Delivery, bytes]]()
        for delivery in batch:
            try:
                ready.append((delivery, encoded(delivery)))
            except UNFIT as error:
                said.append(Refusal(delivery.seq, f"It cannot be written as JSON: {error}."))
        return said + self._post(list(portions(ready, self.settings.batch, PORTION_BYTES)))

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def _post(self, left: list[Portion]) -> list[Refusal | Stop]:
        """Post one portion after the other; one that is refused as a whole goes in halves."""
        said: list[Refusal | Stop] = []
        left.reverse()
        while left:
            portion = left.pop()
            answer = self._wire.ask(self.settings.url, *self._request(portion))
            if isinstance(answer, Response) and 200 <= answer.status < 300:
                said += self._said(answer, portion.deliveries)
            elif isinstance(answer, Response) and answer.status in _OF_CONTENT:
                if len(portion.records) > 1:
                    left += reversed(portion.halves())
                else:
                    said.append(Refusal(portion.deliveries[0].seq, f"It was answered with {answer.status}."))
            else:
                raise self._wire.not_taken(answer, self._hint(answer))
        return said

    def _request(self, portion: Portion) -> tuple[list[str], bytes]:
        """The header lines and the body of a portion."""
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
        return headers, body

    def _said(self, answer: Response, deliveries: Sequence[Delivery]) -> Iterator[Refusal | Stop]:
        """Yield the refusals and stops that a response names.

        Raises NotTaken for one that cannot be understood.

        An object is understood under any type, since small programs often name none; what is neither that nor called
        JSON says nothing.
        """
        is_json = content_type(answer.headers.get("content-type"))[0] == "application/json"
        if not (body := answer.body.strip()) or not (is_json or body.startswith(b"{")):
            return
        try:
            said = msgspec.json.decode(body, type=_Said)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if not is_json:
                return
            raise NotTaken(
                f"{self._wire.place} answered {answer.status} with JSON that Cormorant does not understand. It may be "
                '{"refused": [{"seq": 12, "reason": "..."}], "stop": "why"}.'
            ) from None
        for each in said.refused:
            yield Refusal(each.seq, each.reason[:MOST_WORDS] or "It gave no reason.")
        if said.stop:
            why = said.stop[:MOST_WORDS] if isinstance(said.stop, str) else "it gave no reason"
            for run in sorted({each.run for each in deliveries}):
                yield Stop(run, why)

    def _hint(self, answer: Response | TransportError) -> str:
        """Return a hint at what may help."""
        if answer.status in (401, 403):
            return " Check its secret." if self._key else " Set its secret, if it asks for a signature."
        return " Check the url." if answer.status in (404, 405, 410) else ""
