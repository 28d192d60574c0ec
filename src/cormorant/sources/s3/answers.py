"""Answers of S3: pages of a listing (ListObjectsV2), and errors with what to do about them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.status import Status
from cormorant.net.http.messages import Response
from cormorant.sources.remote.protocol import ConnectionBroken, RemoteRefusal
from cormorant.sources.xml_answer import parse_answer


class StoredObject(NamedTuple):
    """An object of a listing."""

    key: bytes
    etag: str
    size: str
    modified: str


class ListingPage(NamedTuple):
    """A page of a listing, and the token that the next one is asked for with, "" at the end."""

    objects: list[StoredObject]
    next_token: str


class StoredVersion(NamedTuple):
    """A version of an object; `is_marker`: it says that the object was deleted."""

    object: StoredObject
    version: str
    is_latest: bool
    is_marker: bool


class VersionsPage(NamedTuple):
    """A page of a listing of versions, and the key and the version that the next one begins behind, if there is one."""

    versions: list[StoredVersion]
    following: tuple[bytes, str] | None


_LOGIN: Final = {
    "InvalidAccessKeyId": "knows no such access_key",
    "SignatureDoesNotMatch": "refuses the signature: the secret_key is not that of the access_key",
    "ExpiredToken": "refuses the session_token, which has expired",
    "InvalidToken": "refuses the session_token",
    "TokenRefreshRequired": "refuses the session_token, which has to be renewed",
    "AccountProblem": "has closed the account of the access_key",
}
"""Errors of the login (Error Responses: List of Error Codes), with what the store says by them."""


def page_of(body: bytes) -> ListingPage:
    """Return a page. Raises ConnectionBroken for what is none."""
    root = _listing(body, "ListBucketResult")
    is_quoted = _text(root, "EncodingType") == "url"
    objects = [_object(each, is_quoted=is_quoted) for each in root if _name(each) == "Contents"]
    token = _text(root, "NextContinuationToken") if _text(root, "IsTruncated") == "true" else ""
    if not token and _text(root, "IsTruncated") == "true":
        raise ConnectionBroken("The store's listing ends in the middle, without the mark of its next page.")
    return ListingPage(objects, token)


def versions_page_of(body: bytes) -> VersionsPage:
    """Return a page of ListObjectVersions. Raises ConnectionBroken for what is none."""
    root = _listing(body, "ListVersionsResult")
    is_quoted = _text(root, "EncodingType") == "url"
    found = [
        StoredVersion(
            _object(each, is_quoted=is_quoted), _text(each, "VersionId")[:1_024], _text(each, "IsLatest") == "true",
            _name(each) == "DeleteMarker",
        )
        for each in root
        if _name(each) in ("Version", "DeleteMarker")
    ]  # fmt: skip
    if _text(root, "IsTruncated") != "true":
        return VersionsPage(found, None)
    following = _key(_text(root, "NextKeyMarker", strip=False), is_quoted=is_quoted)
    if not following:
        raise ConnectionBroken("The store's listing ends in the middle, without the mark of its next page.")
    return VersionsPage(found, (following, _text(root, "NextVersionIdMarker")))


def _listing(body: bytes, name: str) -> Any:
    try:
        root = parse_answer(body)
    except ValueError as error:
        raise ConnectionBroken(f"The store's listing is no XML that can be read: {error}.") from error
    if _name(root) != name:
        raise ConnectionBroken("The store answered something else than a listing. Check the setting endpoint.")
    return root


def refusal_of(response: Response, place: str) -> Exception | None:
    """Return what an error means and what to do; None where its status tells all."""
    code, region = _error_of(response)
    if code in _LOGIN:
        return LoginRefused(f"{place} {_LOGIN[code]}. Check access_key, secret_key and session_token.")
    if code == "RequestTimeTooSkewed":
        return Unreachable(f"The clock of {place} and that of this machine differ too much. Set this machine's clock.")
    if code in ("PermanentRedirect", "AuthorizationHeaderMalformed", "TemporaryRedirect"):
        where = f" Set region={region}." if region else " Check the settings region and endpoint."
        return Unreachable(f"{place} does not have the bucket, which is in another region.{where}")
    if code == "NoSuchBucket":
        return Unreachable(f"{place} has no such bucket. Check the setting url.")
    if code == "InvalidObjectState":
        return RemoteRefusal(Status.FORBIDDEN, "The object is in an archive, and has to be restored there first.")
    return None


def _error_of(response: Response) -> tuple[str, str]:
    """Return the code of an error and the region that it names, "" where there is none."""
    region = response.headers.get("x-amz-bucket-region")
    try:
        root = parse_answer(response.body[:100_000])
    except ValueError:
        return "", region
    named = _text(root, "Region") or region
    return _text(root, "Code"), named if named.replace("-", "").isalnum() else ""


def _object(element: Any, *, is_quoted: bool) -> StoredObject:
    raw = _key(_text(element, "Key", strip=False), is_quoted=is_quoted)
    etag = _text(element, "ETag").strip('"')[:200]
    return StoredObject(raw, etag, _text(element, "Size")[:30], _text(element, "LastModified")[:40])


def _key(text: str, *, is_quoted: bool) -> bytes:
    return unquote_to_bytes(text.replace("+", " ")) if is_quoted else text.encode()


def _text(element: Any, name: str, *, strip: bool = True) -> str:
    found = next((each.text or "" for each in element if _name(each) == name), "")
    return found.strip() if strip else found


def _name(element: Any) -> str:
    """Return the name of an element, whatever its namespace: stores differ in that."""
    return str(element.tag).rpartition("}")[2]
