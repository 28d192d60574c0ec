"""Live source protocol: a source without documents of its own, whose server is asked with the query of a reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from cormorant.model.content import Value
from cormorant.model.settings.source import SourceSettings


@dataclass(frozen=True, slots=True)
class LiveHit:
    """A result of a server. Every text is as the server wrote it, without markup; nothing in it is trusted.

    `url` is an http or https address. `modified_at` is in epoch seconds.
    """

    url: str
    title: str
    text: str = ""
    mime: str = ""
    language: str = ""
    size_bytes: int = 0
    modified_at: float | None = None
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """The best results of a server, in its order, and how many it has in all, None where it does not say.

    `asked` is the address that was asked, without its query, which may hold a key; `form` is the form of the answer.
    """

    hits: tuple[LiveHit, ...]
    total: int | None = None
    asked: str = ""
    form: str = ""


class LiveFault(Exception):
    """A server has no answer. `reason` is a sentence without anything secret, `status` one of the status table.

    A server that did not answer in time has the status READ_TIMEOUT.

    `rest_s` is for how many seconds the server asks not to be asked, None where it does not say.
    """

    def __init__(self, status: int, reason: str, rest_s: float | None = None) -> None:
        super().__init__(reason)
        self.status, self.reason, self.rest_s = status, reason, rest_s


@runtime_checkable
class LiveSource(Protocol):
    """A source whose server is asked at search time.

    `reads_fields`: the server reads a query as Cormorant does, with fields such as `title:` and `type:`. `timeout_s`
    is how long an answer is waited for.
    """

    reads_fields: bool

    @property
    def settings(self) -> SourceSettings:
        """The settings it was built from."""
        ...

    @property
    def timeout_s(self) -> float:
        """Seconds that a reader waits for it at the most."""
        ...

    def routed(self, text: str) -> str | None:
        """Return the query to be sent for one that a reader typed, None where it is not for this server."""
        ...

    async def ask(self, text: str, languages: Sequence[str]) -> LiveAnswer:
        """Ask the server, with the languages that the reader prefers. Raises LiveFault.

        It may be called several times at once, on one event loop. It keeps to the pace of its settings.
        """
        ...
