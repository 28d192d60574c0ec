"""RFC 9309, sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from cormorant.sources.web.robots import MAX_BODY, Robots, RobotsAnswer, encode, parse_robots, verdict_of_fetch
from tests.clocks import cpu_s


def robots(*lines: str, agent: str = "cormorant") -> Robots:
    return parse_robots("\n".join(lines).encode(), agent)


def allowed(path: str, *lines: str) -> bool:
    """Judge a path by rules for everybody."""
    return robots("User-agent: *", *lines).ruling(path).allowed


# --- section 2.2.1, the user-agent line


@pytest.mark.parametrize(
    "named",
    [
        "cormorant", "Cormorant", "CORMORANT/2.0", "cormorant something", "cormorant # x", "cormorant*", "cormorant/*",
        "Cormorant bot", "cormorant2", "cormorant:", "cormorant.example", "\tcormorant\t", '"cormorant"',
        "cormorant\u00ad",
    ],
)  # fmt: skip
def test_a_group_is_found_by_the_product_token_in_any_case(named: str) -> None:
    found = robots("User-agent: *", "Allow: /", f"User-agent: {named}", "Disallow: /")
    assert found.group == "cormorant"
    assert not found.ruling("/x").allowed


@pytest.mark.parametrize(
    "named",
    [
        "cormorants", "cormoran", "my-cormorant", "a cormorant", "cormorant-news", "cormorant_x", "*cormorant", "*bot",
        "2cormorant", "c\u00f6rmorant", "", "***",
    ],
)  # fmt: skip
def test_another_token_is_another_crawler(named: str) -> None:
    assert robots(f"User-agent: {named}", "Disallow: /").ruling("/x").allowed


@pytest.mark.parametrize("named", ["*", " * ", "* # all", "* everybody", "\t*", '"*"'])
def test_a_star_that_stands_alone_is_everybody(named: str) -> None:
    assert robots(f"User-agent: {named}", "Disallow: /").group == "*"


@pytest.mark.parametrize("agent", ["", "*", "2.0", "/"])
def test_an_agent_without_a_token_is_met_by_the_star_alone(agent: str) -> None:
    lines = ("User-agent:", "Disallow: /", "User-agent: /1.0", "Disallow: /", "User-agent: *", "Disallow: /a")
    assert [robots(*lines, agent=agent).ruling(path).allowed for path in ("/a", "/b")] == [False, True]


def test_an_agent_that_is_no_product_token_is_met_by_its_own_name_alone() -> None:
    lines = ("User-agent: heron2", "Disallow: /a", "User-agent: heron3", "Disallow: /b")
    assert [robots(*lines, agent="heron3").ruling(path).allowed for path in ("/a", "/b")] == [True, False]
    assert [robots(*lines, agent="heron").ruling(path).allowed for path in ("/a", "/b")] == [False, False]


def test_a_token_with_a_star_is_one_of_several_agents_after_a_mark() -> None:
    found = robots("\ufeffUser-agent: heron", "User-agent: cormorant*", "User-agent: *", "Disallow: /a")
    assert (found.group, found.ruling("/a").allowed) == ("cormorant", False)


def test_groups_for_one_token_are_merged() -> None:
    ours, other = "User-agent: cormorant", "User-agent: heron"
    found = robots(ours, "Disallow: /a", other, "Disallow: /b", ours, "Disallow: /c")
    assert [found.ruling(path).allowed for path in ("/a", "/b", "/c")] == [False, True, False]


def test_the_star_group_holds_for_those_without_one_only() -> None:
    lines = ("User-agent: *", "Disallow: /a", "User-agent: cormorant", "Disallow: /b")
    assert [robots(*lines).ruling(path).allowed for path in ("/a", "/b")] == [True, False]
    assert [robots(*lines, agent="heron").ruling(path).allowed for path in ("/a", "/b")] == [False, True]
    assert robots("User-agent: heron", "Disallow: /").group == ""


def test_several_agents_share_the_rules_that_follow() -> None:
    lines = ("User-agent: heron", "", "User-agent: cormorant", "Disallow: /a")
    assert not robots(*lines).ruling("/a").allowed
    assert not robots(*lines, agent="heron").ruling("/a").allowed


def test_an_empty_group_of_ours_allows_all() -> None:
    assert robots("User-agent: *", "Disallow: /", "User-agent: cormorant").ruling("/x").allowed


# --- section 2.2.2, allow and disallow


def test_the_most_octets_win() -> None:
    lines = ("Allow: /example/page/", "Disallow: /example/page/disallowed.gif")
    assert allowed("/example/page/x", *lines)
    assert not allowed("/example/page/disallowed.gif", *lines)
    assert allowed("/a/b", "Disallow: /", "Allow: /a")
    assert allowed("/x/page.html", "Allow: /x/page.", "Disallow: /*.html")
    assert not allowed("/page.htm", "Allow: /page", "Disallow: /*.htm")


def test_allow_wins_a_tie() -> None:
    assert allowed("/page", "Disallow: /page", "Allow: /page")
    assert allowed("/x.php", "Disallow: /*.php", "Allow: /x.ph*")


def test_what_no_rule_matches_is_allowed_and_so_is_an_empty_file() -> None:
    assert allowed("/b", "Disallow: /a")
    assert parse_robots(b"", "cormorant").ruling("/b").rule == "no rule for this path"


def test_an_empty_rule_matches_nothing_but_ends_the_list_of_agents() -> None:
    assert allowed("/", "Disallow:")
    found = robots("User-agent: heron", "Disallow:", "User-agent: cormorant", "Disallow: /")
    assert not found.ruling("/").allowed
    assert robots("User-agent: cormorant", "Disallow:", "User-agent: heron", "Disallow: /").ruling("/").allowed


def test_robots_txt_itself_is_always_allowed() -> None:
    assert allowed("/robots.txt", "Disallow: /")
    assert not allowed("/robots.txt?x", "Disallow: /")


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz", True),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar", True),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", True),
        ("/foo/bar?baz=https%3a%2f%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", True),
        ("/*?*=https://", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", True),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A", True),
        ("/a/b", "/a%2Fb", False),
        ("/a%2Fb", "/a/b", False),
        ("/a%2fb", "/a%2Fb", True),
        ("/a<b>", "/a%3Cb%3E", True),
        ("/%7Ejoe", "/~joe", True),
        ("/100%", "/100%", True),
        ("/wiki%3Med", "/wiki%3Med", True),
        ("/Case", "/case", False),
    ],
)
def test_paths_are_compared_once_encoded(rule: str, path: str, matches: bool) -> None:
    assert allowed(path, f"Disallow: {rule}") is not matches


def test_octets_that_are_no_text_are_compared_as_octets() -> None:
    found = parse_robots(b"User-agent: *\nDisallow: /caf\xe9", "cormorant")
    assert not found.ruling("/caf%E9").allowed
    assert found.ruling("/caf%C3%A9").allowed


# --- section 2.2.3, special characters


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        ("/*", "/", True),
        ("/fish*.php", "/fishheads/catfish.php?x", True),
        ("/fish*.php", "/Fish.php", False),
        ("*/p", "/x/page", True),
        ("/a*b*c", "/axbxc", True),
        ("/a*b*c", "/acb", False),
        ("/a**b", "/ab", True),
        ("/x$", "/x", True),
        ("/x$", "/xy", False),
        ("/*.php$", "/a.php", True),
        ("/*.php$", "/a.php?x", False),
        ("/a*a$", "/a", False),
        ("/*$", "/anything", True),
        ("/$", "/", True),
        ("/x$/y", "/x$/yz", True),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", True),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-x.html", False),
        ("/path/foo-%24", "/path/foo-$", True),
        ("/path/foo-%24", "/path/foo-", False),
        ("/path/foo-%24", "/path/foo-%24bar", True),
        ("/a*$b", "/axx$bc", True),
    ],
)
def test_special_characters(rule: str, path: str, matches: bool) -> None:
    assert allowed(path, f"Disallow: {rule}") is not matches


# --- section 2.2.4, other records


def test_other_records_do_not_end_a_group() -> None:
    for other in ("Sitemap: https://a.org/s.xml", "Crawl-delay: 5", "Unknown: /x", "nonsense", ""):
        assert not robots("User-agent: cormorant", other, "User-agent: heron", "Disallow: /a").ruling("/a").allowed


def test_sitemaps_are_read_wherever_they_stand_each_once() -> None:
    found = robots(
        "Sitemap: /relative.xml", "User-agent: heron", "site-map : https://a.org/s.xml?a=b:c",
        "sitemap: https://a.org/s.xml?a=b:c", "Sitemap: https://a.org/ä.xml", "Sitemap:",
    )  # fmt: skip
    assert found.sitemaps == ("/relative.xml", "https://a.org/s.xml?a=b:c", "https://a.org/ä.xml")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("5", 5.0), ("0.5", 0.5), (".5", 0.5), ("86400", 86400.0), ("10 # x", 10.0), ("2s", 2.0), ("0", 0.0),
     ("soon", None), ("", None), ("-1", None), ("nan", None), ("inf", None), ("1e9", 1.0), ("9" * 400, 999999999.0)],
)  # fmt: skip
def test_crawl_delay(written: str, seconds: float | None) -> None:
    assert robots("User-agent: *", f"Crawl-delay: {written}").crawl_delay == seconds


def test_crawl_delay_belongs_to_the_agents_named_right_before_it() -> None:
    lines = ("User-agent: cormorant", "Crawl-delay: 1", "User-agent: heron", "Crawl-delay: 2", "Disallow: /a")
    assert robots(*lines).crawl_delay == 1
    assert not robots(*lines).ruling("/a").allowed
    assert robots(*lines, agent="heron").crawl_delay == 2


def test_of_several_crawl_delays_the_longest_counts() -> None:
    assert robots("User-agent: *", "Crawl-delay: 3", "Crawl-delay: 9", "Crawl-delay: 1").crawl_delay == 9
    assert robots("User-agent: *", "Crawl-delay: 9", "User-agent: cormorant", "Disallow:").crawl_delay is None


# --- sections 2.3.1.5 and 2.5, what is read


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\r\n"])
def test_line_ends(end: str) -> None:
    body = end.join(["User-agent: cormorant", "Disallow: /a", "User-agent: heron", "Disallow: /b"]).encode()
    found = parse_robots(body, "cormorant")
    assert [found.ruling(path).allowed for path in ("/a", "/b")] == [False, True]


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16", "utf-16-be-bom"])
def test_byte_order_marks(coding: str) -> None:
    text = "User-agent: *\nDisallow: /ä"
    body = b"\xfe\xff" + text.encode("utf-16-be") if coding == "utf-16-be-bom" else text.encode(coding)
    assert not parse_robots(body, "cormorant").ruling("/%C3%A4").allowed


def test_lines_that_cannot_be_read_do_not_spoil_the_others() -> None:
    body = b"\0\0User-agent: *\0\n\xff\xfe\x00: x\nDisallow\n: /x\nDisallow: /a\0\nAllow: /a/b\n"
    found = parse_robots(body, "cormorant")
    assert not found.ruling("/a").allowed
    assert found.ruling("/a/b").allowed


@pytest.mark.parametrize(
    "line", ["Disallow /a", "dissallow: /a", "DISALLOW:/a", " disallow \t: \t/a ", "Disallow: a", "Disallow: /a#x"]
)
def test_slips_of_the_pen_are_understood(line: str) -> None:
    assert not allowed("/a", line)
    assert allowed("/b", line)


def test_rules_before_any_agent_are_for_nobody() -> None:
    assert robots("Disallow: /a", "User-agent: *", "Disallow: /b").ruling("/a").allowed


@pytest.mark.parametrize("start", ["<!DOCTYPE html>", "\n <HTML lang='en'>", "<?xml version='1.0'?>", "<head>"])
def test_a_page_has_no_rules(start: str) -> None:
    assert robots(start, "User-agent: *", "Disallow: /").ruling("/x").allowed


def test_only_the_first_512_kib_are_read_up_to_the_end_of_a_line() -> None:
    filler = b"User-agent: *\n" + b"# padding\n" * (MAX_BODY // 10)
    at = MAX_BODY - len(b"Disallow: /secret")
    cut = filler[:at] + b"Disallow: /secret/more\nDisallow: /late\n"
    assert parse_robots(cut[:at] + b"\nDisallow: /secret/more", "x").ruling("/secret").allowed
    found = parse_robots(b"User-agent: *\nDisallow: /early\n" + filler + b"\nDisallow: /late\n", "x")
    assert [found.ruling(path).allowed for path in ("/early", "/late")] == [False, True]


def test_the_line_that_decided_is_shown_as_written() -> None:
    found = robots("# hello", "User-agent: *", "", "Dissallow:  /a*b  # not yet")
    assert found.ruling("/axb").rule == "line 4: Dissallow:  /a*b"
    assert len(robots("User-agent: *", "Disallow: /" + "a" * 5000).ruling("/" + "a" * 5000).rule) < 250


@given(st.binary(max_size=400))
def test_any_bytes_make_rules(body: bytes) -> None:
    found = parse_robots(b"User-agent: *\nDisallow: /a\n" + body, "cormorant")
    assert found.ruling("/" + body.hex()).rule
    assert parse_robots(body, "cormorant").crawl_delay is None or body


@given(st.text(max_size=40))
def test_encoding_twice_is_encoding_once(path: str) -> None:
    assert encode(encode(path)) == encode(path)


# --- section 2.3.1, access results


@pytest.mark.parametrize(
    ("status", "reading"),
    [
        (200, RobotsAnswer.PARSE), (204, RobotsAnswer.PARSE), (206, RobotsAnswer.PARSE),
        (301, RobotsAnswer.ALLOW_ALL), (399, RobotsAnswer.ALLOW_ALL), (304, RobotsAnswer.DISALLOW_ALL),
        (400, RobotsAnswer.ALLOW_ALL), (401, RobotsAnswer.ALLOW_ALL), (403, RobotsAnswer.ALLOW_ALL),
        (404, RobotsAnswer.ALLOW_ALL),
        (410, RobotsAnswer.ALLOW_ALL), (429, RobotsAnswer.DISALLOW_ALL), (499, RobotsAnswer.ALLOW_ALL),
        (500, RobotsAnswer.DISALLOW_ALL), (503, RobotsAnswer.DISALLOW_ALL), (599, RobotsAnswer.DISALLOW_ALL),
        (None, RobotsAnswer.DISALLOW_ALL), (101, RobotsAnswer.DISALLOW_ALL), (999, RobotsAnswer.DISALLOW_ALL),
    ],
)  # fmt: skip
def test_what_an_answer_means(status: int | None, reading: RobotsAnswer) -> None:
    verdict = verdict_of_fetch(status)
    assert verdict.reading is reading
    assert verdict.because.startswith("robots.txt ")
    assert verdict.valid_s is None if reading is RobotsAnswer.DISALLOW_ALL else verdict.valid_s == 86_400


# --- time


def seconds(call: Callable[..., object], *given: object) -> float:
    return cpu_s(lambda: call(*given))


@pytest.mark.parametrize("line", ["/*a*a*a*a*$", "/" + "*a" * 500 + "$", "/*aaaaaaaaaaaaaab"])
def test_no_wildcard_explodes(line: str) -> None:
    found = robots("User-agent: *", f"Disallow: {line}")
    assert seconds(found.ruling, "/" + "a" * 4000 + "b") < 0.1


def test_thousands_of_wildcards_take_about_a_millisecond() -> None:
    words = [f"{number:x}" * 3 for number in range(4000)]
    found = robots("User-agent: *", *(f"Disallow: /*{word}*{word[::-1]}$" for word in words))
    # Measured 0.02 ms and, where nothing tells the rules apart, 1 ms; each rule by itself would take 100 ms and more.
    assert seconds(found.ruling, "/docs/en/latest/chapter/section-17.html?x=1") < 0.003
    alike = robots("User-agent: *", *(f"Disallow: /*x{number}*foo*b" for number in range(4000)))
    assert seconds(alike.ruling, "/a/foo/" + "c" * 100 + "foo") < 0.02


def test_ten_megabytes_are_read_at_once() -> None:
    body = b"User-agent: *\n" + b"".join(b"Disallow: /%d/\n" % number for number in range(700_000))
    assert seconds(parse_robots, body, "cormorant") < 1.0  # measured 0.06 s
