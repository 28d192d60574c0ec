"""The peer: follow every link of some hosts, keep address, title and text of every page.

Text is taken with one XPath over the lxml tree that Scrapy has parsed anyway, which is cheaper than selectors: the peer
is not to lose by how it was written.
"""

# Scrapy is only installed for `make bench`, so the type checker mostly sees no Spider to inherit from.
# mypy: disallow-subclassing-any=False

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.linkextractors import LinkExtractor


class Documentation(scrapy.Spider):
    """Crawls the hosts of ``starts`` (addresses with blanks between); ``revalidate=1`` asks again for cached pages.

    Without that, the cache's policy would call pages that last changed years ago fresh and send no request at all;
    with it each carries "Cache-Control: max-age=0", as a browser's reload does, and each page is asked for by one
    conditional request, like ours. A page that the server then calls unchanged is only followed, its text not taken
    again: it is in the first crawl's output already.
    """

    name = "documentation"

    def __init__(self, starts: str, revalidate: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.starts = starts.split()
        self.allowed_domains = [urlsplit(start).hostname for start in self.starts]
        self.headers = {"Cache-Control": "max-age=0"} if revalidate else None
        self.links = LinkExtractor(tags=("a", "area", "frame", "iframe"), attrs=("href", "src"))

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """The front pages."""
        for start in self.starts:
            yield scrapy.Request(start, headers=self.headers)

    def parse(self, response: Response) -> Iterator[Any]:
        """One page: its text as an item, its links as requests."""
        unchanged = "cached" in response.flags
        if isinstance(response, HtmlResponse):
            if not unchanged:
                root = response.selector.root
                title = " ".join(root.xpath("string(//title)").split())
                parts = root.xpath("//body//text()[not(parent::script or parent::style)]")
                yield {"url": response.url, "title": title, "text": " ".join(" ".join(parts).split())}
            for link in self.links.extract_links(response):
                if not link.nofollow:
                    yield scrapy.Request(link.url, headers=self.headers)
        elif isinstance(response, TextResponse) and not unchanged:
            yield {"url": response.url, "title": "", "text": response.text}
