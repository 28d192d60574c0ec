"""Where a fault of the pages is written down, so that who looks after them can find it by its reference."""

from __future__ import annotations

from cormorant.base.clock import random_token
from cormorant.base.log import logger

_log = logger(__name__)


def note(path: str, error: Exception) -> str:
    """Write a fault into the log, with where it came from; returns its reference."""
    reference = random_token(4)
    _log.error("fault", extra={"reference": reference, "path": path}, exc_info=error)
    return reference
