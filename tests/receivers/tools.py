"""What a receiver is given, for tests: the system's clock, the real way out, secrets that are no secret."""

from __future__ import annotations

from cormorant.base.clock import Clock, SystemClock
from cormorant.base.errors import NotFoundError
from cormorant.net.egress.guard import Egress
from cormorant.receivers.protocol import ReceiverTools
from tests.receivers.hook import KEY


class Secrets:
    """One secret."""

    def reveal(self, name: str) -> str:
        if name != "shop":
            raise NotFoundError(f"There is no secret {name!r}.")
        return KEY.decode()


def tools(clock: Clock | None = None, newest: int = 1 << 40) -> ReceiverTools:
    """Tools of a receiver called shop."""
    told = clock or SystemClock()
    return ReceiverTools("shop", "1d", told, Secrets(), lambda: newest, lambda: Egress(told))
