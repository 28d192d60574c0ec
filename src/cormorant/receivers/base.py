"""A receiver with working defaults: a kind of receiver needs only settings and `receive`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from cormorant.receivers.protocol import Delivery, ReceiverSettings, Refusal, Stop

S = TypeVar("S", bound=ReceiverSettings)


class BaseReceiver(ABC, Generic[S]):
    """A receiver of an installed package, called in a process of its own. Subclasses give `about` and `receive`.

    When `receive` returns, every delivery that was not refused is stored for good. An exception is logged, and the
    batch is offered again; after five attempts its deliveries are offered one by one. Numbers (`seq`) rise. A batch may
    be delivered again after a kill, so a receiver recognises repeats by their number.
    """

    about: ClassVar[str]
    """One sentence about the purpose of the kind."""
    Settings: ClassVar[type[ReceiverSettings]] = ReceiverSettings

    def __init__(self, settings: S) -> None:
        self.settings = settings

    def open(self) -> None:
        """Prepare the receiver, and repair the traces of a kill."""

    @abstractmethod
    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal | Stop]:
        """Store a batch for good; returns refused deliveries and the runs that have to end."""

    def close(self) -> None:
        """Release all resources."""
