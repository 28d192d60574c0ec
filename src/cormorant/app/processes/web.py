"""The web process: its address, and its work until it is stopped."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from typing import TypeAlias

from cormorant.app import data_dir
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.processes import memory
from cormorant.app.sample import sample_source
from cormorant.app.settings import MOST_PORT
from cormorant.base.errors import ConflictError, CormorantError, NoRoom, NotPermitted, Unreachable, UsageError
from cormorant.operate.storage.check import Finding

Listener: TypeAlias = socket.socket
"""A bound port."""

BACKLOG = 128
NEARBY = 40
"""Number of ports after the default one that are tried if it is taken."""
GRACE_S = 5
MOST_CONNECTIONS = 400
"""Connections that are open at once, most of them idle; the guard limits the requests at once."""
SELDOM = 50_000
"""New objects before a collection of young ones; Python's default is 700."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Exposure of the web server: who can reach its pages, and by which host names.

    `names` are accepted besides the addresses and the name of the machine; the forwarded addresses of `proxies` are
    trusted; `private` requires a token for every search. `named`: the port was chosen, so no other one will do.
    """

    host: str
    port: int
    names: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    private: bool = False
    named: bool = True

    @property
    def is_beyond(self) -> bool:
        """Return whether other machines reach the pages: over the network, or through a proxy with its own name."""
        return self.private or bool(self.names or self.proxies) or not _is_loopback(self.host)

    @property
    def hosts(self) -> list[str]:
        """Host names that requests may use. The address that a request came to is added at the request."""
        named = [*self.names, f"[{self.host}]" if ":" in self.host else self.host]
        machine = socket.gethostname().lower()
        return [*named, machine, machine.partition(".")[0]] if self.is_beyond else named


def reach_of(
    plan: BuildPlan, host: str | None, port: int | None, *,
    names: Sequence[str] = (), proxies: Sequence[str] = (), private: bool = False,
) -> Reach:  # fmt: skip
    """Return the address to listen on: as requested, else as the installation is configured.

    Raises UsageError for an invalid address.
    """
    set_host = plan.installation.listen.rpartition(":")[0]
    chosen = (host or set_host or "127.0.0.1").strip("[]").lower()
    number = plan.installation.port if port is None else port
    if number is None:
        raise UsageError(
            f"CORMORANT_LISTEN is {plan.installation.listen!r}; it takes HOST:PORT, like 127.0.0.1:8765, with a port "
            f"up to {MOST_PORT}."
        )
    named = port is not None or "listen" in plan.installation.model_fields_set
    reach = Reach(chosen, number, tuple(map(_name, names)), tuple(map(_proxy, proxies)), private)
    return replace(reach, named=named or reach.is_beyond)


_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*")


def _name(text: str) -> str:
    """A host name in the form of requests. Raises UsageError."""
    bare = text.strip("[]")
    if _is_address(bare):
        return f"[{ip_address(bare)}]" if ":" in bare else bare
    with suppress(UnicodeError):
        name = text.encode("idna").decode().lower().removesuffix(".")
        if _NAME.fullmatch(name):
            return name
    raise UsageError(f"--name {text}: this is no host. Give the name or address alone, like --name search.example.org.")


def _proxy(text: str) -> str:
    """A proxy's address or network. Raises UsageError: a mistyped one would otherwise go unnoticed."""
    try:
        return str(ip_network(text)) if "/" in text else str(ip_address(text))
    except ValueError:
        raise UsageError(
            f"--proxy {text}: this is no address. Give that of the proxy, like --proxy 127.0.0.1, or a network, like "
            "--proxy 10.0.0.0/24."
        ) from None


def _is_address(text: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(text))
    return False


def _is_loopback(host: str) -> bool:
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def bind(reach: Reach, plan: BuildPlan) -> Listener:
    """Bind the port; 0 takes a free one. Raises ConflictError if it is taken, NotPermitted, Unreachable.

    If the default port is taken, the next free one is bound, unless the pages of this folder are already served.
    """
    listener = _bind(reach, reach.port)
    if listener is not None:
        return listener
    served = data_dir.noted_ports(plan.folder) if data_dir.is_there(plan.folder) else set()
    if reach.port in served or (served and not reach.named):
        at = reach.port if reach.port in served else min(served)
        raise ConflictError(f"Cormorant already serves {plan.folder} at port {at}: open that page, or stop it first.")
    other = _next_free(reach)
    if other is None or reach.named:
        raise ConflictError(_taken(reach, other))
    return other


def _next_free(reach: Reach) -> Listener | None:
    """Bind the next free port, None if there is none nearby; skips the port of the sample site."""
    nearby = range(reach.port + 1, min(reach.port + NEARBY, MOST_PORT) + 1)
    with suppress(NotPermitted):
        return next(filter(None, (_bind(reach, port) for port in nearby if port != sample_source.PORT)), None)
    return None


def _bind(reach: Reach, port: int) -> Listener | None:
    """Bind this port, None if it is taken. Raises NotPermitted, Unreachable."""
    host = reach.host
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            return None
        if error.errno == errno.EACCES:
            raise NotPermitted(f"You may not use port {port}. Choose one above 1023 with --port.") from None
        raise Unreachable(f"Nothing can listen at {host}, port {port}: {error.strerror}.") from None
    return listener


def _taken(reach: Reach, other: Listener | None) -> str:
    """The message that the port is in use, with a free one."""
    free = ": --port N"
    if other is not None:
        free = f", like --port {other.getsockname()[1]}, which is free"
        other.close()
    return f"Port {reach.port} of {reach.host} is in use by another program. Name another{free}."


def moved(listener: Listener, reach: Reach) -> str:
    """The message that the pages are at another port than the default one; "" if they are not."""
    port = listener.getsockname()[1]
    if reach.named or port == reach.port:
        return ""
    return f"Port {reach.port} is in use by another program, so the page is at port {port}. --port N names another."


def port_free(plan: BuildPlan, *, busy: bool) -> Finding:
    """Check whether `serve` could listen on the configured host and port.

    `busy`: processes of this folder are running, and may have the port.
    """
    try:
        reach = replace(reach_of(plan, None, None), named=True)
        bind(reach, plan).close()
    except ConflictError as error:
        if busy:
            return Finding("port", ok=True, said=f"{plan.installation.listen} is in use, as while `serve` is at work")
        return Finding(
            "port", None, error.sentence, "Stop that program, or name another port: `serve` does not get this one."
        )
    except CormorantError as error:
        return Finding("port", ok=False, said=error.sentence, mend="Set CORMORANT_LISTEN to HOST:PORT of this machine.")
    return Finding("port", ok=True, said=f"{plan.installation.listen} is free")


def shown_address(listener: Listener, reach: Reach) -> str:
    """The address for users; the machine's name if the server listens on all addresses."""
    host, port = listener.getsockname()[:2]
    if ip_address(host).is_unspecified:
        host = reach.names[0].strip("[]") if reach.names else socket.gethostname()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def with_port(plan: BuildPlan, listener: Listener) -> BuildPlan:
    """The plan with the bound port, so that no source can be directed at our own pages."""
    host, port = listener.getsockname()[:2]
    return BuildPlan(plan.folder, plan.installation.model_copy(update={"listen": f"{host}:{port}"}))


def seldom_collected() -> None:
    """Have this process collect garbage seldom, and exclude its existing objects.

    An answer consists of up to 10,000 hits, each an object or two: by Python's default that means some twenty
    collections of young objects for one query, which take a quarter of its time.
    """
    memory.collect_late(SELDOM, 20, 20)


def serve(plan: BuildPlan, listener: Listener, reach: Reach) -> None:
    """Answer requests until SIGTERM. Runs in a process of its own."""
    import uvicorn

    from cormorant.operate.search import query_log
    from cormorant.web.app import make
    from cormorant.web.query_recorder import QueryRecorder
    from cormorant.web.security.authorization import Audience

    house = open_house(plan)
    with suppress(Unreachable, NoRoom):  # the pages say so themselves
        query_log.trim(house)
    asked = QueryRecorder(house)
    beyond = Audience.PRIVATE if reach.private else Audience.PUBLIC
    pages = make(house, reach.hosts, beyond if reach.is_beyond else Audience.LOCAL, asked)
    config = uvicorn.Config(
        pages, log_level="critical", access_log=False, server_header=False, lifespan="off",
        proxy_headers=bool(reach.proxies), forwarded_allow_ips=list(reach.proxies),
        timeout_graceful_shutdown=GRACE_S, limit_concurrency=MOST_CONNECTIONS,
    )  # fmt: skip
    seldom_collected()
    uvicorn.Server(config).run(sockets=[listener])
    asked.flush()
    house.store.close()
