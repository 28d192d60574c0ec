"""A source whose documents a program names and hands over."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import ClassVar, Final

from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadSetting, CormorantError, LoginRefused, Unreachable
from cormorant.base.log import logger
from cormorant.model.content import Content, PageLink, VisitTrace
from cormorant.model.outcome import Deferred, Outcome
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Removal, Resource
from cormorant.model.status import Status
from cormorant.model.url import try_canonical
from cormorant.sources.base import BaseSource, Batches
from cormorant.sources.connection_pool import ConnectionPool
from cormorant.sources.kind import DeclaredParameter, Tools
from cormorant.sources.program import declaration, documents
from cormorant.sources.program.messages import ContentReply, DocumentReply, DoneLine, Hello, ItemLine, RemovedLine
from cormorant.sources.program.process import LineTooLong, ProgramEnded, ProgramFault, ProgramSilent
from cormorant.sources.program.session import ProgramSession, plain
from cormorant.sources.program.settings import ProgramSettings
from cormorant.sources.protocol import Discovery

_log = logger(__name__)
BATCH: Final = 1_000
"""Documents between two batches."""
YIELD_S: Final = 2.0
"""Seconds between two batches at the most, so that the run sees that the discovery goes on."""
LONGEST_VERSION: Final = 1_000
LOOK_S: Final = 4.0
"""Seconds that a program has to introduce itself when a source is added."""
_SHOWN: Final = ("https:", "http:", "file:", "ftp:", "sftp:", "smb:", "nfs:", "dav:", "davs:")
"""How an address begins that people are shown: it leads somewhere, and runs nothing."""
_END: Final = "\x1f"
"""Stands behind the program's own version in a validator; what follows tells rights and documents apart."""
_LOG: Final = "Its standard error is in the log of the run, which `cormorant run log` shows."


class ProgramSource(BaseSource[ProgramSettings]):
    """Documents of a program, which runs as the account that crawls."""

    kind: ClassVar[str] = "program"
    about: ClassVar[str] = "Documents that a program of yours names and hands over, in any language."
    Settings = ProgramSettings
    shows_otherwise = True

    def __init__(self, number: int, settings: ProgramSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self.discovery = settings.discovery  # type: ignore[misc]  # of this source, and not of its class
        self._lock = Lock()
        self._pool: ConnectionPool[ProgramSession] | None = None
        self._running = set[ProgramSession]()

    @classmethod
    def look(cls, settings: ProgramSettings) -> None:
        """Have the program introduce itself, and check the parameters. Raises BadSetting and Unreachable."""
        with _introduced(settings) as hello:
            declaration.see(hello, settings)

    @classmethod
    def declared(cls, settings: ProgramSettings) -> Sequence[DeclaredParameter]:
        """Have the program introduce itself, and return the parameters that it declares."""
        with _introduced(settings) as hello:
            return [
                DeclaredParameter(
                    each.name, "secret" if each.secret else "parameter", declaration.described(each), each.default,
                    each.required,
                )
                for each in hello.parameters[: declaration.MOST_PARAMETERS]
            ]  # fmt: skip

    def discover(self, cursor: str) -> Batches:
        """Yield the documents that the program names. Raises Unreachable when it does not come to its end marker."""
        self.unlisted, self.unlisted_reason, self.next_cursor = [], "", ""
        kept = self._remembered(cursor)
        try:
            session = self.session()
            try:
                yield from self._listed(session, kept)
            finally:
                self._disconnect(session)
        except ProgramFault as error:
            raise Unreachable(f"The program {self.settings.program} {error}. {_LOG}") from error

    def _listed(self, session: ProgramSession, kept: Mapping[str, object]) -> Batches:
        """Yield batches; at the end marker decide what the discovery proves."""
        batch, named, yielded_at, cursor = list[DiscoveredUrl | Removal](), 0, self.tools.clock.monotonic(), ""
        for line in session.discover(str(kept.get("cursor", ""))):
            if isinstance(line, ItemLine):
                batch += self._item(session, line)
            elif isinstance(line, RemovedLine):
                batch.append(Removal(self.address_of(line.key)))
            elif isinstance(line, DoneLine):
                cursor = line.cursor
            if len(batch) >= BATCH or self.tools.clock.monotonic() - yielded_at >= YIELD_S:
                yield batch
                named += len(batch)
                batch, yielded_at = [], self.tools.clock.monotonic()
        yield batch
        self._conclude(session, kept, cursor, empty=named + len(batch) == 0)

    def _conclude(self, session: ProgramSession, kept: Mapping[str, object], cursor: str, *, empty: bool) -> None:
        """Keep the cursor. Where lines could not be read, nothing is taken for gone, and a feed is asked again."""
        if self.discovery is Discovery.LISTING and empty and kept.get("empty") is False:
            raise Unreachable(
                f"The program {self.settings.program} names no document, and did before. Check what it reads; if "
                "that was emptied on purpose, crawl with --force."
            )
        if session.nonsense:
            _log.warning("lines are no messages", extra={"program": self.settings.program, "lines": session.nonsense})
            count = session.nonsense
            lines = "1 line that is no message" if count == 1 else f"{count:,} lines that are no messages"
            self.unlisted = [self._beginning]
            self.unlisted_reason = f"{self.settings.program} wrote {lines}; the log of the run shows the first ones."
            cursor = str(kept.get("cursor", ""))
        place = {"place": self._place(), "cursor": cursor}
        self.next_cursor = json.dumps(place | ({"empty": empty} if self.discovery is Discovery.LISTING else {}))

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Have the program hand over a document, in one of the processes that are kept for it."""
        got = await asyncio.to_thread(self._visit, resource)
        if isinstance(got, Content):
            wire.received += len(got.body)
            wire.decoded += len(got.body)
        return got

    async def close(self) -> None:
        """End the programs, those that are at work too."""
        with self._lock:
            pool, self._pool = self._pool, None
            running = list(self._running)
        if pool is not None:
            await asyncio.to_thread(pool.close)
        for each in running:
            each.kill()

    def _visit(self, resource: Resource) -> Content | Outcome:
        """Ask for a document, once more in a new process where a kept one has ended meanwhile."""
        pool = self._pooled()
        try:
            try:
                return self._asked(pool, resource)
            except ProgramEnded:
                if pool is not self._pool:  # it was closed, and ended for that
                    raise
                return self._asked(pool, resource)
        except LineTooLong:
            return documents.too_big(self.settings)
        except ProgramSilent as error:
            return Deferred(Status.READ_TIMEOUT, f"The program {error}.")
        except ProgramFault as error:
            return Deferred(Status.IO_ERROR, f"The program {error}. {_LOG}")
        except LoginRefused as error:
            return Deferred(Status.LOGIN_FAILED, error.sentence, whole_site=True)
        except CormorantError as error:
            return Deferred(Status.IO_ERROR, error.sentence, whole_site=True)

    def _asked(self, pool: ConnectionPool[ProgramSession], resource: Resource) -> Content | Outcome:
        version = resource.validator.partition(_END)[0]
        with pool.connection() as session:
            reply = session.fetch(self.key_of(resource.address), version)
            maker = documents.DocumentMaker(self.settings, session.hello)
        return maker.outcome(reply, resource, self._links(reply))

    def _links(self, reply: DocumentReply) -> tuple[PageLink, ...]:
        """Return the links of a document to others of the program."""
        links = reply.links[: documents.MOST_LINKS] if isinstance(reply, ContentReply) else ()
        return tuple(PageLink(self.address_of(each.key), plain(each.text)) for each in links)

    def _item(self, session: ProgramSession, line: ItemLine) -> Iterator[DiscoveredUrl]:
        """Yield what a line names, with a version that changes when its rights do."""
        if len(line.version) > LONGEST_VERSION or not line.version.isprintable():
            session.count(f"a version has at most {LONGEST_VERSION} characters, all of them printable: {line.version}")
            return
        rights = f"{line.acl.grants} {line.acl.denies}" if line.acl is not None else ""
        apart = hashlib.sha256(f"{line.key}{_END}{rights}".encode()).hexdigest()[:16]
        version = f"{line.version}{_END}{apart}" if line.version else ""
        display = self._shown(line.display) if line.display else ""
        found = self.found(line.key, version, display)
        yield found if self.discovery is not Discovery.SEEDS else found._replace(how=DiscoveredBy.SEED)

    def _shown(self, text: str) -> str:
        """Return the address that people are shown, "" for one that they could not follow."""
        address = try_canonical(text)
        if address is not None and address.startswith(_SHOWN):
            return address
        _log.warning("address cannot be shown", extra={"program": self.settings.program, "address": plain(text)})
        return ""

    def _pooled(self) -> ConnectionPool[ProgramSession]:
        with self._lock:
            if self._pool is None:
                self._pool = ConnectionPool(self.session, self._disconnect, self.tools.clock)
            return self._pool

    def session(self) -> ProgramSession:
        """Start the program and hand over its settings."""
        session = ProgramSession(self.settings, self.tools.clock)
        with self._lock:
            self._running.add(session)
        try:
            session.configure(self._reveal)
        except BaseException:
            self._disconnect(session)
            raise
        return session

    def _disconnect(self, session: ProgramSession) -> None:
        session.close()
        with self._lock:
            self._running.discard(session)

    def _reveal(self, name: str) -> str:
        if self.tools.secrets is None:
            raise Unreachable(f"The secret {name!r} cannot be opened here. Crawl the source, or test it.")
        return self.tools.secrets.reveal(name)

    def _place(self) -> str:
        """Return a key of the place that the documents come from."""
        settings = self.settings
        words: Sequence[object] = (settings.command, settings.parameter, settings.secret, settings.change_model)
        return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]

    def _remembered(self, cursor: str) -> Mapping[str, object]:
        """Read a cursor; nothing is remembered of another program or other parameters."""
        kept: Mapping[str, object] = json.loads(cursor) if cursor else {}
        return kept if kept.get("place") == self._place() else {}


@contextmanager
def _introduced(settings: ProgramSettings) -> Iterator[Hello]:
    """Start a program that is to introduce itself, and end it. Raises BadSetting and Unreachable."""
    if settings.executable is None:
        raise BadSetting(
            f"{settings.command[0]} is no program that can be started. Write its path in full, and make it executable "
            "(`chmod +x`) or name its interpreter before it."
        )
    quick = settings.model_copy(update={"start_timeout_s": min(LOOK_S, settings.start_timeout_s)})
    try:
        session = ProgramSession(quick, SystemClock())
    except ProgramFault as error:
        raise Unreachable(f"The program {settings.program} {error}. Try it with {_trial(settings)}.") from error
    try:
        yield session.hello
    finally:
        session.close(0.0)


def _trial(settings: ProgramSettings) -> str:
    return f"`python -m cormorant.testing.program {shlex.join(settings.command)}`"
