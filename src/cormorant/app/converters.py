"""Which fork servers convert documents? One for each task, so that a crawl of pages never carries an office suite.

retriever --ChildPool--> convert ......... pages, text, XML, PDF
                     `-> convert_office .. what xberg reads: four times as much memory, and rare on most sites
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress

from cormorant.crawl.reading import OFFICE_TASK, TASK
from cormorant.limits import ServerHandle, ServerNotStarted, start_server

_TASKS = {TASK: "cormorant.extract.documents:convert", OFFICE_TASK: "cormorant.extract.office_documents:convert"}


class Converters:
    """The servers by their tasks. Only the process that started them may call the methods."""

    def __init__(self, servers: Mapping[str, ServerHandle]) -> None:
        self._servers = servers
        self.addresses = {task: at for server in servers.values() for task, at in server.addresses.items()}

    def keep_alive(self) -> None:
        """Start each at its first use, and again when it has died. When that fails, it is tried again later."""
        for server in self._servers.values():
            with suppress(ServerNotStarted):
                if server.alive:
                    server.wake()
                else:
                    server.restart()


@contextmanager
def started() -> Iterator[Converters]:
    """Have the servers for the length of a block, each from its first use on. Raises ServerNotStarted."""
    with ExitStack() as stack:
        servers = {}
        for task, function in _TASKS.items():
            servers[task] = start_server((), {task: function}, at_first_use=True)
            stack.callback(servers[task].stop)
        yield Converters(servers)
