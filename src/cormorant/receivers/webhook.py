"""Receiver that posts batches to a URL as signed JSON.

    batch -> portions of so many records and bytes -> POST --2xx--> the refusals and stops in the response
                              ^                         |--400, 413, 415, 422--> halves; a single one is refused
                              `-- again, later ---------'--other status, no response--> raised: all is posted again

The body is {"installation", "receiver", "first", "last", "records": [receiver records]}. `Idempotency-Key` names
installation, receiver, first and last number, so a repeated portion has the same key. `Cormorant-Signature` is
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
"""Bytes of records in one request; a larger record is sent by itself."""
MAX_ANSWER = 1 << 20
MOST_WORDS = 500
"""Characters of a reason that are kept."""
_OF_CONTENT = frozenset((400, 413, 415, 422))
"""Statuses that blame the content, so that a repeat would fail too."""


class WebhookSettings(WireSettings, RecordSettings):
    """The settings of the URL that batches are posted to, and of the signature that identifies the sender."""

    LISTED_BY = "cormorant receiver kinds webhook"
    url: str = Field(description="The address that batches are posted to, like https://hooks.example.org/found.")
    secret: SecretReference = Field(
        default="",
        description="The secret that signs every request, as secret:NAME; `cormorant secret add NAME` keeps one. "
        "Not set: nothing is signed.",
    )
    batch: int = Field(default=100, ge=1, le=1000, description="Records in one request at the most.")


class _Refused(msgspec.Struct):
    """One record that the server cannot take."""

    seq: int
    reason: str = ""


class _Said(msgspec.Struct):
    """The members that a response may have; other members are ignored."""

    refused: list[_Refused] = []
    stop: bool | str = False


class WebhookReceiver:
    """Posts batches to one URL; redirects are not followed, and TLS is checked."""

    kind: ClassVar[str] = "webhook"

    def __init__(self, settings: WebhookSettings, tools: ReceiverTools) -> None:
        self.settings = settings
        self._tools = tools
        self._wire = HttpSender(settings, tools, MAX_ANSWER)
        self._key = b""

    def open(self) -> None:
        """Read the secret. Raises NotFoundError, SecretSealed and BadSetting; sends no request."""
        self._wire.check()
        self._key = self._wire.reveal().encode()

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Post a batch in portions. Raises NotTaken when one was neither taken nor refused."""
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
        """Post one portion after the other; a portion that is refused as a whole is halved."""
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
        """Return the header lines and the body of a portion."""
        first, last = portion.deliveries[0].seq, portion.deliveries[-1].seq
        about = {"installation": self._tools.installation, "receiver": self._tools.name, "first": first, "last": last}
        records = b",".join(portion.records)
        body = msgspec.json.encode(about)[:-1] + b',"records":[' + records + b"]}"
        stamp = str(int(self._tools.clock.now()))
        headers = [
            "Content-Type: application/json",
            "Accept: application/json",
            "Expect:",  # without it libcurl waits a second for "100 Continue" before a large body
            f"Idempotency-Key: {self._tools.installation}-{quote(self._tools.name, safe='')}-{first}-{last}",
            f"Cormorant-Timestamp: {stamp}",
        ]
        if self._key:
            digest = hmac.new(self._key, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
            headers.append(f"Cormorant-Signature: sha256={digest}")
        return headers, body

    def _said(self, answer: Response, deliveries: Sequence[Delivery]) -> Iterator[Refusal | Stop]:
        """Yield the refusals and stops that a response names.

        Raises NotTaken for a response that cannot be decoded. A JSON object is accepted under any media type, since
        small programs often set none; a response that is neither an object nor named JSON says nothing.
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
        """Return a hint at a likely remedy."""
        if answer.status in (401, 403):
            return " Check its secret." if self._key else " Set its secret, if it asks for a signature."
        return " Check the url." if answer.status in (404, 405, 410) else ""
