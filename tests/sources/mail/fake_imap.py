"""A fake of an IMAP server on loopback: mail in memory, the commands of RFC 3501 that we send, faults by choice."""

from __future__ import annotations

import base64
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple

RECEIVED = "12-Nov-2026 09:30:04 +0000"
_COMMAND = re.compile(rb"(\S+) (UID )?(\S+) ?(.*?)\r\n", re.DOTALL | re.IGNORECASE)
_RANGE = re.compile(rb"(\d+):(\d+) \((.*)\)")
_ONE = re.compile(rb"(\d+) \((.*)\)")
_SINCE = re.compile(rb"(\d+):(\d+) \(UID\) \(CHANGEDSINCE (\d+) VANISHED\)")
_PARTIAL = re.compile(rb"BODY\.PEEK\[\]<0\.(\d+)>")

Fault = Callable[["Session", bytes], bool]
"""Called with each command; True when it has answered, or when nothing shall be answered."""


class Stored(NamedTuple):
    """A message."""

    body: bytes
    received: str = RECEIVED


@dataclass
class FakeFolder:
    """A folder: its identity, and messages by their UIDs. `gone` has the UIDs of deleted ones by their MODSEQ."""

    validity: int = 1608
    messages: dict[int, Stored] = field(default_factory=dict)
    flags: str = ""
    refused: str = ""
    next_uid: int = 0
    modseq: int = 1
    gone: dict[int, int] = field(default_factory=dict)

    @property
    def uid_next(self) -> int:
        """The UID of the next message, which no message had before."""
        return max(self.next_uid, max(self.messages, default=0) + 1)

    def remove(self, uid: int) -> None:
        """Delete a message."""
        self.next_uid = self.uid_next
        self.modseq += 1
        self.gone[uid] = self.modseq
        del self.messages[uid]

    def add(self, body: bytes, received: str = RECEIVED) -> int:
        """Add a message."""
        uid = self.uid_next
        self.modseq += 1
        self.messages[uid] = Stored(body, received)
        return uid


class FakeImap:
    """A server. `log` has the commands that came, without their tags; `fault` may answer instead of it."""

    def __init__(self) -> None:
        self.folders: dict[str, FakeFolder] = {"INBOX": FakeFolder()}
        self.log: list[str] = []
        self.password = "right"
        self.offers = "IMAP4rev1 AUTH=PLAIN IDLE"
        self.tells_next = False
        self.fault: Fault | None = None
        self.sessions: list[Session] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            session = Session(self, connection)
            self.sessions.append(session)
            threading.Thread(target=session.run, daemon=True).start()

    def close(self) -> None:
        """Stop listening, and drop all sessions."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self.sessions:
            each.drop()


class Session:
    """One connection."""

    def __init__(self, server: FakeImap, connection: socket.socket) -> None:
        self.server, self.connection, self.open = server, connection, FakeFolder()
        self._lines = connection.makefile("rb")
        self.resyncs = False

    def say(self, *lines: bytes | str) -> None:
        """Send lines."""
        text = b"".join((each if isinstance(each, bytes) else each.encode()) + b"\r\n" for each in lines)
        self.connection.sendall(text)

    def drop(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def run(self) -> None:
        """Answer until the other side leaves."""
        with suppress(OSError, ValueError), self.connection, self._lines:
            self.say(f"* OK [CAPABILITY {self.server.offers}] ready")
            while line := self._lines.readline():
                match = _COMMAND.fullmatch(line)
                if match is None:
                    continue
                tag, uid, name, rest = match[1].decode(), bool(match[2]), match[3].decode().upper(), match[4]
                self.server.log.append(f"{'UID ' if uid else ''}{name} {rest.decode('utf-8', 'replace')}".strip())
                if self.server.fault is not None and self.server.fault(self, line):
                    continue
                self._answer(tag, ("UID " if uid else "") + name, rest)

    def _answer(self, tag: str, name: str, rest: bytes) -> None:
        known = {
            "CAPABILITY": self._capability, "AUTHENTICATE": self._authenticate, "LOGIN": self._login,
            "LIST": self._list, "EXAMINE": self._examine, "FETCH": self._fetch, "UID FETCH": self._uid_fetch,
            "UID SEARCH": self._search, "ENABLE": self._enable, "STATUS": self._status, "NOTIFY": self._notify,
            "IDLE": self._idle, "LOGOUT": self._logout, "NOOP": self._noop,
        }  # fmt: skip
        handler = known.get(name)
        result = handler(tag, rest) if handler is not None else "BAD unknown command"
        if result:
            self.say(f"{tag} {result}{'' if ' ' in result else ' done'}")

    def _enable(self, _tag: str, rest: bytes) -> str:
        self.resyncs = rest == b"QRESYNC"
        self.say("* ENABLED QRESYNC")
        return "OK"

    def _status(self, _tag: str, rest: bytes) -> str:
        name = rest.partition(b" (")[0].decode().strip('"')
        folder = self.server.folders.get(name)
        if folder is None:
            return "NO no such folder"
        self.say(
            f'* STATUS "{name}" (MESSAGES {len(folder.messages)} UIDNEXT {folder.uid_next} UIDVALIDITY '
            f"{folder.validity})"
        )
        return "OK"

    def _notify(self, _tag: str, _rest: bytes) -> str:
        return "OK"

    def _noop(self, _tag: str, _rest: bytes) -> str:
        return "OK"

    def _capability(self, _tag: str, _rest: bytes) -> str:
        self.say(f"* CAPABILITY {self.server.offers}")
        return "OK"

    def _authenticate(self, _tag: str, rest: bytes) -> str:
        self.say("+ ")
        response = base64.b64decode(self._lines.readline())
        secret = response.split(b"\0")[-1] if rest == b"PLAIN" else response.split(b"Bearer ")[-1].strip(b"\1")
        return "OK" if secret == self.server.password.encode() else "NO [AUTHENTICATIONFAILED] wrong password"

    def _login(self, _tag: str, rest: bytes) -> str:
        return "OK" if rest.endswith(f'"{self.server.password}"'.encode()) else "NO wrong password"

    def _list(self, _tag: str, _rest: bytes) -> str:
        for name, folder in self.server.folders.items():
            self.say(f'* LIST ({folder.flags}) "/" "{name}"')
        return "OK"

    def _examine(self, _tag: str, rest: bytes) -> str:
        folder = self.server.folders.get(rest.decode().strip('"').replace('\\"', '"').replace("\\\\", "\\"))
        if folder is None or folder.refused:
            return f"NO {folder.refused if folder else 'no such folder'}"
        self.open = folder
        self.say(f"* {len(folder.messages)} EXISTS", "* 0 RECENT", f"* OK [UIDVALIDITY {folder.validity}] fine")
        if self.server.tells_next:
            self.say(f"* OK [UIDNEXT {folder.uid_next}] next")
        if "CONDSTORE" in self.server.offers:
            self.say(f"* OK [HIGHESTMODSEQ {folder.modseq}] highest")
        return "OK [READ-ONLY] open"

    def _fetch(self, _tag: str, rest: bytes) -> str:
        match = _RANGE.fullmatch(rest)
        assert match is not None, rest
        uids = sorted(self.open.messages)
        for number in range(int(match[1]), int(match[2]) + 1):
            if number <= len(uids):
                self._item(number, uids[number - 1], match[3])
        return "OK"

    def _uid_fetch(self, _tag: str, rest: bytes) -> str:
        uids = sorted(self.open.messages)
        if since := _SINCE.fullmatch(rest):
            assert self.resyncs, "ENABLE QRESYNC comes first"
            gone = [uid for uid, at in self.open.gone.items() if at > int(since[3])]
            named = ",".join(str(uid) for uid in gone if int(since[1]) <= uid <= int(since[2]))
            self.say(*([f"* VANISHED (EARLIER) {named}"] if named else []))
            return "OK"
        if several := _RANGE.fullmatch(rest):
            for uid in uids:
                if int(several[1]) <= uid <= int(several[2]):
                    self._item(uids.index(uid) + 1, uid, several[3])
            return "OK"
        match = _ONE.fullmatch(rest)
        assert match is not None, rest
        if int(match[1]) in self.open.messages:
            self._item(uids.index(int(match[1])) + 1, int(match[1]), match[2])
        return "OK"

    def _item(self, number: int, uid: int, items: bytes) -> None:
        body, received = self.open.messages[uid]
        head = f'* {number} FETCH (UID {uid} RFC822.SIZE {len(body)} INTERNALDATE "{received}"'
        if partial := _PARTIAL.search(items):
            part = body[: int(partial[1])]
            self.connection.sendall(f"{head} BODY[]<0> {{{len(part)}}}\r\n".encode() + part + b")\r\n")
        elif b"MESSAGE-ID" in items:
            found = re.search(rb"^Message-ID:.*\r\n", body, re.MULTILINE | re.IGNORECASE)
            part = (found[0] if found else b"") + b"\r\n"
            name = "BODY[HEADER.FIELDS (MESSAGE-ID)]"
            self.connection.sendall(f"{head} {name} {{{len(part)}}}\r\n".encode() + part + b")\r\n")
        else:
            self.say(f"{head})")

    def _search(self, _tag: str, rest: bytes) -> str:
        match = re.fullmatch(rb'UID (\d+):(\d+) (?:HEADER )?(\S+) "(.*)"', rest)
        assert match is not None, rest
        name, value = match[3].lower() + b":", match[4].lower()
        found = [
            uid
            for uid, each in self.open.messages.items()
            if int(match[1]) <= uid <= int(match[2])
            and any(line.lower().startswith(name) and value in line.lower() for line in each.body.split(b"\r\n"))
        ]
        self.say("* SEARCH" + "".join(f" {uid}" for uid in found))
        return "OK"

    def _idle(self, tag: str, _rest: bytes) -> str:
        self.say("+ idling")
        self.finish(tag.encode())
        return ""

    def finish(self, tag: bytes) -> None:
        """Wait for the end of IDLE."""
        self._lines.readline()
        self.say(tag + b" OK done")

    def _logout(self, tag: str, _rest: bytes) -> str:
        self.say("* BYE bye", f"{tag} OK done")
        self.drop()
        return ""


@contextmanager
def fake_imap() -> Iterator[FakeImap]:
    """Run a server."""
    server = FakeImap()
    try:
        yield server
    finally:
        server.close()
