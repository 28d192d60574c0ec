"""Where does a process say what it did? In the data folder: logs/PROCESS.log, an object of JSON a line.

The newest is put aside when it has grown, beside the ones before; the oldest goes.
"""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from cormorant.store.drivers import secrets_of

if TYPE_CHECKING:
    from structlog.typing import EventDict, WrappedLogger

    from cormorant.app.build import Plan

MOST_BYTES = 10_000_000
KEPT = 4


def keep(plan: Plan, process: str) -> None:
    """Write from now on what this process says, at the level that is set and above.

    A disk that refuses it stops nothing. The password of the database is masked, whoever says it.
    """
    from structlog import processors, stdlib

    hidden = secrets_of(plan.store_url)

    def masked(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        return {name: _without(hidden, value) for name, value in event.items()}

    handler = RotatingFileHandler(
        plan.folder / "logs" / f"{process}.log", maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True
    )
    handler.setFormatter(
        stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                processors.TimeStamper(fmt="iso", utc=True, key="at"), stdlib.add_log_level, stdlib.add_logger_name,
                stdlib.ExtraAdder(),
            ],
            processors=[
                stdlib.ProcessorFormatter.remove_processors_meta, processors.format_exc_info, masked,
                processors.JSONRenderer(default=repr),
            ],
        )
    )  # fmt: skip
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("cormorant").setLevel(plan.installation.log.upper())


def _without(hidden: tuple[str, ...], value: object) -> object:
    if isinstance(value, str):
        for each in hidden:
            value = value.replace(each, "***")
    return value
