"""A program that takes webhooks, on loopback, and fails as it is told to.

with Hook() as hook:
    hook.plan += [500, Answer(429, {"Retry-After": "7"}), "hang", "reset"]
    ... receiver posts to hook.url ...
    hook.taken       records by number: what was answered with 2xx
"""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar, NamedTuple

from tests.clocks import HANG_S
from tests.receivers.serving import Serving

KEY = b"the mole is out"


class Answer(NamedTuple):
    """What is answered: a status, fields, and an object as JSON, or bytes as they are."""

    status: int
    fields: Mapping[str, str] = {}
    body: object = None


@dataclass
class Post:
    """One request as it came."""

    headers: Mapping[str, str]
    body: bytes

    @property
    def said(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.body)
        return said

    @property
    def seqs(self) -> list[int]:
        return [each["seq"] for each in self.said["records"]]

    def is_signed(self, key: bytes = KEY) -> bool:
        signed = self.headers["Cormorant-Timestamp"].encode() + b"." + self.body
        wanted = "sha256=" + hmac.new(key, signed, hashlib.sha256).hexdigest()
        return hmac.compare_digest(wanted, self.headers.get("Cormorant-Signature", ""))


class Hook(Serving):
    """The server. `plan` says what comes of the next requests; behind its end `judge` does, else all is taken."""

    def __init__(self, path: str = "/found") -> None:
        self.plan: list[int | str | Answer] = []
        self.judge: Callable[[Post], Answer] = lambda _: Answer(204)
        self.posts: list[Post] = []
        self.taken: dict[int, dict[str, Any]] = {}
        hook = self

        class Taking(_Posted):
            owner: ClassVar[Hook] = hook

        super().__init__(Taking)
        self.url = f"http://127.0.0.1:{self.port}{path}"


class _Posted(BaseHTTPRequestHandler):
    owner: ClassVar[Hook]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        hook = self.owner
        post = Post(dict(self.headers), self.rfile.read(int(self.headers["Content-Length"])))
        hook.posts.append(post)
        planned = hook.plan.pop(0) if hook.plan else hook.judge(post)
        if planned == "hang":
            hook.go.wait(HANG_S)
            planned = Answer(503)
        if planned == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return
        if isinstance(planned, int):
            planned = Answer(planned)
        assert isinstance(planned, Answer)
        if 200 <= planned.status < 300:
            refused = _refused(planned.body)
            hook.taken |= {each["seq"]: each for each in post.said["records"] if each["seq"] not in refused}
        self._answer(planned)

    def _answer(self, answer: Answer) -> None:
        as_it_is = answer.body if isinstance(answer.body, bytes) else None
        body = b"" if answer.body is None else as_it_is or json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in answer.fields.items():
            self.send_header(name, value)
        if body and as_it_is is None:
            self.send_header("Content-Type", "application/json")
        if answer.status != 204:
            self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # it was given up
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
        """Say nothing."""


def _refused(body: object) -> set[int]:
    named = body.get("refused", ()) if isinstance(body, dict) else ()
    return {each["seq"] for each in named if isinstance(each, dict)}
