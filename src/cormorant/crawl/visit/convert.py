"""Conversion of fetched documents to text.

Inline if that is safe and quick, otherwise in a limited child.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from cormorant.base.log import logger
from cormorant.base.profiling import Steps
from cormorant.base.secret_masking import masked
from cormorant.crawl import url_rewriting
from cormorant.crawl.visit.change_detection import is_modified
from cormorant.crawl.visit.containers import Containers
from cormorant.crawl.visit.search_attributes import with_search_attributes
from cormorant.crawl.visit.service_pipeline import ServicePipeline
from cormorant.crawl.visit.soft_errors import Doubts, ReadContent
from cormorant.crawl.visit.tika_client import TIKA_TASK, TikaClient
from cormorant.extract.compare.fingerprint import likeness
from cormorant.extract.compare.text_change import attributes_said, main_text_hash
from cormorant.extract.detect.language import DEFAULT, Declared, language_said
from cormorant.extract.detect.media_types import OCTETS, essence
from cormorant.extract.detect.sniff import is_text, sniff
from cormorant.extract.header_metadata import with_header
from cormorant.extract.html.head import meant_for
from cormorant.extract.job import ConversionFault, decode_result, encode_task
from cormorant.extract.router import (
    ChildTask,
    ReadMode,
    answer_mail,
    claims_to_be,
    extract_inline,
    reading_of,
    task_of,
    unread_status,
)
from cormorant.extract.sanitize import name_of, one_line
from cormorant.extract.sitemap.job import decode_sitemap, is_read_inline, sitemap_or_fault
from cormorant.extract.titles import named
from cormorant.model.acl import ACL, PUBLIC
from cormorant.model.attribute import AttributeType
from cormorant.model.content import Content, Document, Extraction, Manner, PageLink, Value, VisitTrace
from cormorant.model.member import is_member
from cormorant.model.outcome import CONVERTER_SAID, Excluded, Failed, Moved, Ok, Outcome, Quarantined, Unchanged
from cormorant.model.resource import Resource, Role
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.text import display_directives
from cormorant.sandbox import Answer, Finished, Killed, PayloadTooBig, ServerGone, TaskFailed
from cormorant.sandbox.client import ChildPool
from cormorant.sources.protocol import Source

SITEMAP_TASK = "read_sitemap"
"""The task of a limited child that reads a large sitemap."""
SERVER_WAITS_S = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Rests between attempts to reach the server of the children; then the process ends and is restarted."""
ADDED_WAITS_S = SERVER_WAITS_S[:3]
"""The same for the server of a package's converter; then its documents fail, and the process continues."""
_log = logger(__name__)
GAVE_UP = "The document cannot be read: its contents are damaged, or not of the format that it seems to have."
NOT_STARTED = (
    "The converter of a package that is installed cannot be started. `cormorant doctor` names the package, and "
    "logs/supervisor.log says why."
)
KILLS = 2
"""Children that a document may kill before it is quarantined."""


def _unknown(_page: Resource, _original: str) -> bool | None:
    return False


class Converter:
    """Turns content into an extraction, or into the outcome of a failure.

    `tika` reads documents of its types if the installation has a Tika server; `attribute_types` gives the types of
    known search attributes, None for deleted ones. Both are set after construction.
    """

    def __init__(
        self, children: ChildPool, steps: Steps, stands: Callable[[Resource, str], bool | None] = _unknown,
        doubts: Doubts | None = None, rights: Callable[[int], ACL] = lambda _: PUBLIC,
        containers: Containers | None = None,
    ) -> None:  # fmt: skip
        self._children = children
        self._steps = steps
        self._stands = stands
        self._doubts = doubts
        self._rights = rights
        self._containers = containers
        self._pipeline = ServicePipeline(self._run)
        self.tika: TikaClient | None = None
        self.attribute_types: Callable[[], Mapping[str, AttributeType | None]] = dict

    async def member(self, resource: Resource) -> Content | Outcome:
        """Read a member of another document."""
        if self._containers is None:
            return Failed(Status.CONVERSION_FAILED, "It lies in another document, whose copies are not kept here.")
        return await self._containers.fetch(resource, self._answer)

    def kept(self, resource: Resource) -> Content | None:
        """The content of a document as it was fetched last, None if its copy does not hold all of it.

        Raises CacheDamaged, which is OutOfSight for a copy that may be whole.
        """
        return self._containers.copy_of(resource) if self._containers is not None else None

    async def with_members(
        self, outcome: Outcome, content: Content, content_hash: bytes, source: Source, *, embeds: bool
    ) -> Outcome:
        """The outcome of a document that was read, with the members in it; without `embeds` it has none."""
        if not isinstance(outcome, Ok | Unchanged) or outcome.document is None or self._containers is None:
            return outcome
        unpacks = source.settings.unpack and not self._is_for_tika(content)  # Tika reads embedded documents itself
        most = source.settings.unpack_depth if unpacks and embeds else 0
        listing = await self._containers.listed(content, content_hash, most, self._answer)
        document = outcome.document
        if listing.fault and not document.fault:
            document = replace(document, fault=listing.fault)
        return replace(outcome, document=document, members=listing.members)

    async def believed(self, read: ReadContent, source: Source, wire: VisitTrace) -> Outcome:
        """Return the outcome of a visit after checks for pages that became empty and for soft errors."""
        if fell_silent(read):
            return Failed(Status.EMPTY, "It is empty and was not; what it said stays until the next crawl agrees.")
        return await self._doubts.outcome(read, source, self.read, wire) if self._doubts is not None else read.outcome

    def outcome(
        self, source: Source, resource: Resource, content: Content, said: Extraction, content_hash: bytes
    ) -> Outcome:
        """Return the outcome for a resource whose page has this content."""
        here = {content.address, resource.address}
        if said.refresh and not {said.refresh, url_rewriting.known_as(said.refresh, source)} & here:
            return Moved(said.refresh, 953)
        follow, unfollowed = followed(content, said)
        ruling, original = self.judged(source, resource, content, said), ""
        if ruling.gate is Gate.CANONICAL or (ruling.admitted and not ruling.lasting):
            original = original_of(source, resource, said)
        if not ruling.admitted:
            return Excluded(ruling, ruling.status, follow, content, unfollowed, original=original)
        if not ruling.lasting:  # the same version may be judged differently the next time, so it is read again
            content, content_hash = unconfirmed(content), b""
        document = document_of(source, resource, content, said, content_hash)
        document = replace(document, original=original) if original else document
        if resource.indexed and not is_modified(source, resource, content, document, self._rights):
            return Unchanged(200, content, document, follow, unfollowed)
        return Ok(content, document, follow, unfollowed, likeness=replacing(resource, document))

    def judged(self, source: Source, resource: Resource, content: Content, said: Extraction) -> Ruling:
        """Return the ruling on whether the extracted content may be delivered.

        Not lasting if the same version may be judged otherwise another time.

        A page that names another one as canonical is excluded if the source may follow the other and has it as a
        document: no page can have another site's document removed, nor its own for a missing one. While that is
        unknown, the page stays as it was, and the end of the run decides.
        """
        ruling = source.gates.index(content, said)
        if ruling.admitted and said.veto:
            return Ruling(False, Gate.PLUGIN, said.veto, Status.VETOED)
        original = original_of(source, resource, said) if ruling.admitted else ""
        if not original:
            return ruling
        stands = self._stands(resource, original)
        if not (stands or (stands is None and resource.status == Status.DUPLICATE_IGNORED)):
            return ruling._replace(lasting=False)
        return copy_of(original)

    async def read(self, content: Content, source: Source, wire: VisitTrace) -> tuple[Content, Extraction] | Outcome:
        """Sniff the type, ask the gate, read. The returned content carries the sniffed type.

        A document that goes to a limited child is counted in `wire`.
        """
        read = await self._read(content, source, wire)
        if not isinstance(read, tuple):
            return read
        content, said = read
        if is_member(content.address):
            said = _within(said)
        said = named(said, source.settings.manner, content)
        if content.title or content.attributes:
            given = {**said.attributes, **content.attributes}
            said = replace(said, title=one_line(content.title) or said.title, attributes=given)
        if source.settings.services:
            served = await self._pipeline.processed(content, said, source, wire)
            if not isinstance(served, Extraction):
                return served
            said = served
        said = with_search_attributes(said, source.settings.attributes_by_name, self.attribute_types())
        if said.directives:
            said = replace(said, directives=meant_for(said.directives, source.settings.agent))
        if content.beside or content.refresh:
            said = with_header(content, said, source.settings.manner.links)
        if said.links_dropped:
            _log.warning("links.dropped", extra={"address": content.address, "dropped": said.links_dropped})
        return content, said

    async def _read(self, content: Content, source: Source, wire: VisitTrace) -> tuple[Content, Extraction] | Outcome:
        """Read as `read` does, with the directives of pages as they are."""
        declared = essence(content.mime)
        mime = sniff(declared, content.body, content.file_name)
        content = content if mime == content.mime else replace(content, mime=mime)
        ruling = source.gates.read(content)
        if not ruling.admitted:
            return Excluded(ruling, ruling.status, content=content)
        if content.truncated and not is_text(content.mime):
            rule = f"cut short, and {content.mime} cannot be read in part"
            return Excluded(Ruling(False, Gate.SIZE, rule, Status.TOO_BIG), Status.TOO_BIG, content=content)
        manner = source.settings.manner
        if self._is_for_tika(content):
            wire.conversions += 1
            return await self._by_tika(content, manner)
        match reading_of(content.mime, len(content.body), manner.ocr):
            case ReadMode.INLINE:
                return content, extract_inline(
                    content.mime, content.body,
                    address=content.address, charset=content.charset, steps=self._steps, manner=manner,
                )  # fmt: skip
            case ReadMode.MAIL | ReadMode.CHILD if not content.body.strip():  # a converter could misread nothing
                return content, Extraction("", name_of(content.address, content.called))
            case ReadMode.MAIL:
                at, name = content.address, content.called
                answer = answer_mail(content.body, address=at, charset=content.charset, file_name=name, manner=manner)
                return self._decoded(content, answer)
            case ReadMode.CHILD:
                wire.conversions += 1
                return await self._in_child(content, manner)
            case ReadMode.NONE:
                return _unread(content, declared)

    async def _in_child(self, content: Content, manner: Manner) -> tuple[Content, Extraction] | Outcome:
        """Convert in a limited child; a document that kills two of them is quarantined."""
        payload = encode_task(
            content.mime, content.body,
            address=content.address, charset=content.charset, file_name=content.called, manner=manner,
        )  # fmt: skip
        value = await self._answer(task_of(content.mime, manner.ocr), payload, content)
        return self._decoded(content, value) if isinstance(value, bytes) else value

    def _is_for_tika(self, content: Content) -> bool:
        return self.tika is not None and self.tika.reads(content.mime)

    async def _by_tika(self, content: Content, manner: Manner) -> tuple[Content, Extraction] | Outcome:
        """Have the Tika server read a document, and a limited child parse its answer."""
        if self.tika is None or not content.body.strip():
            return content, Extraction("", name_of(content.address, content.called))
        answer = await self.tika.read(content)
        if not isinstance(answer, bytes):
            return answer
        payload = encode_task(
            content.mime, answer, address=content.address, file_name=content.called, manner=manner
        )  # fmt: skip
        value = await self._answer(ChildTask(TIKA_TASK), payload, content)
        return self._decoded(content, value) if isinstance(value, bytes) else value

    async def read_other(self, content: Content, role: Role, wire: VisitTrace) -> Outcome:
        """Read a sitemap or a list of addresses that was requested as a document; other roles are returned unread."""
        is_list = content.lists or role is Role.SITEMAP
        return await self.read_sitemap(content, wire) if is_list else Ok(content, None)

    async def read_sitemap(self, content: Content, wire: VisitTrace) -> Outcome:
        """Read the entries of a sitemap: inline if it is small, otherwise in a limited child, counted in `wire`."""
        at, charset = content.address, content.charset
        if is_read_inline(content.body):
            said = sitemap_or_fault(content.body, address=at, charset=charset)
        else:
            wire.conversions += 1
            payload = encode_task(content.mime, content.body, address=at, charset=charset)
            value = await self._answer(ChildTask(SITEMAP_TASK), payload, content)
            if not isinstance(value, bytes):
                return value
            said = decode_sitemap(value)
        if isinstance(said, ConversionFault):
            return Failed(said.status, said.reason)
        return Ok(content, None, sitemap=said)

    async def _answer(self, task: ChildTask, payload: tuple[bytes, bytes], content: Content) -> bytes | Outcome:
        """Return the answer of a child process, or the outcome of its failure."""
        why = ""
        for _ in range(KILLS):
            try:
                answer = await self._run(task, payload)
            except PayloadTooBig as error:
                return Failed(960, error.sentence)
            except ServerGone:
                if not task.added:
                    raise
                return Failed(903, NOT_STARTED)
            match answer:
                case Finished(value=value):
                    return value
                case TaskFailed(reason=reason):
                    _log.warning("conversion.failed", extra={"address": content.address, "detail": reason})
                    return Failed(903, _with_detail(GAVE_UP, reason))
                case Killed(reason=cause, said=said):
                    why = f"{cause.value}: {said}" if said else cause.value
        return Quarantined(f"The converter was stopped twice ({why}).", content)

    async def _run(self, task: ChildTask, payload: tuple[bytes, bytes]) -> Answer:
        """Run a child. Waits for a server that has died, since its parent restarts it."""
        for wait_s in ADDED_WAITS_S if task.added else SERVER_WAITS_S:
            try:
                return await self._children.run(task.name, *payload, limits=task.limits)
            except ServerGone:
                await asyncio.sleep(wait_s)
        return await self._children.run(task.name, *payload, limits=task.limits)

    @staticmethod
    def _decoded(content: Content, value: bytes) -> tuple[Content, Extraction] | Outcome:
        said = decode_result(value)
        if isinstance(said, ConversionFault):
            if said.detail:
                _log.warning("conversion.failed", extra={"address": content.address, "detail": said.detail})
            return Failed(said.status, _with_detail(said.reason, said.detail))
        return content, said


def _unread(content: Content, declared: str) -> Outcome:
    """Return the outcome of content that no converter reads; `declared` is the type that its server announced."""
    if content.mime == OCTETS and is_text(declared):
        return Failed(1009, f"It was announced as {declared}, but its bytes are no text.")
    if content.mime == OCTETS and (claimed := claims_to_be(declared, content.file_name)):
        return Failed(903, f"Its {claimed}, but its bytes are none: the file is damaged, or of another format.")
    status = unread_status(content.mime)
    ruling = Ruling(admitted=False, gate=Gate.TYPE, rule=f"no converter reads {content.mime}", status=status)
    return Excluded(ruling, status, content=content)


def _within(said: Extraction) -> Extraction:
    """Return the extraction of a member without links, which cannot be resolved inside a container."""
    return replace(said, links=(), canonical="", refresh="", links_seen=0)


def _with_detail(reason: str, detail: str) -> str:
    """The reason of a failure with the detail of the converter, secrets masked."""
    said = masked(detail).strip()
    return f"{reason}{CONVERTER_SAID}{said}" if said else reason


def document_of(
    source: Source, resource: Resource, content: Content, said: Extraction, content_hash: bytes
) -> Document:
    """Return the document that is stored and delivered.

    The hash of its text covers title, attributes, display directives of the page, and a language that only the
    source's default gives: changes of these are changes. With `change_by=main`, attributes alone are none.
    """
    by_main = "main" in source.settings.change_by
    said_hash = main_text_hash(said) if by_main else said.text.encode(errors="replace")
    title, beside = said.title.encode(errors="replace"), b"" if by_main else attributes_said(said)
    asked = display_directives.asked(content.directives, said.directives)
    declared = Declared(said.language, content.language, source.settings.default_language)
    language, language_from = language_said(declared, said.text)
    shown = " ".join(asked) + (f"\n{language}" if language_from == DEFAULT else "") + _beyond_text(said)
    text_hash = hashlib.sha256(b"%s\n%s%s%s" % (title, said_hash, beside, shown.encode())).digest()
    return Document(
        url=source.display(resource.display or resource.address),
        access_url=content.address,
        mime=content.mime,
        language=language,
        title=said.title,
        text=said.text,
        size_bytes=len(content.body),
        content_hash=content_hash,
        text_hash=text_hash,
        acl=content.acl or source.settings.acl,
        modified_at=content.modified_at,
        attributes={**said.attributes, **extra}
        if (extra := _beside(resource, content, said, asked))
        else said.attributes,
        links=said.links,
        truncated=content.truncated or said.truncated,
        charset=said.charset,
        charset_from=said.charset_from,
        language_from=language_from,
        links_dropped=said.links_dropped,
        flaw=content.flaw,
        fault=said.fault,
        withheld=said.withheld,
        services=said.services,
    )


def _beyond_text(said: Extraction) -> str:
    """The decisions of document services beside the text, "" for most documents: a new decision is a change."""
    return f"\n{said.language}\nwithheld" if said.withheld else f"\n{said.language}" if said.services else ""


def _beside(resource: Resource, content: Content, said: Extraction, asked: Sequence[str]) -> dict[str, Value]:
    """Display attributes of a page, and the file name that its server gives it; none for most pages."""
    found: dict[str, Value] = {display_directives.ATTRIBUTE: asked} if asked else {}
    if said.canonical and said.canonical in (resource.address, resource.display):
        found[display_directives.CANONICAL] = said.canonical
    if content.given_name:
        found[display_directives.FILE_NAME] = content.given_name
    return found


def original_of(source: Source, resource: Resource, said: Extraction) -> str:
    """The page that a page names as canonical; "" if it is none that its source may follow, or the page itself.

    Returned as its rewritten address.
    """
    if said.canonical in ("", resource.address, resource.display):
        return ""
    canonical = url_rewriting.known_as(said.canonical, source)
    if canonical == resource.address or not source.gates.follow(canonical, resource.depth).admitted:
        return ""
    return canonical


def copy_of(original: str) -> Ruling:
    """The ruling of a page that names an existing page as canonical."""
    rule = f"it calls itself a copy of {original}"
    return Ruling(False, Gate.CANONICAL, rule, Status.DUPLICATE_IGNORED, lasting=False)


def says_nothing(document: Document, content: Content) -> bool:
    """Return whether a document contains nothing but a name."""
    return not document.text and document.title == name_of(content.address, content.called)


def followed(content: Content, said: Extraction) -> tuple[tuple[PageLink, ...], tuple[PageLink, ...]]:
    """The links to follow, and the links not to follow: those marked nofollow, or all of a nofollow page."""
    if not {"nofollow", "none"}.isdisjoint((*content.directives, *said.directives)):
        return (), said.links
    unfollowed = tuple(link for link in said.links if link.nofollow)
    return tuple(link for link in said.links if not link.nofollow) if unfollowed else said.links, unfollowed


def fell_silent(read: ReadContent) -> bool:
    """Return whether a page was indexed with text and is empty now for the first time."""
    resource, outcome = read.resource, read.outcome
    if not resource.indexed or not isinstance(outcome, Ok) or outcome.document is None:
        return False
    said_more = outcome.document.text_hash != (resource.before or resource.text_hash)
    return said_more and resource.status != Status.EMPTY and says_nothing(outcome.document, read.content)


def replacing(resource: Resource, document: Document) -> int:
    """The likeness key of a text that replaces another text, otherwise 0."""
    known = resource.before or resource.text_hash
    if not resource.indexed or document.text_hash == known:
        return 0
    return likeness(document.title, document.text, resource.address)


def unconfirmed(content: Content) -> Content:
    """The content without validators, so that the next request is not answered with 304."""
    return replace(content, etag="", modified="")
