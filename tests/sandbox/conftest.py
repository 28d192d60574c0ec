"""One fork server for all tests of this folder, and a short way to ask it something."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cormorant.sandbox import Answer, Limits, ServerHandle, start_server
from cormorant.sandbox.client import ChildPool
from tests.sandbox import tasks

TASKS = {
    name: f"tests.sandbox.tasks:{name}"
    for name, function in inspect.getmembers(tasks, inspect.isfunction)
    if function.__module__ == tasks.__name__ and not name.startswith("_")
}

Ask = Callable[..., Answer]


@pytest.fixture(scope="session")
def server() -> Iterator[ServerHandle]:
    handle = start_server((), TASKS)
    yield handle
    handle.stop()


@pytest.fixture
def ask(server: ServerHandle) -> Ask:
    def ask_once(task: str, payload: bytes = b"", **limits: float) -> Answer:
        async def once() -> Answer:
            return await ChildPool({task: server.address}, Limits(**limits)).run(task, payload)  # type: ignore[arg-type]

        return asyncio.run(once())

    return ask_once


def children_of(pid: int) -> list[int]:
    """The living and undead children of `pid`."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def is_running(pid: int) -> bool:
    """True when `pid` is there and not a zombie."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"


async def until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Wait until `condition` holds; False when it does not in time."""
    for _ in range(int(seconds / 0.02)):
        if condition():
            return True
        await asyncio.sleep(0.02)
    return condition()
