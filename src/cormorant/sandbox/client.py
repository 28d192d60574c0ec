"""Client that runs tasks in limited children from an event loop: one connection a task; hanging up kills the child."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Mapping, Sequence
from typing import Final

from cormorant.sandbox.errors import PayloadTooBig, ServerGone
from cormorant.sandbox.limits import MIB, PAYLOAD_MAX_BYTES, Limits
from cormorant.sandbox.protocol import ANSWER, ENDING_BYTES, AnswerKind, TaskHeader, pack_head, unpack_ending
from cormorant.sandbox.result import Answer, Ending, Finished, Killed, KillReason, TaskFailed, one_line, why_killed

# A child that has answered exits at once; if not, it is killed.
_LEAVE_S: Final = 2.0
# From the hang-up to the ending.
_KILL_S: Final = 5.0
_CHUNK_BYTES: Final = 256 * 1024
_FAILED_MAX_BYTES: Final = 4096
_KINDS: Final = frozenset(AnswerKind)


class ChildPool:
    """At most `parallel` children at once, for one event loop. `addresses` gives the server of each task.

    A caller may rely on exactly one answer per call, on the child being gone by then, and on cancelling `run` to kill
    it, but not on the order of answers. Raises ServerGone if the server is not there; the same pool works again once
    its owner has restarted it.
    """

    def __init__(self, addresses: Mapping[str, str], limits: Limits | None = None, parallel: int = 2) -> None:
        self._addresses = addresses
        self._limits = limits or Limits()
        self._places = asyncio.Semaphore(parallel)

    async def run(self, task: str, *payload: bytes, limits: Limits | None = None) -> Answer:
        """Run `task` in a child of its own on the bytes of `payload`, whose pieces are joined only in the child.

        Raises PayloadTooBig above 65 MiB, ServerGone, and KeyError for a task without a server.
        """
        size = sum(map(len, payload))
        if size > PAYLOAD_MAX_BYTES:
            raise PayloadTooBig(f"{size} bytes are more than the {PAYLOAD_MAX_BYTES // MIB} MiB a child is given.")
        async with self._places:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.setblocking(False)
                conversation = _Conversation(connection, limits or self._limits)
                await conversation.connect(self._addresses[task])
                return await conversation.hold(task, payload)


class _Conversation:
    """Send the task, receive the answer, receive the ending.

    The ending is always the last bytes of the stream, so an answer is complete only when the ending follows it whole.
    """

    def __init__(self, connection: socket.socket, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._kind: int | None = None
        self._body = b""
        self._answer_bytes = 0
        self._heard_bytes = 0
        self._tail = b""

    async def connect(self, address: str) -> None:
        try:
            await self._loop.sock_connect(self._connection, address)
        except OSError as error:
            raise ServerGone(f"The process for converters cannot be reached: {error.strerror}.") from error

    async def hold(self, task: str, payload: Sequence[bytes]) -> Answer:
        began = self._loop.time()
        stopped: KillReason | None = None
        try:
            async with asyncio.timeout(self._limits.wall_s):
                await self._hand_in(task, payload)
                stopped = await self._hear_answer()
        except TimeoutError:
            stopped = KillReason.WALL
        wall_s = self._loop.time() - began
        ending = await self._hear_ending(hang_up=stopped is not None)
        return self._judge(ending, stopped, wall_s)

    def _judge(self, ending: Ending, stopped: KillReason | None, wall_s: float) -> Answer:
        """Return the result of the task; the answer takes precedence over the ending."""
        whole = self._heard_bytes >= self._answer_bytes + ENDING_BYTES
        match self._kind if whole else None:
            case AnswerKind.VALUE:
                return Finished(self._body, ending.cpu_s, wall_s, ending.peak_bytes)
            case AnswerKind.FAILED:
                return TaskFailed(one_line(self._body.decode("utf-8", "replace")))
            case AnswerKind.MEMORY:
                reason = KillReason.MEMORY
            case AnswerKind.OUTPUT:
                reason = KillReason.OUTPUT
            case _:
                reason = stopped or why_killed(ending, self._limits)
        return Killed(reason, ending.signal, ending.cpu_s, wall_s, ending.peak_bytes, ending.said)

    async def _hand_in(self, task: str, payload: Sequence[bytes]) -> None:
        try:
            head = pack_head(TaskHeader(task, self._limits), sum(map(len, payload)))
            for piece in (head, *payload):
                await self._loop.sock_sendall(self._connection, piece)
        except (BrokenPipeError, ConnectionResetError):
            # The child died while it read its document; the ending has the cause.
            return

    async def _hear_answer(self) -> KillReason | None:
        """Read the answer, if there is one. Return OUTPUT if it is longer than allowed."""
        head = await self._receive(ANSWER.size)
        if len(head) < ANSWER.size:
            return None
        kind, length = ANSWER.unpack(head)
        if kind not in _KINDS:
            # This is the ending, since the child sent no answer; or other bytes, which are no answer.
            return None
        if length > (self._limits.output_bytes if kind == AnswerKind.VALUE else _FAILED_MAX_BYTES):
            return KillReason.OUTPUT
        body = await self._receive(length)
        if len(body) == length:
            self._kind, self._body, self._answer_bytes = kind, body, self._heard_bytes
        return None

    async def _hear_ending(self, *, hang_up: bool) -> Ending:
        """Wait until the child is gone, and kill it if it lingers; raise ServerGone if no ending arrives."""
        if not hang_up:
            try:
                async with asyncio.timeout(_LEAVE_S):
                    return await self._ending()
            except TimeoutError:
                pass
        try:
            async with asyncio.timeout(_KILL_S):
                self._connection.shutdown(socket.SHUT_WR)
                return await self._ending()
        except (TimeoutError, OSError):
            # A server that cannot see this hang-up sees the closing of the connection that follows.
            return Ending(signal.SIGKILL, 0.0, 0, "")

    async def _ending(self) -> Ending:
        while await self._read(_CHUNK_BYTES):
            pass
        ending = unpack_ending(self._tail)
        if ending is None:
            raise ServerGone("The process for converters died while it had work.")
        return ending

    async def _receive(self, size: int) -> bytes:
        """Read `size` bytes, fewer if the stream ends."""
        parts: list[bytes] = []
        while size and (part := await self._read(min(size, _CHUNK_BYTES))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    async def _read(self, size: int) -> bytes:
        """Read some bytes, none at the end of the stream, and remember the last ones."""
        try:
            part = await self._loop.sock_recv(self._connection, size)
        except ConnectionResetError:
            # The peer did not read everything we sent. Its own bytes arrived before this.
            return b""
        self._heard_bytes += len(part)
        self._tail = (self._tail + part[-ENDING_BYTES:])[-ENDING_BYTES:]
        return part
