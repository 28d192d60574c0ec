"""Who may see what is not for every reader? The one place that says so.

Where others reach the pages, who has shown a token (`door`). Where only this machine does, who comes to its loopback
address, and through no proxy that says so: one that nobody told us of speaks for others. Everybody else is a reader,
and is turned away from the whole group (`administration`).
"""

from __future__ import annotations

import ipaddress

from fastapi import HTTPException, Request

from cormorant.portal import door

PASSED_ON = frozenset(("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"))
"""Header fields by which a proxy says that it asks for somebody else."""


def is_open(request: Request) -> bool:
    """Is the group open to whoever asks this?"""
    if visitor := door.visitor(request):
        return visitor == door.SIGNED_IN
    host, *_ = request.scope.get("server") or ("",)
    return _is_loopback(str(host)) and PASSED_ON.isdisjoint(request.headers.keys())


def admit(request: Request) -> None:
    """Let a request into the group, or turn it away with 403: as a dependency of every route of the group."""
    if not is_open(request):
        raise HTTPException(403)
    request.state.administers = True


def is_admitted(request: Request) -> bool:
    """Was a request let into the group? It may be told what is hidden from readers."""
    return bool(getattr(request.state, "administers", False))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
