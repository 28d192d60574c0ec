"""Mailbox protocol: what a mail source asks of an account or an archive, and the addresses of its messages.

    mail://3/INBOX/1608/17                  an IMAP folder, its UIDVALIDITY, the UID
    mail://3/archive.mbox/9f86d081884c7d65  an mbox file, the identity of the message
    mail://3/Work/1700000000.M1P2.host      a Maildir folder, the unique name of the message

Parts of an address may hold any characters or bytes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote, unquote

from cormorant.model.outcome import Outcome

_DOTS: Final = ("", ".", "..")


class MessageEntry(NamedTuple):
    """A message as a listing names it: the parts of its address, its version, its identifier where it was asked for."""

    parts: tuple[str, ...]
    version: str
    message_id: str = ""


class FolderState(NamedTuple):
    """The state by which changes of a folder are seen: identity, number of messages, the UID that the next one gets.

    `modseq` is its HIGHESTMODSEQ (RFC 7162). `next_uid` and `modseq` are 0 where nobody says them.
    """

    validity: str
    messages: int
    next_uid: int = 0
    modseq: int = 0


class MailboxChanges(NamedTuple):
    """Messages that came since a listing, and the parts of the addresses of those that went."""

    new: list[MessageEntry]
    gone: list[tuple[str, ...]]


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

    `changes`, `messages` and `wait` are called from one thread, `read` from several at once.
    """

    unlisted: list[tuple[str, ...]]

    @property
    def place(self) -> str:
        """Return which place it is, for the cursor; no secret stands in it."""
        ...

    def changes(
        self, before: Mapping[str, FolderState]
    ) -> Generator[Sequence[MessageEntry], None, MailboxChanges | None]:
        """Yield empty batches, and return what changed since `seen` was `before`.

        None when that cannot be known without a complete listing. Raises Unreachable, LoginRefused.
        """
        ...

    def messages(self, before: Mapping[str, FolderState]) -> Iterator[Sequence[MessageEntry]]:
        """Yield all messages in batches; `before` is `seen` of the last listing. Raises Unreachable, LoginRefused."""
        ...

    @property
    def seen(self) -> dict[str, FolderState]:
        """After `messages` or `changes`: the state of each folder."""
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


def address_of_parts(beginning: str, parts: tuple[str, ...]) -> str:
    """Return the address of a message, or with an empty last part that of a folder; dots alone would name another."""
    return beginning + "/".join(map(_quoted, parts[:-1])) + "/" + (_quoted(parts[-1]) if parts[-1] else "")


def parts_of_address(beginning: str, address: str) -> tuple[str, ...]:
    """Return the parts that an address was made of."""
    return tuple(
        unquote(each, errors="surrogateescape").removeprefix("~") for each in address.removeprefix(beginning).split("/")
    )


def _quoted(part: str) -> str:
    mark = "~" if part in _DOTS or part.startswith("~") else ""
    return mark + quote(part.encode("utf-8", "surrogateescape"), safe="")
