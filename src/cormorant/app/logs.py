"""Where does a process say what it did? In the data folder: logs/PROCESS.log, an object of JSON a line.

The newest is put aside when it has grown, beside the ones before; the oldest goes.
"""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from cormorant.base import masking
from cormorant.store.drivers import secrets_of

if TYPE_CHECKING:
    from structlog.typing import EventDict, WrappedLogger

    from cormorant.app.build import Plan

MOST_BYTES = 10_000_000
KEPT = 4


def keep(plan: Plan, process: str) -> None:
    """Write from now on what this process says, at the level that is set and above.

    A disk that refuses it stops nothing. The password of the database is masked, and so is every secret that this
    process opens, whoever says it, and a secret in an address that it was led to.
    """
    from structlog import processors, stdlib

    for each in secrets_of(plan.store_url):
        masking.hide(each)

    def masked(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        return {name: _without(value) for name, value in event.items()}

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


def _without(value: object) -> object:
    """A value without what is hidden, however deep it stands there; what is no plain value becomes text first."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_without(each) for each in value]
    if isinstance(value, dict):
        return {masking.masked(str(name)): _without(each) for name, each in value.items()}
    return masking.redacted(masking.masked(value if isinstance(value, str) else repr(value)))
