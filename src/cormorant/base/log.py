"""What a process says to whoever looks after it; lost where nobody has named a place for it, as a library never prints.

Events are short names, everything else goes into `extra`: `log.info("settled", extra={"pages": 250})`.
"""

from __future__ import annotations

import logging
from logging import Logger

logging.getLogger("cormorant").addHandler(logging.NullHandler())


def logger(name: str) -> Logger:
    """The logger of a module, by its `__name__`."""
    return logging.getLogger(name)
