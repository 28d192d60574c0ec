"""Documents pass the services of their source in order; what fails is named, and refused unless it may be kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.profiling import unmeasured
from cormorant.crawl.visit.convert import Converter, document_of
from cormorant.extract.services import registry
from cormorant.extract.services.protocol import DocumentService, DocumentVeto, ServiceDocument
from cormorant.model.content import Content, Extraction, VisitTrace
from cormorant.model.outcome import Excluded, Failed, Ok
from cormorant.model.status import Status
from cormorant.sandbox import start_server
from cormorant.sandbox.client import ChildPool
from tests.crawl.samples import NEVER_SEEN, web_source
from tests.journeys.plugins import announce

PAGE = b"""<title>Ada</title><meta name=author content="ada@example.org"><p>Call +49 30 1234567, case K-17.
<a href="/next">ada@example.org</a>"""
ADDRESS = "https://a.example/x"


def read(*lines: str, body: bytes = PAGE, pool: ChildPool | None = None, mime: str = "text/html") -> Any:
    source = web_source(services=list(lines))
    content = Content(ADDRESS, body, mime)
    return asyncio.run(Converter(pool or ChildPool({}), unmeasured).read(content, source, VisitTrace()))


def said(*lines: str, **given: Any) -> Extraction:
    found = read(*lines, **given)
    assert isinstance(found, tuple), found
    extraction = found[1]
    assert isinstance(extraction, Extraction)
    return extraction


class Refusing(DocumentService[Any]):
    def process(self, document: ServiceDocument) -> ServiceDocument | DocumentVeto:
        return DocumentVeto("it is a draft") if "K-17" in document.text else document


FAILING = """
from cormorant.plugins import DocumentService
class Failing(DocumentService):
    def process(self, document):
        raise RuntimeError(document.title)
class Endless(DocumentService):
    def process(self, document):
        while True: pass
class Wrong(DocumentService):
    def process(self, document):
        return document.changed(anchors=())
"""
ENTRIES = {
    "failing": "failing_services:Failing",
    "endless": "failing_services:Endless",
    "wrong": "failing_services:Wrong",
}


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChildPool]:
    """Children in which the services of a package run."""
    announce(tmp_path, "failing", "cormorant.services", ENTRIES, failing_services=FAILING)
    monkeypatch.syspath_prepend(tmp_path)
    task = "cormorant.extract.services.task:service_of"
    server = start_server((), {f"serve by {name}": f"{task} {reference}" for name, reference in ENTRIES.items()})
    yield ChildPool(server.addresses)
    server.stop()


@pytest.fixture(autouse=True)
def services(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.BUILT_IN, "refusing", Refusing)
    registry.steps_of.cache_clear()


def test_services_run_in_their_order() -> None:
    first = said("redact", "extract-attributes pattern='Case=K-[0-9]+' pattern='Mail=[a-z]+@[a-z.]+'")
    assert first.attributes == {"Author": "[removed]", "Case": "K-17"}
    other = said("extract-attributes pattern='Mail=[a-z]+@[a-z.]+'", "redact find=phone")
    assert other.attributes["Mail"] == "ada@example.org"
    assert [name for name, _ in first.services] == ["redact", "extract-attributes"]


def test_what_is_redacted_is_nowhere_and_its_original_is_withheld() -> None:
    found = said("redact")
    assert "1234567" not in found.text
    assert found.links[0].text == "[removed]"
    assert found.withheld
    assert not said().withheld


def test_a_document_that_is_withheld_from_now_on_is_a_change() -> None:
    source, content = web_source(), Content(ADDRESS, b"", "text/html")
    hashes = {
        document_of(source, NEVER_SEEN, content, Extraction("a", withheld=withheld, services=passed), b"").text_hash
        for withheld, passed in ((False, ()), (False, (("x", 0.1),)), (True, (("x", 0.1),)), (True, (("x", 0.2),)))
    }
    assert len(hashes) == 3, "the time that a service took is none"


def test_a_veto_excludes_by_name_and_links_are_followed() -> None:
    source = web_source(services=["redact", "refusing", "redact find=phone"])
    reader = Converter(ChildPool({}), unmeasured)
    content = Content(ADDRESS, PAGE, "text/html")
    found = asyncio.run(reader.read(content, source, VisitTrace()))
    assert isinstance(found, tuple)
    outcome = reader.outcome(source, NEVER_SEEN._replace(address=ADDRESS), *found, b"")
    assert isinstance(outcome, Excluded)
    assert (outcome.status, outcome.ruling.rule) == (982, "refusing: it is a draft")
    assert [link.address for link in outcome.follow] == ["https://a.example/next"]


def test_a_service_that_fails_is_named_and_its_document_refused(pool: ChildPool) -> None:
    found = read("failing", pool=pool)
    assert isinstance(found, Failed)
    assert found.status == Status.SERVICE_FAILED
    assert found.reason.startswith("The document service 'failing' failed: ")
    assert "RuntimeError: Ada" in found.reason
    wrong = read("wrong", pool=pool)
    assert isinstance(wrong, Failed)
    assert "it returned another number of links" in wrong.reason


def test_a_document_may_be_kept_as_it_was(pool: ChildPool) -> None:
    found = said("failing on_failure=keep", "redact find=phone", pool=pool)
    assert "The document service 'failing' failed" in found.fault
    assert "1234567" not in found.text, "the others still see it"
    assert found.fault.endswith("It is kept as it was.")


def test_a_service_that_is_gone_refuses_every_document() -> None:
    found = read("summary words=3")
    assert isinstance(found, Failed)
    assert "There is no kind of document service 'summary'" in found.reason


def test_long_texts_are_processed_in_a_limited_child() -> None:
    body = b"a line of ada@example.org\n" * 20_000
    server = start_server((), {"serve": "cormorant.extract.services.task:serve"})
    try:
        found = said("redact find=email", "extract-attributes pattern=A=line", body=body, mime="text/plain",
                     pool=ChildPool(server.addresses))  # fmt: skip
    finally:
        server.stop()
    assert found.text == "a line of [removed]\n" * 19_999 + "a line of [removed]"
    assert found.attributes == {"A": "line"}
    outcome = Converter(ChildPool({}), unmeasured).outcome(
        web_source(), NEVER_SEEN, Content(ADDRESS, body, "text/plain"), found, b""
    )
    assert isinstance(outcome, Ok)


def test_a_service_that_takes_too_long_is_stopped(pool: ChildPool) -> None:
    found = read("endless time_s=0.4", pool=pool)
    assert isinstance(found, Failed)
    assert "The document service 'endless' failed: it was stopped" in found.reason
    assert "0.4 seconds" in found.reason


def test_a_server_that_is_gone_refuses_the_documents_of_its_service_alone(pool: ChildPool) -> None:
    found = read("failing", pool=ChildPool({}))
    assert isinstance(found, Failed)
    assert "it cannot be started" in found.reason
