"""Rounds of edits, crawls and comparisons. The entries of the index are compared with the site."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import sqlalchemy as sa

from cormorant.model.acl import EVERYONE, Reader
from cormorant.search.index import query as ask
from cormorant.search.index.document import IndexedDocument as Kept
from cormorant.store.schema import site_fact
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.rounds.edits import edit
from tests.journeys.rounds.tree import Tree
from tests.journeys.rounds.truth import Truth, forbidden
from tests.journeys.rounds.wiki import OK, Wiki
from tests.journeys.stand import Asked, Served, stand

EDITS = 9
"""Edits of the site, and of the folder, between two crawls."""
STAFF, PUBLIC = ["group:staff"], ["everyone"]
ALL = Reader("all", frozenset((EVERYONE, "group:staff", "user:root")))
SHOWN = 6


@dataclass
class Course:
    """How the rounds of a seed went. `faults` say in which round, of which source, what was wrong."""

    seed: int
    rounds: int = 0
    compared: int = 0
    calm: int = 0
    written: int = 0
    unsure: int = 0
    faults: list[str] = field(default_factory=list)
    done: list[list[str]] = field(default_factory=list)

    def wrong(self, source: str, what: str, some: object) -> None:
        """Note a difference, if there is any."""
        if some:
            listed = sorted(map(str, some))[:SHOWN] if isinstance(some, set | list | dict) else some
            self.faults.append(f"seed {self.seed}, round {self.rounds}, {source}: {what}: {listed}")


class Rounds:
    """A site and a folder, edited and crawled in turn."""

    def __init__(self, home: Home, crawls: Crawler, folder: Path, seed: int) -> None:
        self.chance = Random(seed)
        self.course = Course(seed)
        self.home, self.crawls = home, crawls
        self.wiki = Wiki(self.chance, lies=bool(seed % 2))
        self.truth = Truth()
        self.tree = Tree(folder / "tree", self.chance)
        self.before: dict[str, Any] = {}
        self.grants = PUBLIC

    def go(self, rounds: int) -> Course:
        """Edit and crawl so often, and twice more without an edit."""
        with stand(self.wiki.answer) as served:
            self.wiki.at = f"http://127.0.0.1:{served.port}"
            audit = {"hash_audit": 1.0} if self.wiki.lies else {}
            given = {"start": [f"{self.wiki.at}/"], "delay_s": 0, "patience_s": 2} | audit
            self.home.add_source("web", "wiki", given)
            self.home.add_source("files", "tree", {"path": str(self.tree.root), "owner_grants": True})
            for number in range(rounds + 3):
                edits = EDITS if 0 < number <= rounds else 0
                self._round(served, edits)
                if self.course.faults:
                    break
        return self.course

    def _round(self, served: Served, edits: int) -> None:
        done = edit(self.wiki, edits) + self.tree.edit(edits) if edits else []
        if not edits:
            self.wiki.edited.clear()
        regranted = bool(edits) and self.chance.random() < 0.1
        if regranted:
            self.grants = STAFF if self.grants == PUBLIC else PUBLIC
            self.home.edit_source("wiki", {"grants": self.grants})
            done.append(f"grants: {self.grants}")
        self.course.done.append(done)
        self._forget_robots()
        since = len(served.log)
        self.crawls.begin(self.home, "wiki", "tree")
        said = self.crawls.end()
        assert "reports" in said, said
        reports = {each["source"]: each for each in said["reports"]}
        self.course.rounds += 1
        self._web(reports["wiki"], served.log[since:], regranted=regranted)
        self._files(reports["tree"])

    def _forget_robots(self) -> None:
        """A day passes: robots.txt is asked for again."""
        with self.home.house() as house, house.store.begin() as tx:
            tx.execute(sa.update(site_fact).where(site_fact.c.name.like("robots:%")).values(valid_until=0.0))

    def _entries(self, source: str) -> dict[str, Kept]:
        """All that the index holds of a source, whoever may read it."""
        with self.home.house() as house:
            found = house.index_reader().search(
                ask.Search(ask.Exact(ask.Key.SOURCE, (source,)), ALL, limit=1000, fold=False)
            )
        return {match.entry.url: match.entry for match in found.hits}

    def _web(self, report: dict[str, Any], log: list[Asked], *, regranted: bool) -> None:
        course, before, stood = self.course, dict(self.truth.entries), self.truth.unsure
        self.truth.crawl(self.wiki)
        truth, unsure = self.truth.entries, self.truth.unsure
        held = {url.removeprefix(self.wiki.at): entry for url, entry in self._entries("wiki").items()}
        course.compared += len(truth)
        course.unsure += len(unsure)
        course.wrong("wiki", "the run", "" if report["complete"] else str(report["reason"]))
        course.wrong("wiki", "missing from the index", truth.keys() - held.keys() - unsure)
        course.wrong("wiki", "in the index and should not be", held.keys() - truth.keys() - unsure)
        both = truth.keys() & held.keys()
        course.wrong("wiki", "another title", {n for n in both if held[n].title != truth[n].title})
        course.wrong("wiki", "another text", {n for n in both if truth[n].text not in " ".join(held[n].text.split())})
        course.wrong("wiki", "other attributes", {n for n in both if metas(held[n]) != truth[n].metas})
        course.wrong("wiki", "other rights", {n for n in both if list(held[n].grants) != self.grants})
        if unsure or stood or regranted:
            return
        writes, deletes = sum(before.get(n) != entry for n, entry in truth.items()), len(before.keys() - truth.keys())
        course.written += writes
        counted = (report["index_writes"], report["index_deletes"])
        course.wrong("wiki", f"index writes and deletes {counted}, not", {(writes, deletes)} - {counted})
        self._cost(log, before)

    def _cost(self, log: list[Asked], before: dict[str, Any]) -> None:
        """Check that an unchanged page costs one conditional request, and one more if it is audited."""
        asked = Counter(each.path for each in log)
        answers = {each.path: each for each in reversed(log)}
        shared = self.wiki.targets()
        for name, page in self.wiki.pages.items():
            fine = (page.state, page.canonical, page.robots) == (OK, "", "")
            if (
                not fine
                or page.tag in ("none", "never the same")
                or name in self.wiki.edited
                or name in shared
                or forbidden(self.wiki, name)
            ):
                continue
            if name not in before or before[name] != self.truth.entries.get(name) or page.lies:
                continue
            self.course.calm += 1
            first, most = answers.get(name), 2 if self.wiki.lies else 1
            if first is None or not first.conditional or first.status != 304 or asked[name] != most:
                self.course.wrong("wiki", "an unchanged page cost", [f"{name} {asked[name]} requests, {first}"])

    def _files(self, report: dict[str, Any]) -> None:
        course, truth = self.course, self.tree.truth()
        start = f"file://{self.tree.root}/"
        held = {unquote(url.removeprefix(start)): entry for url, entry in self._entries("tree").items()}
        course.compared += len(truth)
        course.wrong("tree", "missing from the index", truth.keys() - held.keys())
        course.wrong("tree", "in the index and should not be", held.keys() - truth.keys())
        both = truth.keys() & held.keys()
        course.wrong("tree", "another text", {n for n in both if " ".join(held[n].text.split()) != truth[n].text})
        course.wrong("tree", "other rights", {n for n in both if (EVERYONE in held[n].grants) != truth[n].public})
        if not course.done[-1] and course.rounds > 1:
            course.wrong("tree", "a run without an edit", report["index_writes"] + report["fetched"] and [report])
        course.wrong("tree", "the run", "" if report["complete"] else str(report["reason"]))


def metas(entry: Kept) -> tuple[tuple[str, str], ...]:
    """The attributes that a page's metas gave it, as they were written."""
    found = {name.lower(): value for name, value in entry.attributes.items() if not name.startswith("Headline")}
    first = {name: each[0] if isinstance(each, tuple | list) else each for name, each in found.items()}
    return tuple(sorted((name, str(each)) for name, each in first.items()))
