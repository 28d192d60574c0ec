"""Checks schedules and expired takedowns once a second, from a loop that has other work."""

from __future__ import annotations

import asyncio
from typing import Final

from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.crawl.run.completion import is_of_store
from cormorant.operate.documents import takedowns
from cormorant.operate.installation import Installation
from cormorant.operate.runs.scheduler import Scheduler

_log = logger(__name__)
LOOK_S: Final = 1.0
REST_S: Final = 60.0
"""Seconds without schedules after an unexpected error, so that it does not fill the log."""


class ScheduleTick:
    """The schedules of an installation, checked once a second."""

    def __init__(self, house: Installation) -> None:
        self._house, self._scheduler, self._clock = house, Scheduler(house), house.clock
        self._due = self._clock.monotonic()

    async def look(self) -> None:
        """Check schedules, if it is time. An unexpected error is logged, and does not end the process.

        Raises CormorantError for errors of the database.
        """
        now = self._clock.monotonic()
        if now < self._due:
            return
        self._due = now + LOOK_S
        (error,) = await asyncio.gather(self._once(), return_exceptions=True)
        if isinstance(error, CormorantError) and is_of_store(error):
            raise error
        if isinstance(error, Exception):
            _log.error("fault", extra={"of": "schedules"}, exc_info=error)
            self._due = now + REST_S

    async def _once(self) -> None:
        self._scheduler.look()
        takedowns.expire(self._house)
