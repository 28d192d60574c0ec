"""Federated source: a search server that is asked with the query of a reader, and never crawled."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Final
from urllib.parse import urlencode

from cormorant.base.errors import CormorantError, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Failed, Outcome
from cormorant.model.resource import Resource
from cormorant.model.settings.secret_name import SECRET
from cormorant.model.status import Status
from cormorant.model.url import join, origin_of
from cormorant.net.http.headers import content_type, retry_after
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.sources.base import BaseSource, Batches
from cormorant.sources.federated.answer import parse_answer_in_json, parse_answer_of_feed
from cormorant.sources.federated.description import (
    ATOM,
    FORMS,
    JSON,
    JSON_FEED,
    RSS,
    SearchDescription,
    parse_description,
)
from cormorant.sources.federated.settings import FederatedSettings
from cormorant.sources.http_status import StatusClass, is_answer, number_of_status, reason_of_status, status_class
from cormorant.sources.kind import Tools
from cormorant.sources.live import LiveAnswer, LiveFault

ANSWER_BYTES: Final = 2 << 20
"""Decoded bytes of an answer."""
DESCRIPTION_BYTES: Final = 256 << 10
KEPT_S: Final = 3_600.0
"""How long a description is believed."""
MARK: Final = "Cormorant-Federated: 1"
"""The header line by which a Cormorant knows that another one asks, so that it does not ask others in turn."""
_REDIRECTS: Final = 3
_DESCRIPTION: Final = "application/opensearchdescription+xml"


class FederatedSource(BaseSource[FederatedSettings]):
    """One search server. `ask` belongs to the event loop on which it is first called."""

    kind: ClassVar[str] = "federated"
    about: ClassVar[str] = "Results of a search server that is asked at each search; nothing is crawled."
    live: ClassVar[bool] = True
    Settings = FederatedSettings

    def __init__(self, number: int, settings: FederatedSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self._origin = origin_of(settings.url)
        self._consent = settings.consent(self._origin.host.strip("[]"), self._origin.port)
        self._description: SearchDescription | None = None
        self._described_at = 0.0
        self._slots: asyncio.Semaphore | None = None
        self._turn = 0.0

    @property
    def reads_fields(self) -> bool:
        """Another Cormorant reads `title:` and the like; others take them for words."""
        return self.settings.is_cormorant

    @property
    def timeout_s(self) -> float:
        """Seconds that a reader waits for it at the most."""
        return self.settings.timeout_s

    def discover(self, cursor: str) -> Batches:  # noqa: ARG002 - there is nothing
        """Yield nothing: it has no documents of its own."""
        yield from ()

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:  # noqa: ARG002 - whatever it is
        """Fetch nothing."""
        return Failed(Status.NOT_FOUND, "This source has no documents of its own.")

    def routed(self, text: str) -> str | None:
        """Return the query to be sent for one that a reader typed, None where it is not for this server."""
        return self.settings.query_route.routed(text)

    async def ask(self, text: str, languages: Sequence[str] = ()) -> LiveAnswer:
        """Ask the server, when its pace allows it. Raises LiveFault; nothing takes longer than `timeout_s`."""
        if self._slots is None:
            self._slots = asyncio.Semaphore(self.settings.per_host)
        try:
            async with asyncio.timeout(self.timeout_s), self._slots:
                await self._wait_for_turn()
                return await self._answered(text, languages)
        except TimeoutError:
            raise LiveFault(Status.READ_TIMEOUT, f"The server did not answer in {self.timeout_s:g} s.") from None

    async def _wait_for_turn(self) -> None:
        """Wait until the delay of the settings has passed since the last request. Raises LiveFault while it rests."""
        now = self.tools.clock.now()
        if self.settings.suspended_until(now):
            raise LiveFault(Status.SERVICE_UNAVAILABLE, "Its variable_delay suspends all requests at this hour.")
        pause = self._turn - self.tools.clock.monotonic()
        if pause > self.timeout_s:
            raise LiveFault(Status.READ_TIMEOUT, f"Queries before it take more than {self.timeout_s:g} s, by delay_s.")
        self._turn = max(self._turn, self.tools.clock.monotonic()) + self.settings.pace(now).delay_s
        if pause > 0:
            await asyncio.sleep(pause)

    async def _answered(self, text: str, languages: Sequence[str]) -> LiveAnswer:
        settings = self.settings
        if settings.is_cormorant:
            base = settings.url.partition("?")[0]
            url = f"{base}?{urlencode({'q': text, 'limit': settings.most, 'as_typed': 'true'})}"
            return await self._asked(url, JSON, languages)
        description = await self._described()
        language = languages[0] if languages else ""
        try:
            url = description.template.address(text, settings.most, language, description.charset)
        except ValueError as error:
            raise LiveFault(Status.PROTOCOL_ERROR, f"The description cannot be used: {error}.") from None
        try:
            return await self._asked(url, description.template.form, languages)
        except LiveFault as fault:
            if fault.status in (404, 410):  # the server may have moved its search since it was described
                self._description = None
            raise

    async def _described(self) -> SearchDescription:
        """Return the description of the server, read once an hour; an older one where it cannot be read again."""
        now = self.tools.clock.monotonic()
        if self._description is not None and now - self._described_at < KEPT_S:
            return self._description
        try:
            url, got = await self._got(self.settings.url, DESCRIPTION_BYTES, f"Accept: {_DESCRIPTION}, */*;q=0.1")
            found = parse_description(got.body, url)
        except LiveFault:
            if self._description is None:
                raise
            found = self._description
        except ValueError as error:
            raise LiveFault(
                Status.PROTOCOL_ERROR, f"The address is of no OpenSearch description that can be used: {error}."
            ) from None
        self._description, self._described_at = found, now
        return found

    async def _asked(self, url: str, form: str, languages: Sequence[str]) -> LiveAnswer:
        """Ask at an address, and read the answer in the form that it is in."""
        others = (f"{each};q=0.8" for each in FORMS if each != form)
        headers = [f"Accept: {', '.join((form, *others))}, */*;q=0.1", MARK]
        if languages:
            headers.append(f"Accept-Language: {', '.join(languages)}")
        address, got = await self._got(url, ANSWER_BYTES, *headers)
        media_type, charset = content_type(got.headers.get("content-type"))
        settings = self.settings
        try:
            if form == JSON and media_type not in (ATOM, RSS):
                found = await asyncio.to_thread(
                    parse_answer_in_json, got.body, address, settings.most, settings.mapping
                )
            else:
                found = await asyncio.to_thread(
                    parse_answer_of_feed, got.body, address, charset, settings.most, settings.mapping
                )
        except ValueError as error:
            raise LiveFault(Status.PROTOCOL_ERROR, f"The answer of the server cannot be read: {error}.") from None
        shown = media_type if media_type in (ATOM, RSS, JSON, JSON_FEED) else form
        return LiveAnswer(found.hits, found.total, address.partition("?")[0], shown)

    async def _got(self, url: str, most: int, *headers: str) -> tuple[str, Response]:
        """Get what is at an address, and where that was: a few redirects are followed. Raises LiveFault."""
        if self.tools.fetcher is None:
            raise Unreachable("No server can be asked here.")
        for _ in range(_REDIRECTS + 1):
            got = await self.tools.fetcher.get(self._request(url, most, headers))
            if isinstance(got, TransportError):
                raise LiveFault(got.status, got.reason)
            if status_class(got.status) is not StatusClass.REDIRECT:
                self._judge(got)
                return url, got
            target = next((each for _, each in join(url, [got.headers.reference("location")])), "")
            if not target.startswith(("https://", "http://")):
                raise LiveFault(Status.REDIRECT_TARGET_MISSING, "The server sends on to no address.")
            if url.startswith("https:") and not target.startswith("https:"):
                raise LiveFault(Status.REDIRECT_TARGET_MISSING, "The server sends on from https to http.")
            url = target
        raise LiveFault(Status.REDIRECT_LOOP, "The server sends from one address to another without end.")

    def _request(self, url: str, most: int, headers: Sequence[str]) -> Request:
        """Return a request; the token goes where the settings lead, and nowhere else."""
        own = origin_of(url) == self._origin
        secret = self._secret() if own else ""
        return Request(
            url,
            (*headers, *((f"Authorization: Bearer {secret}",) if secret else ())),
            self._consent,
            max_bytes=most,
            timeout_s=self.timeout_s,
            idle_timeout_s=self.timeout_s,
            connect_timeout_s=min(self.settings.connect_timeout_s, self.timeout_s),
            route=self.settings.way,
        )

    def _secret(self) -> str:
        """Return the value of the token. Raises LiveFault where it cannot be opened."""
        token = self.settings.token
        if not token or self.tools.secrets is None:
            return ""
        try:
            return self.tools.secrets.reveal(token.removeprefix(SECRET))
        except CormorantError as error:
            raise LiveFault(Status.UNAUTHORIZED, error.sentence) from None

    def _judge(self, got: Response) -> None:
        """Raise LiveFault for a response that is no answer."""
        if is_answer(got, ()):
            return
        found, rest = status_class(got.status), None
        if found is StatusClass.OVERLOADED:
            rest = retry_after(got.headers.get("retry-after"), self.tools.clock.now())
        if found in (StatusClass.LOGIN, StatusClass.FORBIDDEN):
            wants = "refuses the token" if self.settings.token else "wants a login: set token=secret:NAME"
            raise LiveFault(got.status, f"The server {wants}.")
        raise LiveFault(number_of_status(got.status), reason_of_status(got.status), rest)
