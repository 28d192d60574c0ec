"""Start addresses that are feeds."""

from __future__ import annotations

import time

import pytest

from cormorant.model.content import Content
from cormorant.model.resource import Resource, Role
from cormorant.sources.web.feeds import HEAD, is_feed, seen

ATOM = b'<feed xmlns="http://www.w3.org/2005/Atom">'


@pytest.mark.parametrize(
    "body",
    [
        b"<rss version='2.0'>", b"\xef\xbb\xbf \n<?xml version='1.0'?><rss><channel>", b"<RSS>", ATOM,
        b"<?xml version='1.0'?><!-- <html> --><?xml-stylesheet href='a.xsl'?>\n<!-- b -->" + ATOM,
        b"<!DOCTYPE rss PUBLIC '-//N//D' 'a.dtd' [ <!ENTITY nbsp '&#160;'> ]><rss>", b"<!doctype rss><rss>",
        b"<a:feed xmlns:a='http://www.w3.org/2005/Atom'>", b"<feed version='0.3' xmlns='http://purl.org/atom/ns#'>",
        b"<rdf:RDF xmlns:rdf='x' xmlns='http://purl.org/rss/1.0/'>",
        b'{"version": "https://jsonfeed.org/version/1.1", "items": []}',
        b'{"version":"https:\\/\\/jsonfeed.org\\/version\\/1","items":[]}',
        "\ufeff<?xml version='1.0' encoding='utf-16'?><rss>".encode("utf-16-le"),
    ],
)  # fmt: skip
def test_feeds_are_known_by_how_they_begin(body: bytes) -> None:
    assert is_feed(body)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html><rss>", b"<!doctype html><html><body><rss>", b"text <rss>", b"<rsss>", b"<urlset><rss>",
        b"<feed><animal/></feed>", b"<rdf:RDF xmlns:foaf='http://xmlns.com/foaf/0.1/'>", b"<!-- <rss>", b"{}", b"[1]",
        b'{"items": []}', b"<?xml version='1.0'?><opml><rss>", b"%PDF-1.7 <rss>",
    ],
)  # fmt: skip
def test_other_documents_are_none(body: bytes) -> None:
    assert not is_feed(body)


@pytest.mark.parametrize(
    "piece", [b"<!-- --> ", b"<!--", b"<?x?>", b"<!DOCTYPE x [", b" ", b"<!DOCTYPE a>", b"<a:", b"a."]
)
def test_hostile_beginnings_are_read_in_time(piece: bytes) -> None:
    began = time.perf_counter()
    is_feed(piece * HEAD)
    is_feed(b"<" + piece * HEAD)
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize(("role", "depth", "lists"), [
    (Role.DOCUMENT, 0, True), (Role.DOCUMENT, 1, False), (Role.SITEMAP, 0, False), (Role.PROBE, 0, False),
])  # fmt: skip
def test_only_a_start_address_is_read_as_a_list(role: Role, depth: int, *, lists: bool) -> None:
    resource = Resource(1, 1, 1, "http://a.example/f", role, depth, 0, 0, 0, "", "", "", b"", b"", 0, indexed=False)
    assert seen(resource, Content("http://a.example/f", b"<rss>", "text/xml")).lists == lists
    assert not seen(resource, Content("http://a.example/f", b"<html>", "text/html")).lists
