"""Document services of a source: each extraction passes them in order, each within its time limit.

    Extraction -> service -> service -> Extraction (with a veto, perhaps) | Failed, which names the service

Built-in services take time linear in the text, so short texts are processed here; all others run in a limited child. A
document whose service fails is refused, so that search cannot show text that was to be removed, unless the parameters
of the service ask for the unprocessed text.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec.structs import replace

from cormorant.base.log import logger
from cormorant.base.secret_masking import masked
from cormorant.extract.detect.language import Declared, language_said
from cormorant.extract.router import ChildTask
from cormorant.extract.sanitize import MAX_VALUE, one_line
from cormorant.extract.services.protocol import DocumentVeto, ServiceDocument
from cormorant.extract.services.registry import ServiceStep, steps_of
from cormorant.extract.services.task import (
    ServiceAnswer,
    ServiceFault,
    cleaned,
    decode_service_answer,
    encode_service_task,
)
from cormorant.model.attribute import each_value, shaped
from cormorant.model.content import Content, Extraction, PageLink, Value, VisitTrace
from cormorant.model.outcome import Failed
from cormorant.model.status import Status
from cormorant.sandbox import Answer, Finished, Killed, PayloadTooBig, ServerGone, TaskFailed
from cormorant.sandbox.limits import Limits
from cormorant.sources.protocol import Source

SERVICE_TASK: Final = "serve"
"""The task of a limited child that runs a built-in service."""
INLINE_CHARACTERS: Final = 200_000
"""Up to this size, links included, a built-in service runs in this process: a few milliseconds."""
_log = logger(__name__)

Run = Callable[[ChildTask, tuple[bytes, bytes]], Awaitable[Answer]]
"""Runs a task in a limited child."""


def service_task(name: str) -> str:
    """Return the name of the task for a service of a package."""
    return f"serve by {name}"


class ServicePipeline:
    """Passes documents through the services of their source."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def processed(
        self, content: Content, said: Extraction, source: Source, wire: VisitTrace
    ) -> Extraction | Failed:
        """Return the extraction of a document after all services."""
        clock = asyncio.get_running_loop().time
        document = before = _document(content, said, source)
        took: list[tuple[str, float]] = []
        faults: list[str] = []
        veto, withheld = "", False
        for step in steps_of(source.settings.services):
            began = clock()
            answer = await self._answer(step, document, wire)
            took.append((step.call.name, round(clock() - began, 4)))
            withheld = withheld or step.withholds
            if isinstance(answer, ServiceFault):
                sentence = f"The document service {step.call.name!r} failed: {answer.reason}."
                _log.warning("service.failed", extra={"address": content.address, "reason": sentence})
                if step.settings.on_failure == "refuse":
                    return Failed(Status.SERVICE_FAILED, sentence)
                faults.append(f"{sentence} It is kept as it was.")
            elif isinstance(answer, DocumentVeto):
                veto = f"{step.call.name}: {answer.reason or 'it is not to be found'}"
                break
            else:
                document = answer
        said = _extraction(said, before, document)
        fault_said = " ".join(filter(None, (said.fault, *faults)))
        return replace(said, veto=veto, withheld=withheld, services=tuple(took), fault=fault_said)

    async def _answer(self, step: ServiceStep, document: ServiceDocument, wire: VisitTrace) -> ServiceAnswer:
        """Return the answer of a service about a document, here or in a limited child."""
        if step.fault:
            return ServiceFault(step.fault.rstrip("."))
        size = len(document.text) + sum(map(len, document.anchors))
        if step.service is not None and size <= INLINE_CHARACTERS:
            return _inline(step, document)
        wire.conversions += 1
        added = step.service is None
        name = service_task(step.call.name) if added else SERVICE_TASK
        seconds = step.settings.time_s
        task = ChildTask(name, Limits(cpu_s=math.ceil(seconds), wall_s=2 * seconds + 1), added)
        try:
            answer = await self._run(task, encode_service_task(step.call, document))
        except PayloadTooBig as error:
            return ServiceFault(error.sentence.rstrip("."))
        except (ServerGone, KeyError):
            if not added:
                raise
            return ServiceFault("it cannot be started; `cormorant doctor` names its package, logs/supervisor.log why")
        return _of_child(answer, document, seconds)


def _inline(step: ServiceStep, document: ServiceDocument) -> ServiceAnswer:
    """Have a built-in service process a document in this process. An error in it fails the visit of this document."""
    if step.service is None:
        raise LookupError(step.call.name)
    found = step.service.process(document)
    return found if isinstance(found, DocumentVeto) else cleaned(found, document)


def _of_child(answer: Answer, document: ServiceDocument, seconds: float) -> ServiceAnswer:
    match answer:
        case Finished(value=value):
            return decode_service_answer(value, document)
        case TaskFailed(reason=reason):
            return ServiceFault(masked(reason).strip().rstrip("."))
        case Killed(reason=cause, said=said):
            why = f"{cause.value}: {said}" if said else cause.value
            return ServiceFault(f"it was stopped ({why}); a document may take it {seconds:g} seconds")


def _document(content: Content, said: Extraction, source: Source) -> ServiceDocument:
    """Return a document in the form that services get."""
    declared = Declared(said.language, content.language, source.settings.default_language)
    return ServiceDocument(
        text=said.text,
        title=said.title,
        attributes={name: _storable(value) for name, value in said.attributes.items()},
        language=language_said(declared, said.text)[0],
        anchors=tuple(link.text for link in said.links),
        address=content.address,
        mime=content.mime,
    )


def _storable(value: Value) -> Value:
    """Return a value without characters that UTF-8 cannot encode: a source may deliver any."""
    if isinstance(value, str):
        return value if value.isascii() else one_line(value, MAX_VALUE)
    if isinstance(value, float | int):
        return value
    values = (one_line(each, MAX_VALUE) if isinstance(each, str) else each for each in each_value(value))
    return shaped(value, values) or ""


def _extraction(said: Extraction, before: ServiceDocument, after: ServiceDocument) -> Extraction:
    """Return an extraction with the changes of services; without its main text if the text changed."""
    links = said.links
    if after.anchors != before.anchors:
        links = tuple(_renamed(link, text) for link, text in zip(links, after.anchors, strict=True))
    return replace(
        said,
        text=after.text,
        title=after.title,
        attributes=after.attributes,
        language=after.language if after.language != before.language else said.language,
        links=links,
        main_text=said.main_text if after.text == before.text else "",
    )


def _renamed(link: PageLink, text: str) -> PageLink:
    return link if link.text == text else link._replace(text=text)
