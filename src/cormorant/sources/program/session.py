"""A conversation with a program: it introduces itself, gets its settings, and is asked for documents.

Raises CormorantError for what an administrator has to change, and ProgramFault for what the program did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from cormorant.base.clock import Clock
from cormorant.base.errors import BadSetting, CormorantError, LoginRefused, Unreachable
from cormorant.base.log import logger
from cormorant.base.secret_masking import masked, redacted
from cormorant.sources.program import declaration
from cormorant.sources.program.messages import (
    REPLIES,
    VERSION,
    AskDiscovery,
    AskDocument,
    AskHello,
    ContentReply,
    DeferredReply,
    DiscoveryLine,
    DocumentReply,
    DoneLine,
    ErrorReply,
    FailedReply,
    GiveSettings,
    GoneReply,
    Hello,
    ItemLine,
    ProgramLog,
    ProgressLine,
    ReadyReply,
    RemovedLine,
    Reply,
    UnchangedReply,
)
from cormorant.sources.program.process import (
    CLOSE_S,
    LineTooLong,
    ProcessLimits,
    ProgramFault,
    ProgramProcess,
    ProgramSilent,
)
from cormorant.sources.program.settings import ProgramSettings

_log = logger(__name__)
_ENCODE: Final = msgspec.json.Encoder().encode
MOST_NONSENSE: Final = 1_000
"""Lines that are no messages, after which a program is not listened to any longer."""
LOGGED_NONSENSE: Final = 20
"""Lines of them that go to the log."""
MOST_WORDS: Final = 500
"""Characters that are kept of a reason."""
QUIET_S: Final = 1.0
"""Seconds without a line after which whoever waits for a discovery hears that it goes on."""
_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_DISCOVERY: Final = (ItemLine, RemovedLine, ProgressLine, DoneLine)
_DOCUMENT: Final = (ContentReply, UnchangedReply, GoneReply, FailedReply, DeferredReply)


def plain(text: str) -> str:
    """Return a program's words as one line that may be shown, without secrets."""
    return redacted(masked(" ".join(text[: 4 * MOST_WORDS].split())))[:MOST_WORDS]


class ProgramSession:
    """One running program that has introduced itself. `nonsense` counts its lines that are no messages."""

    def __init__(self, settings: ProgramSettings, clock: Clock) -> None:
        limits = ProcessLimits(settings.max_memory_bytes, settings.line_bytes)
        self._settings, self._clock = settings, clock
        self._process = ProgramProcess(settings.program, settings.command, limits, clock)
        self.nonsense = 0
        try:
            self.hello = self._greet()
        except BaseException:
            self.close(0.0)
            raise

    def configure(self, reveal: Callable[[str], str]) -> None:
        """Hand over its settings; `reveal` gives the value of a secret. Raises BadSetting and what `reveal` raises."""
        secrets = {name: reveal(secret) for name, secret in self._settings.secret_names.items()}
        given = declaration.values(self.hello, self._settings, secrets)
        self._process.send(_ENCODE(GiveSettings(given)))
        self._expect((ReadyReply,), self._settings.timeout_s)

    def discover(self, cursor: str) -> Iterator[DiscoveryLine | None]:
        """Yield its lines to the end marker, and None where nothing came for a second."""
        self._process.send(_ENCODE(AskDiscovery(cursor)))
        heard_at = self._clock.monotonic()
        while True:
            try:
                got = self._reply(QUIET_S, _DISCOVERY)
            except LineTooLong as error:
                self.count(str(error))
                continue
            if got is not None:
                heard_at = self._clock.monotonic()
            elif self._clock.monotonic() - heard_at > self._settings.timeout_s:
                raise ProgramSilent(f"did not write a line for {self._settings.timeout_s:g} seconds")
            yield got  # type: ignore[misc]  # of _DISCOVERY
            if isinstance(got, DoneLine):
                return

    def fetch(self, key: str, version: str) -> DocumentReply:
        """Ask for a document."""
        self._process.send(_ENCODE(AskDocument(key, version, self._settings.max_size_bytes)))
        return self._expect(_DOCUMENT, self._settings.timeout_s)  # type: ignore[return-value]  # of _DOCUMENT

    def close(self, wait_s: float = CLOSE_S) -> None:
        """End the program."""
        self._process.close(wait_s)

    def kill(self) -> None:
        """Kill the program; whoever waits for it in another thread hears that it has ended."""
        self._process.kill()

    def _greet(self) -> Hello:
        self._process.send(_ENCODE(AskHello()))
        hello = self._expect((Hello,), self._settings.start_timeout_s)
        assert isinstance(hello, Hello)  # noqa: S101 - as expected
        if hello.protocol != VERSION:
            raise Unreachable(
                f"The program {self._settings.program} speaks version {hello.protocol} of the protocol, and this "
                f"Cormorant version {VERSION}. Install a version of either that fits."
            )
        if hello.change_model != self._settings.change_model:
            raise BadSetting(
                f"The program {self._settings.program} has the change model {hello.change_model}. Add --set "
                f"change_model={hello.change_model}."
            )
        return hello

    def _expect(self, kinds: tuple[type[Reply], ...], limit_s: float) -> Reply:
        """Return the next message of these kinds. Raises ProgramSilent, and what an error message says."""
        until = self._clock.monotonic() + limit_s
        while (left_s := until - self._clock.monotonic()) > 0:
            if (got := self._reply(left_s, kinds)) is not None:
                return got
        lines = "1 line that is no message" if self.nonsense == 1 else f"{self.nonsense:,} lines that are no messages"
        beside = f", and wrote {lines}" if self.nonsense else ""
        raise ProgramSilent(f"did not answer within {limit_s:g} seconds{beside}")

    def _reply(self, wait_s: float, kinds: tuple[type[Reply], ...]) -> Reply | None:
        """Return the next message of these kinds, None where there was none. Raises what an error message says."""
        until = self._clock.monotonic() + wait_s
        while (line := self._process.receive(until - self._clock.monotonic())) is not None:
            try:
                got = REPLIES.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                self.count(f"{error}: {line[:MOST_WORDS].decode('utf-8', 'replace')}")
                continue
            if isinstance(got, ProgramLog):
                _log.log(
                    _LEVELS[got.level],
                    "program said",
                    extra={"program": self._settings.program, "text": plain(got.text)},
                )
            elif isinstance(got, ErrorReply):
                raise self._error(got)
            elif isinstance(got, kinds):
                return got
            else:
                self.count(f"a message at the wrong time: {line[:MOST_WORDS].decode('utf-8', 'replace')}")
        return None

    def count(self, about: str) -> None:
        """Count a line of nonsense, and show the first ones in the log."""
        self.nonsense += 1
        if self.nonsense <= LOGGED_NONSENSE:
            _log.warning("line is no message", extra={"program": self._settings.program, "text": plain(about)})
        if self.nonsense > MOST_NONSENSE:
            raise ProgramFault(f"wrote more than {MOST_NONSENSE:,} lines that are no messages of the protocol")

    def _error(self, said: ErrorReply) -> CormorantError:
        reason = plain(said.reason) or "It gave no reason"
        sentence = f"The program {self._settings.program} said: {reason}{'' if reason.endswith('.') else '.'}"
        if said.code == "login_refused":
            return LoginRefused(f"{sentence} Check the user name and the secret that it is given.")
        if said.code == "bad_setting":
            about = f" Change it with --set parameter={plain(said.parameter)}=..." if said.parameter else ""
            return BadSetting(f"{sentence}{about}")
        return Unreachable(sentence)
