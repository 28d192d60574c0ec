"""WebDAV source: files of a server that speaks RFC 4918."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import xxhash

from cormorant.base.errors import Unreachable
from cormorant.model.content import VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import Resource
from cormorant.model.status import Status
from cormorant.model.url import origin_of
from cormorant.net.egress.policy import Consent
from cormorant.net.http.http_session import HttpSession
from cormorant.net.http.messages import Response
from cormorant.sources.kind import Tools
from cormorant.sources.remote.http_exchange import answered, fetched, file_of, request_of
from cormorant.sources.remote.http_source import HttpFilesSource
from cormorant.sources.remote.protocol import EntryKind, RemoteClient, RemoteEntry, RemoteFile, RemoteRefusal
from cormorant.sources.webdav.login import DavLogin
from cormorant.sources.webdav.multistatus import PROPFIND, DavMember, below, members_of, path_of_href
from cormorant.sources.webdav.settings import WebDavSettings

_XML: Final = "Content-Type: application/xml; charset=utf-8"
_NO_ANSWER: Final = RemoteRefusal(Status.UNREADABLE, "The server's listing leaves out what some of its entries are.")


class DavClient:
    """Lists folders of one server over a kept connection."""

    def __init__(self, settings: WebDavSettings, session: HttpSession, login: DavLogin, consent: Consent) -> None:
        self._settings, self._session, self._login, self._consent = settings, session, login, consent
        self._naming = settings.naming
        self._permalink = _permalink(settings)

    def identity(self) -> str:
        """Return the number of the root folder, where the server has one."""
        found = members_of(self._propfind((), 0).body)
        if not found or not found[0].is_folder:
            raise RemoteRefusal(Status.COLLECTION, "It is no folder.")
        return found[0].file_id

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        """Yield the entries of a folder. Raises RemoteRefusal at the end when the server left some of them open."""
        members = members_of(self._propfind(folder, 1).body)
        is_whole = True
        for name, member in below(members, path_of_href(self._naming.address(folder))):
            is_whole = is_whole and member.is_known and not _is_strange(name)
            if member.is_known and not _is_strange(name):
                yield self._entry(folder, name, member)
        if not is_whole:
            raise _NO_ANSWER

    def read(self, parts: Sequence[bytes], limit: int) -> RemoteFile:
        """Return a file, from code without an event loop."""
        request = request_of(self._settings, self._consent, self._naming.address(parts))
        cut = request._replace(max_bytes=limit, cut=self._settings.too_big == "cut")
        return file_of(answered(self._session.send, cut, self._login), limit)

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def _propfind(self, folder: Sequence[bytes], depth: int) -> Response:
        url = self._naming.address([*folder, b""]) if folder else self._naming.root
        request = request_of(self._settings, self._consent, url, (f"Depth: {depth}", _XML), method="PROPFIND")
        got = answered(self._session.send, request._replace(body=PROPFIND), self._login)
        if got.status != 207:
            raise RemoteRefusal(Status.UNREADABLE, "The server does not list it. Is the url that of a WebDAV folder?")
        return got

    def _entry(self, folder: Sequence[bytes], name: bytes, member: DavMember) -> RemoteEntry:
        if member.is_folder:
            return RemoteEntry((name,), EntryKind.FOLDER)
        display = f"{self._permalink}{member.file_id}" if self._permalink and member.file_id.isdigit() else ""
        return RemoteEntry((name,), EntryKind.FILE, _version(folder, name, member), display=display)


class WebDavSource(HttpFilesSource[WebDavSettings]):
    """A folder of a WebDAV server."""

    kind, about = "webdav", "Files of a WebDAV server, like Nextcloud or Apache."
    Settings = WebDavSettings

    def __init__(self, number: int, settings: WebDavSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self.shows_otherwise = bool(_permalink(settings))
        self._login: DavLogin | None = None

    def connect(self) -> RemoteClient:
        """Return a client with a connection of its own."""
        if self.tools.egress is None:
            raise Unreachable("Nothing may be connected to here.")
        return DavClient(self.settings, HttpSession(self.tools.egress), self._made_login(), self._consent)

    async def read(self, parts: Sequence[bytes], resource: Resource, wire: VisitTrace) -> RemoteFile | Outcome:  # noqa: ARG002 - its path is enough
        """Get a file."""
        settings = self.settings
        self._login = self._login or self._made_login()
        request = request_of(settings, self._consent, self.naming.address(parts))
        cut = request._replace(max_bytes=settings.max_size_bytes, cut=settings.too_big == "cut")
        got = await fetched(self.fetcher, cut, self._login, wire, self.tools.clock)
        return file_of(got, settings.max_size_bytes) if isinstance(got, Response) else got

    def _made_login(self) -> DavLogin:
        settings = self.settings
        return DavLogin(settings.user, self.secret(settings.password), str(origin_of(settings.url)))


def _version(folder: Sequence[bytes], name: bytes, member: DavMember) -> str:
    """Return the version of a file: with its number it is known where it was moved to, else its path belongs to it."""
    if not member.etag and not member.modified:
        return ""
    where = member.file_id or xxhash.xxh3_64_hexdigest(b"/".join((*folder, name)))
    return f"{member.etag or member.modified}-{member.size}-{where}"


def _permalink(settings: WebDavSettings) -> str:
    """Return how addresses of files begin that people open in Nextcloud, the number of a file behind; else ""."""
    base, mark, _ = settings.url.partition("/remote.php/dav/")
    return f"{base}/f/" if mark and not settings.display_prefix else ""


def _is_strange(name: bytes) -> bool:
    return name in (b".", b"..") or b"/" in name or b"\0" in name
