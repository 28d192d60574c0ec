"""Multi-status answers to PROPFIND (RFC 4918 13 and 14), whatever form the addresses in them have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from cormorant.net.http.headers import http_date
from cormorant.sources.remote.protocol import ConnectionBroken
from cormorant.sources.xml_answer import parse_answer

PROPFIND: Final = (
    b'<?xml version="1.0" encoding="utf-8"?>'
    b'<propfind xmlns="DAV:" xmlns:o="http://owncloud.org/ns"><prop><resourcetype/><getcontentlength/>'
    b"<getlastmodified/><getetag/><o:fileid/></prop></propfind>"
)
"""The properties that are asked for; a server says of those it has not that they are not found."""
_DAV: Final = "{DAV:}"
_FILE_ID: Final = "{http://owncloud.org/ns}fileid"
_AUTHORITY: Final = re.compile(r"\A(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*")


class DavMember(NamedTuple):
    """A resource of an answer: the names of its path, and its properties; `is_known`: the server sent them."""

    path: tuple[bytes, ...]
    is_folder: bool = False
    is_known: bool = True
    etag: str = ""
    size: str = ""
    modified: str = ""
    file_id: str = ""

    @property
    def modified_at(self) -> float | None:
        """The time at which its content was written, in epoch seconds; None where that is not known."""
        return http_date(self.modified)


def members_of(body: bytes) -> list[DavMember]:
    """Return every resource of an answer. Raises ConnectionBroken for one that cannot be read."""
    try:
        root = parse_answer(body)
    except ValueError as error:
        raise ConnectionBroken(f"The server's listing is no XML that can be read: {error}.") from error
    if root.tag != f"{_DAV}multistatus":
        raise ConnectionBroken("The server answered something else than a listing. Is the url that of a WebDAV folder?")
    return [found for each in root.iterfind(f"{_DAV}response") for found in _members(each)]


def below(members: Sequence[DavMember], asked: tuple[bytes, ...]) -> Iterator[tuple[bytes, DavMember]]:
    """Yield the members of the folder that was asked for, with their names.

    A proxy may have given the folder another path than that of the answer: then the shortest one is the folder itself.
    """
    paths = [each.path for each in members]
    base = asked if all(path[: len(asked)] == asked for path in paths) else min(paths, key=len, default=asked)
    for each in members:
        if len(each.path) == len(base) + 1 and each.path[:-1] == base:
            yield each.path[-1], each


def path_of_href(href: str) -> tuple[bytes, ...]:
    """Return the names of an address: absolute, or its path alone, with or without a slash at its end."""
    path = _AUTHORITY.sub("", href.strip(), count=1).partition("?")[0].partition("#")[0]
    return tuple(unquote_to_bytes(each) for each in path.split("/") if each)


def _members(response: Any) -> Iterator[DavMember]:
    """Yield the resources of one response: one with properties, or several with one status."""
    properties = next(
        (each.find(f"{_DAV}prop") for each in response.iterfind(f"{_DAV}propstat") if _is_well(each)), None
    )
    for href in response.iterfind(f"{_DAV}href"):
        path = path_of_href(href.text or "")
        yield DavMember(path, is_known=False) if properties is None else _member(path, properties)


def _is_well(propstat: Any) -> bool:
    words = (propstat.findtext(f"{_DAV}status") or "").split()
    return len(words) > 1 and words[1] == "200"


def _member(path: tuple[bytes, ...], properties: Any) -> DavMember:
    return DavMember(
        path,
        properties.find(f"{_DAV}resourcetype/{_DAV}collection") is not None,
        etag=_text(properties, f"{_DAV}getetag").removeprefix("W/").strip('"'),
        size=_text(properties, f"{_DAV}getcontentlength"),
        modified=_text(properties, f"{_DAV}getlastmodified"),
        file_id=_text(properties, _FILE_ID),
    )


def _text(properties: Any, name: str) -> str:
    return (properties.findtext(name) or "").strip()[:200]
