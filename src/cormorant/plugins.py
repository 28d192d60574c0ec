"""Everything that can be added without changing this code: the built-in kinds, and those of installed packages.

    entry point            what it names                            how it is made
    cormorant.sources      a subclass of BaseSource, or SourceKind  docs/how-to/add-a-source.md
    cormorant.converters   a Format                                 docs/how-to/add-a-converter.md
    cormorant.receivers    a subclass of BaseReceiver               docs/how-to/add-a-receiver.md
    cormorant.rewriters    a class with rewrite(address)            docs/how-to/add-a-rewriter.md
    cormorant.services     a subclass of DocumentService            docs/how-to/add-a-service.md

Built-in kinds are in the two tables below and nowhere else; nothing is registered by being imported. A package is
loaded when its kind is first asked for. One that cannot be loaded is named by `cormorant doctor`, and what it would
add is missing; nothing else is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from cormorant.base.entry_points import KindRegistry, PluginEntry, announced, load
from cormorant.base.errors import BadSetting, LoginRefused, PluginUnusable, Unreachable
from cormorant.extract.detect.format import Format
from cormorant.extract.detect.formats import FORMATS
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.services.protocol import DocumentService, DocumentVeto, ServiceDocument, ServiceSettings
from cormorant.extract.services.registry import SERVICES, check_services
from cormorant.model.acl import ACL
from cormorant.model.attribute import AttributeType
from cormorant.model.content import Content, Extraction, VisitTrace
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome
from cormorant.model.pace import Pace
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.model.ruling import Discard, Rewritten
from cormorant.model.settings.secret_name import SecretReference
from cormorant.model.settings.source import SourceSettings, parse_settings
from cormorant.net.http.messages import Response
from cormorant.receivers.base import BaseReceiver
from cormorant.receivers.jsonlines import JsonLinesReceiver, JsonLinesSettings
from cormorant.receivers.opensearch import OpenSearchReceiver, OpenSearchSettings
from cormorant.receivers.plugin_kind import PluginReceiver
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
from cormorant.receivers.python import PythonReceiver, PythonSettings, veto as python_veto
from cormorant.receivers.warc import WarcReceiver, WarcSettings
from cormorant.receivers.webhook import WebhookReceiver, WebhookSettings
from cormorant.sandbox.limits import Limits
from cormorant.sources.base import BaseFilters, BaseSource, Batches
from cormorant.sources.connection_pool import ConnectionPool
from cormorant.sources.federated.source import FederatedSource
from cormorant.sources.feed.settings import FeedSettings
from cormorant.sources.feed.source import FeedSource
from cormorant.sources.files.advice import ADVICE
from cormorant.sources.files.settings import FilesSettings
from cormorant.sources.files.source import FilesSource, doubts as files_doubts, look
from cormorant.sources.files.unlisted import unlisted
from cormorant.sources.ftp.source import FtpSource
from cormorant.sources.git.source import GitSource
from cormorant.sources.github.source import GitHubSource
from cormorant.sources.gitlab.source import GitLabSource
from cormorant.sources.http_client import HttpClient
from cormorant.sources.kind import SourceKind, Tools
from cormorant.sources.live import LiveAnswer, LiveFault, LiveHit, LiveSource
from cormorant.sources.mail.settings import MailSettings, doubts as mail_doubts
from cormorant.sources.mail.source import MailSource, unlisted as mail_unlisted
from cormorant.sources.mediawiki.source import MediaWikiSource
from cormorant.sources.program.source import ProgramSource
from cormorant.sources.protocol import AddressRewriter, Discovery, Secrets, Source, UrlFilters
from cormorant.sources.push.source import PushSource
from cormorant.sources.record_page import RecordSection, record_page
from cormorant.sources.rules import Facts
from cormorant.sources.s3.source import S3Source
from cormorant.sources.server_settings import ServerSettings
from cormorant.sources.sftp.source import SftpSource
from cormorant.sources.smb.source import SmbSource
from cormorant.sources.table import driver_check as table_check
from cormorant.sources.table.settings import TableSettings
from cormorant.sources.warc.source import ArchiveSource
from cormorant.sources.web.auth.session import Session
from cormorant.sources.web.consistency import doubts
from cormorant.sources.web.linked_pages import LinkedPageSource
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.source import WebSource
from cormorant.sources.web.urls.rewrite import ENTRY_POINTS as REWRITERS
from cormorant.sources.webdav.source import WebDavSource

__all__ = [
    "ACL",
    "RECEIVERS",
    "SERVICES",
    "SOURCES",
    "AddressRewriter",
    "AttributeType",
    "BadSetting",
    "BaseFilters",
    "BaseReceiver",
    "BaseSource",
    "Batches",
    "ConnectionPool",
    "Content",
    "Deferred",
    "Delivery",
    "Discard",
    "DiscoveredUrl",
    "Discovery",
    "DocumentRights",
    "DocumentService",
    "DocumentVeto",
    "Extraction",
    "ExtractionTask",
    "Facts",
    "Failed",
    "Format",
    "Gone",
    "HttpClient",
    "KeptCopy",
    "Limits",
    "LiveAnswer",
    "LiveFault",
    "LiveHit",
    "LiveSource",
    "LoginRefused",
    "NotTaken",
    "Outcome",
    "Pace",
    "PluginEntry",
    "PluginUnusable",
    "Protected",
    "Receiver",
    "ReceiverKind",
    "ReceiverSettings",
    "ReceiverTools",
    "RecordSection",
    "Refusal",
    "Removal",
    "Resource",
    "Response",
    "Rewritten",
    "SecretReference",
    "Secrets",
    "ServerSettings",
    "ServiceDocument",
    "ServiceSettings",
    "Source",
    "SourceKind",
    "SourceSettings",
    "Stop",
    "Tools",
    "Unreachable",
    "Unreadable",
    "UrlFilters",
    "VisitTrace",
    "added",
    "check_services",
    "format_label",
    "kind_advice",
    "make_source",
    "receiver_kind",
    "receiver_kinds",
    "receiver_package",
    "receiver_settings",
    "record_page",
    "source_kind",
    "source_kinds",
    "source_package",
    "source_settings",
]


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
    return FilesSource(number, settings, tools.clock, tools.veto)


def _table(number: int, settings: TableSettings, tools: Tools) -> Source:
    from cormorant.sources.table.source import TableSource  # noqa: PLC0415 - it loads SQLAlchemy

    return TableSource(number, settings, tools)


def _triggers(settings: TableSettings) -> str:
    from cormorant.sources.table.triggers import trigger_script  # noqa: PLC0415 - as above

    return trigger_script(settings)


def _feed(number: int, settings: FeedSettings, tools: Tools) -> Source:
    pages = None
    if settings.content == "link":
        given = parse_settings(WebSettings, settings.page_settings)
        session = Session(number, given, tools.secrets, tools.run) if tools.secrets is not None else None
        pages = LinkedPageSource(number, given, tools.fetcher, tools.clock, session=session)
    return FeedSource(number, settings, tools, pages)


def _jsonlines(settings: JsonLinesSettings, tools: ReceiverTools) -> Receiver:  # noqa: ARG001 - needs no tools
    return JsonLinesReceiver(settings)


def kind_of(source: type[BaseSource[Any]]) -> SourceKind:
    """Return the kind that a subclass of BaseSource is."""
    scheme = f"{source.kind}:"
    return SourceKind(
        source.kind, source.about, source.Settings, source, source.look, scheme=scheme, advice=source.advice,
        declared=source.declared, meant_by=source.meant_by, live=source.live,
    )  # fmt: skip


_BY_CLASS: tuple[type[BaseSource[Any]], ...] = (
    ArchiveSource,
    FederatedSource,
    FtpSource,
    GitSource,
    GitHubSource,
    GitLabSource,
    MediaWikiSource,
    ProgramSource,
    PushSource,
    S3Source,
    SftpSource,
    SmbSource,
    WebDavSource,
)
"""Kinds that need no more than a class."""
SOURCES = {
    "web": SourceKind("web", "Pages of web sites, found by their links.", WebSettings, _web, doubts=doubts),
    "files": SourceKind(
        "files",
        "Files of a folder and the folders below it.",
        FilesSettings,
        _files,
        look,
        files_doubts,
        scheme="file:",
        advice=ADVICE,
        unlisted=unlisted,
    ),
    "mail": SourceKind(
        "mail",
        MailSource.about,
        MailSettings,
        MailSource,
        MailSource.look,
        mail_doubts,
        "mail:",
        MailSource.advice,
        mail_unlisted,
    ),
    "table": SourceKind(
        "table",
        "Rows of a table, view or query in a database.",
        TableSettings,
        _table,
        table_check.look,
        scheme="table:",
        advice=table_check.ADVICE,
        script=_triggers,
    ),
    "feed": SourceKind("feed", FeedSource.about, FeedSettings, _feed, scheme="feed:", advice=FeedSource.advice),
} | {each.kind: kind_of(each) for each in _BY_CLASS}
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


def _source_of(name: str, found: object) -> SourceKind:
    """Make a kind of what an entry point names. Raises TypeError for what is none."""
    if isinstance(found, SourceKind):
        own, kind = found.name, found
    elif isinstance(found, type) and issubclass(found, BaseSource):
        own, kind = found.kind, kind_of(found)
    else:
        raise TypeError("it is neither a subclass of BaseSource nor a SourceKind")
    if own != name:
        raise TypeError(f"it calls itself {own!r}, and its entry point {name!r}")
    if not issubclass(kind.settings, SourceSettings):
        raise TypeError("its Settings are no subclass of SourceSettings")
    return kind


def _receiver_of(name: str, found: object) -> ReceiverKind:
    """Make a kind of what an entry point names: it is called in a process of its own. Raises TypeError."""
    if not isinstance(found, type) or not issubclass(found, BaseReceiver):
        raise TypeError("it is no subclass of BaseReceiver")
    if not issubclass(found.Settings, ReceiverSettings):
        raise TypeError("its Settings are no subclass of ReceiverSettings")
    reference = f"{found.__module__}:{found.__qualname__}"

    def make(settings: ReceiverSettings, tools: ReceiverTools) -> Receiver:  # noqa: ARG001 - it is in a process apart
        return PluginReceiver(reference, settings)

    return ReceiverKind(name, found.about, found.Settings, make)


_SOURCES = KindRegistry("source", "cormorant.sources", SOURCES, _source_of)
_RECEIVERS = KindRegistry("receiver", "cormorant.receivers", RECEIVERS, _receiver_of)


def added() -> Iterator[tuple[PluginEntry, PluginUnusable | None]]:
    """Yield everything that installed packages add, with what is wrong with it. Loads all of it."""
    for kinds in (_SOURCES, FORMATS, _RECEIVERS, SERVICES):
        yield from kinds.looked_at()
    for each in announced(REWRITERS):
        try:
            load(each)
        except PluginUnusable as error:
            yield each, error
        else:
            yield each, None


def format_label(mime: str) -> str:
    """Return what a document of a type is called that a plug-in reads, "" for all others."""
    found = FORMATS.of(mime)
    return found.label if found is not None else ""


def kind_advice(status: int, address: str) -> str:
    """Return what to do about a status where the kind of source that an address belongs to says so, else ""."""
    scheme = address.partition(":")[0]
    kind = next((each for each in SOURCES.values() if each.scheme == f"{scheme}:"), None)
    if kind is None and scheme in _SOURCES.added_names():
        with suppress(PluginUnusable):
            kind = _SOURCES.get(scheme)
    return kind.advice.get(status, "") if kind is not None else ""


def source_kind(name: str) -> SourceKind:
    """Return the kind of that name. Raises NotFoundError, with the kinds there are, and PluginUnusable."""
    return _SOURCES.get(name)


def source_kinds() -> dict[str, SourceKind]:
    """Return every kind that can be used, those of plug-ins last."""
    return _SOURCES.every()


def source_package(name: str) -> str:
    """Return the package that a kind of source comes from, "" for one that is built in."""
    return _SOURCES.package(name)


def make_source(kind: str, number: int, given: Mapping[str, Any], tools: Tools) -> Source:
    """Make a source of that kind, by settings as they are kept.

    Raises NotFoundError, PluginUnusable, and BadSetting for what is wrong.
    """
    return source_kind(kind).make(number, source_settings(kind, given), tools)


def source_settings(kind: str, given: Mapping[str, Any]) -> SourceSettings:
    """Return the settings of a source of that kind, as they are kept. Raises what `make_source` raises."""
    return parse_settings(source_kind(kind).settings, given)


def receiver_kind(name: str) -> ReceiverKind:
    """Return the kind of that name. Raises NotFoundError, with the kinds there are, and PluginUnusable."""
    return _RECEIVERS.get(name)


def receiver_kinds() -> dict[str, ReceiverKind]:
    """Return every kind that can be used, those of plug-ins last."""
    return _RECEIVERS.every()


def receiver_package(name: str) -> str:
    """Return the package that a kind of receiver comes from, "" for one that is built in."""
    return _RECEIVERS.package(name)


def receiver_settings(kind: str, given: Mapping[str, Any]) -> ReceiverSettings:
    """Return the settings of a receiver of that kind, as they are kept. Raises what `source_settings` raises."""
    return parse_settings(receiver_kind(kind).settings, given)
