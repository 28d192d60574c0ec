"""Protocol between client, child and server on one connection per task.

    client -> child     task     u32 length of head, u64 length of document, head (msgpack), document
    child  -> client    answer   u8 kind, u32 length, body
    server -> client    ending   fixed size, when the child is gone; always the last bytes of the stream
    client -> server    hang-up  shutting down the client's side means "kill it"

The answer is simple on purpose: its reader trusts only a kind and a length, which it limits. The ending is found from
the end of the stream, so a child cannot forge it; its first byte is no kind, so it is never taken for an answer.
"""

from __future__ import annotations

import enum
import socket
import struct
from typing import Final

import msgspec

from cormorant.sandbox.limits import PAYLOAD_MAX_BYTES, Limits
from cormorant.sandbox.result import Ending

_TASK: Final = struct.Struct("!IQ")
ANSWER: Final = struct.Struct("!BI")
_SAID_BYTES: Final = 400
_ENDING_MARK: Final = b"\0ended\0\0"
_ENDING: Final = struct.Struct(f"!{len(_ENDING_MARK)}sidQ{_SAID_BYTES}s")
ENDING_BYTES: Final = _ENDING.size
_HEAD_MAX_BYTES: Final = 64 * 1024


class AnswerKind(enum.IntEnum):
    """Kind of content of an answer frame."""

    VALUE = 1
    FAILED = 2
    MEMORY = 3
    OUTPUT = 4


class TaskHeader(msgspec.Struct, frozen=True):
    """Task to run, with its limits."""

    task: str
    limits: Limits


def pack_head(head: TaskHeader, document_bytes: int) -> bytes:
    """Return the bytes before the document."""
    body = msgspec.msgpack.encode(head)
    return _TASK.pack(len(body), document_bytes) + body


def receive_head(connection: socket.socket) -> tuple[TaskHeader, int]:
    """Read the head; return it with the length of the document in bytes. Raises EOFError if the client is gone."""
    head_bytes, document_bytes = _TASK.unpack(receive(connection, _TASK.size))
    if head_bytes > _HEAD_MAX_BYTES or document_bytes > PAYLOAD_MAX_BYTES:
        message = "a head out of bounds"
        raise EOFError(message)
    return msgspec.msgpack.decode(receive(connection, head_bytes), type=TaskHeader), document_bytes


def receive(connection: socket.socket, size: int) -> bytes:
    """Read exactly `size` bytes from a blocking socket, in one piece. Raises EOFError if the client is gone."""
    if size == 0:
        return b""
    data = connection.recv(size, socket.MSG_WAITALL)
    if len(data) != size:
        message = "the client hung up"
        raise EOFError(message)
    return data


def pack_ending(ending: Ending) -> bytes:
    """Return the fixed-size bytes of `ending`; only the end of its last words is kept."""
    said = ending.said.encode("utf-8", "replace")[-_SAID_BYTES:]
    return _ENDING.pack(_ENDING_MARK, ending.status, ending.cpu_s, ending.peak_bytes, said)


def unpack_ending(data: bytes) -> Ending | None:
    """Decode the ending from the last bytes of a stream; None if the server did not write them."""
    if len(data) != ENDING_BYTES or not data.startswith(_ENDING_MARK):
        return None
    _, status, cpu_s, peak_bytes, said = _ENDING.unpack(data)
    return Ending(status, cpu_s, peak_bytes, said.rstrip(b"\0").decode("utf-8", "replace"))
