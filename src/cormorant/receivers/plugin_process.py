"""Child process for third-party code, which may end in any way without harm to its parent.

    Apart --starts--> python -m cormorant.receivers.plugin_main, at the other end of a socket pair
      |  orders to it; replies and log lines back (MessagePack of known types: neither side executes any of it)
      |- it ended by itself, or took too long and was killed: an error; the next order starts another
      `- the parent ends it: it gets the order to close, has CLOSE_S for that, and is killed

It ends soon after its parent, however that ends, and is the first to be killed if memory is short.
"""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Final

import msgspec

from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadSetting
from cormorant.base.exit_status import how_ended
from cormorant.base.log import logger
from cormorant.receivers.protocol import Delivery, NotTaken, Refusal, Stop

_log = logger(__name__)
_CLOCK: Final = SystemClock()
CLOSE_S: Final = 5.0
"""Seconds that it may take to close its resources, and then to end."""
LOOK_S: Final = 1.0
"""Seconds between checks that the process exists: its own children may hold its end of the socket open."""


class Make(msgspec.Struct, tag=True):
    """The first order: import a name of a module, and make an instance with `data` if it is a class.

    `veto`: it must have a method that says which folders may be entered. `settings` is "" except for a subclass of
    BaseReceiver, which is made from them (JSON).
    """

    call: str
    data: str = ""
    veto: bool = False
    settings: str = ""


class Deliver(msgspec.Struct, tag=True):
    """Call it with a batch."""

    batch: Sequence[Delivery]


class Approve(msgspec.Struct, tag=True):
    """Ask whether a folder may be entered."""

    address: str


class PluginReply(msgspec.Struct, tag=True):
    """The reply to an order.

    `raised` is the text of an exception, `unfit` the reason why it can never be called; `where` is a traceback.
    `vetoed` means that the folder may not be entered.
    """

    refusals: list[Refusal] = []
    stops: list[Stop] = []
    vetoed: bool = False
    raised: str = ""
    unfit: str = ""
    where: str = ""


class PluginLogLine(msgspec.Struct, tag=True):
    """A log line of the plug-in or of a library that it uses."""

    level: int
    logger: str
    text: str


ORDERS: Final[msgspec.msgpack.Decoder[Make | Deliver | Approve | None]] = msgspec.msgpack.Decoder(
    Make | Deliver | Approve | None
)
_REPLIES: Final[msgspec.msgpack.Decoder[PluginReply | PluginLogLine]] = msgspec.msgpack.Decoder(
    PluginReply | PluginLogLine
)


class Died(NotTaken):
    """The process of a receiver ended during an order."""

    code = "process_ended"


class Late(NotTaken):
    """A receiver took too long to reply, and its process was killed."""

    code = "no_answer"


class NotEncodable(NotTaken):
    """A delivery holds a value that cannot be sent to another process."""

    code = "no_json"


class Apart:
    """One callable in a process of its own, which the first order starts, and the next order after its end."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self._connection: Connection | None = None
        self._process: subprocess.Popen[bytes]
        self._kill: weakref.finalize[..., Apart] | None = None

    def open(self) -> None:
        """Start the process if it is not running. Raises BadSetting if the callable cannot be imported."""
        if self._connection is not None:
            return
        self._start()
        try:
            answer = self._ordered(self._make, None)
        except NotTaken as error:
            raise BadSetting(f"{self._make.call} cannot be had: {error.sentence}") from error
        if answer.raised:
            self._drop()
            _log.warning("plug-in raised", extra={"call": self._make.call, "where": answer.where})
            raise BadSetting(f"{self._make.call} cannot be had: {answer.raised}")
        if answer.unfit:
            self._drop()
            raise BadSetting(f"{self._make.call} {answer.unfit}")

    def ask(self, order: Deliver | Approve, limit_s: float | None = None) -> PluginReply:
        """Return the plug-in's reply to an order.

        Raises NotTaken with the text of an exception, Late after `limit_s` seconds, Died if the process ended,
        BadSetting if it cannot be started again after that, NotEncodable for an order that cannot be encoded.
        """
        self.open()
        answer = self._ordered(order, limit_s)
        if answer.raised:
            _log.warning("plug-in raised", extra={"call": self._make.call, "where": answer.where})
            raise NotTaken(answer.raised)
        return answer

    @property
    def process(self) -> int | None:
        """The process id while the process runs."""
        return self._process.pid if self._connection is not None else None

    def end(self) -> None:
        """Order the plug-in to close its resources, and end the process."""
        if self._connection is None:
            return
        with suppress(NotTaken):
            self._ordered(None, CLOSE_S)
        self._drop(CLOSE_S)

    def _start(self) -> None:
        ours, theirs = Pipe()
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - our own module
                (sys.executable, "-P", "-m", "cormorant.receivers.plugin_main", str(theirs.fileno())),
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._connection, self._process = ours, process
        self._kill = weakref.finalize(self, _kill, ours, process, 0.0)

    def _ordered(self, order: Make | Deliver | Approve | None, limit_s: float | None) -> PluginReply:
        connection = self._connection
        if connection is None:
            raise Died("It is not there.")
        try:
            words = msgspec.msgpack.encode(order)
        except TypeError as error:
            raise NotEncodable(f"It holds what is no JSON: {error}.") from error
        until = inf if limit_s is None else _CLOCK.monotonic() + limit_s
        try:
            connection.send_bytes(words)
            while isinstance(said := _REPLIES.decode(self._heard(connection, until)), PluginLogLine):
                _log.log(said.level, "plug-in said", extra={"by": said.logger, "said": said.text})
        except TimeoutError as error:
            self._drop()
            raise Late(f"It has not come back for {limit_s:g} seconds.") from error
        except (OSError, EOFError, msgspec.DecodeError) as error:
            raise Died(self._drop(CLOSE_S)) from error
        return said

    def _heard(self, connection: Connection, until: float) -> bytes:
        """Return the next message of the plug-in process.

        Raises EOFError when the process is gone, and TimeoutError from `until` on (monotonic seconds), even if messages
        keep coming: the plug-in may log for ever.
        """
        while (left_s := until - _CLOCK.monotonic()) > 0:
            if connection.poll(min(LOOK_S, left_s)):
                return connection.recv_bytes()
            if self._process.poll() is not None and not connection.poll(0):
                raise EOFError
        raise TimeoutError

    def _drop(self, wait_s: float = 0.0) -> str:
        """End the process, which may end by itself within `wait_s` seconds; returns a sentence about its end."""
        connection, self._connection = self._connection, None
        if self._kill is not None:
            self._kill.detach()
        if connection is not None:
            _kill(connection, self._process, wait_s)
        manner = how_ended(self._process.returncode)
        return (
            f"It ended its own process {manner}. Repair {self._make.call}; it is started again for its next delivery."
        )


def _kill(connection: Connection, process: subprocess.Popen[bytes], wait_s: float) -> None:
    connection.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(wait_s)
    process.kill()
    process.wait()
