"""Remote procedure calls over a named pipe of the server (DCE/RPC, C706 chapter 12, [MS-RPCE] 2.1.1.2).

    bound() opens the pipe and binds an interface --call(number, arguments)--> results, as bytes in NDR

The session of the pipe is signed or encrypted, and says who asks: calls carry no authentication of their own.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple
from uuid import UUID

from cormorant.sources.remote.protocol import ConnectionBroken

MAX_FRAGMENT: Final = 4_280
"""Bytes of one fragment, which every server takes."""
MAX_ANSWER: Final = 1 << 20
"""Bytes of the results of one call."""
_READ_SIZE: Final = 65_536
_ACCESS, _FILE_OPTION, _SHARED = 0x0012019F, 0x00000040, 1 | 2
_NDR: Final = UUID("8a885d04-1ceb-11c9-9fe8-08002b104860")
_REQUEST, _RESPONSE, _FAULT, _BIND, _BIND_ANSWER = 0, 2, 3, 11, 12
_FIRST, _LAST = 0x01, 0x02
_LITTLE_ENDIAN: Final = b"\x10\0\0\0"
_HEADER: Final = struct.Struct("<BBBB4sHHI")
_CALL: Final = struct.Struct("<IHH")


class RpcInterface(NamedTuple):
    """An interface of procedures: its number and version, and the pipe that serves it."""

    pipe: str
    number: UUID
    version: int


class RpcFault(Exception):
    """The server refuses a call or the interface; `status` is of C706 appendix N or [MS-ERREF]."""

    def __init__(self, status: int) -> None:
        super().__init__(f"0x{status:08x}")
        self.status = status


class RpcPipe:
    """A pipe to which an interface is bound. Calls are made one after the other."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._unread = bytearray()
        self._calls = 0

    def bind(self, interface: RpcInterface) -> None:
        """Bind an interface. Raises RpcFault where the server has none of that version."""
        syntax = interface.number.bytes_le + struct.pack("<I", interface.version)
        context = struct.pack("<HBB", 0, 1, 0) + syntax + _NDR.bytes_le + struct.pack("<I", 2)
        self._send(_BIND, struct.pack("<HHIBBH", MAX_FRAGMENT, MAX_FRAGMENT, 0, 1, 0, 0) + context)
        kind, _, body = self._fragment()
        if kind != _BIND_ANSWER:
            raise RpcFault(_status_of(body) if kind == _FAULT else 0)
        try:
            (length,) = struct.unpack_from("<H", body, 8)
            at = (8 + 2 + length + 3) // 4 * 4
            count, result = struct.unpack_from("<B3xH", body, at)
        except struct.error as error:
            raise _unreadable() from error
        if count != 1 or result:
            raise RpcFault(result)

    def call(self, number: int, arguments: bytes) -> bytes:
        """Call the procedure of that number. Raises RpcFault and ConnectionBroken.

        Arguments fit into one fragment; results may come in many.
        """
        head = _CALL.pack(len(arguments), 0, number)
        if _HEADER.size + len(head) + len(arguments) > MAX_FRAGMENT:
            raise ValueError("the arguments of a call do not fit into a fragment")
        self._send(_REQUEST, head + arguments)
        results = bytearray()
        while True:
            kind, flags, body = self._fragment()
            if kind == _FAULT:
                raise RpcFault(_status_of(body))
            is_endless = len(body) == _CALL.size and not flags & _LAST
            if kind != _RESPONSE or len(body) < _CALL.size or is_endless or len(results) > MAX_ANSWER:
                raise _unreadable()
            results += body[_CALL.size :]
            if flags & _LAST:
                return bytes(results)

    def _send(self, kind: int, body: bytes) -> None:
        self._calls += 1
        size = _HEADER.size + len(body)
        head = _HEADER.pack(5, 0, kind, _FIRST | _LAST, _LITTLE_ENDIAN, size, 0, self._calls)
        self._file.write(head + body)

    def _fragment(self) -> tuple[int, int, bytes]:
        """Return the kind, the flags and the body of the next fragment."""
        self._fill(_HEADER.size)
        version, _, kind, flags, order, size, trailer, call = _HEADER.unpack_from(self._unread)
        right = version == 5 and order[:1] == _LITTLE_ENDIAN[:1] and call == self._calls and not trailer
        if not right or size < _HEADER.size:
            raise _unreadable()
        self._fill(size)
        body = bytes(self._unread[_HEADER.size : size])
        del self._unread[:size]
        return kind, flags, body

    def _fill(self, size: int) -> None:
        while len(self._unread) < size:
            piece = self._file.read(0, _READ_SIZE)
            if not piece:
                raise ConnectionBroken("The server closed its pipe.")
            self._unread += piece


@contextmanager
def bound(smb: Any, tree: Any, interface: RpcInterface) -> Iterator[RpcPipe]:
    """Open a pipe of the share IPC$, and bind its interface. Raises RpcFault, and what the SMB library raises."""
    file = smb.open.Open(tree, interface.pipe)
    file.create(2, _ACCESS, 0, _SHARED, 1, _FILE_OPTION)  # impersonation, of what exists
    try:
        pipe = RpcPipe(file)
        pipe.bind(interface)
        yield pipe
    finally:
        with suppress(smb.exceptions.SMBException, OSError, ValueError):
            file.close(get_attributes=False)


def _status_of(fault: bytes) -> int:
    try:
        return int(struct.unpack_from("<I", fault, _CALL.size)[0])
    except struct.error as error:
        raise _unreadable() from error


def _unreadable() -> ConnectionBroken:
    return ConnectionBroken("The answer of the server to a call cannot be read.")
