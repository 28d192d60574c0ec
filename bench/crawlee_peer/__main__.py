"""The peer: follow every link of some hosts, keep address, title and text of every page as JSON Lines.

Text and links are taken as in the other peer in Python: one XPath each over the tree that the crawler has parsed
anyway. The guide on scaling sets ``max_concurrency`` to 100 and leaves the rest to the crawler, which grows with what
the machine has to give. Its queue stays in memory, which is the fastest it has; sessions, retries and statistics, which
only cost it time here, are off.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

# Only installed for `make bench`, so the type checker mostly never sees it.
crawlee: Any = import_module("crawlee")
crawlers: Any = import_module("crawlee.crawlers")
clients: Any = import_module("crawlee.http_clients")
storages: Any = import_module("crawlee.storage_clients")

AGENT = "crawlee-peer/1.0"
_FOLLOWED = "//a[@href]|//area[@href]|//frame[@src]|//iframe[@src]"
_TEXT = "//body//text()[not(parent::script or parent::style)]"
_NOFOLLOW = "//meta[translate(@name,'ROBTS','robts')='robots']/@content"


def links_of(root: Any, address: str, hosts: frozenset[str]) -> Iterator[str]:
    """The addresses on these hosts that a page leads to, without fragments; none that are marked nofollow."""
    if any("nofollow" in said.lower() for said in root.xpath(_NOFOLLOW)):
        return
    base = urljoin(address, next(iter(root.xpath("//base/@href")), ""))
    for element in root.xpath(_FOLLOWED):
        if "nofollow" in (element.get("rel") or "").lower():
            continue
        try:
            link = urljoin(base, (element.get("href") or element.get("src") or "").strip()).partition("#")[0]
            inside = urlsplit(link).netloc in hosts
        except ValueError:
            continue
        if inside:
            yield link


async def crawl(output: Path, starts: list[str]) -> None:
    """Crawl the hosts of the start addresses to their end."""
    hosts = frozenset(urlsplit(start).netloc for start in starts)
    crawler = crawlers.ParselCrawler(
        http_client=clients.ImpitHttpClient(browser=None, headers={"User-Agent": AGENT}),
        concurrency_settings=crawlee.ConcurrencySettings(max_concurrency=100),
        storage_client=storages.MemoryStorageClient(),
        respect_robots_txt_file=True,
        use_session_pool=False,
        retry_on_blocked=False,
        max_request_retries=0,
        request_handler_timeout=timedelta(seconds=60),
        configure_logging=False,
    )
    with output.open("w", encoding="utf-8") as items:

        async def page(context: Any) -> None:
            root = context.selector.root
            title = " ".join(root.xpath("string(//title)").split())
            text = " ".join(" ".join(root.xpath(_TEXT)).split())
            items.write(json.dumps({"url": context.request.url, "title": title, "text": text}) + "\n")
            found = links_of(root, context.request.loaded_url or context.request.url, hosts)
            await context.add_requests(list(dict.fromkeys(found)))

        crawler.router.default_handler(page)
        await crawler.run(starts)


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    asyncio.run(crawl(Path(sys.argv[1]), sys.argv[2:]))
