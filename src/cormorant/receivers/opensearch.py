"""An index of OpenSearch or Elasticsearch, kept in step by the bulk API.

    batch -> newest delivery of each document -> operations -> _bulk --2xx, 409--> kept
                    ^                                            |--400, 413 of one--> refused, old version deleted
                    `---- the rest is delivered again -----------'--429, 5xx, no answer--> raised: later

A document is `INSTALLATION-ID`, its version the number of the delivery (an external version): a late or repeated
delivery never replaces a newer one; the index answers 409. Deletions have versions too.

Invariants: no document stays in the index with rights that are known to be outdated: if it cannot be written, it is
deleted; nothing is written to an index that holds greater numbers than this installation has assigned.
"""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Collection, Sequence
from typing import ClassVar, Final, Literal, assert_never
from urllib.parse import quote

import msgspec
from pydantic import Field, field_validator, model_validator

from cormorant.base.errors import BadSetting
from cormorant.model.settings.secret_name import SecretReference
from cormorant.net.http.messages import Response, TransportError
from cormorant.receivers.bulk_api import MAPPING, Operation, Verdict, items, newest_in, operation_of, withdrawal
from cormorant.receivers.http_sender import HttpSender, Portion, WireSettings, portions
from cormorant.receivers.protocol import DAMAGED, RUNS, Delivery, NotTaken, ReceiverTools, Refusal, Stop
from cormorant.receivers.record import UNFIT

MAX_ANSWER: Final = 16 << 20
_NAME = re.compile(r"[^A-Z\\/*?\"<>|\s,#:+_.\-][^A-Z\\/*?\"<>|\s,#:]*")
"""Valid names of an index."""
_BULK: Final = "/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason"
_FIELDS: Final = tuple(
    # without it libcurl waits a second for "100 Continue" before a large body
    (f"Content-Type: application/{kind}", "Accept: application/json", "Expect:")
    for kind in ("json", "x-ndjson")
)
_NO_ANSWER: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError, OverflowError)
_HINTS: Final = {
    401: " Check its auth, user and secret.",
    403: " The user needs permission to read the index, to write it, to check for it and to create it.",
    404: " Check the url.",
    405: " Check the url.",
}


class OpenSearchSettings(WireSettings):
    """The settings of the OpenSearch index: its name, its URL and the login."""

    LISTED_BY = "cormorant receiver kinds opensearch"
    RIGHTS: ClassVar[bool] = True
    WHOLE: ClassVar[bool] = True

    url: str = Field(description="The address of the cluster, like https://search.example.org:9200.")
    index: str = Field(default="cormorant", description="The index, or an alias of one that can be written.")
    create: bool = Field(
        default=True, description="Make the index, with a mapping, when it is not there. false: wait until it is."
    )
    auth: Literal["none", "basic", "bearer", "api_key"] = Field(
        default="none",
        description=(
            "The way to sign in: basic (user and secret), bearer (the secret is the token), api_key (the secret is "
            "the encoded key)."
        ),
    )
    user: str = Field(default="", description="The user of auth=basic.")
    secret: SecretReference = Field(
        default="",
        description="The password, token or key, as secret:NAME; `cormorant secret add NAME` keeps one.",
    )
    batch: int = Field(default=100, ge=1, le=1000, description="Documents in one request at the most.")
    batch_bytes: int = Field(
        default=5_000_000,
        ge=1_000,
        le=100_000_000,
        description="Bytes in one request at the most, about: like 5MB. A larger document goes by itself.",
    )

    @field_validator("url")
    @classmethod
    def _bare(cls, address: str) -> str:
        if "?" in address:
            raise ValueError("nothing is asked in it. Write one like https://search.example.org:9200.")
        return address.rstrip("/")

    @field_validator("index")
    @classmethod
    def _index(cls, name: str) -> str:
        if not _NAME.fullmatch(name) or len(name.encode()) > 255:
            raise ValueError("an index is called in small letters, digits, dashes, dots and underscores, like docs-1.")
        return name

    @field_validator("user")
    @classmethod
    def _user(cls, name: str) -> str:
        if ":" in name or not name.isprintable():
            raise ValueError("a user has no colon in its name, and nothing that cannot be seen.")
        return name

    @model_validator(mode="after")
    def _fits(self) -> OpenSearchSettings:
        if self.auth == "none" and (self.user or self.secret):
            raise ValueError("a user or secret is set, and auth is none. Say how they are shown: auth=basic.")
        if self.auth != "none" and not self.secret:
            raise ValueError(f"auth={self.auth} needs a secret: secret=secret:NAME.")
        if (self.auth == "basic") != bool(self.user):
            raise ValueError("a user is set for auth=basic, which needs one, and for no other.")
        return self


class _Newest(msgspec.Struct):
    """The greatest number that an index holds."""

    value: float | None = None


class _Aggregations(msgspec.Struct):
    newest: _Newest = msgspec.field(default_factory=_Newest)


class _Asked(msgspec.Struct):
    aggregations: _Aggregations = msgspec.field(default_factory=_Aggregations)


class OpenSearchReceiver:
    """Writes to one index; remembers the results of a batch for its repeats."""

    kind: ClassVar[str] = "opensearch"

    def __init__(self, settings: OpenSearchSettings, tools: ReceiverTools) -> None:
        self.settings = settings
        self._tools = tools
        self._wire = HttpSender(settings, tools, MAX_ANSWER)
        self._index = f"{settings.url}/{quote(settings.index, safe='')}"
        self._shown: tuple[str, ...] = ()
        self._kept = set[int]()
        self._refused = dict[int, str]()
        self._in_step = False

    def open(self) -> None:
        """Read the secret; sends no request. Raises NotFoundError, SecretSealed, BadSetting."""
        self._wire.check()
        value = self._wire.reveal()
        if self.settings.auth == "basic":
            value = base64.b64encode(f"{self.settings.user}:{value}".encode()).decode()
        elif not (value.isascii() and value.isprintable()):
            raise BadSetting("The secret of auth=bearer or api_key has characters that no token has. Enter it again.")
        word = {"basic": "Basic", "bearer": "Bearer", "api_key": "ApiKey"}.get(self.settings.auth)
        self._shown = (f"Authorization: {word} {value.strip()}",) if word else ()

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Write a batch.

        Raises NotTaken when some documents were neither taken nor refused: only those are sent again.
        """
        documents = newest_in([each for each in batch if each.event not in RUNS])
        wanted = [each for each in documents if each.seq not in self._kept]
        if wanted:
            self._prepare()
            again = self._bring(wanted)
            if again:
                raise NotTaken(f"{self._wire.place} rejected {len(again)} of {len(documents)}: {again[0]}")
        refusals = [Refusal(seq, reason) for seq, reason in sorted(self._refused.items())]
        self._forget()
        return refusals

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()
        self._forget()
        self._in_step = False

    def _forget(self) -> None:
        """Forget the results of a batch."""
        self._kept.clear()
        self._refused.clear()

    def _prepare(self) -> None:
        """Make the index if it is missing, and check that it is not ahead of this installation. Raises NotTaken.

        Runs before each batch: an administrator may delete an index to have it filled again, and without this check the
        cluster would create one without the mapping.
        """
        if self._ask("?filter_path=*.state", fine=(200, 404)).status == 404:
            self._make()
        elif not self._in_step:
            self._compare()
        self._in_step = True

    def _make(self) -> None:
        if not self.settings.create:
            raise NotTaken(
                f"There is no index {self.settings.index!r} at {self._wire.place}. Make it, or set create=true."
            )
        answer = self._ask("", MAPPING, method="PUT", fine=(200, 400))
        if answer.status == 400 and b"resource_already_exists_exception" not in answer.body:
            raise self._wire.not_taken(answer, f" It does not make an index {self.settings.index!r}.")

    def _compare(self) -> None:
        """Raise NotTaken if the index holds numbers that were never assigned.

        The index would ignore documents with lower numbers.
        """
        about = {"term": {"installation": self._tools.installation}}
        asked = {"size": 0, "query": about, "aggs": {"newest": {"max": {"field": "seq"}}}}
        answer = self._ask("/_search?filter_path=aggregations.newest.value", msgspec.json.encode(asked))
        try:
            held = int(msgspec.json.decode(answer.body, type=_Asked).aggregations.newest.value or 0)
        except _NO_ANSWER:
            raise NotTaken(f"{self._wire.place} answered a search with an unknown form of answer.") from None
        given = self._tools.newest()
        if held > given:
            name = shlex.quote(self._tools.name)
            raise NotTaken(
                f"The index {self.settings.index!r} has number {held:,} from this installation, which has given none "
                f"above {given:,}: its database was restored from a backup. Fill a new index: `cormorant receiver "
                f"edit {name} --set index=NAME`, then `cormorant receiver resend {name}`."
            )

    def _bring(self, documents: Sequence[Delivery]) -> list[str]:
        """Write documents and delete refused ones; returns the reasons of those to be sent again."""
        operations, refused, installation = list[Operation](), dict[int, str](), self._tools.installation
        for each in documents:
            if each.damaged:
                refused[each.seq] = DAMAGED
                continue
            try:
                made = operation_of(each, installation)
            except UNFIT as error:
                refused[each.seq] = f"It cannot be written as JSON: {error}."
            else:
                operations += [made] if made is not None else []
        again = self._sent(operations, refused)
        stuck = dict[int, str]()
        again += self._sent([withdrawal(each, installation) for each in documents if each.seq in refused], stuck)
        self._refused |= {seq: reason for seq, reason in refused.items() if seq in self._kept}
        return again + list(stuck.values())

    def _sent(self, operations: Sequence[Operation], refused: dict[int, str]) -> list[str]:
        """Send operations in portions, and halve portions that are too large.

        Adds refused documents to `refused`, and returns the reasons of those to be sent again. Raises NotTaken when the
        server takes nothing more.
        """
        again = list[str]()
        ready = [(each.delivery, each.lines) for each in operations]
        left = list(portions(ready, self.settings.batch, self.settings.batch_bytes))[::-1]
        while left:
            portion = left.pop()
            answer = self._ask(_BULK, b"".join(portion.records), fine=(200, 413))
            if answer.status == 200:
                again += self._judge(answer, portion, refused)
            elif len(portion.records) > 1:
                left += reversed(portion.halves())
            else:
                refused[portion.deliveries[0].seq] = "It was answered with 413: it is too large."
        return again

    def _judge(self, answer: Response, portion: Portion, refused: dict[int, str]) -> list[str]:
        """Record the kept and the refused documents of a request.

        Raises NotTaken for a response that makes no sense.
        """
        try:
            judged = items(answer.body, len(portion.records))
        except _NO_ANSWER:
            raise NotTaken(f"{self._wire.place} answered a bulk request with an unknown form of answer.") from None
        again = list[str]()
        for delivery, (verdict, reason) in zip(portion.deliveries, judged, strict=True):
            match verdict:
                case Verdict.KEPT:
                    self._kept.add(delivery.seq)
                case Verdict.REFUSED:
                    refused[delivery.seq] = reason
                case Verdict.AGAIN:
                    again.append(reason)
                case _:
                    assert_never(verdict)
        return again

    def _ask(
        self, path: str, body: bytes | None = None, *, method: str = "", fine: Collection[int] = (200,)
    ) -> Response:
        """Send a request below the index. Raises NotTaken for a response with none of the `fine` statuses."""
        answer = self._wire.ask(f"{self._index}{path}", (*_FIELDS[path == _BULK], *self._shown), body, method)
        if isinstance(answer, TransportError) or answer.status not in fine:
            raise self._wire.not_taken(answer, _HINTS.get(answer.status, ""))
        return answer
