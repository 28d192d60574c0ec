"""The life of the fork server: starting, dying, starting again, and taking everything with it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.sandbox import Finished, Killed, Limits, ServerGone, ServerHandle, ServerNotStarted, start_server
from cormorant.sandbox.client import ChildPool
from tests.sandbox.conftest import children_of, is_running, until

TASKS = {name: f"tests.sandbox.tasks:{name}" for name in ("echo", "parent", "hang_deaf")}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def handle() -> Iterator[ServerHandle]:
    started = start_server(("json",), TASKS)
    yield started
    started.stop()


async def hang(pool: ChildPool) -> tuple[asyncio.Task[object], int, int]:
    """Start a task that hangs; return it with the server's and the child's process number."""
    answer = await pool.run("parent", b"")
    assert isinstance(answer, Finished)
    server = int(answer.value)
    hanging: asyncio.Task[object] = asyncio.create_task(pool.run("hang_deaf", b""))
    assert await until(lambda: len(children_of(server)) == 1)
    return hanging, server, children_of(server)[0]


def test_references_can_be_their_own_names() -> None:
    handle = start_server((), ["tests.sandbox.tasks:echo"])
    try:
        answer = asyncio.run(ChildPool(handle.addresses).run("tests.sandbox.tasks:echo", b"x"))
        assert isinstance(answer, Finished)
    finally:
        handle.stop()


@pytest.mark.parametrize(
    ("preload", "tasks", "says"),
    [
        (("no_such_module",), {}, "no_such_module cannot be imported"),
        ((), {"x": "tests.sandbox.tasks:nothing"}, "tests.sandbox.tasks:nothing is not a function"),
        ((), {"x": "tests.sandbox.greedy:echo"}, "importing tests.sandbox.greedy starts threads"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(preload: tuple[str, ...], tasks: dict[str, str], says: str) -> None:
    with pytest.raises(ServerNotStarted, match=says):
        start_server(preload, tasks)


def test_only_its_own_user_finds_the_socket(handle: ServerHandle) -> None:
    folder = Path(handle.address).parent
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.stat().st_uid == os.getuid()


def test_stopping_ends_the_server_its_children_and_the_folder(handle: ServerHandle) -> None:
    async def stop_while_hanging() -> None:
        hanging, server, child = await hang(ChildPool(handle.addresses))
        handle.stop()
        assert not handle.alive
        assert await until(lambda: not is_running(server) and not is_running(child))
        with pytest.raises(ServerGone, match="died while it had work"):
            await hanging
        with pytest.raises(ServerGone, match="cannot be reached"):
            await ChildPool(handle.addresses).run("echo", b"")

    asyncio.run(stop_while_hanging())
    assert not Path(handle.address).parent.exists()
    handle.stop()


def test_a_killed_server_takes_its_children_and_comes_back_at_the_same_address(handle: ServerHandle) -> None:
    async def kill_and_restart() -> object:
        pool = ChildPool(handle.addresses, parallel=2)
        hanging, server, child = await hang(pool)
        os.kill(server, signal.SIGKILL)
        with pytest.raises(ServerGone):
            await hanging
        assert await until(lambda: not handle.alive and not is_running(child))
        with pytest.raises(ServerGone):
            await pool.run("echo", b"")
        handle.restart()
        assert handle.alive
        return await pool.run("echo", b"again")

    answer = asyncio.run(kill_and_restart())
    assert isinstance(answer, Finished)
    assert answer.value == b"again"


STARTER = """
import asyncio, os, sys
from cormorant.sandbox import start_server
from cormorant.sandbox.client import ChildPool
handle = start_server((), {tasks!r})
if os.fork() == 0:
    # A retriever, forked later, holds whatever its parent held.
    async def work():
        pool = ChildPool(handle.addresses)
        print((await pool.run("parent", b"")).value.decode(), handle.address, os.getpid(), flush=True)
        await pool.run("hang_deaf", b"")
    asyncio.run(work())
os.wait()
"""


def test_when_the_starter_dies_the_server_and_all_children_die() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTER.format(tasks=TASKS)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as starter:
        assert starter.stdout is not None
        server, address, retriever = starter.stdout.readline().split()
        asyncio.run(until(lambda: len(children_of(int(server))) == 1))
        (child,) = children_of(int(server))
        starter.kill()
        gone = asyncio.run(until(lambda: not is_running(int(server)) and not is_running(child)))
        os.kill(int(retriever), signal.SIGKILL)
        assert gone
        assert asyncio.run(until(lambda: not Path(address).parent.exists()))


def test_a_hundred_clients_that_hang_up_at_once_leave_nothing(handle: ServerHandle) -> None:
    async def rush() -> int:
        pool = ChildPool(handle.addresses, Limits(wall_s=0.05), parallel=25)
        _, server, _ = await hang(ChildPool(handle.addresses))
        answers = await asyncio.gather(*(pool.run("hang_deaf", b"") for _ in range(100)))
        assert all(isinstance(answer, Killed) for answer in answers)
        return server

    server = asyncio.run(rush())
    assert asyncio.run(until(lambda: not children_of(server)))
    assert handle.alive


def test_a_server_loads_no_event_loop() -> None:
    """Every child is born with what its server has loaded."""
    look = "import sys; import cormorant.sandbox.__main__; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout.split()
    assert "cormorant.sandbox.fork_server" in loaded
    assert not {"asyncio", "ssl", "sqlalchemy", "pydantic"}.intersection(loaded)
