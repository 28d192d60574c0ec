"""One receiver at work: it has been handed a batch, or has done with it.

idle --hand over--> busy --the batch is confirmed, or not--> done --taken note of--> idle
                     `-- for a minute: told, and left to it
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from cormorant.base import tracing
from cormorant.base.errors import CormorantError, NoRoom, NotFoundError, PluginUnusable, UsageError
from cormorant.base.log import logger
from cormorant.base.secret_masking import fault
from cormorant.receivers.protocol import NotMade, NotTaken

if TYPE_CHECKING:
    from cormorant.crawl.deliver.payload import Payload, Sink
    from cormorant.store.catalog.rejected_deliveries import RejectedDelivery

T = TypeVar("T")

_log = logger(__name__)
LATE_S = 60.0
"""Seconds with one batch after which it is told that a receiver does not come back."""
FIRST_S, MOST_S, MOST_MENDED_S = 1.0, 300.0, 10.0
"""How long a receiver that failed is left alone: twice as long each time, and no longer than so; less for want of room
or of what it is made of, which somebody gives at once.
"""

GATHERED, MOST_GATHERING_S = 500, 0.4
"""After a batch of so many events a second is waited for more, after fewer as much less, and never longer than that.

What a batch costs whatever is in it, two transactions and their turn at the disk, is so paid once for many.
"""


class ReceiverTask:
    """An outlet with its own thread. `confirmed` is the place that the store knows of.

    `seen` is what it was told and the store does not know of yet, by number: an index confirms several batches at once.
    """

    def __init__(self, name: str, outlet: Sink, place: int) -> None:
        self.outlet, self.confirmed, self._name = outlet, place, name
        self.seen: dict[int, RejectedDelivery] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"receiver {name}")
        self._done: asyncio.Future[int] | None = None
        self._since, self._late, self._next = 0.0, False, 0.0

    @property
    def busy(self) -> bool:
        """Return whether a batch is still in progress."""
        return self._done is not None and not self._done.done()

    def hand_over(self, found: Sequence[Payload], upto: int, then: Callable[[], None], *, more: bool) -> None:
        """Give it a batch; `then` is called when it has done with one that is not empty. Is there `more` behind it?"""
        now = _time()
        self._since, self._late = now, False
        self.seen |= {each.event.seq: each.named for each in found if not each.event.event.of_run}
        self._next = now if more else now + min(len(found) / GATHERED, MOST_GATHERING_S)
        self._done = self._ask(partial(self._receive, found, upto, now))
        if found:
            self._done.add_done_callback(lambda _: then())

    def _receive(self, found: Sequence[Payload], upto: int, now: float) -> int:
        if not found:
            return self.outlet.receive(found, upto, now)
        with tracing.span("provide", receiver=self._name, events=len(found)):
            return self.outlet.receive(found, upto, now)

    def take(self) -> int | None:
        """The place it has confirmed since it was asked last; None when there is nothing to take note of.

        Raises what it raised, as a CormorantError.
        """
        done, self._done = self._done, None
        if done is None:
            return None
        error = done.exception()
        if error is None:
            return done.result()
        if isinstance(error, CormorantError):
            raise error
        _log.error("fault", exc_info=error)
        raise CormorantError(fault(error)) from error

    def gathers(self) -> bool:
        """Return whether waiting for more events is better than delivering the available ones."""
        return _time() < self._next

    def take_lateness(self) -> bool:
        """Return whether to report now that the receiver does not return. Once a batch."""
        late = self.busy and not self._late and _time() - self._since > LATE_S
        self._late = self._late or late
        return late

    async def finish(self) -> None:
        """Wait until it has done with what it has."""
        if self._done is not None:
            await asyncio.wait([self._done])

    def end(self) -> asyncio.Future[None]:
        """Close the outlet, after what it has in hand."""
        ended = self._ask(self.outlet.close)
        self._thread.shutdown(wait=False)
        return ended

    def _ask(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Have something done in the thread, after what it is at. One that never comes back ends with the process."""
        return asyncio.get_running_loop().run_in_executor(self._thread, work)


def _time() -> float:
    return asyncio.get_running_loop().time()


def rest_of(error: CormorantError, failures: int) -> float:
    """Seconds to leave a receiver alone that has failed so often in a row before; longer where it asked for more."""
    is_mended = isinstance(error, NoRoom) or is_of_making(error)
    wait_s = min(FIRST_S * 2.0 ** min(failures, 20), MOST_MENDED_S if is_mended else MOST_S)
    return max(wait_s, error.after_s) if isinstance(error, NotTaken) else wait_s


def is_of_making(error: CormorantError) -> bool:
    """Return whether a receiver could not be created: its kind, or the code or file it names, is missing."""
    return isinstance(error, NotMade | UsageError | NotFoundError | PluginUnusable)


async def within(seconds: float, waited_for: Sequence[Awaitable[object]]) -> None:
    """Wait for all of these, and no longer than so. What they raise is nobody's business any more."""
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*waited_for, return_exceptions=True), seconds)
