"""Plugins: every extension point, to add to Cormorant without changing it.

Every extension point, and the one list of built-in kinds.

A kind of source is a settings class and a factory; so is a kind of receiver. Built-in kinds are in the list below and
nowhere else; nothing is registered by being imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cormorant.base.clock import Clock
from cormorant.base.errors import NotFoundError
from cormorant.model.crawl_delay import Pace
from cormorant.model.ruling import Discard, Rewritten
from cormorant.model.settings.source import SourceSettings, parse_settings
from cormorant.net.http.client import Fetcher
from cormorant.receivers.jsonlines import JsonLinesReceiver, JsonLinesSettings
from cormorant.receivers.opensearch import OpenSearchReceiver, OpenSearchSettings
from cormorant.receivers.protocol import (
    Delivery,
    DocumentRights,
    KeptCopy,
    NotTaken,
    Receiver,
    ReceiverSettings,
    ReceiverTools,
    Refusal,
    Stop,
)
from cormorant.receivers.python import PythonReceiver, PythonSettings
from cormorant.receivers.python import veto as python_veto
from cormorant.receivers.warc import WarcReceiver, WarcSettings
from cormorant.receivers.webhook import WebhookReceiver, WebhookSettings
from cormorant.sources.files.settings import FilesSettings
from cormorant.sources.files.source import FilesSource, look
from cormorant.sources.protocol import AddressRewriter, Discovery, Secrets, Source, UrlFilters
from cormorant.sources.rules import Facts
from cormorant.sources.web.auth.session import Session
from cormorant.sources.web.consistency import doubts
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.source import WebSource

__all__ = [
    "RECEIVERS",
    "SOURCES",
    "AddressRewriter",
    "Delivery",
    "Discard",
    "Discovery",
    "DocumentRights",
    "Facts",
    "KeptCopy",
    "NotTaken",
    "Pace",
    "Receiver",
    "ReceiverKind",
    "ReceiverSettings",
    "ReceiverTools",
    "Refusal",
    "Rewritten",
    "Secrets",
    "Source",
    "SourceKind",
    "SourceSettings",
    "Stop",
    "Tools",
    "UrlFilters",
    "make_source",
    "receiver_kind",
    "receiver_settings",
    "source_kind",
    "source_settings",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tools:
    """Tools of a source: a fetcher (None when it is built for discovery alone) and the clock.

    `secrets` is None when it is only to be asked questions; `run` is the run it is built for, 0 for none. `veto` says
    of a folder, by its address, whether it may not be entered.
    """

    fetcher: Fetcher | None
    clock: Clock
    secrets: Secrets | None = None
    run: int = 0
    veto: Callable[[str], bool] | None = None


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source: its name, what it is for, its settings, and how to make one.

    `look` is called when a source is added or edited: it sees, asking nobody over a network, whether the place is
    there. It raises BadSetting for what can never become one, Unreachable for what may yet, like a share to be mounted.
    `doubts` are sentences about settings that are each well and do not go together, like a rule that another covers.
    """

    name: str
    about: str
    settings: type[SourceSettings]
    make: Callable[[int, Any, Tools], Source]
    look: Callable[[Any], None] = lambda _: None
    doubts: Callable[[Any], Sequence[str]] = lambda _: ()


@dataclass(frozen=True, slots=True)
class ReceiverKind:
    """A kind of receiver. `veto` makes of settings what says which folders may not be entered; None: nothing."""

    name: str
    about: str
    settings: type[ReceiverSettings]
    make: Callable[[Any, ReceiverTools], Receiver]
    veto: Callable[[Any], Callable[[str], bool] | None] = lambda _: None


def _web(number: int, settings: WebSettings, tools: Tools) -> Source:
    session = None
    if tools.secrets is not None:
        session = Session(number, settings, tools.secrets, tools.run)
    return WebSource(number, settings, tools.fetcher, tools.clock, session=session)


def _files(number: int, settings: FilesSettings, tools: Tools) -> Source:
    return FilesSource(number, settings, tools.veto)


def _jsonlines(settings: JsonLinesSettings, tools: ReceiverTools) -> Receiver:  # noqa: ARG001 - needs no tools
    return JsonLinesReceiver(settings)


SOURCES = {
    "web": SourceKind("web", "Pages of web sites, found by their links.", WebSettings, _web, doubts=doubts),
    "files": SourceKind("files", "Files of a folder and the folders below it.", FilesSettings, _files, look),
}
RECEIVERS = {
    "jsonlines": ReceiverKind("jsonlines", "One JSON object a line in a file.", JsonLinesSettings, _jsonlines),
    "opensearch": ReceiverKind(
        "opensearch", "An index of OpenSearch or Elasticsearch, kept in step.", OpenSearchSettings, OpenSearchReceiver
    ),
    "python": ReceiverKind(
        "python", "A function or class of an installed package.", PythonSettings, PythonReceiver, python_veto
    ),
    "warc": ReceiverKind("warc", "Files of what was fetched, for web archives.", WarcSettings, WarcReceiver),
    "webhook": ReceiverKind("webhook", "Signed JSON, posted to an address.", WebhookSettings, WebhookReceiver),
}


def source_kind(name: str) -> SourceKind:
    """The kind of that name. Raises NotFoundError, with the kinds there are."""
    if name not in SOURCES:
        raise NotFoundError(f"There is no kind of source {name!r}. There is: {', '.join(SOURCES)}.")
    return SOURCES[name]


def make_source(kind: str, number: int, given: Mapping[str, Any], tools: Tools) -> Source:
    """A source of that kind, by settings as they are kept. Raises NotFoundError, and BadSetting for what is wrong."""
    return source_kind(kind).make(number, source_settings(kind, given), tools)


def source_settings(kind: str, given: Mapping[str, Any]) -> SourceSettings:
    """The settings of a source of that kind, as they are kept. Raises NotFoundError, and BadSetting for a wrong one."""
    return parse_settings(source_kind(kind).settings, given)


def receiver_kind(name: str) -> ReceiverKind:
    """The kind of that name. Raises NotFoundError, with the kinds there are."""
    if name not in RECEIVERS:
        raise NotFoundError(f"There is no kind of receiver {name!r}. There is: {', '.join(RECEIVERS)}.")
    return RECEIVERS[name]


def receiver_settings(kind: str, given: Mapping[str, Any]) -> ReceiverSettings:
    """The settings of a receiver of that kind, as they are kept. Raises what `source_settings` raises."""
    return parse_settings(receiver_kind(kind).settings, given)
