"""Changes that are easily overlooked: beside the text, beside the bytes, and where nothing could be had for a while."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.stand import Answer, Request, confirmed, stand


class Notice:
    """A page that a start page leads to, and another one; what is said of it can be changed."""

    def __init__(self) -> None:
        self.at, self.head, self.status = "", "", 200
        self.fields: tuple[tuple[str, str], ...] = ()

    def answer(self, request: Request) -> Answer:
        """Answer a request."""
        if request.path == "/":
            return confirmed(request, Answer(body=b"<title>Start</title><a href=/notice>1</a> <a href=/other>2</a>"))
        if request.path == "/other":
            return confirmed(request, Answer(body=b"<title>Other</title><p>otherword"))
        if request.path != "/notice" or self.status != 200:
            return Answer(self.status if request.path == "/notice" else 404)
        body = f"<html><head><title>Notice</title>{self.head}</head><body><p>noticeword</p></body></html>".encode()
        return confirmed(request, Answer(body=body, fields=self.fields), f'"{hash((body, self.fields))}"')


@pytest.fixture
def notice(file_home: Home) -> Iterator[Notice]:
    """The site, being served, as the source `site`."""
    notice_ = Notice()
    with stand(notice_.answer) as served:
        notice_.at = f"http://127.0.0.1:{served.port}"
        file_home.add_source("web", "site", {"start": [f"{notice_.at}/"], "patience_s": 0})
        yield notice_


def attributes(home: Home) -> dict[str, object]:
    """Those of the page, as search shows them."""
    from cormorant.model.acl import ANYONE
    from cormorant.search.reader import Question

    with home.library() as library:
        (hit,) = library.find(Question("noticeword"), ANYONE).hits
        return dict(hit.attributes)


def test_other_attributes_alone_are_a_change(file_home: Home, crawls: Crawler, notice: Notice) -> None:
    crawls.crawl(file_home, "site")
    notice.head = '<meta name="author" content="Ada">'
    report = crawls.crawl(file_home, "site")
    assert (report["changed"], report["index_writes"]) == (1, 1)
    assert attributes(file_home)["Author"] == "Ada"
    assert crawls.crawl(file_home, "site")["index_writes"] == 0


def test_a_canonical_address_in_the_header_counts_though_the_bytes_are_the_same(
    file_home: Home, crawls: Crawler, notice: Notice
) -> None:
    crawls.crawl(file_home, "site")
    notice.fields = (("Link", f'<{notice.at}/other>; rel="canonical"'),)
    crawls.crawl(file_home, "site")
    assert file_home.found("noticeword", "otherword") == [[], [f"{notice.at}/other"]]
    notice.fields = ()
    crawls.crawl(file_home, "site")
    assert file_home.found("noticeword") == [[f"{notice.at}/notice"]]


@pytest.mark.parametrize("edit", [{"grants": ["group:staff"]}, {"index_exclude": ["mime:text/html"]}])
def test_a_page_that_fails_after_an_edit_is_judged_again_when_it_answers(
    file_home: Home, crawls: Crawler, notice: Notice, edit: dict[str, object]
) -> None:
    crawls.crawl(file_home, "site")
    file_home.edit_source("site", edit)
    notice.status = 403
    crawls.crawl(file_home, "site")
    notice.status = 200
    crawls.crawl(file_home, "site")
    assert file_home.found("noticeword", "otherword") == [[], []]
