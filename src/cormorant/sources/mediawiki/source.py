"""MediaWiki source: pages of a wiki, and the files in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cormorant.model.acl import ACL
from cormorant.model.content import Content
from cormorant.model.outcome import Gone, Outcome
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.model.status import Status
from cormorant.net.http.headers import content_type
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Exchange
from cormorant.sources.json_api.record import JsonRecord
from cormorant.sources.json_api.source import ApiSource, Changes, Listing, Marks, shown, version_of
from cormorant.sources.mediawiki.client import FILE, MediaWikiClient
from cormorant.sources.mediawiki.listing import PageEntry, changed_since, clock_of, titles_of
from cormorant.sources.mediawiki.page import about, attributes, rendered
from cormorant.sources.mediawiki.settings import MediaWikiSettings

_SINCE: Final = "since"
_MEDIA: Final = ("image/", "audio/", "video/")
_NO_FILE: Final = (
    "The wiki does not give the file to this login. A bot password opens the API alone: let everybody read files, or "
    "set user and password of an account, without a bot."
)
_WITH_TEXT: Final = frozenset(("image/svg+xml", "image/vnd.djvu"))


class MediaWikiSource(ApiSource[MediaWikiSettings, MediaWikiClient]):
    """Pages and files of one wiki."""

    kind, about = "mediawiki", "Pages and files of a MediaWiki."
    Settings = MediaWikiSettings

    def client(self) -> MediaWikiClient:
        """Return a client that is not logged in yet."""
        settings = self.settings
        return MediaWikiClient(settings, self.secret(settings.token), self.secret(settings.password), self.tools.clock)

    def listing(self, client: MediaWikiClient, session: DiscoverySession) -> Listing:
        """Yield the pages of each namespace."""
        since = yield from clock_of(client, session)
        rights = yield from session.follow(_rights(client))
        for number in sorted(rights):
            for entries in titles_of(client, session, number):
                yield self._named(client, entries, rights)
        return {_SINCE: since}

    def changes(self, client: MediaWikiClient, session: DiscoverySession, marks: Marks) -> Changes:
        """Yield the pages that changed, and those that are gone."""
        since = yield from clock_of(client, session)
        rights = yield from session.follow(_rights(client))
        batches = changed_since(client, session, str(marks.get(_SINCE, "")))
        try:
            while True:
                yield self._named(client, next(batches), rights)
        except StopIteration as stop:
            return {_SINCE: since} if stop.value else None

    def document(self, client: MediaWikiClient, key: str, resource: Resource) -> Exchange[Content | Outcome]:
        """Ask for a page, or for the file of one."""
        page = yield from about(client, key)
        if not page or page.flag("missing") or page.flag("redirect"):
            return Gone()
        acl = (yield from _rights(client)).get(page.number("ns"))
        files = page.records("imageinfo") if page.number("ns") == FILE else []
        if files and not self._is_only_seen(files[0].line("mime")):
            return (yield from self._file(client, resource.address, page, acl))
        return (yield from rendered(client, resource.address, page, acl))

    def _file(self, client: MediaWikiClient, address: str, page: JsonRecord, acl: ACL | None) -> Exchange[Content]:
        """Ask for the newest version of a file; the token goes with it to the wiki's own host only."""
        file, limit = page.records("imageinfo")[0], self.settings.max_size_bytes
        if file.number("size") > limit:
            raise ApiFault(Status.TOO_BIG, f"max_size_bytes = {limit}")
        url = client.absolute(file.text("url"))
        if not url:
            raise ApiFault(Status.BAD_RELATIVE_ADDRESS, "The wiki names no address of the file.")
        try:
            got = yield from client.got(client.request(url)._replace(max_bytes=limit))
        except ApiFault as fault:
            if fault.status == Status.FORBIDDEN:
                fault.reason = _NO_FILE
            raise
        name = page.text("title").partition(":")[2]
        found = attributes(page) | {"Author": file.line("user"), "Description": file.line("comment")}
        return Content(
            address,
            got.body,
            file.line("mime") or content_type(got.headers.get("content-type"))[0],
            modified_at=file.at("timestamp"),
            acl=acl,
            directives=("nofollow",),
            file_name=name,
            given_name=name,
            attributes={name: value for name, value in found.items() if value},
        )

    def _is_only_seen(self, mime: str) -> bool:
        """Return whether a file is found by the page that describes it, since nobody reads a text in it."""
        return mime.startswith(_MEDIA) and mime not in _WITH_TEXT and not self.settings.ocr_engine

    def _named(
        self, client: MediaWikiClient, entries: Iterable[PageEntry], rights: dict[int, ACL | None]
    ) -> list[DiscoveredUrl | Removal]:
        named: list[DiscoveredUrl | Removal] = []
        for each in entries:
            if each.namespace not in rights:
                continue
            if not each.is_there:
                named.append(Removal(self.address_of(each.title)))
                continue
            version = version_of(each.title, each.revision, each.sha1, acl=rights[each.namespace])
            named.append(self.found(each.title, version, shown(each.url) or client.page_address(each.title)))
        return named


def _rights(client: MediaWikiClient) -> Exchange[dict[int, ACL | None]]:
    """Return who may read the pages of each namespace of the source, None for everybody whom the source admits."""
    chosen = yield from client.chosen()
    return {each.number: client.settings.grants_of(set(each.names)) for each in chosen}
