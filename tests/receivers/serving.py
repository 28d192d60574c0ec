"""A server of HTTP on loopback, in a thread, for as long as a block lasts: what receivers are told by."""

from __future__ import annotations

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


class Serving:
    """Answers by a handler on a port of its own. Who hangs waits for `go`, which the end of the block sets."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self.go = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def wrap(self, context: ssl.SSLContext) -> None:
        """Speak TLS from now on."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.go.set()
        self._server.shutdown()
        self._server.server_close()
