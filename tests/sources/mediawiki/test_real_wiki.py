"""The same against a MediaWiki that people run. `make mediawiki` installs it where it may, and runs this."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content
from cormorant.model.outcome import Failed, Gone
from cormorant.plugins import Source
from cormorant.sources.protocol import Discovery
from cormorant.testing import SourceSuite
from tests.sources.json_api.api_sources import api_source, discovered, fetched
from tests.sources.mediawiki.real_wiki import PASSWORD, PRIVATE, RealWiki, real_wiki

pytestmark = pytest.mark.server
BOT = "a" * 32
DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6364f8cf500f"
    "0003060180a90e1a7e0000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealWiki]:
    with real_wiki(tmp_path_factory.mktemp("wiki")) as running:
        yield running


def source_of(wiki: RealWiki, **settings: object) -> Source:
    return api_source(
        "mediawiki", {"url": f"{wiki.url}/api.php", **settings}, {"bot": BOT, "wrong": "b" * 32, "account": PASSWORD}
    )


def address(title: str) -> str:
    return f"mediawiki://3/{quote(title, safe='')}"


class TestSuite(SourceSuite):
    """Suite of sources."""

    @pytest.fixture(autouse=True)
    def pages(self, wiki: RealWiki) -> None:
        """Have a few strange pages."""
        self.wiki = wiki
        for title in ("C++ & D?", "Ünïcode 鵜", "A/B.c", "100%", "~tilde", "X" * 200):
            wiki.edit(title, f"words of {title}")

    def make(self) -> Source:
        """Make a source of it that lists everything each time."""
        return source_of(self.wiki, relist_days=0)


def test_a_page_its_redirects_and_categories(wiki: RealWiki) -> None:
    wiki.edit("Gannet", "The '''gannet''' dives. [[Category:Sea birds]] {{Missing}}")
    wiki.edit("Solan goose", "#REDIRECT [[Gannet]]")
    source = source_of(wiki)
    found, _ = discovered(source)
    assert address("Solan goose") not in found
    got = fetched(source, found[address("Gannet")])
    assert isinstance(got, Content)
    assert b"The <b>gannet</b> dives." in got.body
    assert got.attributes == {"Author": "Admin", "Category": ["Sea birds"], "Aliases": ["Solan goose"]}
    assert found[address("Gannet")].display == f"{wiki.url}/index.php/Gannet"


def test_files_and_pictures(wiki: RealWiki) -> None:
    wiki.upload("Notes.txt", b"Words of the notes", "As found")
    wiki.upload("Dot.png", DOT, "A dot")
    source = source_of(wiki)
    found, _ = discovered(source)
    notes, dot = (fetched(source, found[address(f"File:{name}")]) for name in ("Notes.txt", "Dot.png"))
    assert isinstance(notes, Content)
    assert isinstance(dot, Content)
    assert (notes.body, notes.mime, notes.attributes["Description"]) == (
        b"Words of the notes",
        "text/plain",
        "As found",
    )
    assert (dot.mime, b"A dot" in dot.body) == ("text/html", True)
    wiki.upload("Notes.txt", b"Other words", "Again")
    after, _ = discovered(source_of(wiki), source.next_cursor)
    assert after[address("File:Notes.txt")].validator != found[address("File:Notes.txt")].validator


def test_edits_moves_deletions_and_what_is_restored(wiki: RealWiki) -> None:
    for title in ("Edited", "Moved", "Deleted"):
        wiki.edit(title, "x")
    first = source_of(wiki)
    before, _ = discovered(first)
    wiki.edit("Edited", "y")
    wiki.act(action="move", **{"from": "Moved", "to": "Renamed", "noredirect": "1", "reason": "x"})
    wiki.act(action="delete", title="Deleted")
    again = source_of(wiki)
    after, gone = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.FEED
    assert {address("Moved"), address("Deleted")} <= gone
    assert after[address("Edited")].validator != before[address("Edited")].validator
    assert address("Renamed") in after
    assert isinstance(fetched(again, before[address("Deleted")]), Gone)
    wiki.act(action="undelete", title="Deleted")
    restored, gone = discovered(source_of(wiki), again.next_cursor)
    assert address("Deleted") in restored
    assert address("Deleted") not in gone


def test_more_pages_than_one_answer_holds(wiki: RealWiki, tmp_path: Path) -> None:
    entries = "".join(
        f"<page><title>Logbook:Day {number:04}</title><ns>3000</ns><revision><contributor><username>Admin</username>"
        f"</contributor><timestamp>2026-01-01T00:00:00Z</timestamp><model>wikitext</model><format>text/x-wiki</format>"
        f"<text>day {number}</text></revision></page>"
        for number in range(620)
    )
    dump = tmp_path / "dump.xml"
    dump.write_text(
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">{entries}</mediawiki>'
    )
    wiki.run("importDump", "--no-updates", str(dump))
    assert len(discovered(source_of(wiki, namespaces=["Logbook"]))[0]) == 620


def test_a_private_wiki_by_a_bot_password(wiki: RealWiki) -> None:
    wiki.run("createBotPassword", "--appid", "cormorant", "--grants", "basic", "Admin", BOT)
    wiki.edit("Private", "for members")
    wiki.configure(PRIVATE)
    with pytest.raises(Unreachable, match="Set user and password"):
        discovered(source_of(wiki))
    with pytest.raises(LoginRefused, match="BotPasswords"):
        discovered(source_of(wiki, user="Admin@cormorant", password="secret:wrong"))
    source = source_of(wiki, user="Admin@cormorant", password="secret:bot")
    found, _ = discovered(source)
    got = fetched(source, found[address("Private")])
    assert isinstance(got, Content)
    assert b"for members" in got.body
    closed = fetched(source, found[address("File:Notes.txt")])
    assert isinstance(closed, Failed)
    assert (closed.status, "opens the API alone" in closed.reason) == (403, True)
    account = source_of(wiki, user="Admin", password="secret:account")
    note = fetched(account, found[address("File:Notes.txt")])
    assert isinstance(note, Content)
    assert note.body == b"Other words"
