"""A receiver with working defaults: a kind of receiver needs settings and `receive`, and no more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from cormorant.receivers.protocol import Delivery, ReceiverSettings, Refusal, Stop

S = TypeVar("S", bound=ReceiverSettings)


class BaseReceiver(ABC, Generic[S]):
    """A receiver of a package that is installed, called in a process of its own. Subclasses give `about` and `receive`.

    When `receive` returns, everything but the refused is kept for good. What it raises is logged, and the batch comes
    again, after five times one by one. Numbers (`seq`) rise; a batch may come again after a kill, so what is not to be
    kept twice is told by its number.
    """

    about: ClassVar[str]
    """What the kind is for, in a sentence."""
    Settings: ClassVar[type[ReceiverSettings]] = ReceiverSettings

    def __init__(self, settings: S) -> None:
        self.settings = settings

    def open(self) -> None:
        """Get ready; mend what a kill has left half done."""

    @abstractmethod
    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Keep a batch for good, and return what could not be taken, and which runs are to end."""

    def close(self) -> None:
        """Let go of everything."""
