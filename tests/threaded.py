"""Servers in a thread beside the test: what each answers is the test's, how it is served is here."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from cormorant.base.clock import SystemClock
from tests.clocks import HANG_S

HTML = "text/html"
TICK_S = 0.01
AT_ONCE = 64
"""Answers that may wait for something at once."""


class Said(NamedTuple):
    """What a server answers. `headers` may give Content-Type anew; a tuple of values is a field each."""

    status: int = 200
    body: str | bytes = ""
    headers: Mapping[str, str | tuple[str, ...]] = MappingProxyType({})

    def written(self) -> bytes:
        """As it goes out."""
        body = self.body.encode() if isinstance(self.body, str) else self.body
        fields = {"Content-Type": HTML, "Content-Length": str(len(body)), **self.headers}
        lines = [f"HTTP/1.1 {self.status} Said"]
        for name, value in fields.items():
            lines += [f"{name}: {each}" for each in (value if isinstance(value, tuple) else (value,))]
        return "\r\n".join([*lines, "", ""]).encode() + body


class Asked(NamedTuple):
    """A request: when it came (monotonic), for which path with its query, and its header fields by small names."""

    at: float
    path: str
    fields: Mapping[str, str]


def _read(head: bytes, at: float) -> Asked:
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return Asked(at, first.split(" ")[1], {name.lower(): value.strip() for name, _, value in pairs})


Answer = Callable[[Asked], Said]


class Server:
    """A server on a port of its own, which makes it a site of its own. `asked` is what came, in order.

    `late_s` is how late the machine has let it do something at the worst: a request may have come by that much before
    it was noted. An answer may take its time, and keeps no other waiting.
    """

    def __init__(self, answer: Answer, host: str = "127.0.0.1") -> None:
        self.answer, self.host, self.port = answer, host, 0
        self.asked: list[Asked] = []
        self.late_s = 0.0
        self._clock, self._answering = SystemClock(), ThreadPoolExecutor(AT_ONCE)
        self._listening: asyncio.Server | None = None

    @property
    def origin(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://{self.host}:{self.port}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [each.path for each in self.asked]

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Serve until the block ends."""
        self._listening = await asyncio.start_server(self._talk, self.host, self.port, backlog=256)
        self.port = self._listening.sockets[0].getsockname()[1]
        self._tick(asyncio.get_running_loop().time())
        try:
            yield
        finally:
            self._listening.close()
            self._answering.shutdown(wait=False)

    def leave(self) -> None:
        """Listen no more: connections are refused from now on."""
        listening = self._listening
        assert listening is not None
        listening.get_loop().call_soon_threadsafe(listening.close)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while True:
                    asked = _read(await reader.readuntil(b"\r\n\r\n"), self._clock.monotonic())
                    self.asked.append(asked)
                    said = await loop.run_in_executor(self._answering, self.answer, asked)
                    writer.write(said.written())
                    await writer.drain()
        finally:
            writer.close()

    def _tick(self, due: float) -> None:
        """Measure how late this thread comes to what it should do now."""
        loop = asyncio.get_running_loop()
        self.late_s = max(self.late_s, loop.time() - due)
        loop.call_later(TICK_S, self._tick, loop.time() + TICK_S)


S = TypeVar("S", bound=Server)


@contextmanager
def beside(*serving: AbstractAsyncContextManager[object]) -> Iterator[None]:
    """Have servers serve on a loop of their own until the block ends."""
    loop, stack = asyncio.new_event_loop(), AsyncExitStack()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def close() -> None:
        await stack.aclose()
        talks = asyncio.all_tasks() - {asyncio.current_task()}
        for each in talks:
            each.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    try:
        for each in serving:
            asyncio.run_coroutine_threadsafe(stack.enter_async_context(each), loop).result(HANG_S)
        yield
    finally:
        asyncio.run_coroutine_threadsafe(close(), loop).result(HANG_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def running(server: S) -> Iterator[S]:
    """Have a server serve until the block ends."""
    with beside(server.serving()):
        yield server


@contextmanager
def served(answer: Answer, host: str = "127.0.0.1") -> Iterator[Server]:
    """Have a server say this until the block ends."""
    with running(Server(answer, host)) as server:
        yield server
