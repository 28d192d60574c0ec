"""Fork servers that convert documents: one for each task, so that a crawl of pages never loads an office suite.

retriever --ChildPool--> convert ......... pages, text, XML, PDF; large sitemaps; answers of a Tika server
                     |-> convert_office .. office documents, mail, archives and their members: more memory, and rarer
                     |-> convert_xberg ... Jupyter notebooks and WordPerfect: still more memory
                     |-> convert with tesseract .. PDF and pictures if text in pictures is recognised
                     |-> convert by ICS .. the types of a package's converter: one server for each
                     |-> serve ............ long texts at built-in document services
                     `-> serve by X ....... a document service of a package: one server for each
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress

from cormorant.base.log import logger
from cormorant.crawl.visit.containers import UNPACK_TASK
from cormorant.crawl.visit.convert import SITEMAP_TASK
from cormorant.crawl.visit.service_pipeline import SERVICE_TASK, service_task
from cormorant.crawl.visit.tika_client import TIKA_TASK
from cormorant.extract.detect.formats import FORMATS
from cormorant.extract.ocr.engines import OCR_ENGINES
from cormorant.extract.router import OFFICE_TASK, TASK, XBERG_TASK, ocr_task, plugin_task
from cormorant.extract.services.registry import SERVICES, reference_of
from cormorant.sandbox import ServerHandle, ServerNotStarted, start_server

_log = logger(__name__)
_SERVERS = (
    {
        TASK: "cormorant.extract.convert:convert",
        SITEMAP_TASK: "cormorant.extract.sitemap.job:read",
        TIKA_TASK: "cormorant.extract.tika_answer:convert",
    },
    *({ocr_task(engine): f"cormorant.extract.ocr.task:task_of {engine}"} for engine in OCR_ENGINES),
    {OFFICE_TASK: "cormorant.extract.convert_office:convert", UNPACK_TASK: "cormorant.extract.unpack:unpack"},
    {XBERG_TASK: "cormorant.extract.convert_xberg:convert"},
    {SERVICE_TASK: "cormorant.extract.services.task:serve"},
)
"""The tasks of each server's children."""
MOST_STARTS = 3
"""Consecutive failed starts of the server of a package's converter before it is given up."""


class Converters:
    """The servers, and the address for each task. Only the process that started them may call the methods."""

    def __init__(self, servers: Sequence[ServerHandle], added: Sequence[ServerHandle] = ()) -> None:
        self._servers = servers
        self._added = dict.fromkeys(added, 0)
        self.addresses = {task: at for server in (*servers, *added) for task, at in server.addresses.items()}

    def keep_alive(self) -> None:
        """Start each server at its first use, and again after it has died. A failed start is tried again later.

        The server of a package's converter is given up after a few failed starts; its documents then fail.
        """
        for server in self._servers:
            with suppress(ServerNotStarted):
                _revive(server)
        for server, failed in [*self._added.items()]:
            try:
                _revive(server)
            except ServerNotStarted as error:
                _log.warning("converter.not_started", extra={"tasks": [*server.addresses], "reason": str(error)})
                self._added[server] = failed + 1
                if failed + 1 == MOST_STARTS:
                    server.stop()
                    del self._added[server]


def _revive(server: ServerHandle) -> None:
    if server.alive:
        server.wake()
    else:
        server.restart()


def _added() -> Iterator[Mapping[str, str]]:
    """Yield the tasks of the server of each converter and document service of a package."""
    for name, made in FORMATS.every().items():
        yield {plugin_task(name): f"cormorant.extract.plugin_converter:task_of {made.converter}"}
    for name, service in SERVICES.every().items():
        if name in SERVICES.added_names():
            yield {service_task(name): f"cormorant.extract.services.task:service_of {reference_of(service)}"}


@contextmanager
def started() -> Iterator[Converters]:
    """Provide the servers for the length of a block, each from its first use on. Raises ServerNotStarted."""
    with ExitStack() as stack:
        servers, added = list[ServerHandle](), list[ServerHandle]()
        for where, several in ((servers, _SERVERS), (added, tuple(_added()))):
            for tasks in several:
                server = start_server((), tasks, at_first_use=True)
                where.append(server)
                stack.callback(server.stop)
        yield Converters(servers, added)
