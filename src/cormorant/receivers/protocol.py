"""Receiver protocol: what every receiver does, what it may rely on, and what its caller relies on."""

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
"""Events that tell of a run and of no document."""
DAMAGED = "Its kept copy is damaged."
"""Why a document is named that could not be told, or not be kept, as what was kept of it cannot be read."""


class ReceiverSettings(Settings):
    """Settings of every kind of receiver, made by `model.settings.source.parse_settings` from typed text."""

    COPIES: ClassVar[bool] = False
    """Whether the kind is given what was fetched, byte for byte, besides what it says."""
    RIGHTS: ClassVar[bool] = False
    """Whether the kind is told who may read a document.

    It is told then of one, too, whose kept copy is damaged: others may read it now, so what it has of it has to go.
    """
    WHOLE: ClassVar[bool] = False
    """Whether the kind is given all of a text, however long, and no reference in its place."""

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
        """The files that it alone may write, the same however their folder was named; "" when it writes none."""
        return ""


class RecordSettings(ReceiverSettings):
    """Settings of a kind that hands on receiver records."""

    html: bool = Field(
        default=True,
        description=(
            "Send the kept HTML of HTML documents, decoded, besides their text; in its addresses *** stands for "
            "passwords and keys. Of more than a million characters only a reference is sent."
        ),
    )


class DocumentRights(NamedTuple):
    """The rights of a document: its readers have one of the grants and none of the denies.

    `model.acl` says how they look.
    """

    grants: tuple[str, ...]
    denies: tuple[str, ...]


class KeptCopy(NamedTuple):
    """A kept copy: the answer as it came, its body decoded. `fetched_at` is in epoch seconds.

    `status_line` is "" for what did not come by HTTP; `truncated` says that the body was cut.
    """

    status_line: str
    header_block: bytes
    body: bytes
    mime: str
    fetched_at: float
    truncated: bool


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event, with the document it is about. Events of a run have none."""

    seq: int
    """Its number. It may come again after a kill, with the same number; numbers rise, with gaps: see `previous_seq`."""
    event: str
    """new, changed, deleted, unvisited, unvisited_changed or unvisited_deleted; found in place of new and changed with
    delta=false, and for what is told once more. Of a run: started, finished, stopped or failed.
    """
    run: int
    """The run that it comes from; 0 for what `receiver resend` tells again, but with --faulty what it was before."""
    source: str
    """The name of the source."""
    url: str
    """The address as it is shown; "" for an event of a run."""
    document: Mapping[str, object] | None = None
    """The Document record, of values that JSON has; None for what is gone, and for an event of a run."""
    text: str = ""
    """What it says; "" for one of more than a million characters, which `reference` leads to."""
    html: str | None = None
    """What came as HTML, decoded as it was read; None for all else, with html=false, and when it is as large."""
    reference: str | None = None
    """Where the kept copy of a large document can be had, below the address of the search pages."""
    kept: KeptCopy | None = None
    """The answer as it came, for a kind that asks for it, and None for `python`."""
    id: int = 0
    """The number of the document, the same for as long as the installation knows it; 0 for an event of a run."""
    rights: DocumentRights | None = None
    """Who may read it, for a kind that asks for it, and None for `python`."""
    damaged: bool = False
    """The document is there, and its kept copy cannot be read: told only to a kind that asks for `rights`."""
    previous_seq: int = 0
    """The number of the delivery that came before it to this receiver; 0 for the first. One that is greater than any
    number that has been kept says that something was lost in between.
    """


class Refusal(NamedTuple):
    """One delivery that a receiver cannot take.

    It may be of this batch or of any before, for a receiver that finds out late.
    """

    seq: int
    """The number of the delivery."""
    reason: str
    """Why, in words for an administrator."""


class Stop(NamedTuple):
    """A receiver wants a run to end."""

    run: int
    """The number of the run, as the deliveries say it."""
    reason: str
    """Why, in words for an administrator."""


class NotMade(CormorantError):
    """A receiver cannot be made, or not begin: what its settings name is not there, or is something else."""

    code = "not_made"


class NotTaken(CormorantError):
    """A receiver did not take a batch. It is offered again, and not before so many seconds have passed."""

    code = "not_taken"

    def __init__(self, sentence: str, after_s: float = 0.0) -> None:
        super().__init__(sentence)
        self.after_s = after_s


class Reveals(Protocol):
    """Gives the values of secrets."""

    def reveal(self, name: str) -> str:
        """The value of a secret. Raises NotFoundError, and SecretSealed when it cannot be opened."""
        ...


@dataclass(frozen=True, slots=True)
class ReceiverTools:
    """The tools for a receiver: its name and the installation's, the clock, network access, and secrets.

    `newest` is the greatest number that any event has. `egress` makes one that belongs to the running loop; None for a
    receiver that is only opened to see whether it can be.
    """

    name: str
    installation: str
    clock: Clock
    secrets: Reveals
    newest: Callable[[], int]
    egress: Callable[[], Egress] | None = None


class Receiver(Protocol):
    """Is told what a crawl found.

    A receiver may rely on: `open` comes first, `close` last; all calls come from one thread, which no other receiver
    has; numbers in a batch rise, and the numbers of a batch never begin below those already confirmed, unless
    everything behind some number comes again (after a kill, or because `receive` raised). It may not rely on numbers
    without gaps: what is told others takes numbers too, so each delivery names the one before. Delivery is at least
    once; a receiver that remembers the last number it has kept makes it exactly once.

    The caller may rely on: when `receive` returns, everything but the refused is kept for good, and the refused need
    not come again. It may not rely on anything when `receive` raises: the batch may be kept in part or not at all.
    Nor on `receive` returning soon, or at all: nobody but this receiver waits for it.
    """

    kind: ClassVar[str]

    @property
    def settings(self) -> ReceiverSettings:
        """The administrator's settings, of the kind's own class."""
        ...

    def open(self) -> None:
        """Get ready; mend what a kill has left half done. Raises a CormorantError when it cannot."""
        ...

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Keep a batch for good, and return what could not be taken, and which runs are to end."""
        ...

    def close(self) -> None:
        """Let go of everything. May be called at any time, and twice."""
        ...
