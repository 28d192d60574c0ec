"""A WebDAV server of a test: WsgiDAV on loopback, with the files of a folder."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

USER, PASSWORD = "ada", "right one"


@contextmanager
def dav_server(folder: Path, *, basic: bool = True, port: int = 0) -> Iterator[int]:
    """Serve a folder; yields the port. Skips where the server is not installed."""
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
    server = wsgi.Server(("127.0.0.1", port), app.WsgiDAVApp(config))
    server.shutdown_timeout = 1
    server.prepare()
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield int(server.bind_addr[1])
    finally:
        server.stop()
        thread.join()
