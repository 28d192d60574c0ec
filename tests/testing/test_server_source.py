"""The source of a server that the page for authors shows: it passes the suite, and keeps what a note says."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from types import ModuleType
from typing import Any, ClassVar

import pytest

from cormorant.base.errors import LoginRefused
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Gone, Outcome
from cormorant.plugins import ACL
from cormorant.testing import SourceSuite, tools
from cormorant.testing.sources import resource_of
from tests.house.reading import text_of
from tests.receivers.serving import Serving

NOTE = {"title": "Pump", "text": "It leaks.", "due": "2026-03-14", "tags": ["red"], "links": [], "readers": ["ada"]}


def shown() -> Any:
    """Return the module on the page."""
    blocks = re.findall(r"^```python\n(.*?)^```$", text_of("docs/how-to/add-a-source.md"), re.MULTILINE | re.DOTALL)
    (code,) = [each for each in blocks if "class NotesSource" in each]
    made = ModuleType("notes")
    exec(compile(code, "notes.py", "exec", dont_inherit=True), made.__dict__)
    return made


class Notes(BaseHTTPRequestHandler):
    """Two notes, and one that is no note, for those with the token."""

    answers: ClassVar[dict[str, object]] = {
        "/api/notes": [{"id": each, "etag": f"v{each}"} for each in ("1", "2", "3")],
        "/api/notes/1": NOTE,
        "/api/notes/2": NOTE,
        "/api/notes/3": [],
    }

    def do_GET(self) -> None:
        """Answer."""
        is_known = self.headers.get("Authorization") == "Bearer hunter2"
        status = (200 if self.path in self.answers else 404) if is_known else 401
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(self.answers.get(self.path)).encode() if status == 200 else b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """The address of the interface."""
    with Serving(Notes) as server:
        yield f"http://127.0.0.1:{server.port}/api"


def source_of(url: str, secret: str = "hunter2", **settings: object) -> Any:
    """Make a source of it."""
    module = shown()
    return module.NotesSource(
        1, module.NotesSettings(url=url, token="secret:desk", **settings), tools({"desk": secret})
    )


class TestNotes(SourceSuite):
    """Suite of sources."""

    @pytest.fixture(autouse=True)
    def place(self, url: str) -> None:
        """Run it with that server."""
        self.url = url

    def make(self) -> Any:
        """Make a source."""
        return source_of(self.url)


def fetched(source: Any, number: int = 0) -> Content | Outcome:
    """Visit the note with that place in the listing; behind its end: one that there is not."""
    found = [each for batch in source.discover("") for each in batch]
    wanted = found[number] if number < len(found) else found[0]._replace(address=source.address_of("99"))
    got: Content | Outcome = asyncio.run(source.fetch(resource_of(wanted, source), VisitTrace()))
    return got


def test_a_note_becomes_content(url: str) -> None:
    got = fetched(source_of(url))
    assert isinstance(got, Content)
    assert (got.title, got.attributes, got.acl) == ("Pump", {"Due": "2026-03-14", "Tag": ["red"]}, None)
    assert b"It leaks." in got.body


def test_what_is_no_note_is_an_outcome(url: str) -> None:
    assert fetched(source_of(url), 2) == Deferred(1005, "The server's answer is no note.")
    assert fetched(source_of(url), 3) == Gone(404)


def test_an_edit_of_a_setting_makes_other_versions(url: str) -> None:
    """Without that the documents would keep the readers that they had."""
    plain, own = source_of(url), source_of(url, own_rights=True)
    versions = [{each.validator for each in next(source.discover(""))} for source in (plain, own)]
    assert not versions[0] & versions[1]
    got = fetched(own)
    assert isinstance(got, Content)
    assert got.acl == ACL(("user:ada",))


def test_a_wrong_token_is_a_refused_login(url: str) -> None:
    with pytest.raises(LoginRefused, match="refuses the login"):
        list(source_of(url, "wrong").discover(""))
