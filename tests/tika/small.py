"""A small server that answers as a Tika server does, by its documented interface, and fails as it is asked to.

with SmallTika() as tika:
    tika.plan += [503, "hang", "reset", Reply(302, {"Location": "/x"})]
    ... somebody puts documents to tika.url ...
    tika.asked       what came, in order
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import ClassVar, NamedTuple

from tests.clocks import HANG_S
from tests.receivers.serving import Serving

VERSION = b"Apache Tika 3.2.3"


class Reply(NamedTuple):
    """What is answered: a status, fields, and bytes."""

    status: int = 200
    fields: Mapping[str, str] = {}
    body: bytes = b""


@dataclass
class Put:
    """One document as it came."""

    path: str
    headers: Mapping[str, str]
    body: bytes


def said(*documents: Mapping[str, object]) -> Reply:
    """The answer about a document, and those in it."""
    return Reply(200, {"Content-Type": "application/json"}, json.dumps(documents).encode())


def with_text(text: str, **about: object) -> Reply:
    """The answer about a document that says this."""
    return said({"X-TIKA:Parsed-By": ["org.apache.tika.parser.SomeParser"], "X-TIKA:content": f"\n\n{text}\n"} | about)


class SmallTika(Serving):
    """The server. `plan` says what comes of the next documents; behind its end `read` does.

    `version` is what it says of itself, None for nothing at all; `most_at_once` how many documents it had together.
    """

    def __init__(self) -> None:
        self.plan: list[int | str | Reply] = []
        self.read: Callable[[Put], int | str | Reply] = lambda put: with_text(f"{len(put.body)} bytes")
        self.version: bytes | None = VERSION
        self.asked: list[Put] = []
        self.at_once = self.most_at_once = 0
        self.counting = threading.Lock()
        owner_ = self

        class Answering(_Answering):
            owner: ClassVar[SmallTika] = owner_

        super().__init__(Answering)
        self.url = f"http://127.0.0.1:{self.port}"


class _Answering(BaseHTTPRequestHandler):
    owner: ClassVar[SmallTika]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/version" and self.owner.version is not None:
            self._say(Reply(200, {"Content-Type": "text/plain"}, self.owner.version))
        else:
            self._reset()

    def do_PUT(self) -> None:
        tika = self.owner
        with tika.counting:
            tika.at_once += 1
            tika.most_at_once = max(tika.at_once, tika.most_at_once)
        try:
            self._read(tika)
        finally:
            with tika.counting:
                tika.at_once -= 1

    def _read(self, tika: SmallTika) -> None:
        put = Put(self.path, dict(self.headers), self.rfile.read(int(self.headers["Content-Length"])))
        tika.asked.append(put)
        planned = tika.plan.pop(0) if tika.plan else tika.read(put)
        if planned == "hang":
            tika.go.wait(HANG_S)
        if planned in ("hang", "reset"):
            self._reset()
            return
        self._say(planned if isinstance(planned, Reply) else Reply(int(planned)))

    def _say(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(reply.body)

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def handle(self) -> None:
        with suppress(ConnectionError, OSError):
            super().handle()
