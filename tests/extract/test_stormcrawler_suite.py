"""The sitemaps, feeds and pages that another crawler is tested with; what is in them is read a second way here."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin
from xml.etree import ElementTree

import pytest

from cormorant.extract.html.page import extract_html
from cormorant.extract.sitemap.parser import read_sitemap
from cormorant.model.url import try_canonical
from tests.suites.record import record

Suite = Callable[[str], Path]
OTHERS = "of the other kind: sitemaps and feeds, or pages, have a line each"
BASE = "http://stormcrawler.apache.org/"
XHTML = "{http://www.w3.org/1999/xhtml}"
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
NOT_TEXT = re.compile(r"^(?:javascript|mailto|tel|data):", re.IGNORECASE)


class Anchors(HTMLParser):
    """Where the anchors of a page lead, by the parser that comes with Python."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        target = dict(attrs).get("href") or ""
        if tag in ("a", "area") and target.strip() and not NOT_TEXT.match(target.strip()):
            self.found.add(urldefrag(urljoin(BASE, target.strip())).url)


def named(path: Path) -> set[str]:
    """The addresses that a sitemap with its alternates, an index or a feed names, by an XML parser."""
    root = ElementTree.fromstring(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
    entries = [*root.iter(f"{NAMESPACE}url"), *root.iter(f"{NAMESPACE}sitemap"), *root.iter("item")]
    texts = [each.findtext(f"{NAMESPACE}loc") or each.findtext("link") or "" for each in entries]
    texts += [each.get("href", "") for each in root.iter(f"{XHTML}link") if each.get("hreflang")]
    return {address for text in texts if (address := try_canonical(text.strip()))}


def others(folder: Path, paths: list[Path]) -> Counter[str]:
    """How many other files there are, by what they are."""
    left = [each.suffix for each in folder.iterdir() if each not in paths and each.suffix != ".md"]
    return Counter("settings of StormCrawler itself" if each in (".json", ".txt") else OTHERS for each in left)


@pytest.fixture
def folder(suite: Suite) -> Path:
    return suite("stormcrawler")


def test_sitemaps_and_feeds_name_what_an_xml_parser_finds(folder: Path) -> None:
    paths = [each for each in sorted(folder.iterdir()) if each.suffix in (".xml", ".rss", ".gz")]
    assert len(paths) == 10
    for path in paths:
        said = read_sitemap(path.read_bytes(), address=f"{BASE}{path.name}")
        assert {each.address for each in said.entries} == named(path) != set(), path.name
        assert not said.truncated
        assert not said.unusable
    record("stormcrawler-sitemaps", len(paths), len(paths), {}, others(folder, paths))


def test_pages_lead_where_their_anchors_do(folder: Path) -> None:
    paths = sorted(folder.glob("*.html"))
    assert len(paths) == 5
    for path in paths:
        said = extract_html(path.read_bytes(), address=BASE)
        anchors = Anchors()
        anchors.feed(path.read_text("utf-8", "replace"))
        wanted = {address for each in anchors.found if (address := try_canonical(each))}
        got = {each.address for each in said.links if each.address.startswith("http")}
        assert wanted - {BASE} <= got, path.name
        assert len(said.links) == len({each.address for each in said.links})
    record("stormcrawler-pages", len(paths), len(paths), {}, others(folder, paths))


def test_a_page_may_be_nested_as_deep_as_it_likes(folder: Path) -> None:
    said = extract_html((folder / "stackexception.html").read_bytes(), address=BASE)
    assert len(said.text) > 1_000
    assert len(said.links) > 10


def test_a_page_sends_elsewhere(folder: Path) -> None:
    assert extract_html((folder / "redir.html").read_bytes(), address=BASE).refresh == "http://www.somesite.com/site"
