"""A WebDAV server of a test: WsgiDAV on loopback, with the files of a folder."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

USER, PASSWORD = "ada", "right one"


class DavServer:
    """Where it listens; `away`: it answers 503 to everything; `refused`: 403 below these paths."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.port, self.away, self.refused = 0, False, tuple[str, ...]()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        path = environ["PATH_INFO"]
        if self.away or path.startswith(self.refused):
            start_response("503 Away" if self.away else "403 Forbidden", [("Content-Length", "0")])
            return [b""]
        return self._app(environ, start_response)


@contextmanager
def dav_server(folder: Path, *, basic: bool = True, port: int = 0) -> Iterator[DavServer]:
    """Serve a folder. Skips where the server is not installed."""
    app = pytest.importorskip("wsgidav.wsgidav_app")
    wsgi = pytest.importorskip("cheroot.wsgi")
    logging.getLogger("wsgidav").setLevel(logging.CRITICAL)
    config = {
        "provider_mapping": {"/": str(folder)},
        "http_authenticator": {
            "domain_controller": None, "accept_basic": basic, "accept_digest": not basic,
            "default_to_digest": not basic,
        },
        "simple_dc": {"user_mapping": {"*": {USER: {"password": PASSWORD}}}},
        "verbose": 0, "logging": {"enable": False}, "lock_storage": False, "property_manager": False,
    }  # fmt: skip
    served = DavServer(app.WsgiDAVApp(config))
    server = wsgi.Server(("127.0.0.1", port), served)
    server.shutdown_timeout = 1
    server.prepare()
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        served.port = int(server.bind_addr[1])
        yield served
    finally:
        server.stop()
        thread.join()
