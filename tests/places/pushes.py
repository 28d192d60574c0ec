"""Programs that push: single changes, and all there is each time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from cormorant.testing import Commands, CrawlPlace

AT_ONCE = 1_000
"""Items of a request."""


class PushPlace(CrawlPlace):
    """A program that pushes inserts and deletes, one by one."""

    kind = "push"
    restricts = True
    sends = True

    def made(self) -> None:
        """Begin with nothing."""
        self.there: dict[str, str] = {}
        self.allowed: dict[str, Sequence[str]] = {}
        self.waiting: list[dict[str, Any]] = []
        self.away = False

    def counterpart(self) -> str:
        """Name the command."""
        return "the command `push`"

    def settings(self) -> Mapping[str, object]:
        """Nothing has to be set."""
        return {}

    def prepare(self, commands: Commands) -> None:
        """A new installation has to get everything."""
        self.waiting = [self.item(name) for name in self.there]

    def put(self, name: str, word: str) -> None:
        """Change an item."""
        self.there[name] = word
        self.allowed[name] = ("everyone",)
        self.waiting.append(self.item(name))

    def remove(self, name: str) -> None:
        """Delete an item."""
        del self.there[name]
        self.waiting.append({"id": name, "action": "delete"})

    def allow(self, name: str, readers: Sequence[str]) -> None:
        """Push it with other readers."""
        self.allowed[name] = readers
        self.waiting.append(self.item(name))

    def url(self, name: str) -> str:
        """Return its address."""
        return f"https://desk.example/{name}"

    def attributes(self, name: str, word: str) -> Mapping[str, str]:
        """Each text has an author of its own."""
        return {"Author": f"by {word}"}

    def take_away(self) -> None:
        """Have nothing come."""
        self.away = True

    def bring_back(self) -> None:
        """Have it come again."""
        self.away = False

    def item(self, name: str) -> dict[str, Any]:
        """Return an item as it is pushed."""
        word = self.there[name]
        return {
            "id": name, "content": f"The text has {word}.", "url": self.url(name), "title": name,
            "attributes": dict(self.attributes(name, word)), "acl": {"grants": list(self.allowed[name])},
        }  # fmt: skip

    def batches(self, size: int) -> list[dict[str, Any]]:
        """Return everything there is as batches of some items."""
        items = [self.item(name) for name in self.there]
        return [{"items": items[start : start + size]} for start in range(0, len(items), size)]

    def deliver(self, commands: Commands) -> None:
        """Push what changed."""
        while self.waiting and not self.away:
            batch, self.waiting = self.waiting[:AT_ONCE], self.waiting[AT_ONCE:]
            commands.run("push", "place", "-", given=json.dumps({"items": batch}))


class FullPushPlace(PushPlace):
    """A program that pushes all there is each time, in batches of five, or more where there are many."""

    feeds = 0

    def batches(self, size: int) -> list[dict[str, Any]]:
        """Return a full feed of numbered batches."""
        self.feeds += 1
        found = super().batches(size)
        common = {"mode": "full", "feed": str(self.feeds)}
        numbered = ({**each, **common, "sequence": number} for number, each in enumerate(found, 1))
        return [{**each, "end": each["sequence"] == len(found)} for each in numbered]

    def deliver(self, commands: Commands) -> None:
        """Push everything."""
        if self.away:
            return
        self.feeds += 1
        items = [self.item(name) for name in self.there]
        size = max(5, len(items) // 10)
        for start in range(0, len(items), size):
            ends = start + size >= len(items)
            batch = {"mode": "full", "feed": str(self.feeds), "items": items[start : start + size], "end": ends}
            commands.run("push", "place", "-", given=json.dumps(batch))
