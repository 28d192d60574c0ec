"""A source that is a folder of web archives."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Generator, Mapping, Sequence
from threading import Lock
from typing import ClassVar, Final
from zipfile import BadZipFile

from cormorant.base.errors import BadSetting, Unreachable
from cormorant.base.log import logger
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.model.status import Status
from cormorant.model.url import try_canonical
from cormorant.sources.base import BaseSource, Batches
from cormorant.sources.kind import Tools
from cormorant.sources.trees.globs import compile_patterns
from cormorant.sources.warc.archive_files import ENDINGS, ArchiveFolder, ArchiveName
from cormorant.sources.warc.byte_streams import DamagedStream, MemberPlace, SeekableFile
from cormorant.sources.warc.capture_index import Capture, CaptureIndex
from cormorant.sources.warc.compression import stream_of
from cormorant.sources.warc.payload import HEAD_BYTES, captured_at, content_of, status_of
from cormorant.sources.warc.record_format import RecordFormat
from cormorant.sources.warc.record_head import RecordHead
from cormorant.sources.warc.record_reader import RecordReader
from cormorant.sources.warc.settings import ArchiveSettings

_log = logger(__name__)
BATCH: Final = 1_000
RECORDS: Final = 2_000
"""Records between two looks at the clock, so that the run sees that reading goes on."""
STATUS_BYTES: Final = 256
_SHOWN: Final = ("https:", "http:", "file:", "ftp:", "sftp:", "smb:", "nfs:", "dav:", "davs:")
_NOTES: Final = ("metadata:", "urn:", "dns:", "whois:", "screenshot:")
"""How the targets of records begin in which a crawler notes something of its own."""
_TO_SECONDS: Final = re.compile(r"\D")


class ArchiveSource(BaseSource[ArchiveSettings]):
    """Documents in web archives. Each address is one document, that of its newest capture, or each capture is one."""

    kind: ClassVar[str] = "warc"
    about: ClassVar[str] = "Documents in web archives: WARC and ARC files, and WACZ packages."
    Settings = ArchiveSettings
    shows_otherwise = True

    def __init__(self, number: int, settings: ArchiveSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self._folder = ArchiveFolder(settings, compile_patterns(settings.include, settings.exclude))
        self._lock = Lock()
        self._index: CaptureIndex | None = None

    @classmethod
    def look(cls, settings: ArchiveSettings) -> None:
        """See whether the folder is there. Raises BadSetting for a file that is no archive, and Unreachable."""
        folder = ArchiveFolder(settings, compile_patterns(settings.include, settings.exclude))
        if folder.is_file and not settings.path.lower().endswith(ENDINGS):
            raise BadSetting(f"{settings.path} is no archive by its name. Archives end in {', '.join(ENDINGS)}.")
        next(folder.files(), None)

    def discover(self, cursor: str) -> Batches:
        """Yield the captures that are documents. Raises Unreachable when the folder or an archive cannot be read."""
        self.unlisted, self.unlisted_reason, self.next_cursor = [], "", ""
        kept = self._remembered(cursor)
        index = CaptureIndex()
        try:
            yield from self._filled(index)
            empty = index.captures == 0
            if empty and kept.get("empty") is False:
                raise Unreachable(
                    f"{self.settings.path} has no captures, and had some before. Mount its contents; if it was "
                    "emptied on purpose, crawl with --force."
                )
            yield from self._named(index)
            self.next_cursor = json.dumps({"path": self.settings.path, "empty": empty})
        finally:
            index.close()

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Read a capture out of its archive."""
        got = await asyncio.to_thread(self._visit, resource)
        if isinstance(got, Content):
            wire.received += len(got.body)
            wire.decoded += len(got.body)
        return got

    async def close(self) -> None:
        """Let go of the index."""
        with self._lock:
            index, self._index = self._index, None
        if index is not None:
            index.close()

    def _member(
        self, name: ArchiveName, index: CaptureIndex
    ) -> Generator[Sequence[DiscoveredUrl | Removal], None, int]:
        """Read one archive into the index; returns how many damages were met."""
        with self._folder.opened(name) as file:
            form = self._folder.form(name)
            reader = RecordReader(stream_of(file, form), form)
            yield from self._read(reader, name, index)
        return self._note(name, reader)

    def _filled(self, index: CaptureIndex) -> Batches:
        """Read all archives into an index, with an empty batch now and then."""
        damages, damaged = 0, list[str]()
        for path in self._folder.files():
            before = damages
            try:
                for member in self._folder.packed(path):
                    damages += yield from self._member(ArchiveName(path, member), index)
            except BadZipFile:
                _log.warning("archive is damaged", extra={"archive": self._folder.full(path), "reason": "no ZIP file"})
                damages += 1
            except (OSError, KeyError, RuntimeError, NotImplementedError) as error:
                raise Unreachable(
                    f"The archive {self._folder.full(path)} cannot be read: {error}. Let the crawler's account read "
                    "it, or exclude it."
                ) from error
            damaged += [self._folder.full(path)] if damages > before else []
        index.is_whole = damages == 0
        if damages:
            self.unlisted = [self._beginning]
            self.unlisted_reason = _damage_reason(damaged, damages)

    def _read(self, reader: RecordReader, name: ArchiveName, index: CaptureIndex) -> Batches:
        yield []
        for number, head in enumerate(reader.records(), 1):
            if head is None or number % RECORDS == 0:
                yield []
            if head is not None and (capture := self._capture(reader, head, name)) is not None:
                index.add(capture)

    def _note(self, name: ArchiveName, reader: RecordReader) -> int:
        """Put what is wrong with an archive into the log; returns the number of its damages."""
        where = {"archive": self._folder.full(name.path), "member": name.member}
        if reader.cut:
            _log.warning("archive ends within a record", extra=where)
        if reader.damages:
            _log.warning("archive is damaged", extra={**where, "places": reader.damages})
        return reader.damages

    def _capture(self, reader: RecordReader, head: RecordHead, name: ArchiveName) -> Capture | None:
        """Return a record that has the content of an address, None for any other."""
        if head.kind not in ("response", "resource", "revisit") or not head.target or head.target.startswith(_NOTES):
            return None
        address = _address(head.target)
        if head.kind == "response" and head.fields.get("content-type", "").lower().startswith("application/http"):
            try:
                status = status_of(reader.block(STATUS_BYTES))
            except DamagedStream:
                return None
            if not 200 <= status < 300:
                return None
        fields = head.fields
        return Capture(
            address,
            fields.get("warc-date", "")[:40],
            name,
            head.place,
            head.length,
            fields.get("warc-payload-digest", fields.get("warc-block-digest", ""))[:200],
            head.kind == "revisit",
            _address(fields.get("warc-refers-to-target-uri", "").strip().strip("<>")),
            fields.get("warc-refers-to-date", "")[:40],
        )

    def _named(self, index: CaptureIndex) -> Batches:
        """Yield the documents of an index in batches."""
        batch, lost = list[DiscoveredUrl](), 0
        every = self.settings.captures == "all"
        for found in index.documents(every=every):
            if found is None or len(batch) >= BATCH:
                yield batch
                batch = []
            if found is None:
                continue
            capture, content = found
            if capture.is_revisit and content is None:
                lost += 1
                continue
            batch.append(self._found(capture, content))
        if lost:
            _log.warning("revisits refer to captures that are not there", extra={"revisits": lost})

    def _found(self, capture: Capture, content: Capture | None) -> DiscoveredUrl:
        every = self.settings.captures == "all"
        key = f"{capture.moment} {capture.address}" if every else capture.address
        where = [[*each.archive, *each.place] for each in (capture, content) if each is not None]
        version = json.dumps([capture.moment, capture.digest or capture.length, where], separators=(",", ":"))
        return self.found(key, version, self._display(capture))

    def _display(self, capture: Capture) -> str:
        """Return the address that people are shown: of the replay server, or the one that was captured."""
        if self.settings.display_prefix:
            digits = _TO_SECONDS.sub("", capture.moment)[:14]
            return try_canonical(f"{self.settings.display_prefix}/{digits}/{capture.address}") or ""
        every = self.settings.captures == "all"
        return capture.address if not every and capture.address.startswith(_SHOWN) else ""

    def _visit(self, resource: Resource) -> Content | Outcome:
        """Read a document at the place that its version names, else at the one that the archives have it at now."""
        key = self.key_of(resource.address)
        moment, _, address = key.partition(" ") if self.settings.captures == "all" else ("", "", key)
        try:
            got = self._at(resource.validator, address)
            if got is None:
                got = self._looked_up(address, moment)
        except (Unreachable, OSError, BadZipFile, DamagedStream) as error:
            said = error.sentence if isinstance(error, Unreachable) else f"The archive cannot be read: {error}."
            return Deferred(Status.IO_ERROR, said)
        return got

    def _at(self, version: str, address: str) -> Content | Outcome | None:
        """Read the record at the place in a version; None without a version, or where another record is now."""
        try:
            places = json.loads(version)[2] if version else []
            own, *others = [(ArchiveName(each[0], each[1]), MemberPlace(each[2], each[3])) for each in places]
        except (ValueError, LookupError, TypeError):
            return None
        try:
            return self._content(own, others[0] if others else own, address)
        except (FileNotFoundError, KeyError):
            return None

    def _content(
        self, own: tuple[ArchiveName, MemberPlace], content: tuple[ArchiveName, MemberPlace], address: str
    ) -> Content | Outcome | None:
        """Read a record; of a revisit the content is at another place. None when it is of another address."""
        with self._folder.opened(own[0]) as file:
            head, reader = _record(file, self._folder.form(own[0]), own[1])
            if head is None or _address(head.target) != address:
                return None
            captured = captured_at(head.fields)
            if content == own:
                block = reader.block(self._most_bytes)
                return self._checked(head, block, address, captured)
        with self._folder.opened(content[0]) as file:
            head, reader = _record(file, self._folder.form(content[0]), content[1])
            if head is None:
                return None
            return self._checked(head, reader.block(self._most_bytes), address, captured)

    def _checked(self, head: RecordHead, block: bytes, address: str, captured: float) -> Content | Outcome:
        """Return the content of a block; an archive may end within it."""
        if len(block) < min(head.length, self._most_bytes):
            fields: Mapping[str, str] = {**head.fields, "warc-truncated": "unspecified"}
            head = head._replace(fields=fields)
        return content_of(head, block, address, self.settings, at=captured)

    @property
    def _most_bytes(self) -> int:
        """Bytes of a block that are read: what is coded or chunked is larger or smaller than its document."""
        return 2 * self.settings.max_size_bytes + HEAD_BYTES

    def _looked_up(self, address: str, moment: str) -> Content | Outcome:
        """Read a document at the place that an index of the archives names, made once for this process."""
        with self._lock:
            if self._index is None:
                self._index = self._read_all()
            capture = self._index.find(address, moment)
            content = self._index.content_of(capture) if capture is not None else None
            is_whole = self._index.is_whole
        if capture is None or content is None:
            return (
                Gone() if is_whole else Deferred(Status.IO_ERROR, "It is not where it was, and an archive is damaged.")
            )
        got = self._content((capture.archive, capture.place), (content.archive, content.place), address)
        return got if got is not None else Failed(Status.UNREADABLE, "The archive was changed while it was read.")

    def _read_all(self) -> CaptureIndex:
        """Read all archives into an index. Raises Unreachable."""
        index = CaptureIndex()
        try:
            for _ in self._filled(index):
                pass
        except BaseException:
            index.close()
            raise
        return index

    def _remembered(self, cursor: str) -> Mapping[str, object]:
        """Read a cursor; nothing is remembered of another folder."""
        kept: Mapping[str, object] = json.loads(cursor) if cursor else {}
        return kept if kept.get("path") == self.settings.path else {}


def _damage_reason(archives: Sequence[str], places: int) -> str:
    """Return a sentence about damaged archives."""
    first = archives[0].encode("utf-8", "replace").decode()
    more = f" and {len(archives) - 1:,} other archives have" if len(archives) > 1 else " has"
    return f"{first}{more} {'1 damaged place' if places == 1 else f'{places:,} damaged places'}; the rest was read."


def _record(file: SeekableFile, form: RecordFormat, place: MemberPlace) -> tuple[RecordHead | None, RecordReader]:
    """Read the head of the record at a place."""
    stream = stream_of(file, form, place.start)
    for _ in stream.skipped(place.skip):
        pass
    reader = RecordReader(stream, form)
    return reader.first(), reader


def _address(target: str) -> str:
    """Return the address of a capture in one spelling; as it is where it is none of the web."""
    return try_canonical(target) or target
