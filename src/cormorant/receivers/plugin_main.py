"""The process that runs third-party code: it executes the orders of `plugin_process`, one after the other.

    python -P -m cormorant.receivers.plugin_main N      started by `plugin_process`; N is its end of the socket pair

An exception of the code becomes a reply. When the parent process ends, this one ends too, at once or GRACE_S later.
"""

from __future__ import annotations

import importlib
import logging
import os
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, assert_never

import msgspec

from cormorant.base.clock import pause
from cormorant.receivers.base import BaseReceiver
from cormorant.receivers.plugin_process import ORDERS, Approve, Deliver, Make, PluginLogLine, PluginReply
from cormorant.receivers.protocol import Delivery, Refusal, Stop

GRACE_S: Final = 5.0
"""Seconds that the current order may take after the end of the parent process."""
MOST_WORDS: Final = 500
"""Characters of an exception's text that are kept."""
_GONE: Final = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


def serve(connection: Connection) -> None:
    """Execute orders until the order to close or the end of the parent process."""
    lock = threading.Lock()
    logging.getLogger().addHandler(_LogForwarder(connection, lock))
    plug = _Plug()
    while True:
        try:
            order = ORDERS.decode(connection.recv_bytes())
        except EOFError:
            return
        answer = plug.tried(order)
        with lock:
            connection.send_bytes(msgspec.msgpack.encode(answer))
        if order is None:
            return


class _Plug:
    """The plug-in, called in a thread of its own; its exceptions become replies."""

    def __init__(self) -> None:
        self._called: Any = None
        self._close: Callable[[], None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="plug-in")

    def tried(self, order: Make | Deliver | Approve | None) -> PluginReply:
        """Return the reply to an order; third-party code may raise anything."""
        done = self._thread.submit(self._done, order)
        error = done.exception()
        if error is None:
            return done.result()
        return PluginReply(raised=_text(_words(error)), where=_text("".join(traceback.format_exception(error))))

    def _done(self, order: Make | Deliver | Approve | None) -> PluginReply:
        match order:
            case Make():
                return self._made(order)
            case Deliver(batch):
                returned = list(_understood(self._called(batch), batch))
                refusals = [each for each in returned if isinstance(each, Refusal)]
                return PluginReply(refusals, [each for each in returned if isinstance(each, Stop)])
            case Approve(address):
                return PluginReply(vetoed=self._called.approve(address) is False)
            case None:
                close = self._close or getattr(self._called, "close", None)
                if callable(close):
                    close()
                return PluginReply()
        assert_never(order)

    def _made(self, order: Make) -> PluginReply:
        """Import a function, or import a class and make an instance of it."""
        module, _, name = order.call.partition(":")
        found = getattr(importlib.import_module(module), name)
        if order.settings:
            self._close = self._opened(found(found.Settings.model_validate_json(order.settings)))
            return PluginReply()
        self._called = found(order.data) if isinstance(found, type) else found
        if not callable(self._called):
            return PluginReply(unfit="cannot be called. Name a function, or a class with a method __call__(batch).")
        if order.veto and not callable(getattr(self._called, "approve", None)):
            return PluginReply(unfit="has no method approve(address), which the setting veto asks.")
        return PluginReply()

    def _opened(self, receiver: BaseReceiver[Any]) -> Callable[[], None]:
        """Open a receiver, which gets the batches from now on; returns the function that closes it."""
        receiver.open()
        self._called = receiver.receive
        return receiver.close


def _understood(said: object, batch: Sequence[Delivery]) -> Iterator[Refusal | Stop]:
    """Yield the refusals and stops that a call returned, as the protocol defines them.

    Raises TypeError for anything else.
    """
    if said is None or said is True:
        return
    if said is False:
        for run in sorted({each.run for each in batch}):
            yield Stop(run, "it said so")
        return
    if not isinstance(said, Iterable):
        raise TypeError(f"it returned {type(said).__name__}; nothing, True, False or refusals are understood")
    for each in said:
        if not isinstance(each, Refusal | Stop):
            raise TypeError(f"it returned {type(each).__name__} among others, which is no Refusal and no Stop")
        yield type(each)(int(each[0]), str(each[1]))


class _LogForwarder(logging.Handler):
    """The log handler that sends the plug-in's log lines to the process that keeps the log."""

    def __init__(self, connection: Connection, lock: threading.Lock) -> None:
        super().__init__(logging.WARNING)
        self._connection, self._lock_of_it = connection, lock

    def emit(self, record: logging.LogRecord) -> None:
        """Send a log line. A line that cannot be formatted goes to `handleError`; a closed connection is ignored."""
        try:
            line = PluginLogLine(record.levelno, record.name, _text(self.format(record)))
        except (TypeError, ValueError, LookupError, AttributeError):  # the message and its arguments do not match
            self.handleError(record)
            return
        with suppress(OSError), self._lock_of_it:
            self._connection.send_bytes(msgspec.msgpack.encode(line))


def _text(words: str) -> str:
    """Return text that can be encoded: lone surrogates, as from a file name that is no UTF-8, become question marks."""
    return words.encode("utf-8", "replace").decode()


def _words(error: BaseException) -> str:
    words = " ".join(str(error).split())[:MOST_WORDS]
    return f"{type(error).__name__}: {words}".removesuffix(": ")


def _end_with(descriptor: int) -> None:
    """Wait for the end of the parent process, then end this one GRACE_S later."""
    poll = select.poll()
    poll.register(descriptor, _GONE)
    poll.poll()
    pause(GRACE_S)
    os._exit(1)


def _main() -> None:
    """Serve. The parent handles Ctrl-C; on Linux this process is the first to be killed if memory is short."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    connection = Connection(int(sys.argv[1]))
    threading.Thread(target=_end_with, args=(connection.fileno(),), daemon=True).start()
    with suppress(BrokenPipeError, ConnectionResetError):
        serve(connection)


if __name__ == "__main__":
    _main()
