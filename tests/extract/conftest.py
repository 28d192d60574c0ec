"""Where the public test suites lie, for those who have them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def suite() -> Callable[[str], Path]:
    """Return the folder of a public suite; skips when CORMORANT_SUITES does not name the folder that holds it."""

    def find(name: str) -> Path:
        root = os.environ.get("CORMORANT_SUITES", "")
        folder = Path(root) / name
        if not root or not folder.is_dir():
            pytest.skip(f"CORMORANT_SUITES does not name a folder with the public suite {name}")
        return folder

    return find


@pytest.fixture(scope="session", autouse=True)
def converters_at_rest() -> Iterator[None]:
    """Leave xberg's threads time to let go of Python objects: a process that ends a moment earlier may crash.

    Limited children end by `os._exit`, which does not wait for anything.
    """
    yield
    time.sleep(0.3)
