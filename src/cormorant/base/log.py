"""Process log for administrators; a library never prints, so lines are lost if no log destination is set.

Events are short names, all data goes into `extra`: `log.info("settled", extra={"pages": 250})`.
"""

from __future__ import annotations

import logging
from logging import Logger

logging.getLogger("cormorant").addHandler(logging.NullHandler())


def logger(name: str) -> Logger:
    """The logger of a module, by its `__name__`."""
    return logging.getLogger(name)
