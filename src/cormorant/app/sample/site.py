"""The process that serves the sample site, and its parent's side.

parent                             child (python -m cormorant.app.sample --child)
SampleSite.start  --starts-->      listens, writes its port to standard output
         |        <--port--        answers; one line a request to standard error, before the answer is sent
stop, or killed --standard input--> ends
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

from cormorant.app.sample.answers import answer
from cormorant.app.sample.pages import read_pages
from cormorant.base.clock import Clock
from cormorant.base.errors import Unreachable

HOST = "127.0.0.1"
_IDLE_S = 60.0
_STOP_S = 5.0
_MOST_LINES = 100_000
"""Lines of the log; later requests are answered but not logged."""


class SampleRequest(NamedTuple):
    """A request to the site: method, path with query as sent, and the status of the response."""

    method: str
    target: str
    status: int


class SampleSite:
    """The sample site in a process of its own. `port` 0 takes a free one; a fixed one keeps addresses the same.

    Use it as a context manager, or call `stop`; in any case the child ends with this process.
    """

    def __init__(self, port: int = 0) -> None:
        self.address = ""
        self._port = port
        self._child: subprocess.Popen[bytes] | None = None
        self._log: BinaryIO | None = None

    def start(self) -> str:
        """Serve, and return the address of the first page. Raises Unreachable if the port cannot be bound."""
        if self._child is not None:
            return self.address
        command = [sys.executable, "-P", "-m", "cormorant.app.sample", "--child", str(self._port)]
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - `stop` closes it
        self._child = subprocess.Popen(  # noqa: S603 - this interpreter and our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, process_group=0
        )
        port = self._child.stdout.readline().strip().decode() if self._child.stdout else ""
        if not port:
            reason = self._written().decode(errors="replace").strip().rpartition("\n")[2]
            self.stop()
            raise Unreachable(f"The sample site could not be started: {reason or 'it ended at once'}.")
        self.address = f"http://{HOST}:{port}/"
        return self.address

    def stop(self) -> None:
        """End the child. May be called twice."""
        child, self._child = self._child, None
        if child is not None:
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()
            try:
                child.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self._log is not None:
            self._log.close()
            self._log = None

    @property
    def log(self) -> list[SampleRequest]:
        """All requests so far, in order. A request is logged before its response is sent."""
        lines = (line.split(" ") for line in self._written().decode("latin-1").splitlines())
        return [
            SampleRequest(words[0], words[1], int(words[2]))
            for words in lines
            if len(words) == 3 and words[2].isdigit()
        ]

    def _written(self) -> bytes:
        """Return what the child has written to the log, without moving the child's file offset."""
        if self._log is None:
            return b""
        descriptor = self._log.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


async def serve(port: int, ready: Callable[[int], None], note: Callable[[SampleRequest], None], clock: Clock) -> None:
    """Serve until cancelled. `ready` is called with the port, `note` with every request before its response is sent."""
    pages = read_pages()
    noted = 0

    async def converse(reader: StreamReader, writer: StreamWriter) -> None:
        """Answer one connection's requests, one after another."""
        nonlocal noted
        keep = True
        while keep:
            async with asyncio.timeout(_IDLE_S):
                request = await reader.readuntil(b"\r\n\r\n")
            said = answer(pages, request, clock.now())
            noted += 1
            if noted <= _MOST_LINES:
                note(SampleRequest(said.method, said.target, said.status))
            writer.write(said.data)
            await writer.drain()
            keep = said.keep

    async def connected(reader: StreamReader, writer: StreamWriter) -> None:
        """Serve one client; its failure ends only its own connection."""
        try:
            await converse(reader, writer)
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, HOST, port, limit=1 << 15)
    async with server:
        ready(server.sockets[0].getsockname()[1])
        await server.serve_forever()
