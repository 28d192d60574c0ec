"""Messages to and from the sandbox in which a document service runs, and the task of the sandbox.

    crawl --encode_service_task--> payload --serve (in the child)--> answer --decode_service_answer--> what came of it

A payload is the parameters and the small values, then the text as it is. An answer comes from code of others, so all of
it is cleaned on this side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import msgspec

from cormorant.base.errors import PluginUnusable
from cormorant.extract.html.links import MAX_ANCHOR
from cormorant.extract.job import decode_framed, framed
from cormorant.extract.plugin_import import tried_import
from cormorant.extract.sanitize import MAX_VALUE, clean, one_line
from cormorant.extract.services.protocol import DocumentService, DocumentVeto, ServiceDocument
from cormorant.extract.services.registry import BUILT_IN, made
from cormorant.model.attribute import MOST_VALUES, each_value, is_attribute_name, shaped
from cormorant.model.content import Value
from cormorant.model.settings.pipeline import ServiceCall
from cormorant.model.settings.source import parse_settings

MOST_ATTRIBUTES: Final = 500
"""Attributes of a document that a service may return."""
_LONGEST_REASON: Final = 500


class _ServiceTask(msgspec.Struct, frozen=True, array_like=True):
    service: str
    parameters: dict[str, tuple[str, ...]]
    title: str
    attributes: dict[str, str | float | list[str | float]]
    language: str
    anchors: list[str]
    address: str
    mime: str


class _Processed(msgspec.Struct, frozen=True, array_like=True, tag="document"):
    text: str | None
    title: str
    attributes: dict[str, str | float | list[str | float]]
    language: str
    anchors: list[str]


class _Vetoed(msgspec.Struct, frozen=True, array_like=True, tag="veto"):
    reason: str


class ServiceFault(msgspec.Struct, frozen=True, array_like=True, tag="fault"):
    """The service failed at the document; `reason` says how, in words for an administrator."""

    reason: str


_ENCODER: Final = msgspec.msgpack.Encoder()
_TASKS: Final = msgspec.msgpack.Decoder(_ServiceTask)
_ANSWERS: Final = msgspec.msgpack.Decoder(_Processed | _Vetoed | ServiceFault)

ServiceAnswer = ServiceDocument | DocumentVeto | ServiceFault


def encode_service_task(call: ServiceCall, document: ServiceDocument) -> tuple[bytes, bytes]:
    """Return the payload for a child, in two pieces, the second of which is the text."""
    task = _ServiceTask(
        call.name, dict(call.parameters), document.title, _plain(document.attributes), document.language,
        [*document.anchors], document.address, document.mime,
    )  # fmt: skip
    return framed(task), document.text.encode()


def decode_service_answer(answer: bytes, before: ServiceDocument) -> ServiceAnswer:
    """Return the result for a document; an invalid answer is a fault like any other."""
    try:
        found = _ANSWERS.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ServiceFault("it gave an answer that cannot be read")
    if isinstance(found, ServiceFault):
        return ServiceFault(one_line(found.reason, _LONGEST_REASON))
    if isinstance(found, _Vetoed):
        return DocumentVeto(one_line(found.reason, _LONGEST_REASON))
    text = before.text if found.text is None else found.text
    known = before.attributes
    attributes = {name: each for name, each in found.attributes.items() if name in known or is_attribute_name(name)}
    return cleaned(
        ServiceDocument(text, found.title, attributes, found.language, tuple(found.anchors)), before
    )  # fmt: skip


def cleaned(found: ServiceDocument, before: ServiceDocument) -> ServiceAnswer:
    """Return a document of a service as it may be kept; one with more or fewer links than before is a fault."""
    if len(found.anchors) != len(before.anchors):
        return ServiceFault("it returned another number of links")
    names = [*found.attributes][:MOST_ATTRIBUTES]
    return before.changed(
        text=found.text if found.text is before.text else clean(found.text),
        title=one_line(found.title),
        attributes={name: value for name in names if (value := _clean_value(found.attributes[name])) is not None},
        language=one_line(found.language, 35).lower(),
        anchors=tuple(one_line(each, MAX_ANCHOR) for each in found.anchors),
    )


def _clean_value(value: Value) -> Value | None:
    values = [
        one_line(each, MAX_VALUE) if isinstance(each, str) else float(each) for each in each_value(value)[:MOST_VALUES]
    ]
    return shaped(value, values)


def _plain(attributes: Mapping[str, Value]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, str | float | int) else list(value) for name, value in attributes.items()
    }  # fmt: skip


def serve(payload: bytes) -> bytes:
    """Have a built-in service process one document. Raises msgspec.DecodeError for a payload that is none."""
    task, body = decode_framed(payload, _TASKS)
    del payload
    service, _ = made(ServiceCall(task.service, task.parameters))
    if task.service not in BUILT_IN:
        raise KeyError(task.service)
    return _encoded(_processed(service, task, body.take()))


def service_of(reference: str) -> Callable[[bytes], bytes]:
    """Return the task of a service of a package ("module:class"), or one that reports why it cannot run."""
    try:
        return partial(_serve, _class_of(reference))
    except PluginUnusable as error:
        fault = _ENCODER.encode(ServiceFault(f"it cannot be loaded: {error.sentence}"))
        return lambda _: fault


def _class_of(reference: str) -> type[DocumentService[Any]]:
    found = tried_import(reference)
    if not isinstance(found, type) or not issubclass(found, DocumentService):
        raise PluginUnusable("it is no subclass of DocumentService.")
    return found


def _serve(service: type[DocumentService[Any]], payload: bytes) -> bytes:
    """Have a service of a package process one document; the sandbox reports any exception as a failed task."""
    task, body = decode_framed(payload, _TASKS)
    del payload
    made_of = service(parse_settings(service.Settings, task.parameters))
    return _encoded(_processed(made_of, task, body.take()))


def _processed(service: DocumentService[Any], task: _ServiceTask, text: bytes) -> tuple[ServiceDocument, object]:
    attributes = {name: tuple(each) if isinstance(each, list) else each for name, each in task.attributes.items()}
    document = ServiceDocument(
        text.decode(), task.title, attributes, task.language, tuple(task.anchors), task.address, task.mime,  # type: ignore[arg-type]
    )  # fmt: skip
    return document, service.process(document)


def _encoded(result: tuple[ServiceDocument, object]) -> bytes:
    """Return an answer. Raises TypeError for what is neither a document nor a veto."""
    before, found = result
    if isinstance(found, DocumentVeto):
        return _ENCODER.encode(_Vetoed(found.reason))
    if not isinstance(found, ServiceDocument):
        raise TypeError(f"it returned {type(found).__name__}, and neither a ServiceDocument nor a DocumentVeto")
    text = None if found.text == before.text else clean(found.text)
    return _ENCODER.encode(
        _Processed(text, found.title, _plain(found.attributes), found.language, [*found.anchors])
    )  # fmt: skip
