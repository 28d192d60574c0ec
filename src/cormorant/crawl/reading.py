"""What does it say? Inline where that is safe and quick, in a limited child for everything else."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace

from cormorant.base.steps import Steps
from cormorant.extract.change import main_text_hash
from cormorant.extract.choose import Reading, extract_inline, needs_office, reading_of, unread_status
from cormorant.extract.formats import OCTETS, essence
from cormorant.extract.head import meant_for
from cormorant.extract.sniff import is_text, sniff
from cormorant.extract.task import ConversionFault, decode_result, encode_task
from cormorant.extract.text import name_of
from cormorant.limits import Answer, Finished, Killed, PayloadTooBig, ServerGone
from cormorant.limits import Failed as TaskFailed
from cormorant.limits.client import ChildPool
from cormorant.model.content import Content, Document, Extraction, Link, Wire
from cormorant.model.outcome import Excluded, Failed, Outcome, Quarantined
from cormorant.model.resource import Resource
from cormorant.model.rules import Gate, Ruling
from cormorant.sources.protocol import Source

TASK, OFFICE_TASK = "convert", "convert_office"
"""What a limited child is asked to do; office documents have a server of their own, since their reader is big."""
SERVER_WAITS_S = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Rests between attempts to reach the server of the children; then the process ends and is started again."""
KILLS = 2
"""Children a document may cost before it is quarantined (fault B9)."""


class Reader:
    """Turns content into an extraction, or into the outcome that says why not."""

    def __init__(self, children: ChildPool, steps: Steps) -> None:
        self._children = children
        self._steps = steps

    async def read(self, content: Content, source: Source, wire: Wire) -> tuple[Content, Extraction] | Outcome:
        """Sniff the type, ask the gate, read. The content returned carries the sniffed type.

        A document that goes to a limited child is counted in `wire`.
        """
        read = await self._read(content, source, wire)
        if isinstance(read, tuple) and read[1].directives:
            content, said = read
            return content, replace(said, directives=meant_for(said.directives, source.settings.agent))
        return read

    async def _read(self, content: Content, source: Source, wire: Wire) -> tuple[Content, Extraction] | Outcome:
        """The same, with the directives of pages as they are."""
        declared = essence(content.mime)
        content = replace(content, mime=sniff(declared, content.body, content.file_name))
        ruling = source.gates.read(content)
        if not ruling.admitted:
            return Excluded(ruling, ruling.status, content=content)
        main = "main" in source.settings.change_by
        match reading_of(content.mime, len(content.body)):
            case Reading.INLINE:
                return content, extract_inline(
                    content.mime, content.body,
                    address=content.address, charset=content.charset, steps=self._steps, main=main,
                )  # fmt: skip
            case Reading.CHILD if not content.body.strip():  # nothing in it that a converter could misread
                return content, Extraction("", name_of(content.address, content.file_name))
            case Reading.CHILD:
                wire.conversions += 1
                return await self._in_child(content, main=main)
            case Reading.NONE if content.mime == OCTETS and is_text(declared):
                return Failed(1009, f"It was announced as {declared}, but its bytes are no text.")
            case Reading.NONE:
                status = unread_status(content.mime)
                rule = f"no converter reads {content.mime}"
                return Excluded(
                    Ruling(admitted=False, gate=Gate.TYPE, rule=rule, status=status), status, content=content
                )

    async def _in_child(self, content: Content, *, main: bool) -> tuple[Content, Extraction] | Outcome:
        """Convert in a limited child; what kills two of them is quarantined."""
        payload = encode_task(
            content.mime, content.body,
            address=content.address, charset=content.charset, file_name=content.file_name, main=main,
        )  # fmt: skip
        why, task = "", OFFICE_TASK if needs_office(content.mime) else TASK
        for _ in range(KILLS):
            try:
                answer = await self._run(task, payload)
            except PayloadTooBig as error:
                return Failed(960, error.sentence)
            match answer:
                case Finished(value=value):
                    return self._decoded(content, value)
                case TaskFailed(reason=reason):
                    return Failed(903, f"The converter gave up: {reason}")
                case Killed(reason=cause, said=said):
                    why = f"{cause.value}: {said}" if said else cause.value
        return Quarantined(f"The converter was stopped twice ({why}).", content)

    async def _run(self, task: str, payload: tuple[bytes, bytes]) -> Answer:
        """Run a child. A server that has died is waited for: whoever started it starts it again."""
        for wait_s in SERVER_WAITS_S:
            try:
                return await self._children.run(task, *payload)
            except ServerGone:
                await asyncio.sleep(wait_s)
        return await self._children.run(task, *payload)

    @staticmethod
    def _decoded(content: Content, value: bytes) -> tuple[Content, Extraction] | Outcome:
        said = decode_result(value)
        if isinstance(said, ConversionFault):
            return Failed(said.status, said.reason)
        return content, said


def document_of(
    source: Source, resource: Resource, content: Content, said: Extraction, content_hash: bytes
) -> Document:
    """What is kept and delivered of a document. Its text's hash covers the title: a new one is a change."""
    by_main = "main" in source.settings.change_by
    said_hash = main_text_hash(said) if by_main else said.text.encode(errors="replace")
    text_hash = hashlib.sha256(b"%s\n%s" % (said.title.encode(errors="replace"), said_hash)).digest()
    return Document(
        url=resource.display or source.display(resource.address),
        access_url=content.address,
        mime=content.mime,
        language=said.language or content.language,
        title=said.title,
        text=said.text,
        size_bytes=len(content.body),
        content_hash=content_hash,
        text_hash=text_hash,
        acl=content.acl or source.settings.acl,
        modified_at=content.modified_at,
        attributes=said.attributes,
        links=said.links,
        truncated=content.truncated or said.truncated,
    )


def says_nothing(document: Document, content: Content) -> bool:
    """Is there nothing to it but a name?"""
    return not document.text and document.title == name_of(content.address, content.file_name)


def followed(content: Content, said: Extraction) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """The links that may be followed, and those that may not: all of a nofollow page, those marked nofollow."""
    if not {"nofollow", "none"}.isdisjoint((*content.directives, *said.directives)):
        return (), said.links
    unfollowed = tuple(link for link in said.links if "nofollow" in link.rel)
    return tuple(link for link in said.links if "nofollow" not in link.rel) if unfollowed else said.links, unfollowed
