"""Crawls by sitemaps, of sites without links, by the command line, on every store."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cormorant.extract.sitemap.job import INLINE_BYTES
from cormorant.frontier.sitemaps import lastmod_trust, registry
from tests.cli.world import InstalledCli
from tests.clocks import until
from tests.journeys import processes
from tests.journeys.home import Home
from tests.journeys.mapped import Mapped, index, mapped, urlset, zipped

NOW = "<lastmod>{}</lastmod>"
OLD = NOW.format("2020-01-01")


@pytest.fixture
def site() -> Iterator[Mapped]:
    """A site whose pages lead nowhere."""
    with mapped() as made:
        yield made


@pytest.fixture
def command(home: Home) -> InstalledCli:
    """The command line on a new installation, on each store."""
    return InstalledCli(home.folder, {"CORMORANT_STORE": home.store} if home.store else {})


@pytest.fixture
def quick(tmp_path: Path) -> InstalledCli:
    """The command line on a new installation, where the store makes no difference."""
    return InstalledCli(tmp_path / "data")


def crawled(command: InstalledCli, *more: str, code: int = 0) -> dict[str, Any]:
    """Crawl everything; returns the report."""
    done = command.run("--json", "crawl", *more)
    assert done.code == code, done.err
    return dict(done.objects[-1])


def explained(command: InstalledCli, address: str) -> dict[str, Any]:
    return dict(command.fine("--json", "explain", address).object)


def sentences(report: dict[str, Any]) -> list[str]:
    return [each["sentence"] for each in report["problems"] if each["kind"] == "sitemap"]


def test_a_site_with_nothing_but_sitemaps_is_crawled_whole(command: InstalledCli, site: Mapped) -> None:
    pages = site.pages(f"p/{number}" for number in range(60))
    site.robots("Sitemap: /maps/index.xml", f"Sitemap: {site.home}feed.atom")
    site.put("maps/index.xml", index([f"{site.home}maps/{each}" for each in ("one.xml", "two.xml.gz", "index.xml")]))
    site.put("maps/one.xml", urlset([*pages[:30], f"{site.home}private/x"]) + " " * INLINE_BYTES)
    site.put("maps/two.xml.gz", zipped(urlset(pages[30:58])))
    entries = "".join(f'<entry><id>x</id><link href="{each}"/></entry>' for each in pages[56:])
    site.put("feed.atom", f'<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>')
    command.fine("source", "add", "web", "mapped", "--set", f"start={site.home}")
    first = crawled(command)
    assert (first["fetched"], first["new"], first["complete"]) == (61, 61, True)
    assert first["conversions"] == 1, "a large one is read in a limited child"
    assert first["discovered"] == 62, "the page that robots.txt forbids is known, and no sitemap is a document"
    assert first["requests"] == len(site.asked), "every request is counted"
    assert sorted(site.paths()) == sorted({*site.paths()}), "nothing was asked for twice"
    assert "/private/x" not in site.paths()
    listed = [each["url"] for each in command.fine("--json", "document", "list").objects]
    assert sorted(listed) == sorted([site.home, *pages, f"{site.home}private/x"])
    assert explained(command, pages[3])["paths"] == [{"how": "sitemap", "from": f"{site.home}maps/one.xml", "text": ""}]
    sitemap = explained(command, f"{site.home}maps/one.xml")
    assert (sitemap["verdict"], sitemap["sitemap"]["new"]) == ("not_indexed", 31)
    assert explained(command, f"{site.home}maps/index.xml")["paths"][0]["how"] == "robots"
    site.asked.clear()
    again = crawled(command)
    assert (again["unchanged"], again["requests"], again["new"]) == (61, 65, 0)
    assert len(site.paths(304)) == 65, "sitemaps are asked for conditionally like pages"


def test_a_sitemap_that_goes_wrong_deletes_nothing_and_costs_a_line(quick: InstalledCli, site: Mapped) -> None:
    pages = site.pages(f"p/{number}" for number in range(12))
    names = ["gone.xml", "empty.xml", "page.xml", "broken.xml"]
    site.robots(*(f"Sitemap: /{name}" for name in names))
    for number, name in enumerate(names):
        site.put(name, urlset(pages[3 * number : 3 * number + 3]))
    quick.fine("source", "add", "web", "mapped", "--set", f"start={site.home}")
    assert (crawled(quick)["new"], sentences(crawled(quick))) == (13, [])
    site.put("gone.xml", status=404)
    site.put("empty.xml", "<urlset></urlset>")
    site.put("page.xml", "<html><body>Be back soon</body></html>")
    site.put("broken.xml", urlset(pages[9:])[:-60] + "<url><loc>http://127.0.0.1/cut")
    report = crawled(quick)
    assert (report["fetched"], report["gone"], report["index_deletes"], report["complete"]) == (13, 0, 0, True)
    said = sentences(report)
    assert len(said) == 4
    for name, why in zip(names, ("404", "contains no address", "it is a page", "used in part"), strict=True):
        assert any(f"/{name} " in each and why in each for each in said), (name, said)
    assert "Nothing was deleted" in quick.run("crawl").err


def test_what_lies_outside_is_dropped_and_counted(quick: InstalledCli, site: Mapped) -> None:
    pages = site.pages(["in"])
    strange = ["http://169.254.169.254/meta", "http://elsewhere.example/", "file:///etc/passwd", "javascript:alert(1)"]
    site.robots("Sitemap: /s.xml", "Sitemap: http://169.254.169.254/s.xml", "Sitemap: http://10.1.2.3/s.xml")
    site.put("s.xml", urlset([*pages, *strange]))
    quick.fine("source", "add", "web", "mapped", "--set", f"start={site.home}")
    report = crawled(quick)
    assert (report["fetched"], report["requests"]) == (2, 4)
    tally = explained(quick, f"{site.home}s.xml")["sitemap"]
    assert (tally["new"], tally["excluded"], tally["unusable"]) == (1, 3, 1)
    for address in (*strange[:3], "http://10.1.2.3/s.xml"):
        said = explained(quick, address)
        assert (said["verdict"], said["status"]) == ("excluded", 964), address
    assert explained(quick, strange[0])["paths"][0]["how"] == "sitemap"


def test_the_settings_say_which_sitemaps_are_read(quick: InstalledCli, site: Mapped) -> None:
    pages = site.pages(f"p/{number}" for number in range(4))
    site.robots("Sitemap: /s.xml")
    site.put("s.xml", urlset(pages[:2]))
    site.put("named.txt", "\n".join(pages[2:]))
    quick.fine("source", "add", "web", "off", "--set", f"start={site.home}", "--set", "sitemaps=off")
    assert crawled(quick)["fetched"] == 1
    assert "/s.xml" not in site.paths()
    quick.fine("source", "add", "web", "named", "--set", f"sitemaps={site.home}named.txt")
    assert crawled(quick, "named")["fetched"] == 2
    assert sorted(site.paths()) == ["/", "/named.txt", "/p/2", "/p/3", "/robots.txt"]
    assert explained(quick, f"{site.home}named.txt")["paths"][0]["how"] == "seed"
    wrong = quick.run("source", "add", "web", "bad", "--set", f"start={site.home}", "--set", "sitemaps=maybe")
    assert wrong.code == 2
    assert "maybe" in wrong.err
    site.put("named.txt", status=404)
    assert crawled(quick, "named", code=3)["gone"] == 0, "one among the starts that fails is a problem"


def test_two_sources_on_one_host_both_read_what_one_robots_names(command: InstalledCli, site: Mapped) -> None:
    pages = site.pages(f"p/{number}" for number in range(5))
    site.robots("Sitemap: /s.xml")
    site.put("s.xml", urlset(pages))
    for name in ("one", "two"):
        command.fine("source", "add", "web", name, "--set", f"start={site.home}")
        assert crawled(command, name)["fetched"] == 6
    assert site.paths().count("/robots.txt") == 1
    assert site.paths().count("/s.xml") == 2


def test_an_index_without_end_ends(quick: InstalledCli, site: Mapped) -> None:
    names = [f"{site.home}m/{number}.xml" for number in range(registry.MAX_FILES + 100)]
    site.robots("Sitemap: /index.xml")
    site.put("index.xml", index([*names, f"{site.home}index.xml"]))
    for number in range(registry.MAX_FILES + 100):
        site.put(f"m/{number}.xml", index([f"{site.home}index.xml", f"{site.home}more/{number}.xml"]))
    quick.fine("source", "add", "web", "mapped", "--set", f"start={site.home}")
    assert crawled(quick)["fetched"] == 1
    read = [path for path in site.paths() if path.endswith(".xml")]
    assert len(read) == len(set(read)) == registry.MAX_FILES


def test_sitemaps_lead_to_one_another_so_deep_and_no_deeper(quick: InstalledCli, site: Mapped) -> None:
    site.robots("Sitemap: /deep0.xml")
    for number in range(6):
        site.put(f"deep{number}.xml", index([f"{site.home}deep{number + 1}.xml", f"{site.home}deep0.xml"]))
    quick.fine("source", "add", "web", "mapped", "--set", f"start={site.home}")
    crawled(quick)
    assert [path for path in site.paths() if path.endswith(".xml")] == [f"/deep{number}.xml" for number in range(4)]
    assert explained(quick, f"{site.home}deep4.xml")["status"] == 979


def dated(pages: list[str], at: str) -> str:
    return urlset(pages, f"<lastmod>{at}</lastmod>")


def later(seconds: float = 5.0) -> str:
    """A moment just ahead, as a sitemap that is made on the spot would say."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def test_dates_that_lie_are_not_believed(command: InstalledCli, site: Mapped) -> None:
    pages = site.pages(f"p/{number}" for number in range(lastmod_trust.SAMPLE + 2))
    site.robots("Sitemap: /s.xml")
    site.put("s.xml", dated(pages, later()))
    command.fine("source", "add", "web", "mapped", "--set", f"start={site.home}")
    crawled(command)
    assert explained(command, pages[0])["sitemap"] | {"modified_at": ""} == {
        "modified_at": "", "every_s": None, "believed": True, "right": 0, "checked": 0,
    }  # fmt: skip
    site.put("s.xml", dated(pages, later()) + "\n")
    report = crawled(command)
    assert report["unchanged"] == len(pages) + 1, "no page is left out on a sitemap's word"
    said = explained(command, pages[0])["sitemap"]
    assert (said["believed"], said["right"], said["checked"]) == (False, 0, len(pages))
    assert any(f"right for 0 of {len(pages)} pages" in each for each in sentences(report))
    site.asked.clear()
    site.put("s.xml", dated(pages[-1:], later()))
    crawled(command)
    assert site.paths().index(f"/{pages[-1].removeprefix(site.home)}") > 3, "it is in no hurry any more"


def test_what_is_newer_comes_first_and_then_what_matters(command: InstalledCli, site: Mapped) -> None:
    names = [f"p/{number:02}" for number in range(20)]
    pages = site.pages(names)
    site.robots("Sitemap: /s.xml", "Crawl-delay: 0")
    weights = {names[15]: "1.0", names[3]: "0.0"}
    entries = [f"<url><loc>{site.home}{name}</loc><priority>{each}</priority></url>" for name, each in weights.items()]
    site.put("s.xml", dated(pages, "2020-01-01").replace("<url>", "".join(entries) + "<url>", 1))
    command.fine("source", "add", "web", "mapped", "--set", f"start={site.home}", "--set", "per_host=1")
    crawled(command)
    asked = [path.removeprefix("/") for path in site.paths() if path.startswith("/p/")]
    assert (asked[0], asked[-1]) == (names[15], names[3])
    site.asked.clear()
    site.pages(names[17:18], more="changed")
    site.put("s.xml", dated(pages[:18], "2020-01-01").replace(f"17</loc>{OLD}", f"17</loc>{NOW.format(later())}"))
    report = crawled(command)
    asked = [path.removeprefix("/") for path in site.paths() if path.startswith("/p/")]
    assert names[17] in asked[:2], "but for one that was under way"
    assert report["changed"] == 1
    trust = explained(command, pages[17])["sitemap"]
    assert (trust["believed"], trust["right"], trust["checked"]) == (True, 18, 18)


def test_a_sitemap_that_was_taken_for_a_page_becomes_one(command: InstalledCli, site: Mapped) -> None:
    pages = site.pages(f"p/{number}" for number in range(8))
    site.put("", f'<html><body><a href="/s.xml">map</a><p>homeword {" ".join(pages)}</p></body></html>')
    site.put("s.xml", '<?xml version="1.0"?>' + urlset(pages))
    command.fine("source", "add", "web", "mapped", "--set", f"start={site.home}", "--set", f"start={pages[0]}")
    for each in pages[1:4]:
        command.fine("source", "edit", "mapped", "--yes", "--set", f"start={site.home}", "--set", f"start={each}")
        crawled(command)
    assert explained(command, f"{site.home}s.xml")["verdict"] == "indexed"
    site.robots("Sitemap: /s.xml")
    report = crawled(command, "--force")
    assert report["new"] == 5
    assert report["index_deletes"] == 1
    assert explained(command, f"{site.home}s.xml")["verdict"] == "not_indexed"
    assert not [each for each in command.fine("--json", "document", "list").objects if each["url"].endswith("s.xml")]


def test_what_is_called_a_sitemap_is_read_before_it_leaves(command: InstalledCli, site: Mapped) -> None:
    pages, mapped_pages = site.pages(f"p/{number}" for number in range(3)), site.pages(["m/1", "m/2"])
    links = "".join(f'<a href="{each}">x</a>' for each in [*pages, "/s.xml"])
    site.put("", f"<html><body>{links}<p>homeword</p></body></html>")
    site.put("s.xml", '<?xml version="1.0"?>' + urlset(mapped_pages))
    site.robots("Sitemap: /index.xml")
    site.put("index.xml", index([f"{site.home}none.xml"]))
    command.fine("source", "add", "web", "mapped", "--set", f"start={site.home}")
    assert crawled(command)["new"] == 5
    site.put("index.xml", index([pages[0], f"{site.home}s.xml"]))
    report = crawled(command)
    assert (report["new"], report["index_deletes"]) == (2, 1), "the sitemap was read though it had not changed"
    assert explained(command, pages[0])["verdict"] == "indexed", "it is a page whatever it is called"
    assert explained(command, f"{site.home}s.xml")["verdict"] == "not_indexed"
    site.asked.clear()
    assert crawled(command)["index_deletes"] == 0
    assert site.paths().count("/p/0") == 1


def test_a_kill_loses_nothing_that_a_sitemap_names(command: InstalledCli, site: Mapped) -> None:
    pages = site.pages(f"p/{number}" for number in range(40))
    site.robots("Sitemap: /s.xml")
    site.put("s.xml", urlset(pages))
    site.wait = threading.Event()
    command.fine("source", "add", "web", "mapped", "--set", f"start={site.home}")
    with processes.ended(command.start("crawl")) as process:
        until(lambda: "/s.xml" in site.paths() or "/" in site.paths())
        tree = processes.below(process.pid)
        processes.kill_group(process.pid)
        assert not processes.wait_gone(tree, 20)
    site.wait.set()
    site.wait = None
    report = json.loads(command.run("--json", "crawl").out.splitlines()[-1])
    assert (report["state"], report["complete"]) == ("finished", True)
    listed = {each["url"]: each["status"] for each in command.fine("--json", "document", "list").objects}
    assert listed == dict.fromkeys([site.home, *pages], 200)


def test_a_dead_entry_is_explained_while_a_sitemap_names_it(command: InstalledCli, site: Mapped) -> None:
    pages, gone = site.pages(["a", "b"]), f"{site.home}gone"
    site.robots("Sitemap: /map.xml")
    site.put("map.xml", urlset([*pages, gone]))
    command.fine("source", "add", "web", "mapped", "--set", f"start={pages[0]}", "--set", "purge_after_s=0")
    for _ in range(4):
        assert crawled(command)["gone"] == 1
        record = explained(command, gone)
        assert (record["verdict"], record["paths"][0]["how"]) == ("gone", "sitemap")
    site.put("map.xml", urlset(pages))
    crawled(command)
    assert explained(command, gone)["verdict"] == "unknown"
    assert crawled(command)["gone"] == 0


def test_a_start_address_that_is_a_feed_is_read_for_its_items(command: InstalledCli, site: Mapped) -> None:
    site.robots()
    pages = site.pages(["1", "2", "3"])
    items = "".join(f"<item><title>News</title><link>{each}</link></item>" for each in pages)
    site.put("feed", f"<rss version='2.0'><channel><title>quokkas</title>{items}</channel></rss>")
    command.fine("source", "add", "web", "news", "--set", f"start={site.home}feed")
    tested = dict(command.fine("--json", "source", "test", "news").object)
    assert (tested["outcome"], tested["reason"]) == ("ok", "It is a feed (RSS): its 3 items are visited.")
    site.asked.clear()
    first = crawled(command)
    assert sentences(first) == [f"{site.home}feed is no document. It is a feed (RSS): its 3 items are visited."]
    assert (first["fetched"], first["new"], first["excluded"], first["requests"]) == (3, 3, 0, len(site.asked))
    assert site.paths().count("/feed") == 1, "it is asked for once"
    feed = explained(command, f"{site.home}feed")
    assert feed["because"] == "It is read for the addresses in it, and is no document."
    assert (feed["verdict"], feed["sitemap"]["form"], feed["sitemap"]["new"]) == ("not_indexed", "rss", 3)
    site.asked.clear()
    second = crawled(command)
    assert (sentences(second), second["new"], site.paths(304).count("/feed")) == ([], 0, 1)
    listed = [each["url"] for each in command.fine("--json", "document", "list").objects]
    assert sorted(listed) == sorted(pages)


def test_a_start_address_becomes_a_page_a_feed_and_a_page_again(quick: InstalledCli, site: Mapped) -> None:
    site.put("x", "<html><title>First</title><p>numbat</p>")
    (page,) = site.pages(["1"])
    quick.fine("source", "add", "web", "news", "--set", f"start={site.home}x")
    assert crawled(quick)["new"] == 1
    site.put("x", f"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='{page}'/></entry>")
    read = crawled(quick)
    assert sentences(read)[0].endswith("It is a feed (Atom): its 1 item is visited.")
    assert "was used in part" in sentences(read)[1]
    assert [each["url"] for each in quick.fine("--json", "document", "list").objects] == [page]
    site.put("x", "<html><title>Third</title><p>numbat</p>")
    crawled(quick, code=3)
    assert crawled(quick)["new"] == 1, "what is no feed any more is read as a page by the next crawl"
    assert explained(quick, f"{site.home}x")["verdict"] == "indexed"


def test_a_feed_that_a_page_links_to_stays_a_document(quick: InstalledCli, site: Mapped) -> None:
    site.put("", "<html><link rel=alternate type=application/rss+xml href=feed><p>text")
    site.put("feed", "<rss><channel><title>News of quokkas</title><item><link>/1</link></item></channel></rss>")
    quick.fine("source", "add", "web", "news", "--set", f"start={site.home}")
    assert crawled(quick)["new"] == 2
    assert "/1" not in site.paths()
