"""Two suites of robots.txt cases by other people. Where they and RFC 9309 agree, so do we; the rest is listed here."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cormorant.model.url import path_of, try_canonical
from cormorant.sources.web.robots import Robots, parse_robots
from tests.suites.record import record

SUITES = os.environ.get("CORMORANT_SUITES", "")

RFC_DECIDES: dict[tuple[str, str, str], str] = {
    # A whole User-Agent header is no product token (2.2.1); the suite's library takes headers apart.
    ("testHeritrixCases", "Mozilla allowbot2 99.9", "http://www.domain.com/foo"): "2.2.1",
    ("testHeritrixCases", "Mozilla denybot 99.9", "http://www.domain.com/path"): "2.2.1",
    ("testHeritrixCases", "Mozilla denybot 99.9", "http://www.domain.com/"): "2.2.1",
    ("testHeritrixCases", "Mozilla delaybot 99.9", "crawl_delay"): "2.2.1",
    ("TestProtego::test_unicode_url_and_useragent", "Mozilla/5.0 (compatible; Львів-bot/1.1)",
     "/totalitarianism/foo.htm"): "2.2.1",
    # A token is equal or it is not: no beginnings, no wildcards.
    ("test_user_agent_precedence[/group1-hedwig-news2]", "hedwig-news2", "/group1"): "2.2.1",
    ("test_user_agent_precedence[/group3-hedwig-new]", "hedwig-new", "/group2"): "2.2.1",
    ("test_user_agent_precedence[/group3-hedwig-new]", "hedwig-new", "/group3"): "2.2.1",
    ("test_user_agent_precedence[/group3-hedwig-images]", "hedwig-images", "/group2"): "2.2.1",
    ("test_user_agent_precedence[/group3-hedwig-images]", "hedwig-images", "/group3"): "2.2.1",
    ("TestProtego::test_generosity", "foobot", "http://foo.bar/myprofile"): "2.2.1",
    # HTML is no robots.txt (2.2: it is UTF-8 text of records); tags are not taken out of lines to make some.
    ("testHtmlMarkupInRobotsTxt", "mybot", "crawl_delay"): "2.2",
    ("testHtmlMarkupInRobotsTxt", "bogusbot", "http://www.domain.com/index.html"): "2.2",
    ("testHtmlMarkupInRobotsTxt", "bogusbot", "crawl_delay"): "2.2",
    # A long Crawl-delay is no Disallow: other records do not interfere with rules.
    ("testBigCrawlDelay", "bixo", "http://www.domain.com/"): "2.2.4",
    # A line that is only an address is no record.
    ("testSitemap", "bot1", "sitemaps"): "2.2",
    # Unknown records do not end a group, so `*` shares the rules of the agent named next.
    ("TestProtego::test_grouping_unknown_keys", "agent", "/foo"): "2.2.4",
    ("TestProtego::test_grouping_unknown_keys", "agent", "/foobar"): "2.2.4",
    ("TestProtego::test_grouping_unknown_keys", "agent", "/content/2"): "2.2.4",
    # `*` is any characters, none too, and `/*` has more octets than `/`.
    ("testPrecedenceOfRules", "wget", "http://domain.com/"): "2.2.2",
    # `/index.html` says nothing about `/`.
    ("TestProtego::test_index_html_is_directory", "footbot", "http://foo.com/allowed-slash/"): "2.2.2",
    # A `$` at the end is the end, never also a dollar.
    ("TestProtego::test_special_symbols_dual_behaviour", "FooBot", "http://foo.bar/x/abc$"): "2.2.3",
    ("TestProtego::test_special_symbols_dual_behaviour", "FooBot", "http://foo.bar/x/abc%24"): "2.2.3",
}  # fmt: skip
"""Cases whose expectation RFC 9309 contradicts, with the section that decides."""

Case = tuple[tuple[str, str, str], object, object]
Cases = Iterator[Case | str]
"""Cases: what it is, what is expected, what we say; or of one that is left out, why."""


def path_in(address: str) -> str:
    """The path of a case's address; some cases give only a path."""
    whole = try_canonical(address) or try_canonical("http://a.org/" + address.removeprefix("/"))
    assert whole
    return path_of(whole)


def crawler_commons(folder: Path) -> Cases:
    """Cases of crawler-commons that its authors hold to be RFC 9309."""
    for case in json.loads((folder / "robots_cases.json").read_text())["cases"]:
        if not case["rfc9309"] or case["check"] == "defer_visits":
            rfc = "deferring visits is not a parser's affair"
            yield (
                rfc if case["rfc9309"] else "of the parser's older manner, which its authors do not hold to be RFC 9309"
            )
            continue
        text, agent = case["robotstxt"], case["agents"][0] if case["agents"] else "*"
        found = parse_robots((folder / text["file"]).read_bytes() if isinstance(text, dict) else text.encode(), agent)
        yield (case["test"], agent, case.get("url", case["check"])), case["expect"], said(found, case)


def said(found: Robots, case: dict[str, Any]) -> object:
    if case["check"] == "allowed":
        return found.ruling(path_in(case["url"])).allowed
    if case["check"] == "crawl_delay":
        return None if found.crawl_delay is None else found.crawl_delay * 1000
    return len(found.sitemaps) if case["then"] == [["size"]] else found.sitemaps[case["then"][0][1]]


def protego(folder: Path) -> Cases:
    """Cases of Protego."""
    for case in json.loads((folder / "cases.json").read_text()):
        if case["fn"] not in ("can_fetch", "crawl_delay"):
            yield "of Request-rate and Visit-time, records that are not read (RFC 9309 section 2.2.4)"
            continue
        found = parse_robots(case["robotstxt"].encode(), case["useragent"])
        fetch = case["fn"] == "can_fetch"
        answer = found.ruling(path_in(case["url"])).allowed if fetch else found.crawl_delay
        yield (case["test"], case["useragent"], case.get("url") or case["fn"]), case["result"], answer


@pytest.mark.skipif(not SUITES, reason="CORMORANT_SUITES does not name the folder of the suites")
@pytest.mark.parametrize(
    ("cases", "folder", "total", "deviations"),
    [(crawler_commons, "crawler-commons", 289, 10), (protego, "protego-cases", 382, 13)],
)
def test_suite(cases: Any, folder: str, total: int, deviations: int) -> None:
    every = list(cases(Path(SUITES) / folder))
    judged = [each for each in every if not isinstance(each, str)]
    other = {case for case, expected, answer in judged if expected != answer}
    assert other == {case for case, *_ in judged} & RFC_DECIDES.keys()
    assert (len(judged), sum(expected != answer for _, expected, answer in judged)) == (total, deviations)
    why = {" ".join(case): f"RFC 9309 section {section}" for case, section in RFC_DECIDES.items() if case in other}
    left_out = Counter(each for each in every if isinstance(each, str))
    record(f"{folder}-robots", total - deviations, total, why, left_out)
