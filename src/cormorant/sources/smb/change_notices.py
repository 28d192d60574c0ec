"""Notices of a server about changes below a folder of its share ([MS-SMB2] 2.2.35), as a hint that it is worth listing.

    a handle for files, one for folders --CHANGE_NOTIFY each--> the server waits --answer--> concerns what is listed?
                                            `--asked again on the same handle: the server keeps what comes between

Nothing depends on them: what a server does not report, the next listing finds. Files and folders are asked for apart,
since a notice does not say which of them a name was.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

from cormorant.base.clock import Clock
from cormorant.sources.remote.protocol import ConnectionBroken

MAX_BUFFER: Final = 65_536
"""Bytes of one answer; when more has changed, the server says just that."""
ECHO_S: Final = 60.0
"""Seconds without an answer after which the server is asked whether it is there."""
ECHO_LIMIT_S: Final = 20
_SLICE_S: Final = 0.5
"""Seconds after which a wait looks whether it was ended."""
_FILE_NAME, _FOLDER_NAME, _SIZE, _LAST_WRITE, _SECURITY = 0x1, 0x2, 0x8, 0x10, 0x100
_TREE: Final = 0x0001
_PENDING, _TOO_MANY, _CLEANED_UP = 0x00000103, 0x0000010C, 0x0000010B
_ENTRY: Final = struct.Struct("<III")
_RESPONSE: Final = struct.Struct("<HHI")
_HEADER_SIZE: Final = 64

Concerns = Callable[[tuple[bytes, ...], bool], bool]
"""Says of a path below the folder, and whether it is a folder, if it is listed."""


class ChangeNotices:
    """Waits for changes below a folder over one connection, in one thread. `end` may be called from another.

    `opened` are two open handles of the folder. `rights`: changes of access lists count too. Errors of the SMB
    library are not caught.
    """

    def __init__(self, smb: Any, opened: tuple[Any, Any], concerns: Concerns, clock: Clock, *, rights: bool) -> None:
        self._smb, self._clock, self._concerns, self._ended = smb, clock, concerns, False
        files, folders = opened
        wanted = _FILE_NAME | _SIZE | _LAST_WRITE | (_SECURITY if rights else 0)
        self._filters = {False: (files, wanted), True: (folders, _FOLDER_NAME)}
        self._requests = {is_folder: self._ask(is_folder) for is_folder in self._filters}
        self._heard_at = clock.monotonic()

    def wait(self, timeout_s: float) -> bool:
        """Wait until something changes that is listed; False when the time is over, or it was ended.

        Raises ConnectionBroken where the server is gone.
        """
        until = self._clock.monotonic() + timeout_s
        while not self._ended and (left := until - self._clock.monotonic()) > 0:
            self._requests[False].response_event.wait(min(_SLICE_S, left))
            changed = [self._changed(is_folder) for is_folder in self._requests]  # both, which may be of one change
            if any(changed):
                return not self._ended
            self._see_there()
        return False

    def end(self) -> None:
        """End a wait soon."""
        self._ended = True

    def _ask(self, is_folder: bool) -> Any:
        opened, wanted = self._filters[is_folder]
        question = self._smb.change_notify.SMB2ChangeNotifyRequest()
        question["flags"] = _TREE
        question["output_buffer_length"] = MAX_BUFFER
        question["file_id"] = opened.file_id
        question["completion_filter"] = wanted
        tree = opened.tree_connect
        return opened.connection.send(question, tree.session.session_id, tree.tree_connect_id)

    def _changed(self, is_folder: bool) -> bool:
        """Take the answer, if there is one, and ask again; returns whether anything that is listed changed."""
        request = self._requests[is_folder]
        if not _is_answered(request):
            return False
        self._heard_at = self._clock.monotonic()
        connection = self._filters[is_folder][0].connection
        try:
            answer = bytes(connection.receive(request)["data"].get_value())
        except self._smb.exceptions.SMBResponseException as error:
            if error.status == _CLEANED_UP:
                raise ConnectionBroken("The server ended the watch over the folder.") from error
            if error.status != _TOO_MANY:
                raise
            answer = b""
        self._requests[is_folder] = self._ask(is_folder)
        paths = list(changed_paths(answer)) if answer else []
        return not paths or any(self._concerns(path, is_folder) for path in paths)

    def _see_there(self) -> None:
        """Ask a server that has been silent whether it is there, which a connection alone does not show."""
        if self._clock.monotonic() - self._heard_at < ECHO_S:
            return
        opened = self._filters[False][0]
        opened.connection.echo(sid=opened.tree_connect.session.session_id, timeout=ECHO_LIMIT_S)
        self._heard_at = self._clock.monotonic()


def _is_answered(request: Any) -> bool:
    """Say whether the answer has come; a promise of one is none ([MS-SMB2] 3.3.4.2). Raises ConnectionBroken."""
    if not request.response_event.is_set():
        return False
    with request.response_event_lock:
        if request.response is not None and request.response["status"].get_value() == _PENDING:
            request.response_event.clear()
            return False
    if request.response is None:
        raise ConnectionBroken("The server closed the connection.")
    return True


def changed_paths(answer: bytes) -> Iterator[tuple[bytes, ...]]:
    """Yield the paths that a response names, by their parts ([MS-SMB2] 2.2.36, [MS-FSCC] 2.7.1).

    A response whose lengths contradict it names as many as can be read.
    """
    with suppress(struct.error):
        _, offset, size = _RESPONSE.unpack_from(answer)
        data, at = answer[max(offset - _HEADER_SIZE, 0) :][:size], 0
        while True:
            following, _, length = _ENTRY.unpack_from(data, at)
            name = data[at + _ENTRY.size : at + _ENTRY.size + length].decode("utf-16-le", "replace")
            yield tuple(part.encode("utf-8", "surrogatepass") for part in name.split("\\") if part)
            if following < _ENTRY.size:
                return
            at += following
