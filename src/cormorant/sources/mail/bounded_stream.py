"""Reading from a server within bounds: of a line, of a literal, of a whole answer, and of time."""

from __future__ import annotations

from typing import Final, Protocol

from cormorant.base.clock import Clock
from cormorant.base.errors import CormorantError

MAX_LINE: Final = 64 * 1024
"""Bytes of one line of an answer (fault M2)."""
MAX_ANSWER: Final = 2 << 20
"""Bytes of the answer to one command, unless more is allowed."""
_PIECE: Final = 64 * 1024


class AnswerTooLarge(CormorantError):
    """A server sends more than any answer to the command can be."""

    code = "answer_too_large"


class ByteConnection(Protocol):
    """The connection that is read from: a socket, with TLS or without."""

    def recv(self, size: int, /) -> bytes:
        """Return some bytes, none at the end."""
        ...

    def settimeout(self, seconds: float | None, /) -> None:
        """Set how long `recv` waits; it raises TimeoutError then."""
        ...


class BoundedStream:
    """Bytes that a server sends. `allow` begins the count of bytes and seconds of one answer.

    `read` and `readline` raise AnswerTooLarge and TimeoutError, and return less at the end of the connection.
    `received` counts all bytes.
    """

    def __init__(self, connection: ByteConnection, clock: Clock, idle_s: float) -> None:
        self._connection, self._clock, self._idle_s = connection, clock, idle_s
        self._buffer = bytearray()
        self._room, self._until = MAX_ANSWER, clock.monotonic() + idle_s
        self._size = MAX_ANSWER
        self.received = 0

    @property
    def has_line(self) -> bool:
        """Return whether a whole line was received and not read yet."""
        return b"\n" in self._buffer

    def allow(self, seconds: float, size: int = MAX_ANSWER) -> None:
        """Let the next answer take so many seconds, and have so many bytes."""
        self._room = self._size = size
        self._until = self._clock.monotonic() + seconds

    def readline(self) -> bytes:
        """Return the next line with its end."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > MAX_LINE:
                raise AnswerTooLarge(f"A line has more than {MAX_LINE:,} bytes.")
            if not self._fill():
                return self._take(len(self._buffer))
        if end > MAX_LINE:
            raise AnswerTooLarge(f"A line has more than {MAX_LINE:,} bytes.")
        return self._take(end + 1)

    def read(self, size: int) -> bytes:
        """Return so many bytes."""
        if size > self._size:
            raise AnswerTooLarge(f"It announces {size:,} bytes where at most {self._size:,} were asked for.")
        while len(self._buffer) < size and self._fill():
            pass
        return self._take(min(size, len(self._buffer)))

    def _fill(self) -> bool:
        left = self._until - self._clock.monotonic()
        if left <= 0:
            raise TimeoutError("the answer takes too long")
        self._connection.settimeout(min(left, self._idle_s))
        piece = self._connection.recv(_PIECE)
        self.received += len(piece)
        self._room -= len(piece)
        if self._room < 0:
            raise AnswerTooLarge(f"The answer has more than {self._size:,} bytes.")
        self._buffer += piece
        return bool(piece)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken
