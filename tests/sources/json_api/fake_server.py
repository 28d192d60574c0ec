"""Base of fake servers that replay a documented interface in JSON on loopback, be away, and fail on purpose."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit


class Asked(NamedTuple):
    """A request: path without escapes, parameters of query and body, header fields by small names."""

    method: str
    path: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str]
    raw_path: str = ""
    body: bytes = b""


@dataclass
class Reply:
    """What is answered: a value as JSON, or bytes as they are."""

    value: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    cut: bool = False
    """The connection ends before the body does."""

    @property
    def data(self) -> bytes:
        """The body."""
        return json.dumps(self.value).encode() if self.body is None else self.body


class FakeServer:
    """Answers requests by `reply`; `interrupt` may answer first."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.interrupt: Callable[[Asked], Reply | None] = lambda _: None
        self.lock = threading.RLock()
        self._port = 0
        self._server: ThreadingHTTPServer | None = None
        self.start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Answer from now on, always at the same port."""
        fake = self

        class Exchange(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                fake.handle(self)

            do_POST = do_GET  # noqa: N815 - the name that the library looks for

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A client may leave."""

        self._server = Server(("127.0.0.1", self._port), Exchange)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Answer no more."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        length = int(handler.headers.get("content-length") or 0)
        body = handler.rfile.read(length) if length else b""
        parts = urlsplit(handler.path)
        form = body.decode("utf-8", "replace") if "urlencoded" in (handler.headers.get("content-type") or "") else ""
        pairs = parse_qs(parts.query, keep_blank_values=True) | parse_qs(form, keep_blank_values=True)
        asked = Asked(
            handler.command, unquote(parts.path), {name: values[-1] for name, values in pairs.items()},
            {name.lower(): value for name, value in handler.headers.items()}, parts.path, body,
        )  # fmt: skip
        with self.lock:
            self.asked.append(asked)
            reply = Reply({}, 503) if self._server is None else self.interrupt(asked) or self.reply(asked)
        data = b"" if reply.status == 304 else reply.data
        handler.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            handler.send_header(name, value)
        if reply.status != 304:
            handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: len(data) // 2] if reply.cut else data)
        if reply.cut or self._server is None:
            handler.close_connection = True

    def reply(self, asked: Asked) -> Reply:
        """Return the answer to a request."""
        raise NotImplementedError


def failing(times: int, reply: Reply) -> Callable[[Asked], Reply | None]:
    """Return an interruption that answers so a number of times."""
    left = [times]

    def interrupt(_: Asked) -> Reply | None:
        left[0] -= 1
        return reply if left[0] >= 0 else None

    return interrupt
