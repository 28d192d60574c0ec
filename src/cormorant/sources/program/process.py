"""The process of a program: lines to its standard input, lines from its standard output, within limits.

    start -> send, receive, send, receive ... -> close       its standard error goes to the log, a line each
      `- no line in time, too long a line, its end: ProgramFault; whoever has it closes it and starts another one

The program runs as the account that crawls, in a process group of its own and without that account's environment.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from cormorant.base.clock import Clock
from cormorant.base.exit_status import how_ended
from cormorant.base.log import logger

_log = logger(__name__)
CLOSE_S: Final = 2.0
"""Seconds that a program has to end by itself once its standard input is closed."""
READ_BYTES: Final = 1 << 16
MOST_READS: Final = 16
"""Reads of standard error before standard output has its turn."""
STEP_S: Final = 1.0
"""Seconds between two looks whether the program is still there."""
MOST_WRITTEN: Final = 500
"""Lines of standard error that go to the log, of one process."""
LONGEST_WRITTEN: Final = 2_000
"""Bytes that are kept of each."""
_KEEPER: Final = str(Path(__file__).with_name("keeper.py"))
_PASSED_ON: Final = ("PATH", "HOME", "TZ", "TMPDIR", "USER", "LOGNAME")
"""Variables of this process's environment that a program gets. The rest may hold secrets."""


class ProgramFault(Exception):
    """A program did not do its part. The message is a sentence without a subject: `ended with exit code 1`."""


class ProgramEnded(ProgramFault):
    """The program has ended, or closed its standard output."""


class ProgramSilent(ProgramFault):
    """The program did not answer in time."""


class LineTooLong(ProgramFault):
    """The program wrote a longer line than is taken. It was skipped, so that the next one can be read."""


class ProcessLimits(NamedTuple):
    """Limits of a program: private writable memory of each of its processes, and the length of a line, in bytes."""

    memory_bytes: int
    line_bytes: int


class ProgramProcess:
    """A running program. One thread at a time uses it."""

    def __init__(self, name: str, command: Sequence[str], limits: ProcessLimits, clock: Clock) -> None:
        self._name = name
        self._limits, self._clock = limits, clock
        self._out, self._err, self._to_write = bytearray(), bytearray(), bytearray()
        self._scanned, self._skipping, self._written = 0, False, 0
        ours, theirs = os.pipe()  # nothing is written: the program ends when our end is closed
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the administrator's program
                (sys.executable, "-I", "-S", _KEEPER, str(ours), str(limits.memory_bytes), *command),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                pass_fds=(ours,), start_new_session=True, cwd="/", env=_environment(),
            )  # fmt: skip
        except OSError as error:
            os.close(theirs)
            raise ProgramEnded(f"could not be started: {(error.strerror or str(error)).lower()}") from error
        finally:
            os.close(ours)
        self._streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        for each in self._streams:
            assert each is not None  # noqa: S101 - asked for pipes
            os.set_blocking(each.fileno(), False)
        self._in_fd, self._out_fd, self._err_fd = (each.fileno() for each in self._streams if each is not None)
        self._open = {self._in_fd, self._out_fd, self._err_fd}
        self._kill = weakref.finalize(self, _kill, self._process, theirs)

    def send(self, line: bytes) -> None:
        """Have a line written; `receive` writes what the program is slow to take."""
        self._to_write += line + b"\n"

    def receive(self, wait_s: float) -> bytes | None:
        """Return the next line without its end; None when there is none after so many seconds.

        Raises ProgramEnded, and LineTooLong for a line that was skipped.
        """
        until = self._clock.monotonic() + wait_s
        while (line := self._line()) is None:
            if self._out_fd not in self._open:
                raise ProgramEnded(self._end())
            left_s = until - self._clock.monotonic()
            if left_s <= 0:
                return None
            self._pump(min(left_s, STEP_S))
        return line

    def answer(self, line: bytes, limit_s: float) -> bytes:
        """Send a line and return the one that follows. Raises ProgramFault."""
        self.send(line)
        got = self.receive(limit_s)
        if got is None:
            raise ProgramSilent(f"did not answer within {limit_s:g} seconds")
        return got

    def kill(self) -> None:
        """Kill its process group, from any thread; `close` lets go of the rest."""
        with suppress(OSError):
            if self._kill.alive:
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self, wait_s: float = CLOSE_S) -> None:
        """Close its standard input, wait until it ends, and kill its process group in any case."""
        self._shut(self._in_fd)
        if self._kill.alive:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(wait_s)
            self._read_err()
            self._kill()
        for descriptor in (self._out_fd, self._err_fd):
            self._shut(descriptor)

    def _line(self) -> bytes | None:
        """Take the first whole line out of what was read. Raises LineTooLong, once for each."""
        end = self._out.find(b"\n", self._scanned)
        if end < 0:
            self._scanned = len(self._out)
            if self._scanned > self._limits.line_bytes:
                self._out.clear()
                self._scanned, self._skipping = 0, True
            return None
        line = bytes(self._out[:end])
        del self._out[: end + 1]
        self._scanned = 0
        if self._skipping or len(line) > self._limits.line_bytes:
            self._skipping = False
            raise LineTooLong(f"wrote a line of more than {self._limits.line_bytes:,} bytes")
        return line

    def _pump(self, wait_s: float) -> None:
        """Read what there is and write what can be written, after waiting for either."""
        poll = select.poll()
        for descriptor in self._open - {self._in_fd}:
            poll.register(descriptor, select.POLLIN)
        if self._to_write and self._in_fd in self._open:
            poll.register(self._in_fd, select.POLLOUT)
        ready = {descriptor for descriptor, _ in poll.poll(wait_s * 1000)}
        if self._in_fd in ready:
            self._write()
        if self._err_fd in ready:
            self._read_err()
        if self._out_fd in ready:
            got = _read(self._out_fd)
            if got == b"":
                self._open.discard(self._out_fd)
            self._out += got or b""
        elif not ready and self._process.poll() is not None:  # what it started may hold its end open
            self._open.discard(self._out_fd)

    def _write(self) -> None:
        try:
            sent = os.write(self._in_fd, self._to_write[:READ_BYTES])
        except BlockingIOError:
            return
        except OSError:
            self._open.discard(self._in_fd)
            return
        del self._to_write[:sent]

    def _read_err(self) -> None:
        """Hand whole lines of its standard error to the log, as many as one process may write there."""
        for _ in range(MOST_READS):
            got = _read(self._err_fd) if self._err_fd in self._open else None
            if got is None:
                return
            if got == b"":
                self._open.discard(self._err_fd)
            self._err += got
            *lines, rest = self._err.split(b"\n") if got else (bytes(self._err), b"")
            self._err = bytearray(rest[-LONGEST_WRITTEN:])
            for line in lines:
                self._keep(line)

    def _keep(self, line: bytes | bytearray) -> None:
        text = line.strip()[:LONGEST_WRITTEN].decode("utf-8", "replace")
        self._written += bool(text)
        if text and self._written <= MOST_WRITTEN:
            _log.info("program wrote", extra={"program": self._name, "text": text})
        elif text and self._written == MOST_WRITTEN + 1:
            _log.warning("program writes too much", extra={"program": self._name, "lines": MOST_WRITTEN})

    def _end(self) -> str:
        """Say how it ended. One that has only closed its output is given a moment."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(CLOSE_S)
        self._read_err()
        code = self._process.poll()
        return "closed its standard output" if code is None else f"ended {how_ended(code)}"

    def _shut(self, descriptor: int) -> None:
        self._open.discard(descriptor)
        for each in self._streams:
            if each is not None and not each.closed and each.fileno() == descriptor:
                with suppress(OSError):
                    each.close()


def _environment() -> dict[str, str]:
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {"PATH": os.defpath, **passed, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}


def _read(descriptor: int) -> bytes | None:
    """Return what there is to be read, b"" at the end, None when there is nothing yet."""
    try:
        return os.read(descriptor, READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _kill(process: subprocess.Popen[bytes], control: int) -> None:
    """Kill the process group, whatever is left of it."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    os.close(control)
    process.wait()
