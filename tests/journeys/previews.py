"""The preview of an edit lists exactly the documents that the next crawl adds and removes.

    python -m tests.journeys.previews --edits 200 --addresses 100000 --store sqlite|postgresql

A source is edited at random again and again. Each time the preview is read first, then the edit is made and the source
crawled. The documents that left search, addresses that are visited now, and documents that are found now are compared.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.model.outcome import OutcomeKind
from cormorant.model.run import RunState
from cormorant.model.status import Status
from cormorant.operate.runs import start as crawl_verbs
from cormorant.operate.sources.impact_preview import LEFT_OUT, preview
from cormorant.store.schema import content, hidden, resource
from tests.journeys.crawling import Crawler, crawler
from tests.journeys.home import Home
from tests.journeys.kills import place
from tests.journeys.proofs import record
from tests.journeys.shelves import HOSTS, SECTION, address, shelves, word

NAME = "shelves"
EVERY = 10**9
TELL = 10
FIGURES = {"leave": "leaving", "enter": "entering", "found_again": "finding"}
"""The counters of a preview, with the lists that belong to them."""
SAMPLE = 5
"""Documents of each sort that are looked for by a question to search."""


@dataclass(frozen=True, slots=True)
class State:
    """Addresses of found documents, and of visited ones."""

    found: frozenset[str]
    visited: frozenset[str]


@dataclass(slots=True)
class Tally:
    """Counts of comparisons."""

    edits: int = 0
    whole: int = 0
    left: int = 0
    entered: int = 0
    found_again: int = 0
    held: int = 0
    known: int = 0
    preview_s: list[float] = field(default_factory=list)
    faults: list[dict[str, Any]] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """For people and programs."""
        return {
            "edits": self.edits, "fetched_whole": self.whole, "known": self.known, "left": self.left,
            "entered": self.entered, "found_again": self.found_again, "held": self.held,
            "preview_max_s": round(max(self.preview_s, default=0.0), 3), "faults": len(self.faults),
        }  # fmt: skip


def settings(chance: Random, addresses: int, port: int) -> dict[str, Any]:
    """Settings that an administrator might give, at random: the whole of what says where, what and what is found."""
    sections = max(addresses // SECTION, 1)

    def section() -> int:
        return chance.randrange(min(sections, 8))

    def some(pool: list[str], most: int) -> list[str]:
        return chance.sample(pool, chance.randrange(most + 1))

    paths = [f"path:/s{each}/*" for each in chance.sample(range(min(sections, 8)), min(sections, 3))]
    tables = ["path:/tables/*"] if chance.random() < 0.8 else ["path:/s0/*"]
    hosts = [f"host:{host}:{port}" for host in chance.sample(HOSTS, chance.choice((1, 2, 2)))]
    where = chance.choice(
        (
            [],
            hosts,
            hosts,
            [f"prefix:http://{HOSTS[0]}:{port}/", "ip:127.0.0.2"],
            ["any"],
            [r"regex:^http://127\.0\.0\.[12]:"],
        )
    )
    exclude = [
        f"path://{HOSTS[0]}:{port}/s{section()}/t{chance.randrange(7)}/*", "name:draft-*", "ext:txt",
        "contains:view=print", "ends:=print", rf"regex:page-\d*{chance.randrange(10)}\.", "ip:127.0.0.2/32",
        f"address:{address(chance.randrange(addresses), port)}", f"prefix:http://{HOSTS[1]}:{port}/s{section()}/",
        f"port://{HOSTS[1]}:{port}", f"path:/s{section()}/t{chance.randrange(7)}", "suffix:example.org",
    ]  # fmt: skip
    index_exclude = [
        "mime:text/plain", "size:>1kB", "age:>365", "age:<365", f"name:*{chance.randrange(10)}.html",
        f"path:/s{section()}/*", "contains:/t3/",
    ]  # fmt: skip
    index_include = ["path:/s*", "mime:text/*", "size:<1500", f"regex:[{chance.randrange(10)}-9]\\."]
    return {
        "include": [*where, *tables, *paths], "exclude": some(exclude, 4), "index_exclude": some(index_exclude, 2),
        "index_include": some(index_include, 1) if chance.random() < 0.3 else [],
        "dynamic_pages": chance.random() < 0.8, "depth": chance.choice(("unlimited", "unlimited", 2, 2, 1)),
        "types": ["text/html"] if chance.random() < 0.15 else [],
    }  # fmt: skip


def state(home: Home) -> State:
    """The documents that are found and visited now."""
    columns = resource.c
    both = resource.outerjoin(content, content.c.id == columns.id).outerjoin(hidden, hidden.c.id == columns.id)
    statement = sa.select(
        columns.address, columns.outcome, columns.status, content.c.indexed, hidden.c.id.label("hides")
    )
    with home.rows() as tx:
        rows = tx.rows(statement.select_from(both).where(columns.role == 0))
    read = (*(int(each) for each in LEFT_OUT), int(Status.NOINDEX))
    excluded = int(OutcomeKind.EXCLUDED)
    return State(
        frozenset(row.address for row in rows if row.indexed and row.hides is None),
        frozenset(row.address for row in rows if row.outcome != excluded or row.status in read),
    )


def crawl(home: Home, crawls: Crawler) -> int:
    """Crawl, and accept what the brake holds. Returns how often it did."""
    (number,) = crawls.begin(home, NAME)
    said = crawls.end()
    assert "reports" in said, said
    if said["reports"][0]["state"] != RunState.HELD.value:
        return 0
    with home.house() as house:
        crawl_verbs.answer(house, number, accept=True)
    crawls.begin(home, runs=(number,))
    said = crawls.end()
    assert said["reports"][0]["state"] == RunState.FINISHED.value, said
    return 1


def edit(home: Home, crawls: Crawler, given: dict[str, Any], tally: Tally) -> None:
    """Ask for the preview, edit, crawl, compare."""
    clock = SystemClock()
    before = state(home)
    with home.house() as house:
        began = clock.monotonic()
        said: Mapping[str, Any] = preview(house, NAME, given, EVERY)
        tally.preview_s.append(clock.monotonic() - began)
    home.edit_source(NAME, given)
    tally.held += crawl(home, crawls)
    after = state(home)
    entered = after.visited - before.visited
    left, came = before.found - after.found, after.found - before.found - entered
    whole = not said["unjudged"]
    wrong = {
        "left": left ^ set(said["leaving"]), "entered": entered ^ {each["url"] for each in said["entering"]},
        "found": (came ^ {each["url"] for each in said["finding"]}) if whole else
        {each["url"] for each in said["finding"]} - came,
        "no longer visited": {str(len(before.visited - after.visited))} ^ {str(said["no_longer_visited"])},
        "figures": {(each, said[each]) for each in FIGURES} ^ {(each, len(said[FIGURES[each]])) for each in FIGURES},
        "search": _searched(home, left, after.found),
    }  # fmt: skip
    tally.edits, tally.whole, tally.known = tally.edits + 1, tally.whole + whole, said["known"]
    tally.left, tally.entered, tally.found_again = (
        tally.left + len(left), tally.entered + len(entered), tally.found_again + len(came),
    )  # fmt: skip
    faults = {name: sorted(map(str, each))[:SAMPLE] for name, each in wrong.items() if each}
    if faults:
        tally.faults.append({"edit": tally.edits, "settings": given, "wrong": faults})


def _searched(home: Home, left: frozenset[str], found: frozenset[str]) -> set[str]:
    """Look for some that left and some that stay; returns what search says otherwise."""
    some = dict.fromkeys(sorted(left)[:SAMPLE], False) | dict.fromkeys(sorted(found)[:SAMPLE], True)
    pages = {each: each.rpartition("-")[2].partition(".")[0] for each in some if "-" in each}
    answers = home.found(*(word(int(number)) for number in pages.values())) if pages else []
    return {each for each, hits in zip(pages, answers, strict=True) if (each in hits) != some[each]}


def prove(home: Home, crawls: Crawler, edits: int, addresses: int, seed: int) -> Tally:
    """Edit a source so many times; returns what was compared."""
    chance, tally = Random(seed), Tally()
    with shelves(addresses) as port:
        start = {"start": [f"http://{HOSTS[0]}:{port}/tables/"], "delay_s": 0, "per_host": 8, "network": ["loopback"]}
        home.add_source("web", NAME, start | {"include": [f"host:{HOSTS[0]}:{port}", "path:/tables/*", "path:/s0/*"]})
        crawl(home, crawls)
        for _ in range(edits):
            edit(home, crawls, settings(chance, addresses, port), tally)
            if tally.edits % TELL == 0:
                sys.stderr.write(json.dumps(tally.figures()) + "\n")
    return tally


def main() -> int:
    """Edit a source again and again and print the figures; 1 when a preview was not what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--addresses", type=int, default=100_000)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with place(given.store) as (home, _), crawler() as crawls:
        tally = prove(home, crawls, given.edits, given.addresses, given.seed)
    sys.stdout.write(json.dumps({"store": given.store, **tally.figures()}, indent=1) + "\n")
    counted = ("edits", "left", "entered", "found_again", "held", "faults")
    record("previews", {name: tally.figures()[name] for name in counted}, part=given.store)
    if tally.faults:
        sys.stderr.write(json.dumps(tally.faults, indent=1) + "\n")
    return int(bool(tally.faults))


if __name__ == "__main__":
    sys.exit(main())
