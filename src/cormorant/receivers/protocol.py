"""What every receiver does, what it may rely on, and what is relied on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from cormorant.model.settings import Settings


class ReceiverSettings(Settings):
    """Settings every kind of receiver has. `model.settings.parse_settings` makes them from what a person typed."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event, with the document it is about.

    `event` is found in a normal crawl; new, changed, deleted, unvisited, unvisited_changed or unvisited_deleted in a
    delta crawl. `document` is the Document record of the interfaces, None for what is gone; its values are what JSON
    has. `html` is None when there is none or it is not asked for. Large content is left out (`text` then is "") and
    `reference` says where the kept copy can be had.
    """

    seq: int
    event: str
    run: int
    source: str
    url: str
    document: Mapping[str, object] | None = None
    text: str = ""
    html: str | None = None
    reference: str | None = None


class Refusal(NamedTuple):
    """One delivery that a receiver cannot take, and why, in words for an administrator."""

    seq: int
    reason: str


class Receiver(Protocol):
    """Is told what a crawl found.

    A receiver may rely on: `open` comes first, `close` last; one thread at a time; numbers in a batch rise, and the
    numbers of a batch never begin below those already confirmed, unless everything behind some number comes again
    (after a kill, or because `receive` raised). It may not rely on numbers without gaps: events of other sources take
    numbers too. Delivery is at least once; a receiver that remembers the last number it has kept makes it exactly once.

    The caller may rely on: when `receive` returns, everything but the refused is kept for good, and the refused need
    not come again. It may not rely on anything when `receive` raises: the batch may be kept in part or not at all.
    """

    kind: ClassVar[str]

    @property
    def settings(self) -> ReceiverSettings:
        """What the administrator set, of the kind's own class."""
        ...

    def open(self) -> None:
        """Get ready; mend what a kill has left half done. Raises a CormorantError when it cannot."""
        ...

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal]:
        """Keep a batch for good, and return what could not be taken."""
        ...

    def close(self) -> None:
        """Let go of everything. May be called at any time, and twice."""
        ...
