"""The web process: where it listens, and what it does until it is told to stop."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
from typing import TypeAlias

from cormorant.app.build import Plan, open_house
from cormorant.base.errors import ConflictError, NotPermitted, Unreachable, UsageError

Listener: TypeAlias = socket.socket
"""A port that was taken."""

BACKLOG = 128
GRACE_S = 5
MOST_REQUESTS = 200


def address_of(plan: Plan, host: str | None, port: int | None) -> tuple[str, int]:
    """Where to listen: what was asked for, else what the installation says.

    Raises UsageError for what is no address, and beyond loopback: who may read what is not known yet.
    """
    set_host, _, set_port = plan.installation.listen.rpartition(":")
    chosen = (host or set_host or "127.0.0.1").strip("[]")
    if port is None and not set_port.isdigit():
        raise UsageError(f"CORMORANT_LISTEN is {plan.installation.listen!r}; it takes HOST:PORT, like 127.0.0.1:8765.")
    if not _is_loopback(chosen):
        raise UsageError(
            f"{chosen} can be reached by others, and there are no users yet who could sign in. "
            "Serve on 127.0.0.1, and let a proxy that checks who is asking stand before it."
        )
    return chosen, int(set_port) if port is None else port


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bind(host: str, port: int) -> Listener:
    """Take the port; 0 takes a free one. Raises ConflictError when it is taken, NotPermitted, Unreachable."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ConflictError(
                f"Port {port} of {host} is in use by another program. Name another: --port N."
            ) from None
        if error.errno == errno.EACCES:
            raise NotPermitted(f"Port {port} may not be used by you. Choose one above 1023 with --port.") from None
        raise Unreachable(f"Nothing can listen at {host}, port {port}: {os.strerror(error.errno or 0)}.") from None
    return listener


def shown_address(listener: Listener) -> str:
    """The address people open."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def with_port(plan: Plan, listener: Listener) -> Plan:
    """The plan as it is once the port is known, so that no source is made to ask ourselves."""
    host, port = listener.getsockname()[:2]
    return Plan(plan.folder, plan.installation.model_copy(update={"listen": f"{host}:{port}"}))


def serve(plan: Plan, listener: Listener) -> None:
    """Answer requests until SIGTERM. Runs in a process of its own."""
    import uvicorn

    from cormorant.portal.site import make

    house = open_house(plan)
    host = listener.getsockname()[0]
    app = make(house, [f"[{host}]" if ":" in host else host])
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, server_header=False, lifespan="off", proxy_headers=False,
        timeout_graceful_shutdown=GRACE_S, limit_concurrency=MOST_REQUESTS,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listener])
    house.store.close()
