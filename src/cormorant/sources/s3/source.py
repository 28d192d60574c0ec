"""S3 source: objects of a bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

import xxhash

from cormorant.base.clock import Clock
from cormorant.base.errors import Unreachable
from cormorant.model.content import VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import Resource
from cormorant.model.status import Status
from cormorant.net.egress.policy import Consent
from cormorant.net.http.http_session import HttpSession
from cormorant.net.http.messages import Request, Response
from cormorant.sources.remote.http_exchange import answered, fetched, file_of, request_of
from cormorant.sources.remote.http_source import HttpFilesSource
from cormorant.sources.remote.protocol import EntryKind, RemoteClient, RemoteEntry, RemoteFile, RemoteRefusal
from cormorant.sources.s3.answers import ListingPage, StoredObject, StoredVersion, page_of, refusal_of, versions_page_of
from cormorant.sources.s3.object_urls import VersionedName, strictly_quoted, version_of
from cormorant.sources.s3.settings import S3Settings
from cormorant.sources.s3.signer import AwsKey, signed_headers

MAX_KEYS: Final = 1_000
"""Keys of one page; no store gives more."""
_NO_FOLDER: Final = RemoteRefusal(Status.BAD_REQUEST, "A store of objects has no folders.")
_DOTS: Final = RemoteRefusal(Status.BAD_REQUEST, "A key with a part of dots alone cannot be asked for by HTTP.")


class S3Signer:
    """Signs requests of one source with its key, or leaves them as they are where it has none."""

    def __init__(self, settings: S3Settings, key: AwsKey, clock: Clock) -> None:
        self._settings, self._key, self._clock = settings, key, clock

    def lines(self, request: Request) -> tuple[str, ...]:
        """Return the header lines of a signature."""
        if not self._key.name:
            return ()
        made = signed_headers(self._key, self._settings.region, request.url, self._clock.now())
        return tuple(f"{name}: {value}" for name, value in made.items())

    def challenged(self, response: Response, sent: tuple[str, ...]) -> bool:  # noqa: ARG002 - a store does not ask
        """A signature is right at once, or wrong."""
        return False

    def refusal(self, response: Response) -> Exception | None:
        """Return why a request was refused."""
        return refusal_of(response, str(self._settings.place))


class S3Client:
    """Lists the objects of one bucket over a kept connection."""

    def __init__(self, settings: S3Settings, session: HttpSession, signer: S3Signer, consent: Consent) -> None:
        self._settings, self._session, self._signer, self._consent = settings, session, signer, consent

    def identity(self) -> str:
        """See that the bucket can be listed; it is known by its name."""
        self._page("", 1)
        return ""

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        """Yield every object below the prefix; those that stand for a folder are none."""
        if folder:
            raise _NO_FOLDER
        if self._settings.older:
            yield from with_versions(self._versions(), self._settings.prefix, self._settings.older)
            return
        token = ""
        while True:
            page = self._page(token, MAX_KEYS)
            for each in page.objects:
                if parts := _parts(each, self._settings.prefix):
                    yield RemoteEntry(parts, EntryKind.FILE, _version(each))
            if not page.next_token:
                return
            if page.next_token == token:
                raise Unreachable("The store gives one page of its listing again and again. Check endpoint.")
            token = page.next_token

    def read(self, parts: Sequence[bytes], limit: int) -> RemoteFile:
        """Return an object, from code without an event loop."""
        request = object_request(self._settings, self._consent, parts)
        return file_of(answered(self._session.send, request, self._signer), limit)

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def _page(self, token: str, most: int) -> ListingPage:
        query = {"encoding-type": b"url", "list-type": b"2", "max-keys": str(most).encode()}
        if self._settings.prefix:
            query["prefix"] = self._settings.prefix
        if token:
            query["continuation-token"] = token.encode()
        return page_of(self._answer(query))

    def _versions(self) -> Iterator[StoredVersion]:
        """Yield every version of every object, key by key and the newest first (ListObjectVersions)."""
        query = {"encoding-type": b"url", "max-keys": str(MAX_KEYS).encode(), "versions": b""}
        if self._settings.prefix:
            query["prefix"] = self._settings.prefix
        behind: tuple[bytes, str] | None = None
        while True:
            marks = {"key-marker": behind[0], "version-id-marker": behind[1].encode()} if behind else {}
            page = versions_page_of(self._answer(query | {name: value for name, value in marks.items() if value}))
            yield from page.versions
            if page.following is None:
                return
            if page.following == behind:
                raise Unreachable("The store gives one page of its listing again and again. Check endpoint.")
            behind = page.following

    def _answer(self, query: Mapping[str, bytes]) -> bytes:
        url = f"{self._settings.request_url()}?{_query(query)}"
        return answered(self._session.send, request_of(self._settings, self._consent, url), self._signer).body


class S3Source(HttpFilesSource[S3Settings]):
    """A folder of a bucket."""

    kind, about = "s3", "Objects of Amazon S3, MinIO, Ceph and stores like these."
    Settings = S3Settings
    one_listing: ClassVar[bool] = True

    _signer: S3Signer | None = None

    def connect(self) -> RemoteClient:
        """Return a client with a connection of its own."""
        if self.tools.egress is None:
            raise Unreachable("Nothing may be connected to here.")
        return S3Client(self.settings, HttpSession(self.tools.egress), self._made_signer(), self._consent)

    async def read(self, parts: Sequence[bytes], resource: Resource, wire: VisitTrace) -> RemoteFile | Outcome:  # noqa: ARG002 - its key is enough
        """Get an object."""
        self._signer = self._signer or self._made_signer()
        request = object_request(self.settings, self._consent, parts)
        got = await fetched(self.fetcher, request, self._signer, wire, self.tools.clock)
        if not isinstance(got, Response):
            return got
        file, version = file_of(got, self.settings.max_size_bytes), version_of(parts)
        return file._replace(attributes={"Version": version}) if version else file

    def _made_signer(self) -> S3Signer:
        settings = self.settings
        key = AwsKey(settings.access_key, self.secret(settings.secret_key), self.secret(settings.session_token))
        return S3Signer(settings, key, self.tools.clock)


def object_request(settings: S3Settings, consent: Consent, parts: Sequence[bytes]) -> Request:
    """Return the request for an object. Raises RemoteRefusal for a key that HTTP clients change on the way."""
    if any(part in (b".", b"..") for part in parts):
        raise _DOTS
    url, version = settings.request_url(settings.prefix + b"/".join(parts)), version_of(parts)
    if version:
        url += f"?versionId={strictly_quoted(version.encode(), '')}"
    request = request_of(settings, consent, url)
    return request._replace(max_bytes=settings.max_size_bytes, cut=settings.too_big == "cut")


def with_versions(versions: Iterable[StoredVersion], prefix: bytes, most: float) -> Iterator[RemoteEntry]:
    """Yield every object that is there, and up to `most` older versions of each. Deleted objects are left out."""
    key, older = None, 0
    for each in versions:
        parts = _parts(each.object, prefix)
        if not parts or each.is_marker:
            continue
        if each.is_latest:
            key, older = each.object.key, 0
            yield RemoteEntry(parts, EntryKind.FILE, _version(each.object))
        elif each.object.key == key and older < most and each.version:
            older += 1
            named = (*parts[:-1], VersionedName.of(parts[-1], each.version))
            yield RemoteEntry(named, EntryKind.FILE, f"{each.version}-{_version(each.object)}")


def _parts(found: StoredObject, prefix: bytes) -> tuple[bytes, ...]:
    """Return the parts of a key below the prefix; none for one elsewhere, or that stands for a folder."""
    is_object = found.key.startswith(prefix) and not found.key.endswith(b"/") and found.key != prefix
    return tuple(found.key[len(prefix) :].split(b"/")) if is_object else ()


def _version(found: StoredObject) -> str:
    """Return the version of an object: the hash that the store gives it, so that a moved one has the same."""
    if found.etag:
        return f"{found.etag}-{found.size}"
    return f"{found.size}-{found.modified}-{xxhash.xxh3_64_hexdigest(found.key)}"


def _query(values: Mapping[str, bytes]) -> str:
    return "&".join(f"{name}={strictly_quoted(value, '')}" for name, value in values.items())
