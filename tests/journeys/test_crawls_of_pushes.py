"""A source that programs push to passes the suite of whole crawls, in full feeds and by single changes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from cormorant.testing import CrawlSuite
from cormorant.testing.crawls import Commands


class _Pushing(Commands):
    """Commands of an installation to which the place is pushed before each crawl."""

    def __init__(self, made: Commands, place: CrawlSuite) -> None:
        super().__init__(made.folder)
        self._place = place

    def crawl(self, name: str, *words: str, fine: Sequence[int] = (0,)) -> dict[str, Any]:
        """Push what waits, then crawl. Where nothing comes, a run has nothing to do, and ends well."""
        self._place.push(self)  # type: ignore[attr-defined] # of the suites below
        return super().crawl(name, *words, fine=(0, *fine))

    def begin(self, *words: str) -> Any:
        """Push what waits, then begin."""
        self._place.push(self)  # type: ignore[attr-defined]
        return super().begin(*words)


class _Pushed(CrawlSuite):
    kind = "push"

    def made(self) -> None:
        """Begin with nothing."""
        self.there: dict[str, str] = {}
        self.waiting: list[dict[str, object]] = []
        self.away = False

    def settings(self) -> Mapping[str, object]:
        """Nothing has to be set."""
        return {}

    def _started(self, folder: Any) -> Commands:
        return _Pushing(super()._started(folder), self)

    def put(self, name: str, word: str) -> None:
        """Change an item."""
        self.there[name] = word
        self.waiting.append({"id": name, "content": f"The text has {word}.", "url": self.url(name)})

    def remove(self, name: str) -> None:
        """Delete an item."""
        del self.there[name]
        self.waiting.append({"id": name, "action": "delete"})

    def url(self, name: str) -> str:
        """Return its address."""
        return f"https://desk.example/{name}"

    def take_away(self) -> None:
        """Have nothing come."""
        self.away = True

    def bring_back(self) -> None:
        """Have it come again."""
        self.away = False

    def push(self, commands: Commands) -> None:
        """Push what changed."""
        if self.waiting and not self.away:
            commands.run("push", "place", "-", given=json.dumps({"items": self.waiting}))
            self.waiting = []


class TestSingleChanges(_Pushed):
    """Inserts and deletes, one by one."""


class TestFullFeeds(_Pushed):
    """All there is each time, in batches of five."""

    feeds = 0

    def push(self, commands: Commands) -> None:
        """Push everything."""
        if self.away:
            return
        self.feeds += 1
        items = [
            {"id": name, "content": f"The text has {word}.", "url": self.url(name)} for name, word in self.there.items()
        ]
        for start in range(0, len(items), 5):
            ends = start + 5 >= len(items)
            batch = {"mode": "full", "feed": str(self.feeds), "items": items[start : start + 5], "end": ends}
            commands.run("push", "place", "-", given=json.dumps(batch))
