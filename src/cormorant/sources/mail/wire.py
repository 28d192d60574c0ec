"""IMAP connection (RFC 3501): signed in, read-only, bounded in bytes and time. Built on the standard library's client.

Read-only: mailboxes are opened by EXAMINE, messages are fetched by BODY.PEEK, and no other command names one.
"""

from __future__ import annotations

import imaplib
import re
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from cormorant.base.clock import Clock
from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.sources.mail.bounded_stream import MAX_ANSWER, MAX_LINE, AnswerTooLarge, BoundedStream
from cormorant.sources.mail.mailbox import FolderState
from cormorant.sources.mail.settings import MailSettings

MAX_FOLDER_LINES: Final = 32 << 20
"""Bytes of a list of folders."""
COMMAND_S: Final = 120.0
"""Seconds that a server may take for a command that fetches no message; a large folder is opened in a few."""
COMPLETED_S: Final = 0.5
"""Seconds for the end of a line that has begun; it goes on being read the next time."""
BROKEN: Final = (imaplib.IMAP4.abort, OSError, AnswerTooLarge)
"""Errors after which a connection is of no use."""
REFUSED: Final = imaplib.IMAP4.error
"""The server refuses a command."""
_PASSING: Final = ("UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG", "OVERQUOTA")
"""Response codes of a refused login that say nothing about the password (RFC 5530 3)."""
_NOTIFY: Final = b"SET (selected (MessageNew MessageExpunge)) (mailboxes (%b) (MessageNew MessageExpunge))"
_STATUS_NUMBER: Final = re.compile(rb"(?:UIDVALIDITY|UIDNEXT|MESSAGES) (\d{1,11})", re.IGNORECASE)
_CHANGE: Final = re.compile(
    rb"\* (?:(\d{1,9}) EXISTS|\d{1,9} EXPUNGE|VANISHED|STATUS|OK \[NOTIFICATIONOVERFLOW)\b", re.IGNORECASE
)

Answer: TypeAlias = Sequence[bytes | tuple[bytes, bytes] | None]


class ImapConnection(imaplib.IMAP4):
    """A connection to a mailbox server, signed in. `folder` is the wire name of the one that is open, "" for none."""

    def __init__(self, connected: socket.socket, settings: MailSettings, clock: Clock) -> None:
        """Take over a connection: greeting, TLS. Raises Unreachable."""
        self._connected, self._settings, self._clock = connected, settings, clock
        self._stream: BoundedStream | None = None
        self._source: socket.socket | None = None
        self.folder, self.validity, self.count = "", 0, 0
        self._next_uid = self._modseq = 0
        self._changed = False
        self.resyncs = False
        """Whether the server names messages that have gone (QRESYNC, RFC 7162)."""
        server = settings.server
        self._named = f"{server.host}, port {server.port}"
        try:
            super().__init__(server.host, server.port)
            self._secure()
        except ssl.SSLCertVerificationError as error:
            self.shutdown()
            raise Unreachable(
                f"The certificate of {self._named} is not trusted: {error.verify_message}. Have it renewed, or name "
                "its authority by the setting ca."
            ) from None
        except ssl.SSLError as error:
            self.shutdown()
            raise Unreachable(
                f"No TLS with {self._named}: {error.reason}. Check url: imap:// and imaps:// differ."
            ) from None
        except (imaplib.IMAP4.error, *BROKEN) as error:
            self.shutdown()
            raise Unreachable(broken_sentence(self._named, error)) from None
        except BaseException:
            self.shutdown()
            raise

    # ------------------------------------------------------- the transport, as imaplib lets it be replaced

    def open(self, host: str = "", port: int = 0, timeout: float | None = None) -> None:  # noqa: ARG002 - connected
        """Begin TLS on the connection that was made, where the address asks for it."""
        self.host, self.port = self._settings.server.host, self._settings.server.port
        self.sock = self._encrypted(self._connected) if self._settings.server.tls else self._connected

    def read(self, size: int) -> bytes:
        """Read a literal."""
        return self._bounded().read(size)

    def readline(self) -> bytes:
        """Read a line."""
        return self._bounded().readline()

    def send(self, data: bytes) -> None:  # type: ignore[override]
        """Send bytes."""
        self.sock.sendall(data)

    def shutdown(self) -> None:
        """Close the connection at once."""
        with suppress(OSError):
            getattr(self, "sock", self._connected).close()

    def _bounded(self) -> BoundedStream:
        """The stream of the socket that holds now: whatever came before TLS is forgotten with its own (fault M4)."""
        if self._stream is None or self._source is not self.sock:
            self._stream = BoundedStream(self.sock, self._clock, self._settings.connect_timeout_s)
            self._source = self.sock
        return self._stream

    def _encrypted(self, plain: socket.socket) -> ssl.SSLSocket:
        context = ssl.create_default_context()
        if self._settings.ca:
            try:
                context.load_verify_locations(self._settings.ca)
            except (OSError, ssl.SSLError):
                raise BadSetting(
                    f"The setting ca: {self._settings.ca} holds no certificates. Name a PEM file that can be read."
                ) from None
        return context.wrap_socket(plain, server_hostname=self._settings.server.host)

    # ------------------------------------------------------- session

    def _secure(self) -> None:
        """Begin TLS by STARTTLS (RFC 3501 6.2.1), unless it is there or not needed."""
        server, settings = self._settings.server, self._settings
        if server.tls or (server.is_loopback and not settings.ca):
            return
        if "STARTTLS" not in self.capabilities:
            if settings.allow_plain or server.is_loopback:
                return
            raise Unreachable(
                f"{self._named} offers no encryption. Use imaps://, or set allow_plain=true to send the password "
                "without any."
            )
        with_system = ssl.create_default_context()
        if settings.ca:
            with_system.load_verify_locations(settings.ca)
        self.starttls(with_system)

    def sign_in(self, secret: str) -> None:
        """Sign in. Raises LoginRefused when the server refuses the name or the secret, Unreachable for other faults."""
        user = self._settings.user
        try:
            self.allow(COMMAND_S)
            if self._settings.auth == "xoauth2":
                self._authenticate("XOAUTH2", f"user={user}\1auth=Bearer {secret}\1\1")
            elif "AUTH=PLAIN" in self.capabilities:
                self._authenticate("PLAIN", f"\0{user}\0{secret}")
            elif "LOGINDISABLED" in self.capabilities:
                raise Unreachable(f"{self._named} takes no password without TLS. Use imaps://.")
            elif not (user + secret).isascii() or "\r" in secret or "\n" in secret:
                raise Unreachable(f"{self._named} takes passwords in ASCII only, and this one is not.")
            else:
                self.login(quoted(user), secret)
            self.allow(COMMAND_S)
            offered = (self.capability()[1][-1] or b"").decode("ascii", "replace")
            self.capabilities = tuple(offered.upper().split())  # more than before the login, mostly
            self._enable_resync()
        except imaplib.IMAP4.abort as error:
            raise Unreachable(broken_sentence(self._named, error)) from None
        except imaplib.IMAP4.error as error:
            raise self._refused(str(error)) from None
        except (OSError, AnswerTooLarge) as error:
            raise Unreachable(broken_sentence(self._named, error)) from None

    def _enable_resync(self) -> None:
        """Have messages that went be named, where it is offered; before any folder is open (RFC 5161 3.1)."""
        if {"ENABLE", "QRESYNC"} <= set(self.capabilities):
            self.allow(COMMAND_S)
            self.resyncs = self._simple_command("ENABLE", "QRESYNC")[0] == "OK"

    def _authenticate(self, mechanism: str, response: str) -> None:
        """Send one response, and an empty one where the server explains a refusal by a challenge."""
        responses = iter((response.encode(), b""))
        self.authenticate(mechanism, lambda _challenge: next(responses, b""))

    def _refused(self, reason: str) -> Unreachable:
        words = _shown(reason)
        if any(f"[{code}" in words.upper() for code in _PASSING):
            return Unreachable(f"{self._named} does not let {self._settings.user} sign in now: {words}.")
        return LoginRefused(
            f"{self._named} refuses the login of {self._settings.user}: {words}. Check user and the secret of password."
        )

    def allow(self, seconds: float, size: int = MAX_ANSWER) -> None:
        """Let the next answer take so many seconds, and have so many bytes."""
        self._bounded().allow(seconds, size)

    @property
    def received(self) -> int:
        """Bytes received since TLS began."""
        return self._bounded().received

    # ------------------------------------------------------- what is asked

    def probe(self) -> None:
        """See whether the server still answers. Raises what `BROKEN` names."""
        self.allow(self._settings.connect_timeout_s)
        self.noop()

    def list_folders(self) -> Answer:
        """Return the lines of LIST, with special uses where the server tells them (RFC 6154)."""
        self.allow(COMMAND_S, MAX_FOLDER_LINES)
        tells = "SPECIAL-USE" in self.capabilities
        kind, lines = self.list('""', '"*" RETURN (SPECIAL-USE)' if tells else '"*"')
        if kind != "OK":
            raise Unreachable(f"{self._named} does not list the folders: {_answer_text(lines)}.")
        return lines

    def examine(self, folder: str) -> str:
        """Open a folder for reading; `validity` and `count` are known then. Returns why it cannot be, "" if it can."""
        self.folder = ""
        self.allow(COMMAND_S)
        kind, lines = self.select(quoted_folder(folder), readonly=True)  # type: ignore[arg-type]
        if kind != "OK":
            return _answer_text(lines) or "no reason given"
        self.count = max(0, _number(lines[-1]))
        self.validity = _number(self.response("UIDVALIDITY")[1][-1])
        self._next_uid = _number(self.response("UIDNEXT")[1][-1])
        self._modseq = _number(self.response("HIGHESTMODSEQ")[1][-1], 19)
        self.folder = folder
        return ""

    @property
    def folder_state(self) -> FolderState:
        """The state of the open folder when it was opened."""
        return FolderState(str(self.validity), self.count, self._next_uid, self._modseq)

    def fetch_lines(self, numbers: str, items: str) -> Answer:
        """Return the answer to FETCH for message numbers like 1:1000. Raises abort when it is refused."""
        self.allow(COMMAND_S)
        kind, lines = self.fetch(numbers, f"({items})")
        if kind == "NO" and "EXPUNGEISSUED" in _answer_text(lines).upper():
            return self.response("FETCH")[1]  # others deleted some of them meanwhile (RFC 5530 3)
        return self._fine(kind, lines)

    def fetch_by_uid(self, uid: int, items: str, literal: int, seconds: float) -> Answer:
        """Return the answer to UID FETCH for one message, with literals of at most so many bytes."""
        self.allow(seconds, literal + MAX_LINE)
        kind, lines = self.uid("FETCH", str(uid), f"({items})")
        return self._fine(kind, lines)

    def fetch_uids(self, first: int, last: int, items: str) -> Answer:
        """Return the answer to UID FETCH for a range of UIDs, of which some may not exist."""
        self.allow(COMMAND_S)
        kind, lines = self.uid("FETCH", f"{first}:{last}", f"({items})")
        return self._fine(kind, lines)

    def vanished_lines(self, first: int, last: int, modseq: int) -> list[bytes]:
        """Return the answers VANISHED for a range of UIDs: those that went since `modseq` (RFC 7162 3.2.6)."""
        self.allow(COMMAND_S)
        self.response("VANISHED")
        kind, lines = self.uid("FETCH", f"{first}:{last}", f"(UID) (CHANGEDSINCE {modseq} VANISHED)")
        self._fine(kind, lines)
        return [each for each in self.response("VANISHED")[1] if isinstance(each, bytes)]

    def search_lines(self, criteria: str) -> Answer:
        """Return the answer to UID SEARCH."""
        self.allow(COMMAND_S)
        kind, lines = self.uid("SEARCH", criteria)
        return self._fine(kind, lines)

    def _fine(self, kind: str, lines: Answer) -> Answer:
        if kind != "OK":
            raise imaplib.IMAP4.abort(f"it answers {kind}: {_answer_text(lines)}")
        return lines

    # ------------------------------------------------------- changes

    def folder_status(self, folder: str) -> tuple[int, ...]:
        """Return UIDVALIDITY, next UID and number of messages of a folder that is not open; () when it is refused."""
        self.allow(COMMAND_S)
        self.response("STATUS")
        kind, _ = self._simple_command("STATUS", quoted_folder(folder), "(UIDVALIDITY UIDNEXT MESSAGES)")
        lines = [each for each in self.response("STATUS")[1] if isinstance(each, bytes)]
        if kind != "OK" or not lines:
            return ()
        return tuple(int(each) for each in _STATUS_NUMBER.findall(lines[-1].rpartition(b"(")[2])[:3])

    def notify(self, folders: Sequence[str]) -> bool:
        """Have the server report messages that come to the open folder and these others, or go (RFC 5465 3).

        False when it does not.
        """
        if "NOTIFY" not in self.capabilities:
            return False
        names = b" ".join(map(quoted_folder, folders))
        self.allow(COMMAND_S)
        try:
            kind, _ = self.xatom("NOTIFY", _NOTIFY % names)  # type: ignore[arg-type]
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:
            return False
        return bool(kind == "OK")

    def begin_idle(self) -> bool:
        """Wait for changes of the open folder from now on (IDLE, RFC 2177); False when the server does not."""
        self.allow(COMMAND_S)
        self.send(b"CW1 IDLE\r\n")
        while (line := self.readline()) and not line.startswith((b"+", b"CW1 ")):
            self._note_change(line)
        return line.startswith(b"+")

    def renew_idle(self) -> None:
        """End IDLE and begin it again, which keeps the session."""
        self.allow(COMMAND_S)
        self.send(b"DONE\r\n")
        while not (line := self._report()).startswith(b"CW1 "):
            self._note_change(line)
        if not self.begin_idle():
            raise imaplib.IMAP4.abort("it does not go on with IDLE")

    @property
    def has_received(self) -> bool:
        """Return whether a report waits that the socket would not tell of."""
        pending = getattr(self.sock, "pending", None)  # of TLS
        return self._bounded().has_line or bool(pending is not None and pending())

    def receive_reports(self) -> None:
        """Read the reports that came. Raises what `BROKEN` names."""
        self.allow(COMPLETED_S)
        with suppress(TimeoutError):
            self._note_change(self._report())
            while self._bounded().has_line:
                self._note_change(self._report())

    def pop_change(self) -> bool:
        """Return whether a change was reported since this was asked last."""
        changed, self._changed = self._changed, False
        return changed

    def _report(self) -> bytes:
        line = self.readline()
        if not line or line.upper().startswith(b"* BYE"):
            raise imaplib.IMAP4.abort("it ended the session")
        return line

    def _note_change(self, line: bytes) -> None:
        """Note a change; a number of messages that is known already is none."""
        match = _CHANGE.match(line)
        if match is None:
            return
        count = -1 if match[1] is None else int(match[1])
        self._changed |= count != self.count
        self.count = max(count, 0) if match[1] is not None else self.count

    def leave(self) -> None:
        """Sign out, in whatever state the connection is."""
        with suppress(imaplib.IMAP4.error, OSError, AnswerTooLarge):
            self.allow(2.0)
            self.logout()
        self.shutdown()


def quoted(text: str) -> str:
    """Return a quoted string (RFC 3501 4.3)."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted_folder(name: str) -> bytes:
    """Return the name of a folder as the server wrote it, which may hold bytes beyond ASCII."""
    return quoted(name).encode("utf-8", "surrogateescape")


def broken_sentence(server: str, error: BaseException) -> str:
    """Return a sentence about a connection that broke off."""
    if isinstance(error, TimeoutError):
        return f"{server}, did not answer in time. Check that the server runs; the next crawl asks it again."
    if isinstance(error, AnswerTooLarge):
        return f"{server}, sends more than any answer can be: {error.sentence} Check that it is an IMAP server."
    words = _shown(str(error)) or type(error).__name__
    return f"The connection to {server}, broke off: {words}. The next crawl asks it again."


def _shown(text: str) -> str:
    """Words of a server in one line that can be printed."""
    if text.startswith(("b'", 'b"')):
        text = text[2:-1]
    return "".join(each if each.isprintable() else " " for each in text[:200]).strip().rstrip(".")


def _answer_text(lines: Answer) -> str:
    last = lines[-1] if lines else b""
    return _shown((last[0] if isinstance(last, tuple) else last or b"").decode("utf-8", "replace"))


def _number(line: object, most: int = 11) -> int:
    """Return a number of at most so many digits, 0 for what is none."""
    digits = line.strip() if isinstance(line, bytes) else b""
    return int(digits) if digits.isdigit() and len(digits) <= most else 0
