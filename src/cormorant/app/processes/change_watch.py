"""Change watch: orders a run of a watched source that has changed. Schedules catch changes that were missed.

    watched source --a thread of its own: wait_for_change--> changed --DEBOUNCE_S, no run open--> a run is ordered
                                                                `--a run is open, or rests--> later

A source is watched if its settings say `watch` and its object has `wait_for_change`. At most one run of it is open:
changes meanwhile are for the next run. After a run the source rests for as long as the run took, so that a folder
that changes all the time costs at most half of the time.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from math import inf
from typing import Final, Protocol, cast, runtime_checkable

from cormorant.app import build
from cormorant.base.clock import Clock
from cormorant.base.errors import CormorantError, LoginRefused
from cormorant.base.log import logger
from cormorant.base.secret_masking import fault
from cormorant.crawl.run.completion import is_of_store
from cormorant.net.egress.guard import Egress
from cormorant.operate.installation import Installation
from cormorant.operate.runs import start
from cormorant.operate.search import reindex
from cormorant.plugins import source_settings
from cormorant.sources.protocol import Source
from cormorant.store.catalog import sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs

_log = logger(__name__)
LOOK_S: Final = 1.0
"""Seconds between checks of the sources to be watched."""
WAIT_S: Final = 5.0
"""Seconds that one wait for changes takes at most."""
DEBOUNCE_S: Final = 1.0
"""Seconds from the first change to the order of a run, so that changes close together cause one run."""
MOST_REST_S: Final = 300.0
AGAIN_S: Final = 60.0
"""Seconds before a source whose watching failed is watched again."""
REFUSED_S: Final = 3_600.0
"""The same after its login was refused: servers lock accounts."""


@runtime_checkable
class Watchable(Protocol):
    """A source that notices its changes."""

    def wait_for_change(self, timeout_s: float) -> bool:
        """Wait until something has changed, and return True; False when the time is over.

        It blocks, and is called from one thread. `close` ends it early. It raises CormorantError if it cannot watch.
        """
        ...


class _Watcher:
    """A source and the thread that waits for its changes. `changed_at` is in monotonic seconds, 0 for no change."""

    def __init__(self, name: str, make: Callable[[], Source], clock: Clock) -> None:
        self.changed_at = 0.0
        self._name, self._make, self._clock = name, make, clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"watch {name}")
        self._step: Future[bool | None] | None = None
        self._source: Source | None = None
        self._rests_until = 0.0

    def look(self, now: float) -> None:
        """Take the thread's result, and have it wait again. After a failure the source rests: schedules still run."""
        if self._step is not None and not self._step.done():
            return
        if self._step is not None:
            self._take(self._step, now)
        self._step = self._thread.submit(self._wait) if now >= self._rests_until else None

    async def close(self) -> None:
        """Have the thread end soon, without waiting for it."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._source is not None:
            await asyncio.gather(self._source.close(), return_exceptions=True)

    def _wait(self) -> bool | None:
        """Wait for a change, in the thread; None for a source that cannot detect changes."""
        self._source = self._source or self._make()
        return self._source.wait_for_change(WAIT_S) if isinstance(self._source, Watchable) else None

    def _take(self, step: Future[bool | None], now: float) -> None:
        error = step.exception()
        if error is not None:
            self._source = None
            self._rests_until = now + (REFUSED_S if isinstance(error, LoginRefused) else AGAIN_S)
            reason = error.sentence if isinstance(error, CormorantError) else fault(error)
            _log.warning("watch failed", extra={"source": self._name, "reason": reason})
        elif step.result() is None:
            self._rests_until = inf
        elif step.result():
            self.changed_at = self.changed_at or now


class ChangeWatch:
    """The watched sources of an installation. `egress` makes the network access of their threads."""

    def __init__(self, house: Installation, egress: Callable[[], Egress]) -> None:
        self._house, self._egress, self._clock = house, egress, house.clock
        self._watchers: dict[int, tuple[str, _Watcher]] = {}
        self._due = self._clock.monotonic()

    async def look(self) -> None:
        """Update the watched sources, if it is time, and order runs of changed sources.

        Raises CormorantError for errors of the database.
        """
        now = self._clock.monotonic()
        if now >= self._due:
            self._due = now + LOOK_S
            await self._compare()
        for number, (_, watcher) in self._watchers.items():
            watcher.look(now)
            if watcher.changed_at and now >= watcher.changed_at + DEBOUNCE_S and self._ordered(number):
                watcher.changed_at = 0.0

    async def close(self) -> None:
        """End all watches."""
        watchers, self._watchers = self._watchers, {}
        await asyncio.gather(*(watcher.close() for _, watcher in watchers.values()))

    async def _compare(self) -> None:
        """Begin to watch new or edited sources, and stop watching deleted or unwatched ones."""
        with self._house.store.read() as tx:
            rows = {row.id: row for row in sources.every(tx) if row.settings.get("node", "") in ("", self._house.node)}
        known = {number: _state(row) for number, row in rows.items()}
        for number in [each for each, (state, _) in self._watchers.items() if known.get(each) != state]:
            await self._watchers.pop(number)[1].close()
        for number, row in rows.items():
            if number not in self._watchers and _is_watched(row):
                self._watchers[number] = known[number], _Watcher(row.name, self._maker(row), self._clock)

    def _maker(self, row: SourceRow) -> Callable[[], Source]:
        return lambda: build.watched_source(row, self._house, self._egress)

    def _ordered(self, number: int) -> bool:
        """Order a run of a source, unless one is open or was just; returns whether no order is left to be made."""
        try:
            reindex.refuse_older_store(self._house)
            with self._house.store.begin() as tx:
                sources.claim(tx, number)
                row = sources.numbered(tx, number)
                if row is None:
                    return True
                if not _may_run(tx, number):
                    return False
                start.order_one(tx, row)
        except CormorantError as error:
            if is_of_store(error):
                raise
            _log.warning("watch failed", extra={"source": number, "reason": error.sentence})
        return True


def _state(row: SourceRow) -> str:
    """Return the settings that a watcher depends on: of the source, and of the sets that it includes."""
    return json.dumps([row.version, dict(row.settings)], sort_keys=True)


def _is_watched(row: SourceRow) -> bool:
    try:
        return bool(getattr(source_settings(row.kind, cast("Mapping[str, object]", row.settings)), "watch", False))
    except CormorantError:  # settings of an older version, or of a package that was removed
        return False


def _may_run(tx: Tx, number: int) -> bool:
    """Return whether a run of a source may begin: none is open or held, and the rest after the last one is over."""
    if runs.unfinished(tx, number) is not None:
        return False
    last = next(iter(runs.every(tx, number, 1)), None)
    if last is None or last.finished_at is None:
        return True
    return tx.now() >= last.finished_at + min(last.seconds(tx.now()), MOST_REST_S)
