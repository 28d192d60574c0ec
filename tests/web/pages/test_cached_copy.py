"""The page of a kept copy, and the frame in it."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.web.asking import Got
from tests.web.crawled import EVIL, Crawled


def number(crawled: Crawled, words: str) -> int:
    return int(crawled.api(f"/search?q={words}&limit=1")["hits"][0]["id"])


@pytest.fixture
def page(crawled: Crawled) -> Got:
    return crawled.get(f"/cached/{number(crawled, 'evil')}?q=sargasso%20kelp")


def framed(crawled: Crawled, got: Got) -> Got:
    (there,) = re.findall(r'<iframe [^>]*src="([^"]+)"', got.body)
    return crawled.get(unescape(there))


def test_it_says_what_is_kept(page: Got, crawled: Crawled) -> None:
    assert page.status == 200
    assert "Copy taken " in page.body
    assert "may have changed" in page.body
    assert f'href="{crawled.origin}/evil"' in page.body
    assert 'href="/search?q=sargasso+kelp">Back to results</a>' in page.body
    assert 'value="sargasso kelp"' in page.body
    assert f"/explain?address={crawled.origin.replace(':', '%3A').replace('/', '%2F')}%2Fevil" in page.body


def test_the_words_that_are_looked_for_lead_to_where_they_stand(page: Got, crawled: Crawled) -> None:
    chips = re.findall(r'<a class="chip" href="([^"]+)" target="copy"><mark>(\w+)</mark> (\d+)</a>', page.body)
    assert [(word, count) for _, word, count in chips] == [("sargasso", "1")]
    there = unescape(chips[0][0])
    assert there.endswith("#place-1")
    body = crawled.get(there.partition("#")[0]).body
    assert body.count("<mark") == 1
    assert '<mark id="place-1">sargasso</mark>' in body


def test_the_way_from_mark_to_mark(crawled: Crawled) -> None:
    there = f"/cached/{number(crawled, 'forest')}?q=forest+kelp"
    seen = []
    for _ in range(4):
        got = unescape(crawled.get(there).main)
        frame = re.search(r'<iframe [^>]*src="([^"]+)"', got)
        following = re.search(r'<a class="chip" href="([^"]+)">Next place</a>', got)
        assert frame
        assert following
        seen.append((frame[1].partition("#")[2], re.findall(r"(\d+ of \d+)</span>", got)))
        there = following[1]
    assert seen == [("", []), ("place-1", ["1 of 2"]), ("place-2", ["2 of 2"]), ("place-1", ["1 of 2"])]


@pytest.mark.parametrize("place", ["3", "-1", "x", "²", "9" * 30])
def test_a_place_there_is_not_is_passed_over(place: str, crawled: Crawled) -> None:
    got = crawled.get(f"/cached/{number(crawled, 'forest')}?q=forest+kelp&place={place}")
    assert got.status == 200
    assert "#place-" not in unescape(got.main).partition("<iframe")[2]


def test_without_marks(page: Got, crawled: Crawled) -> None:
    (there,) = re.findall(r'href="([^"]+)">Show without marks', page.body)
    assert "<mark" not in framed(crawled, crawled.get(unescape(there))).body


def test_its_text_alone_and_the_page_again(page: Got, crawled: Crawled) -> None:
    (there,) = re.findall(r'href="([^"]+)">Show its text only', page.body)
    text = crawled.get(unescape(there))
    assert '<main dir="auto" class="lines">\n<p dir="auto">' in framed(crawled, text).body
    assert 'class="lines"' not in framed(crawled, page).body, "ends of lines in the source are none of a page"
    assert "<mark" in framed(crawled, text).body
    (back,) = re.findall(r'href="([^"]+)">Show the page', text.body)
    assert unescape(back) == f"/cached/{number(crawled, 'evil')}?q=sargasso+kelp"


def test_the_frame_may_do_nothing_and_the_page_frames_nobody_else(page: Got, crawled: Crawled) -> None:
    inner = framed(crawled, page)
    policy = inner.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'")
    assert "frame-ancestors 'self'" in policy
    assert not re.search(r"allow-(scripts|forms|same-origin|top-navigation)|script-src|img-src|unsafe", policy)
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in page.body
    outer = page.headers["content-security-policy"]
    assert "frame-src 'self'" in outer
    assert "frame-ancestors 'none'" in outer
    assert EVIL not in inner.body
    assert "<script" not in inner.body


def test_links_of_the_copy_lead_outside(page: Got, crawled: Crawled) -> None:
    body = framed(crawled, page).body
    links = re.findall(r"<a [^>]*>", body)
    assert len(links) == 2
    assert all('target="_blank"' in each and 'rel="noopener noreferrer nofollow"' in each for each in links)
    assert f'href="{crawled.origin}/n0"' in links[0]


def test_only_a_copy_is_framed(crawled: Crawled) -> None:
    for path in ("/", "/search?q=kelp", "/advanced", "/help"):
        assert "frame-src" not in crawled.get(path).headers["content-security-policy"]


def test_the_theme_goes_along(page: Got, crawled: Crawled) -> None:
    there = f"/cached/{number(crawled, 'evil')}/content"
    assert 'data-theme="dark"' in crawled.get(there, cookie="theme=dark").body
    assert "data-theme" not in crawled.get(there, cookie='theme="><b>').body


@pytest.mark.parametrize("more", ["", "/content"])
def test_what_is_not_for_who_asks_is_as_unknown_as_what_there_is_not(more: str, crawled: Crawled) -> None:
    (forbidden,) = (each["id"] for each in crawled.api("/documents?source=personnel")["documents"] if each["indexed"])
    got, none = crawled.get(f"/cached/{forbidden}{more}"), crawled.get(f"/cached/999999{more}")
    assert (got.status, got.body) == (404, none.body)


def test_a_hit_leads_to_its_copy_with_the_words_marked(crawled: Crawled) -> None:
    body = crawled.get("/search?q=sargasso").body
    assert re.search(r'href="/cached/\d+\?q=sargasso"', body)
