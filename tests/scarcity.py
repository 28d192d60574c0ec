"""A process that is short of open files."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def few_files(left: int) -> Iterator[None]:
    """For the length of a block, this process may open so many more files."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(each.name) for each in Path("/dev/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 32, before[1]))
    opened: list[int] = []
    try:
        with suppress(OSError):
            while True:
                opened.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(left):
            os.close(opened.pop())
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
        for each in opened:
            os.close(each)
