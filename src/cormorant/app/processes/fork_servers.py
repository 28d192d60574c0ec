"""Fork servers for document conversion.

One for each task, so that a crawl of pages never carries an office suite.

retriever --ChildPool--> convert ......... pages, text, XML, PDF; large sitemaps
                     `-> convert_office .. what xberg reads: four times as much memory, and rare on most sites
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from cormorant.crawl.visit.convert import OFFICE_TASK, SITEMAP_TASK, TASK
from cormorant.sandbox import ServerHandle, ServerNotStarted, start_server

_SERVERS = (
    {TASK: "cormorant.extract.convert:convert", SITEMAP_TASK: "cormorant.extract.sitemap.job:read"},
    {OFFICE_TASK: "cormorant.extract.convert_office:convert"},
)
"""What each server's children can do."""


class Converters:
    """The servers, and where each task is done. Only the process that started them may call the methods."""

    def __init__(self, servers: Sequence[ServerHandle]) -> None:
        self._servers = servers
        self.addresses = {task: at for server in servers for task, at in server.addresses.items()}

    def keep_alive(self) -> None:
        """Start each at its first use, and again when it has died. When that fails, it is tried again later."""
        for server in self._servers:
            with suppress(ServerNotStarted):
                if server.alive:
                    server.wake()
                else:
                    server.restart()


@contextmanager
def started() -> Iterator[Converters]:
    """Have the servers for the length of a block, each from its first use on. Raises ServerNotStarted."""
    with ExitStack() as stack:
        servers = []
        for tasks in _SERVERS:
            server = start_server((), tasks, at_first_use=True)
            servers.append(server)
            stack.callback(server.stop)
        yield Converters(servers)
