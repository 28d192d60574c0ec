"""Everything that can be added without changing this code: the built-in kinds, and those of installed packages.

    entry point            what it names                            how it is made
    cormorant.sources      a subclass of BaseSource, or SourceKind  docs/how-to/add-a-source.md
    cormorant.converters   a Format                                 docs/how-to/add-a-converter.md
    cormorant.receivers    a subclass of BaseReceiver               docs/how-to/add-a-receiver.md
    cormorant.rewriters    a class with rewrite(address)            docs/how-to/add-a-rewriter.md
    cormorant.services     a subclass of DocumentService            docs/how-to/add-a-service.md

A package imports these names from here; `help(cormorant.plugins.BaseSource)` explains one of them.

    source       BaseSource (or Source, for all of its methods), SourceKind, BaseFilters, UrlFilters, Facts, Discovery;
                 Unlisted, why no listing names an address
      settings   SourceSettings, ServerSettings of a place on a server, SecretReference, Pace
      discover   Batches of DiscoveredUrl and Removal
      fetch      Resource and VisitTrace in; Content with ACL and AttributeType, or an Outcome: Deferred, Failed, Gone
      means      Tools, HttpClient with Response, ConnectionPool, Secrets, record_page with RecordSection
      live       LiveSource, LiveAnswer, LiveHit, LiveFault: a server that is asked at each search
    converter    Format, ExtractionTask, Extraction, Limits; raises Unreadable and Protected
    receiver     BaseReceiver (or Receiver), ReceiverKind, ReceiverSettings, ReceiverTools
      batches    Delivery with KeptCopy and DocumentRights; answers Refusal, Stop, NotTaken
    rewriter     AddressRewriter, which answers Rewritten and Discard
    service      DocumentService, ServiceSettings, ServiceDocument, DocumentVeto
    errors       BadSetting, Unreachable, LoginRefused, PluginUnusable
    registries   SOURCES, RECEIVERS, SERVICES with check_services, and the functions below; PluginEntry of a package

`cormorant.testing` has the suites that a package runs: SourceSuite, CrawlSuite, ConverterSuite, ReceiverSuite,
ServiceSuite.

Built-in kinds are in the two tables below and nowhere else; nothing is registered by being imported. A kind of source
is imported, and a package loaded, when the kind is first asked for. `cormorant doctor` names a package that cannot be
loaded; only its own kinds are missing then.
"""

# ruff: noqa: PLC0414 - a name that is imported as itself is re-exported; `__all__` would have `help` print every class

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from cormorant.base.entry_points import BuiltInKinds, KindRegistry, PluginEntry as PluginEntry, announced, load
from cormorant.base.errors import (
    BadSetting as BadSetting,
    LoginRefused as LoginRefused,
    PluginUnusable as PluginUnusable,
    Unreachable as Unreachable,
)
from cormorant.extract.detect.built_in import BY_MEDIA_TYPE
from cormorant.extract.detect.format import Format as Format
from cormorant.extract.detect.formats import FORMATS
from cormorant.extract.detect.tika_formats import TIKA_LABELS
from cormorant.extract.errors import Protected as Protected, Unreadable as Unreadable
from cormorant.extract.job import ExtractionTask as ExtractionTask
from cormorant.extract.services.protocol import (
    DocumentService as DocumentService,
    DocumentVeto as DocumentVeto,
    ServiceDocument as ServiceDocument,
    ServiceSettings as ServiceSettings,
)
from cormorant.extract.services.registry import SERVICES as SERVICES, check_services as check_services
from cormorant.model.acl import ACL as ACL
from cormorant.model.attribute import AttributeType as AttributeType
from cormorant.model.content import Content as Content, Extraction as Extraction, VisitTrace as VisitTrace
from cormorant.model.outcome import Deferred as Deferred, Failed as Failed, Gone as Gone, Outcome as Outcome
from cormorant.model.pace import Pace as Pace
from cormorant.model.resource import DiscoveredUrl as DiscoveredUrl, Removal as Removal, Resource as Resource
from cormorant.model.ruling import Discard as Discard, Rewritten as Rewritten
from cormorant.model.settings.secret_name import SecretReference as SecretReference
from cormorant.model.settings.source import SourceSettings as SourceSettings, parse_settings
from cormorant.model.status import Status
from cormorant.net.http.messages import Response as Response
from cormorant.receivers.base import BaseReceiver as BaseReceiver
from cormorant.receivers.jsonlines import JsonLinesReceiver, JsonLinesSettings
from cormorant.receivers.opensearch import OpenSearchReceiver, OpenSearchSettings
from cormorant.receivers.plugin_kind import PluginReceiver
from cormorant.receivers.protocol import (
    Delivery as Delivery,
    DocumentRights as DocumentRights,
    KeptCopy as KeptCopy,
    NotTaken as NotTaken,
    Receiver as Receiver,
    ReceiverSettings as ReceiverSettings,
    ReceiverTools as ReceiverTools,
    Refusal as Refusal,
    Stop as Stop,
)
from cormorant.receivers.python import PythonReceiver, PythonSettings, veto as python_veto
from cormorant.receivers.warc import WarcReceiver, WarcSettings
from cormorant.receivers.webhook import WebhookReceiver, WebhookSettings
from cormorant.sandbox.limits import Limits as Limits
from cormorant.sources.base import BaseFilters as BaseFilters, BaseSource as BaseSource, Batches as Batches, absence_of
from cormorant.sources.connection_pool import ConnectionPool as ConnectionPool
from cormorant.sources.http_client import HttpClient as HttpClient
from cormorant.sources.kind import SourceKind as SourceKind, Tools as Tools, Unlisted as Unlisted
from cormorant.sources.live import (
    LiveAnswer as LiveAnswer,
    LiveFault as LiveFault,
    LiveHit as LiveHit,
    LiveSource as LiveSource,
)
from cormorant.sources.protocol import (
    AddressRewriter as AddressRewriter,
    Discovery as Discovery,
    Secrets as Secrets,
    Source as Source,
    UrlFilters as UrlFilters,
)
from cormorant.sources.record_page import RecordSection as RecordSection, record_page as record_page
from cormorant.sources.rules import Facts as Facts
from cormorant.sources.server_settings import ServerSettings as ServerSettings
from cormorant.sources.web.urls.rewrite import ENTRY_POINTS as REWRITERS


@dataclass(frozen=True, slots=True)
class ReceiverKind:
    """A kind of receiver. `veto` makes of settings what says which folders may not be entered; None: nothing."""

    name: str
    about: str
    settings: type[ReceiverSettings]
    make: Callable[[Any, ReceiverTools], Receiver]
    veto: Callable[[Any], Callable[[str], bool] | None] = lambda _: None


def _feed() -> SourceKind:
    """Return the kind `feed`, whose sources read linked pages as those of the kind `web` do."""
    from cormorant.sources.feed.settings import FeedSettings  # noqa: PLC0415 - a kind is imported when it is used
    from cormorant.sources.feed.source import FeedSource  # noqa: PLC0415 - as above
    from cormorant.sources.web.auth.session import Session  # noqa: PLC0415 - as above
    from cormorant.sources.web.linked_pages import LinkedPageSource  # noqa: PLC0415 - as above
    from cormorant.sources.web.settings.web import WebSettings  # noqa: PLC0415 - as above

    def made(number: int, settings: FeedSettings, tools: Tools) -> Source:
        pages = None
        if settings.content == "link":
            given = parse_settings(WebSettings, settings.page_settings)
            session = Session(number, given, tools.secrets, tools.run) if tools.secrets is not None else None
            pages = LinkedPageSource(number, given, tools.fetcher, tools.clock, session=session)
        return FeedSource(number, settings, tools, pages)

    return SourceKind(
        "feed", FeedSource.about, FeedSettings, made, scheme="feed:", advice=FeedSource.advice,
        unlisted=absence_of, noun=FeedSource.noun,
    )  # fmt: skip


def _jsonlines(settings: JsonLinesSettings, tools: ReceiverTools) -> Receiver:  # noqa: ARG001 - needs no tools
    return JsonLinesReceiver(settings)


def kind_of(source: type[BaseSource[Any]]) -> SourceKind:
    """Return the kind that a subclass of BaseSource is."""
    scheme = f"{source.kind}:"
    gone = f"Nothing to do if the {source.noun} was removed on purpose; the next crawl finds it if it comes back."
    return SourceKind(
        source.kind, source.about, source.Settings, source, source.look, scheme=scheme,
        advice={Status.NOT_FOUND: gone, Status.GONE: gone, **source.advice}, declared=source.declared,
        meant_by=source.meant_by, live=source.live, unlisted=absence_of, noun=source.noun,
    )  # fmt: skip


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


SOURCES: Final = BuiltInKinds(
    {
        "web": "cormorant.sources.web.kind:WEB",
        "files": "cormorant.sources.files.kind:FILES",
        "mail": "cormorant.sources.mail.source:MAIL",
        "table": "cormorant.sources.table.source:TABLE",
        "feed": _feed,
        "warc": "cormorant.sources.warc.source:ArchiveSource",
        "federated": "cormorant.sources.federated.source:FederatedSource",
        "ftp": "cormorant.sources.ftp.source:FtpSource",
        "git": "cormorant.sources.git.source:GitSource",
        "github": "cormorant.sources.github.source:GitHubSource",
        "gitlab": "cormorant.sources.gitlab.source:GitLabSource",
        "mediawiki": "cormorant.sources.mediawiki.source:MediaWikiSource",
        "program": "cormorant.sources.program.source:ProgramSource",
        "push": "cormorant.sources.push.source:PushSource",
        "s3": "cormorant.sources.s3.source:S3Source",
        "sftp": "cormorant.sources.sftp.source:SftpSource",
        "smb": "cormorant.sources.smb.source:SmbSource",
        "webdav": "cormorant.sources.webdav.source:WebDavSource",
    },
    _source_of,
)
_SCHEMES: Final = {"file": "files"}
"""Schemes of addresses that are not called as their kind of source is."""
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
    """Return the name of a media type's format, built in or of a plug-in, for people; "" for a type without one."""
    found = FORMATS.of(mime) or BY_MEDIA_TYPE.get(mime)
    return found.label if found is not None else TIKA_LABELS.get(mime, "")


def kind_advice(status: int, address: str) -> str:
    """Return what to do about a status where the kind of source that an address belongs to says so, else ""."""
    scheme = address.partition(":")[0]
    name = _SCHEMES.get(scheme, scheme)
    if name not in SOURCES and name not in _SOURCES.added_names():
        return ""
    with suppress(PluginUnusable):
        kind = _SOURCES.get(name)
        return kind.advice.get(status, "") if kind.scheme == f"{scheme}:" else ""
    return ""


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
