"""Receiver protocol: the duties of a receiver, its guarantees, and those of its caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

from pydantic import Field

from cormorant.base.clock import Clock
from cormorant.base.errors import CormorantError
from cormorant.model.settings.source import Settings
from cormorant.net.egress.guard import Egress

RUNS = frozenset(("started", "finished", "stopped", "failed"))
"""Events about a run instead of a document."""
DAMAGED = "Its kept copy is damaged."
"""The reason for a document that could not be delivered or stored because its kept copy cannot be read."""


class ReceiverSettings(Settings):
    """Settings of every kind of receiver, made by `model.settings.source.parse_settings` from entered text."""

    COPIES: ClassVar[bool] = False
    """Whether the kind gets the fetched bytes besides the text."""
    RIGHTS: ClassVar[bool] = False
    """Whether the kind gets the rights of documents.

    Such a kind also gets events for documents with a damaged kept copy: their readers may have changed, so its copy has
    to be removed.
    """
    WHOLE: ClassVar[bool] = False
    """Whether the kind gets every text in full, however long, instead of a reference."""

    delta: bool = Field(
        default=True,
        description="Send new, changed and deleted documents. false: send the present ones as found, and nothing else.",
    )
    when: Literal["each", "end"] = Field(
        default="each",
        description="each: deliver during a run. end: deliver when it is complete, all at once.",
    )
    runs: bool = Field(
        default=False, description="Report also that a run has started, has finished, was stopped or has failed."
    )

    @property
    def writes(self) -> str:
        """The files that only this receiver may write, under one name for each folder; "" if it writes none."""
        return ""


class RecordSettings(ReceiverSettings):
    """Settings of a kind that delivers receiver records."""

    html: bool = Field(
        default=True,
        description=(
            "Send the kept HTML of HTML documents, decoded, besides their text; in its addresses *** stands for "
            "passwords and keys. Of more than a million characters only a reference is sent."
        ),
    )


class DocumentRights(NamedTuple):
    """The rights of a document: its readers have one of the grants and none of the denies.

    `model.acl` describes their form.
    """

    grants: tuple[str, ...]
    denies: tuple[str, ...]


class KeptCopy(NamedTuple):
    """A kept copy: the response as received, its body decoded. `fetched_at` is in epoch seconds.

    `status_line` is "" if the document was not fetched by HTTP; `truncated` means that the body was cut.
    """

    status_line: str
    header_block: bytes
    body: bytes
    mime: str
    fetched_at: float
    truncated: bool


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event with its document. Events of a run have no document."""

    seq: int
    """The number of the event. It may be delivered again after a kill; numbers rise, with gaps: see `previous_seq`."""
    event: str
    """new, changed, deleted, unvisited, unvisited_changed or unvisited_deleted; found in place of new and changed with
    delta=false, and for a repeated delivery. Of a run: started, finished, stopped or failed.
    """
    run: int
    """The number of the run; 0 for a delivery that `receiver resend` repeats, but with --faulty the number that it had
    before.
    """
    source: str
    """The name of the source."""
    url: str
    """The address as it is displayed; "" for an event of a run."""
    document: Mapping[str, object] | None = None
    """The Document record, of JSON values; None for a document that is gone, and for an event of a run."""
    text: str = ""
    """The text; "" for more than a million characters, where `reference` leads to it."""
    html: str | None = None
    """The decoded HTML of an HTML document; None for other formats, with html=false, and above a million characters."""
    reference: str | None = None
    """The path of the kept copy of a large document below the address of the search pages."""
    kept: KeptCopy | None = None
    """The response as received, for a kind that asks for it, and None for `python`."""
    id: int = 0
    """The number of the document, constant while the installation knows it; 0 for an event of a run."""
    rights: DocumentRights | None = None
    """The readers of the document, for a kind that asks for them, and None for `python`."""
    damaged: bool = False
    """Whether the kept copy of an existing document cannot be read. Only kinds that ask for `rights` get such events.
    """
    previous_seq: int = 0
    """The number of the previous delivery to this receiver; 0 for the first. If it is greater than every number that
    the receiver has stored, a delivery was lost in between.
    """


class Refusal(NamedTuple):
    """One delivery that a receiver cannot take.

    It may belong to this batch or to an earlier one, for a receiver that detects the problem late.
    """

    seq: int
    """The number of the delivery."""
    reason: str
    """The reason, in words for an administrator."""


class Stop(NamedTuple):
    """The request of a receiver to end a run."""

    run: int
    """The number of the run, as in its deliveries."""
    reason: str
    """The reason, in words for an administrator."""


class NotMade(CormorantError):
    """A receiver cannot be created or started, because its settings name a thing that is missing or of another type."""

    code = "not_made"


class NotTaken(CormorantError):
    """A receiver did not take a batch, which is offered again after `after_s` seconds at the earliest."""

    code = "not_taken"

    def __init__(self, sentence: str, after_s: float = 0.0) -> None:
        super().__init__(sentence)
        self.after_s = after_s


class Reveals(Protocol):
    """Reads the values of secrets."""

    def reveal(self, name: str) -> str:
        """Return the value of a secret. Raises NotFoundError, and SecretSealed when it cannot be opened."""
        ...


@dataclass(frozen=True, slots=True)
class ReceiverTools:
    """The tools for a receiver: its name and the installation's, the clock, network access, and secrets.

    `newest` returns the greatest number of any event. `egress` makes network access for the running loop; it is None
    for a receiver that is only opened as a check.
    """

    name: str
    installation: str
    clock: Clock
    secrets: Reveals
    newest: Callable[[], int]
    egress: Callable[[], Egress] | None = None


class Receiver(Protocol):
    """A consumer of the events of crawls.

    A receiver may rely on: `open` comes first, `close` last; all calls come from one thread that no other receiver
    uses; numbers in a batch rise, and never begin below those already confirmed, unless all events after some number
    are delivered again (after a kill, or because `receive` raised). It may not rely on numbers without gaps: events for
    other receivers take numbers too, so each delivery names the number of the previous one. Delivery is at least once;
    a receiver that remembers the last number it has stored makes it exactly once.

    The caller may rely on: when `receive` returns, every delivery that was not refused is stored for good, and the
    refused ones need no repeat. It may not rely on anything when `receive` raises: the batch may be stored in part or
    not at all. Nor may it rely on `receive` returning soon, or at all: only this receiver's thread waits for it.
    """

    kind: ClassVar[str]

    @property
    def settings(self) -> ReceiverSettings:
        """The administrator's settings, of the kind's own class."""
        ...

    def open(self) -> None:
        """Prepare the receiver, and repair the traces of a kill. Raises a CormorantError when it cannot."""
        ...

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Store a batch for good; returns refused deliveries and the runs that have to end."""
        ...

    def close(self) -> None:
        """Release all resources. May be called at any time, and twice."""
        ...
