"""Mailbox protocol: what a mail source asks of an account or an archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from cormorant.model.outcome import Outcome
from cormorant.sources.mail.message_address import MessageEntry


class RawMessage(NamedTuple):
    """A message as it was sent. `size_bytes` is that of the whole, of which `body` may be the beginning.

    `received_at` is when it arrived, in epoch seconds, None where nobody knows; `folder` is a readable name.
    """

    body: bytes
    size_bytes: int
    received_at: float | None
    folder: str


class Mailbox(Protocol):
    """A place with messages. `unlisted` names folders that could not be listed.

    `messages` and `wait` are called from one thread, `read` from several at once.
    """

    unlisted: list[tuple[str, ...]]

    @property
    def place(self) -> str:
        """Return which place it is, for the cursor; no secret stands in it."""
        ...

    def messages(self, before: dict[str, tuple[str, int]]) -> Iterator[Sequence[MessageEntry]]:
        """Yield all messages in batches; `before` is `seen` of the last listing. Raises Unreachable, LoginRefused."""
        ...

    @property
    def seen(self) -> dict[str, tuple[str, int]]:
        """After `messages`: the identity and the number of messages of each folder."""
        ...

    def read(self, parts: tuple[str, ...], seconds: float) -> tuple[RawMessage | Outcome, int]:
        """Return one message, or why there is none, and the bytes that this took. Never raises for the other side."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait until messages come or go; False when the time is over or it was closed. Raises Unreachable."""
        ...

    def close(self) -> None:
        """Let go of connections, and end a wait."""
        ...
