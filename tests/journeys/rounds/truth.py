"""What must the index hold? A crawl of the model, by the rules that are promised."""

from __future__ import annotations

from tests.journeys.rounds.wiki import DENIED, ELSEWHERE, GONE, MISSING, MOVED, REFRESH, Entry, Page, Wiki

HOPS = 10
DENIALS = 3
"""Runs in a row after which a page that may not be read goes."""


class Truth:
    """Known and found addresses, from run to run. `unsure`: found or not, depending on the order of visits."""

    def __init__(self) -> None:
        self.known: set[str] = {"/"}
        self.entries: dict[str, Entry] = {}
        self.unsure: set[str] = set()
        self.denied: dict[str, int] = {}

    def crawl(self, wiki: Wiki) -> None:
        """One whole run."""
        before, self.entries, self.unsure = self.entries, {}, set()
        todo, seen = [*self.known, *wiki.mapped], set[str]()
        copies, denied = dict[str, tuple[str, Entry]](), dict[str, int]()
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            page, leads = self._follow(wiki, name)
            todo += leads
            if page is None:
                continue
            if page.state == DENIED:
                denied[name] = self.denied.get(name, 0) + 1
                if name in before and denied[name] < DENIALS:
                    self.entries[name] = before[name]
            elif "noindex" not in page.robots:
                entry = Entry(page.title, page.shown, tuple(sorted(page.metas.items())))
                if page.canonical not in ("", name):
                    copies[name] = (page.canonical, entry)
                else:
                    self.entries[name] = entry
        self.known, self.denied = seen, denied
        self._copies(wiki, copies, before)

    def _follow(self, wiki: Wiki, name: str) -> tuple[Page | None, list[str]]:
        """The page an address ends at, None when there is none for it, and where it leads to."""
        for _ in range(HOPS):
            page = wiki.pages.get(name)
            if page is None or forbidden(wiki, name) or page.state in (MISSING, GONE):
                return None, []
            if page.state in (MOVED, REFRESH):
                return None, [page.target]
            if page.state == DENIED:
                return page, []
            if page.state != ELSEWHERE:
                follows = "nofollow" not in page.robots
                return page, [each for each, no in page.links.items() if not no and follows]
            name = page.target
        return None, []

    def _copies(self, wiki: Wiki, copies: dict[str, tuple[str, Entry]], before: dict[str, Entry]) -> None:
        """A page that names another as the original goes when a document is found there, and comes back by a visit.

        It may stay while the other page cannot be fetched, which perhaps had to be reread.
        """
        for name, (original, entry) in copies.items():
            stands, stood = original in self.entries, original in before
            silent = stands and wiki.pages[original].state == DENIED
            if (stood and not stands) or (silent and name in before):
                self.unsure.add(name)
            if not stands:
                self.entries[name] = entry


def forbidden(wiki: Wiki, name: str) -> bool:
    """Does robots.txt forbid it? The longest rule decides, the kinder of two as long (RFC 9309 section 2.2.2)."""
    rules = [(len(prefix), allowed) for prefix, allowed in wiki.rules if name.startswith(prefix)]
    return bool(rules) and not max(rules)[1]
