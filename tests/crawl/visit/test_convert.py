"""Which documents are read, where, and what is said of those that are not."""

from __future__ import annotations

import asyncio

import pytest

from cormorant.base.profiling import unmeasured
from cormorant.crawl.visit.convert import Converter
from cormorant.model.content import Content, Extraction, VisitTrace
from cormorant.model.outcome import Excluded, Failed, OutcomeKind
from cormorant.model.resource import Resource
from cormorant.sandbox.client import ChildPool
from tests.crawl.samples import NEVER_SEEN, web_source

BINARY = bytes(range(256)) * 4


@pytest.mark.parametrize(
    ("mime", "body", "status", "outcome"),
    [
        ("text/html", BINARY, 1009, OutcomeKind.FAILED),
        ("text/plain; charset=utf-8", BINARY, 1009, OutcomeKind.FAILED),
        ("application/octet-stream", BINARY, 1001, OutcomeKind.EXCLUDED),
        ("image/png", b"\x89PNG\r\n\x1a\n" + BINARY, 1001, OutcomeKind.EXCLUDED),
        ("text/html", b"\x89PNG\r\n\x1a\n" + BINARY, 1001, OutcomeKind.EXCLUDED),
        ("image/png", b"", 1001, OutcomeKind.EXCLUDED),
    ],
)  # fmt: skip
def test_what_is_not_read(mime: str, body: bytes, status: int, outcome: OutcomeKind) -> None:
    content = Content("https://a.example/x", body, mime)
    said = asyncio.run(Converter(ChildPool({}), unmeasured).read(content, web_source(), VisitTrace()))
    assert isinstance(said, Excluded | Failed)
    assert (said.status, said.kind) == (status, outcome)


@pytest.mark.parametrize(("body", "read"), [(b"%PDF-1.7 and so on", False), (b"<p>Only its beginning", True)])
def test_of_what_was_cut_short_only_text_is_read(body: bytes, read: bool) -> None:
    content = Content("https://a.example/x", body, "", truncated=True)
    said = asyncio.run(Converter(ChildPool({}), unmeasured).read(content, web_source(), VisitTrace()))
    assert isinstance(said, tuple) == read
    if isinstance(said, Excluded):
        assert (said.status, said.ruling.rule) == (960, "cut short, and application/pdf cannot be read in part")


def test_a_page_is_a_copy_only_of_what_stands_inside_the_boundary() -> None:
    asked: list[str] = []

    def stands(_resource: Resource, address: str) -> bool | None:
        asked.append(address)
        return None if address.endswith("/silent") else address.endswith("/real")

    reader, source = Converter(ChildPool({}), unmeasured, stands), web_source()
    here = NEVER_SEEN._replace(address="https://a.example/x")
    content = Content(here.address, b"", "text/html")

    def judged(canonical: str, before: int = 200) -> tuple[int, bool]:
        ruling = reader.judged(source, here._replace(status=before), content, Extraction("", canonical=canonical))
        return ruling.status, ruling.lasting

    assert judged("https://a.example/real") == (910, False)
    assert judged("https://a.example/missing") == (0, False)
    assert (judged("https://b.example/real"), judged(here.address), judged("")) == ((0, True),) * 3
    assert asked == ["https://a.example/real", "https://a.example/missing"]
    assert judged("https://a.example/silent") == (0, False), "it stays what it was"
    assert judged("https://a.example/silent", before=910) == (910, False)


@pytest.mark.parametrize("canonical", ["/x?PHPSESSID=1f2e3d4c5b6a79881f2e3d4c", "/shown", "/x"])
def test_a_page_is_no_copy_of_itself_however_it_is_written(canonical: str) -> None:
    here = NEVER_SEEN._replace(address="https://a.example/x", display="https://a.example/shown")
    said = Extraction("", canonical=f"https://a.example{canonical}")
    reader = Converter(ChildPool({}), unmeasured, lambda *_: True)
    ruling = reader.judged(web_source(), here, Content(here.address, b"", "text/html"), said)
    assert (ruling.admitted, ruling.lasting) == (True, True), "else it is read in full in every run"


@pytest.mark.parametrize("body", [b"", b" \n\t "])
@pytest.mark.parametrize(
    ("mime", "name"),
    [
        ("text/html", "a.html"), ("text/plain", "a.txt"), ("text/markdown", "a.md"), ("text/csv", "a.csv"),
        ("application/json", "a.json"), ("text/xml", "a.xml"), ("application/pdf", "a.pdf"), ("", "a"),
    ],
)  # fmt: skip
def test_what_is_empty_is_called_by_its_name_and_says_nothing(mime: str, name: str, body: bytes) -> None:
    content, wire = Content(f"file:///srv/{name}", body, mime, file_name=name), VisitTrace()
    said = asyncio.run(Converter(ChildPool({}), unmeasured).read(content, web_source(), wire))
    assert isinstance(said, tuple)
    assert (said[1].title, said[1].text, wire.conversions) == (name, "", 0)


@pytest.mark.parametrize(
    ("meta", "agent", "admitted"),
    [
        ("acme", "acme", False), ("ACME", "Acme", False), ("acme", "cormorant", True), ("cormorant", "acme", True),
        ("cormorant", "cormorant", False), ("robots", "acme", False),
    ],
)  # fmt: skip
def test_a_page_speaks_to_our_robot_by_its_name(meta: str, agent: str, admitted: bool) -> None:
    source = web_source(robots_agent=agent)
    content = Content("https://a.example/x", f"<meta name={meta} content=noindex><p>text".encode(), "text/html")
    said = asyncio.run(Converter(ChildPool({}), unmeasured).read(content, source, VisitTrace()))
    assert isinstance(said, tuple)
    ruling = source.gates.index(*said)
    assert (ruling.admitted, ruling.status) == ((True, 0) if admitted else (False, 971))
