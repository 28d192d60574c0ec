"""A web server whose every answer is decided by a function of the test, in a thread of its process.

    with stand(answers) as served:
        served.answers = others     from the next request on
        served.log                  what was asked for, in order

One address of this machine, HTTP/1.1, connections kept. The function may be exchanged while requests come.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

HTML = "text/html; charset=utf-8"


class Request(NamedTuple):
    """A request: the path with its query, and the header fields by their names in lower case."""

    path: str
    fields: Mapping[str, str]


class Answer(NamedTuple):
    """A response: status, body, its type, further header fields."""

    status: int = 200
    body: bytes = b""
    mime: str = HTML
    fields: tuple[tuple[str, str], ...] = ()


class Asked(NamedTuple):
    """A request in the log. `conditional`: it asked for something only if it had changed."""

    path: str
    conditional: bool
    status: int


Answers = Callable[[Request], Answer]


def tag_of(body: bytes) -> str:
    """An entity tag made from what is tagged."""
    return f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'


def confirmed(request: Request, answer: Answer, tag: str = "") -> Answer:
    """The answer with its entity tag; 304 without a body when the client has named that tag."""
    tag = tag or tag_of(answer.body)
    fields = (*answer.fields, ("ETag", tag))
    if tag in request.fields.get("if-none-match", ""):
        return answer._replace(status=304, body=b"", fields=fields)
    return answer._replace(fields=fields)


@dataclass
class Served:
    """A running server."""

    answers: Answers
    port: int = 0
    log: list[Asked] = field(default_factory=list)

    def __call__(self, request: Request) -> Answer:
        """Answer, and note it."""
        said = self.answers(request)
        conditional = bool(request.fields.keys() & {"if-none-match", "if-modified-since"})
        self.log.append(Asked(request.path, conditional, said.status))
        return said


def _answering(served: Served) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            fields = {name.lower(): value for name, value in self.headers.items()}
            said = served(Request(self.path, fields))
            self.send_response_only(said.status)
            self.send_header("Content-Type", said.mime)
            self.send_header("Content-Length", str(len(said.body)))
            for name, value in said.fields:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said.body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    return Answering


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


@contextmanager
def stand(answers: Answers) -> Iterator[Served]:
    """Serve for the length of a block."""
    served = Served(answers)
    with _Server(("127.0.0.1", 0), _answering(served)) as server:
        served.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield served
        finally:
            server.shutdown()
