"""A large sitemap is told part by part, each settled before the next, so that other visits go on in between.

    add -> first part in the batch -> settle -> next part in the next batch -> ... -> last part, and the visit itself

Until then the visit is not over: after a crash the sitemap is read again, and what was admitted of it is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.crawl.commit import batch as batch_rows
from cormorant.crawl.commit import discovered_links

if TYPE_CHECKING:
    from cormorant.crawl.commit.batch import Batch, Visited
    from cormorant.crawl.context import WorkerContext
    from cormorant.crawl.link_filter import Screened
    from cormorant.frontier.sitemaps.registry import SitemapContent
    from cormorant.frontier.state.enqueue import Admission
    from cormorant.sources.protocol import Source


class Telling:
    """The sitemaps of which a run has yet to tell a part."""

    def __init__(self, order: Admission, means: WorkerContext) -> None:
        self._order, self._means = order, means
        self._later: list[tuple[Visited, SitemapContent]] = []

    def tell(self, batch: Batch, source: Source, visited: Visited, found: Screened) -> None:
        """Put what a visit leads to into a batch; the visit too, unless there is more of a sitemap."""
        if found.told is None or not found.told.left:
            batch_rows.add(batch, source, visited, found, self._means.steps)
            return
        visited = batch_rows.lightened(visited)
        batch_rows.lead(batch, visited.resource, found)
        batch.partly.append(visited)
        self._later.append((visited, found.told))

    def go_on(self, batch: Batch, source: Source, lost: set[int]) -> None:
        """Put the next parts into a new batch, of sitemaps at sites that were not lost."""
        later, self._later = self._later, []
        for visited, told in later:
            if visited.resource.site not in lost:
                with self._means.steps("gates"):
                    found = discovered_links.next_part(source, self._order, told, self._means)
                self.tell(batch, source, visited, found)
