"""Answers to PROPFIND in the forms that servers give them."""

from __future__ import annotations

import pytest

from cormorant.sources.remote.protocol import ConnectionBroken
from cormorant.sources.webdav.multistatus import below, members_of, path_of_href

ANSWER = """<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns">{}</d:multistatus>"""
FOLDER = (
    "<d:response><d:href>{}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop>"
    "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
)
FILE = (
    "<d:response><d:href>{}</d:href><d:propstat><d:prop><oc:fileid/></d:prop><d:status>HTTP/1.1 404 Gone</d:status>"
    '</d:propstat><d:propstat><d:prop><d:resourcetype/><d:getetag>W/"e1"</d:getetag>'
    "<d:getcontentlength>12</d:getcontentlength><d:getlastmodified>Sat, 28 Nov 2026 12:00:00 GMT</d:getlastmodified>"
    "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
)
REFUSED = "<d:response><d:href>{}</d:href><d:status>HTTP/1.1 403 Forbidden</d:status></d:response>"


@pytest.mark.parametrize(
    ("href", "path"),
    [
        ("/dav/a%20b/", (b"dav", b"a b")),
        ("https://cloud.example.org/dav/a%20b", (b"dav", b"a b")),
        ("http://cloud:8080/dav/%C3%BC?x#y", (b"dav", b"\xc3\xbc")),
        ("//cloud/dav/", (b"dav",)),
        ("/dav/caf%E9/a%2Fb", (b"dav", b"caf\xe9", b"a/b")),
        ("/dav/a:b://c", (b"dav", b"a:b:", b"c")),
        ("", ()),
    ],
)
def test_forms_of_addresses(href: str, path: tuple[bytes, ...]) -> None:
    assert path_of_href(href) == path


def test_properties() -> None:
    folder, file = members_of(ANSWER.format(FOLDER.format("/dav/") + FILE.format("/dav/a.txt")).encode())
    assert folder.is_folder
    assert (file.is_folder, file.etag, file.size, file.modified_at, file.file_id) == (
        False,
        "e1",
        "12",
        1795867200.0,
        "",
    )


@pytest.mark.parametrize("self_href", ["/dav/docs/", "https://other/dav/docs", "/dav/docs"])
def test_members_are_those_of_the_folder(self_href: str) -> None:
    hrefs = ["/dav/docs/a.txt", "https://other/dav/docs/b%20c.txt", "/dav/docs/deep/d.txt", "/elsewhere/e.txt"]
    body = FOLDER.format(self_href) + "".join(map(FILE.format, hrefs))
    names = [name for name, _ in below(members_of(ANSWER.format(body).encode())[:3], (b"dav", b"docs"))]
    assert names == [b"a.txt", b"b c.txt"]


def test_a_proxy_may_have_given_the_folder_another_path() -> None:
    body = FOLDER.format("/inner/docs/") + FILE.format("/inner/docs/a.txt")
    members = members_of(ANSWER.format(body).encode())
    assert [name for name, _ in below(members, (b"dav", b"docs"))] == [b"a.txt"]


def test_a_refused_member_is_not_known() -> None:
    (member,) = members_of(ANSWER.format(REFUSED.format("/dav/docs/x")).encode())
    assert not member.is_known


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"<html/>", b'<!DOCTYPE a [<!ENTITY x "y">]><d:multistatus xmlns:d="DAV:"/>']
)
def test_what_is_no_answer(body: bytes) -> None:
    with pytest.raises(ConnectionBroken):
        members_of(body)
