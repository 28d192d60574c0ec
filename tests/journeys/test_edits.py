"""Effects of an edit of a source's settings on known documents that do not change."""

from __future__ import annotations

from pathlib import Path

from cormorant.model.acl import ANYONE
from cormorant.operate.documents import links
from cormorant.operate.search import attributes
from cormorant.operate.search.attributes import AttributeEdit
from cormorant.search.reader import Question
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings

PAGES = 12
STAFF = ["group:staff"]
EVERYONE = ["everyone"]


def folder_of(tmp_path: Path, **texts: str) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    (folder / "table.csv").write_text("name,nests\nauk,9\n")
    return folder


def test_rights_of_a_site_are_those_of_the_edited_source(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    crawls.crawl(home, "site")
    home.edit_source("site", {"grants": STAFF})
    site.edit(5, status=403)
    again = crawls.crawl(home, "site")
    assert (again["unchanged"], again["index_writes"], again["cache_writes"]) == (PAGES - 1, PAGES, 0)
    assert again["not_modified"] == PAGES - 1, "rights are the settings', and no page is asked for them"
    assert home.found(site.word(3), site.word(5)) == [[], []], "nor does one that does not answer keep the old ones"
    site.edit(5)
    home.edit_source("site", {"grants": EVERYONE})
    crawls.crawl(home, "site")
    assert home.found(site.word(3)) == [[site.url(3)]]
    assert crawls.crawl(home, "site")["requests_conditional"] == PAGES, "what was judged once stays judged"


def test_an_index_rule_takes_out_and_lets_in_again(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    crawls.crawl(home, "site")
    home.edit_source("site", {"index_exclude": ["path:/p/7.html"]})
    crawls.crawl(home, "site")
    assert home.found(site.word(7), site.word(8)) == [[], [site.url(8)]]
    home.edit_source("site", {"index_exclude": []})
    crawls.crawl(home, "site")
    assert home.found(site.word(7)) == [[site.url(7)]]


def test_a_wider_boundary_lets_in_what_known_pages_lead_to(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source | {"depth": 0, "exclude": ["path:/p/7.html"]})
    assert crawls.crawl(home, "site")["fetched"] == 1
    home.edit_source("site", {"depth": "unlimited"})
    assert crawls.crawl(home, "site")["new"] == PAGES - 2
    assert home.found(site.word(7)) == [[]]
    home.edit_source("site", {"exclude": []})
    report = crawls.crawl(home, "site")
    assert (report["new"], report["unchanged"], report["index_writes"]) == (1, PAGES - 1, 1)
    assert home.found(site.word(7)) == [[site.url(7)]]
    assert report["unlinked"] == 0, "pages that are what they were link to it"
    with home.house() as house:
        assert "in" in {each["direction"] for each in links.links(house, site.url(7))}


def test_pages_of_a_type_that_is_not_wanted_are_read_for_their_links(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source | {"types": ["text/plain"]})
    report = crawls.crawl(home, "site")
    assert (report["fetched"], report["indexed"]) == (PAGES, 0)
    assert crawls.crawl(home, "site")["fetched"] == PAGES


def test_files_leave_by_a_rule_and_come_back_without_it(home: Home, crawls: Crawler, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, one="oneword", two="twoword " * 300)
    home.add_source("files", "share", {"path": str(folder)})
    crawls.crawl(home, "share")
    for edit, back in (
        ({"exclude": ["two.txt"]}, {"exclude": []}),
        ({"types": ["text/csv"]}, {"types": []}),
        ({"max_size_bytes": 1_000}, {"max_size_bytes": 10_000_000}),
        ({"grants": STAFF}, {"grants": EVERYONE}),
    ):
        home.edit_source("share", edit)
        crawls.crawl(home, "share")
        assert home.found("twoword") == [[]], edit
        home.edit_source("share", back)
        crawls.crawl(home, "share")
        assert len(home.found("twoword")[0]) == 1, back
    assert crawls.crawl(home, "share")["fetched"] == 0


def test_a_run_fetches_no_more_documents_than_it_may(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=60))
    home.add_source("web", "site", site.source | {"max_documents": 5})
    report = crawls.crawl(home, "site")
    assert 5 <= report["fetched"] <= 5 + home.retrievers - 1
    assert len([each for each in site.log() if each.path != "/robots.txt"]) == report["fetched"]
    assert "max_documents" in report["reason"]


def test_a_forced_crawl_refetches_robots_txt(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    crawls.crawl(home, "site")
    site.tell(robots="User-agent: *\nDisallow: /p/7.html\n")
    assert crawls.crawl(home, "site")["unchanged"] == PAGES, "the copy of the first crawl still holds"
    crawls.crawl(home, "site", force=True)
    assert home.found(site.word(7), site.word(8)) == [[], [site.url(8)]]
    assert [each.path for each in site.log()].count("/robots.txt") == 2


def attributes_of(home: Home, word: str) -> dict[str, object]:
    """The attributes of the one document with a word."""
    with home.library() as library:
        (hit,) = library.find(Question(word), ANYONE).hits
        return dict(hit.attributes)


def test_documents_are_judged_again_when_attributes_are_others(
    file_home: Home, crawls: Crawler, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path)
    (folder / "a.html").write_text("<meta name=price content=10><meta name=unit content=kg><p>puffin")
    mapped = ["price=Price", "unit=Unit"]
    file_home.add_source("files", "folder", {"path": str(folder), "attribute_map": mapped})
    crawls.crawl(file_home, "folder")
    assert attributes_of(file_home, "puffin") == {"Price": "10", "Unit": "kg"}
    with file_home.house() as house:
        edited = attributes.edit(house, "Price", AttributeEdit("number"))
        assert edited["recrawl"] == {"sources": 1, "documents": 2}
        assert attributes.delete(house, "Unit")["recrawl"] == {"sources": 1, "documents": 2}
    again = crawls.crawl(file_home, "folder")
    assert (again["changed"], again["unchanged"]) == (1, 1)
    assert attributes_of(file_home, "puffin") == {"Price": 10.0}
    assert file_home.found("Price:9..11") == [[f"file://{folder}/a.html"]]
    assert crawls.crawl(file_home, "folder")["fetched"] == 0, "once"
    file_home.edit_source("folder", {"attribute_map": ["price=Cost"]})
    crawls.crawl(file_home, "folder")
    assert attributes_of(file_home, "puffin") == {"Cost": "10"}
