"""An FTP server of a test: pyftpdlib on loopback, with the files of a folder."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

USER, PASSWORD = "ada", "right one"


class FtpServer:
    """Where it listens, and its handler, whose class attributes say how it behaves."""

    def __init__(self, server: Any, handler: Any) -> None:
        self._server, self.handler = server, handler
        self.port = int(server.address[1])

    @property
    def url(self) -> str:
        return f"ftp://127.0.0.1:{self.port}/"

    def settings(self, **more: object) -> dict[str, Any]:
        return {"url": self.url, "user": USER, "password": "secret:p", "per_host": 2, **more}

    def limit_of_one_address(self, connections: int) -> None:
        self._server.max_cons_per_ip = connections


@contextmanager
def ftp_server(
    folder: Path, *, certificate: Path | None = None, listing: str = "MLSD", port: int = 0
) -> Iterator[FtpServer]:
    """Serve a folder, with TLS where there is a certificate, and without MLSD where `listing` is LIST."""
    handlers = pytest.importorskip("pyftpdlib.handlers")
    servers = pytest.importorskip("pyftpdlib.servers")
    authorizers = pytest.importorskip("pyftpdlib.authorizers")
    logging.getLogger("pyftpdlib").setLevel(logging.CRITICAL + 1)
    base: Any = handlers.TLS_FTPHandler if certificate else handlers.FTPHandler
    handler: Any = type("Handler", (base,), {"use_sendfile": False, "auth_failed_timeout": 0})
    handler.authorizer = authorizers.DummyAuthorizer()
    handler.authorizer.add_user(USER, PASSWORD, str(folder), perm="elr")
    if certificate:
        handler.certfile = str(certificate)
    if listing == "LIST":
        handler.proto_cmds = {name: said for name, said in handler.proto_cmds.items() if name not in ("MLSD", "MLST")}
    server = servers.FTPServer(("127.0.0.1", port), handler)
    ended = Event()

    def serve() -> None:
        while not ended.is_set():
            server.ioloop.loop(timeout=0.05, blocking=False)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield FtpServer(server, handler)
    finally:
        ended.set()
        thread.join()
        server.close_all()
