"""One task in one forked process: restrict itself, read the document, run, answer, exit.

After the answer the process exits at once, without the exit handlers of libraries, some of which crash.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NoReturn

from cormorant.sandbox.confinement import Walls, leave_server, shut_in_child
from cormorant.sandbox.limits import Limits
from cormorant.sandbox.protocol import ANSWER, AnswerKind, receive, receive_head
from cormorant.sandbox.result import one_line

Task = Callable[[bytes], bytes]

# The server keeps its descriptors below this number.
DESCRIPTORS_MAX: Final = 1024


def run(connection: socket.socket, last_words: int, tasks: Mapping[str, Task], walls: Walls) -> NoReturn:
    """Be the child: serve the one task on `connection` and exit. `last_words` becomes standard output and error."""
    code = 1
    try:
        _cut_ties(connection, last_words, walls)
        head, document_bytes = receive_head(connection)
        shut_in_child(walls, head.limits)
        kind, body = _answer(tasks, head.task, partial(receive, connection, document_bytes), head.limits)
        connection.sendall(ANSWER.pack(kind, len(body)))
        connection.sendall(body)
        code = 0
    finally:
        if code:
            # An error of ours: the client gets it as the last words.
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(code)


def _cut_ties(connection: socket.socket, last_words: int, walls: Walls) -> None:
    """Close everything inherited from the server except the connection and the ruleset."""
    leave_server(walls)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(last_words, 1)
    os.dup2(last_words, 2)
    start = 3
    for kept in sorted({connection.fileno(), *(() if walls.ruleset is None else (walls.ruleset,))}):
        os.closerange(start, kept)
        start = kept + 1
    os.closerange(start, DESCRIPTORS_MAX)


def _answer(
    tasks: Mapping[str, Task], name: str, read: Callable[[], bytes], limits: Limits
) -> tuple[AnswerKind, bytes]:
    """Return the task's result for the document; the task alone holds its bytes, so that it may release them."""
    task = tasks.get(name)
    if task is None:
        read()
        return AnswerKind.FAILED, f"LookupError: no task named {one_line(name)}".encode()
    try:
        value = task(read())
    except MemoryError:
        return AnswerKind.MEMORY, b""
    except BaseException as error:  # noqa: BLE001 - the boundary around foreign code: a panic of Rust is no Exception
        return AnswerKind.FAILED, one_line(f"{type(error).__name__}: {error}").encode("utf-8", "replace")
    if len(value) > limits.output_bytes:
        return AnswerKind.OUTPUT, b""
    return AnswerKind.VALUE, value
