"""One receiver at work: it has been handed a batch, or has finished it.

idle --hand over--> busy --the batch is confirmed, or not--> done --acknowledged--> idle
                     `-- for a minute: reported as late, and left to continue
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
"""Seconds with one batch after which a receiver is reported as late."""
FIRST_S, MOST_S, MOST_MENDED_S = 1.0, 300.0, 10.0
"""Seconds of rest after a failure: doubled each time, up to a maximum; less if space, or the plug-in or file that it is
made of, is missing, since the administrator may provide that at any time.
"""

GATHERED, MOST_GATHERING_S = 500, 0.4
"""After a batch of `GATHERED` events the task waits a second for more, after fewer less, but never longer than this.

A batch costs two transactions and their disk writes whatever its size; so that is paid once for many events.
"""


class ReceiverTask:
    """A sink with its own thread. `confirmed` is the place in the store.

    `seen` has the deliveries that the store has not acknowledged, by number: an index confirms several batches at once.
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
        """Hand over a batch; `then` is called after a batch that is not empty. `more`: further events are waiting."""
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
        """The place confirmed since the last call; None if nothing was confirmed.

        Raises the exception of the sink, as a CormorantError.
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
        """Return whether to report now that the receiver is late. True once for each batch."""
        late = self.busy and not self._late and _time() - self._since > LATE_S
        self._late = self._late or late
        return late

    async def finish(self) -> None:
        """Wait until the current batch is finished."""
        if self._done is not None:
            await asyncio.wait([self._done])

    def end(self) -> asyncio.Future[None]:
        """Close the sink after its current batch."""
        ended = self._ask(self.outlet.close)
        self._thread.shutdown(wait=False)
        return ended

    def _ask(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run work in the thread, after its current work. Work that never returns ends with the process."""
        return asyncio.get_running_loop().run_in_executor(self._thread, work)


def _time() -> float:
    return asyncio.get_running_loop().time()


def rest_of(error: CormorantError, failures: int) -> float:
    """Seconds to rest after a receiver failed so often in a row before; longer if the receiver asks for more."""
    is_mended = isinstance(error, NoRoom) or is_of_making(error)
    wait_s = min(FIRST_S * 2.0 ** min(failures, 20), MOST_MENDED_S if is_mended else MOST_S)
    return max(wait_s, error.after_s) if isinstance(error, NotTaken) else wait_s


def is_of_making(error: CormorantError) -> bool:
    """Return whether a receiver could not be created: its kind, or the code or file it names, is missing."""
    return isinstance(error, NotMade | UsageError | NotFoundError | PluginUnusable)


async def within(seconds: float, waited_for: Sequence[Awaitable[object]]) -> None:
    """Wait for all of these, but no longer than this. Exceptions that they raise are ignored."""
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*waited_for, return_exceptions=True), seconds)
