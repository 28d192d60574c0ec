"""Connections of the sources that a test made are closed at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.sources.mail.mail_sources import MADE


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while MADE:
        asyncio.run(MADE.pop().close())
