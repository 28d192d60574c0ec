"""Acknowledged data of the database, the kept copies and the index survives a power cut.

    python -m tests.reliability.disk.cuts --of store|cache|index|receiver [--cuts 200] [--seed 1] [--show]

An installation is created, crawls a site, crawls it again after edits, then with `--force`, and rebuilds its index;
every call on its files is recorded. Then the power fails at moments drawn from the seed, before or after a call on
files of the chosen part: the folder is reconstructed as it could be then (`platter`), and checked:

- the database opens, and holds the state after the last finished transaction (its process had released the writers'
  lock, whether or not it had synced anything), or after the one that was open; nothing else;
- every kept copy that a row names can be read, and holds the right content;
- the index opens, every byte of it is right, its place is that of the database or later, and it has all delivered
  events;
- the receiver's file has every confirmed event;
- `store check` finds no faults, `store check --repair` ends clean.

After every so many cuts the next crawl runs there, and documents, copies, index and receiver must be right.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import sqlalchemy as sa
from pysqlite3 import dbapi2 as sqlite

from cormorant.base.clock import SystemClock
from cormorant.base.errors import CacheDamaged, CormorantError
from cormorant.operate.installation import Installation
from cormorant.operate.storage import check, repair
from cormorant.store.blobs.protocol import BlobPlace, Cache
from cormorant.store.catalog import receivers
from cormorant.store.schema import content
from tests.journeys.home import received
from tests.journeys.ledger import audit
from tests.journeys.proofs import record
from tests.journeys.site import WebSite
from tests.reliability.disk.gate import Call, why_not
from tests.reliability.disk.ground import World, world
from tests.reliability.disk.numbers import Kind
from tests.reliability.disk.platter import Platter

PAGES, DELAY_S = 60, 0.02
PARTS = {"store": "/data/cormorant.db", "cache": "/data/cache/", "index": "/data/index/", "receiver": "/lines.jsonl"}
CRAWLED_EVERY = {"store": 10, "cache": 10, "index": 10, "receiver": 4}
WRITE_LOCK = 120
"""The byte of SQLite's shared memory that who writes has locked (walindex, UNIX_SHM_BASE of os_unix.c)."""
DATABASE = "data/cormorant.db"


@dataclass(slots=True)
class Recorded:
    """All calls of an installation's life in order; `made`: where it was all there; `over`: where transactions were."""

    calls: list[Call] = field(default_factory=list)
    made: int = 0
    over: list[int] = field(default_factory=list)

    def __call__(self, call: Call) -> int:
        """Take in a call, which goes on. A transaction is over when its writer lets others write."""
        self.calls.append(call)
        if call.start >= 0 and call.path.endswith("-shm"):
            behind = call.start + (call.length or WRITE_LOCK)
            if call.start <= WRITE_LOCK < behind:
                self.over.append(len(self.calls))
        return 0

    def last_over(self, moment: int) -> int:
        """Up to which call a transaction was over before this moment."""
        return max((each for each in self.over if each <= moment), default=0)


def recorded(here: World, *, whole: bool = True) -> Recorded:
    """Have an installation made and crawl a site, and record it; unless it is the `whole` life, no more."""
    found, site = Recorded(), here.truth
    assert isinstance(site, WebSite)
    settings = [f"--set={name}={each}" for name, said in site.source.items() for each in _listed(said)]
    lines = ("receiver", "add", "jsonlines", "lines", f"--set=path={here.lines}", "--source=site")
    here.empty()
    _run(here, ("source", "add", "web", "site", *settings), found)
    _run(here, lines, found)
    found.made = len(found.calls)
    _run(here, ("crawl", "site"), found)
    if not whole:
        return found
    for number in range(0, site.documents, 3):
        site.edit(number, text="and something else")
    _run(here, ("crawl", "site"), found)
    _run(here, ("crawl", "site", "--force"), found)
    _run(here, ("index", "rebuild"), found)
    return found


def _listed(said: object) -> Sequence[object]:
    return said if isinstance(said, list) else [said]


def _run(here: World, words: tuple[str, ...], found: Recorded | None) -> None:
    done = here.gate.run(here.words(*words), found, here.beside, locks=found is not None)
    if done.code:
        raise AssertionError(f"cormorant {' '.join(words)} ended with {done.code}: {done.err}")


class Proof:
    """A recorded life, and what it must have left at any moment of it."""

    def __init__(self, here: World, found: Recorded) -> None:
        self._here, self._found = here, found
        self._all_lines = {each["seq"] for each in received(here.lines)}
        self._aside = here.beside / "aside"
        self._states: dict[int, str] = {}

    def moments(self, part: str, count: int, chance: Random) -> list[int]:
        """The moments of power cuts, in order: half of them just after a write of a part, else before any call of it.

        Every other one of the latter is after a commit of the database instead, which names data of the part.
        """
        root = f"{self._here.here}{PARTS[part]}"
        some = [
            n for n, each in enumerate(self._found.calls)
            if root in (each.path[: len(root)], each.target[: len(root)]) and each.kind is not Kind.LOCK
            and not each.path.endswith("-shm")
        ]  # fmt: skip
        written = [each for each in some if self._found.calls[each].kind is Kind.WRITE]
        database = f"{self._here.here}{PARTS['store']}"
        synced = [n for n, each in enumerate(self._found.calls) if each.kind is Kind.SYNC and database in each.path]
        behind, committed = chance.choices(written, k=count // 2), chance.choices(synced, k=count // 4)
        any_ = chance.choices(some, k=count - len(behind) - len(committed))
        return sorted([*(n + 1 for n in (*behind, *committed)), *any_])

    def cuts(self, moments: Sequence[int], seed: int, every: int = 10) -> Iterator[tuple[int, list[str]]]:
        """Cut the power at each of these moments; gives each with what was wrong.

        After one of `every` so many the next crawl is made.
        """
        platter, taken = Platter(self._here.here), 0
        for number, moment in enumerate(moments):
            for call in self._found.calls[taken:moment]:
                platter.take(call)
            taken = moment
            before = self._state(self._found.last_over(moment))
            platter.now(self._aside)
            allowed = {before, _digest(self._aside / DATABASE)}
            platter.cut(self._here.here, Random(f"{seed}/{number}"))
            yield moment, self._looked_at(allowed, moment, crawled=number % every == every - 1)

    def _state(self, upto: int) -> str:
        """The content of the database after these calls."""
        if upto not in self._states:
            platter = Platter(self._here.here)
            for call in self._found.calls[:upto]:
                platter.take(call)
            platter.now(self._aside)
            self._states[upto] = _digest(self._aside / DATABASE)
        return self._states[upto]

    def _looked_at(self, allowed: set[str], moment: int, *, crawled: bool) -> list[str]:
        here = self._here
        wrong = []
        if moment >= self._found.made:
            kept = here.beside / "copy"
            shutil.copytree(here.here, kept)
            if _digest(kept / DATABASE) not in allowed:
                wrong.append("the database is not what it was")
            shutil.rmtree(kept)
        try:
            if moment < self._found.made:
                self._begin_again()
            with here.home.house() as house:
                wrong += [*_copies(house), *_index(house), *self._receiver(house)]
                wrong += [f"check: {each.check}: {each.said}" for each in check.store(house) if each.ok is False]
                _, left = repair.store(house)
                wrong += [f"repair leaves {each.check}: {each.said}" for each in left if each.ok is False]
            if crawled and not wrong:
                _run(here, ("crawl", "site"), None)
                found = audit(here.home, here.truth, here.lines).faults()
                wrong += [f"audit: {kind}: {some}" for kind, some in found.items()]
        except (CormorantError, AssertionError, ValueError) as error:
            wrong.append(f"{type(error).__name__}: {error}")
        return wrong

    def _begin_again(self) -> None:
        """Where the installation was being made, what was not done yet is done again."""
        here = self._here
        with suppress(CormorantError):  # it is there already
            here.home.add_source("web", "site", here.settings)
        with suppress(CormorantError):
            here.home.add_receiver("lines", "site")

    def _receiver(self, house: Installation) -> Iterator[str]:
        """The events that the receiver has confirmed and that its file lacks."""
        with house.store.read() as tx:
            place = max((row.place for row in receivers.every(tx) if row.name == "lines"), default=0)
        there = set(_numbers(self._here.lines))
        lost = {each for each in self._all_lines if each <= place} - there
        if lost:
            yield f"the receiver has lost {sorted(lost)[:5]} of what it confirmed up to {place}"


def _numbers(lines: Path) -> Iterator[int]:
    """The numbers of events in a receiver's file, of lines that can be read: it is mended when it is opened."""
    for line in lines.read_bytes().split(b"\n") if lines.exists() else ():
        with suppress(ValueError):
            yield json.loads(line)["seq"]


def _digest(database: Path) -> str:
    """The content of a database; "" if it is none or empty."""
    if not database.exists():
        return ""
    said = hashlib.blake2b(digest_size=16)
    try:
        with closing(sqlite.connect(database)) as connection:
            for each in _held(connection):
                said.update(each.encode())
    except sqlite.DatabaseError as error:
        return f"{type(error).__name__}: {error}"
    return said.hexdigest()


def _held(connection: sqlite.Connection) -> Iterator[str]:
    """Every table and every row of a database."""
    tables = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    for name, sql in tables.fetchall():
        yield f"{name}{sql}"
        yield from map(repr, connection.execute(f'SELECT * FROM "{name}" ORDER BY 1'))


def _copies(house: Installation) -> Iterator[str]:
    """Rows whose kept copy cannot be read, or is of something else."""
    with house.store.read() as tx:
        columns = (content.c.url, content.c.content_hash, content.c.pack, content.c.pack_offset, content.c.pack_length)
        rows = tx.rows(sa.select(*columns))
    with closing(house.cache()) as cache:
        for row in rows:
            if wrong := _unlike(cache, BlobPlace(row.pack, row.pack_offset, row.pack_length), row.content_hash):
                yield f"the copy of {row.url} is {wrong}"


def _unlike(cache: Cache, place: BlobPlace, content_hash: bytes) -> str:
    """The fault of a kept copy; "" for none."""
    try:
        frame = cache.read(place)
    except CacheDamaged as error:
        return f"lost: {error}"
    return "" if hashlib.sha256(frame.body).digest() == content_hash else "another one"


def _index(house: Installation) -> Iterator[str]:
    """Faults of the index itself, and differences from the events that the database says it has got."""
    with house.store.read() as tx:
        confirmed = max((row.place for row in receivers.every(tx) if row.kind == receivers.INDEX), default=0)
        rows = {row.id: row.seq for row in tx.rows(sa.select(content.c.id, content.c.seq).where(content.c.indexed))}
    if confirmed or (house.folder / "index" / "CURRENT").exists():
        with closing(house.index_writer()) as writer:
            place = writer.place
        there = set(house.index_reader().ids(-1, 10 * PAGES))
        if place < confirmed:
            yield f"the index is at {place}, and {confirmed} was confirmed"
        if lost := {number for number, seq in rows.items() if seq <= place} - there:
            yield f"the index has lost {sorted(lost)[:5]}"
        if strange := there - rows.keys():
            yield f"the index has {sorted(strange)[:5]}, which no row knows"


def main() -> int:
    """Cut the power; 1 when something was lost or could not be read."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.disk.cuts")
    parser.add_argument("--of", choices=sorted(PARTS), required=True)
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="say when each was")
    parser.add_argument("--until-wrong", action="store_true", help="end with the first that lost or broke something")
    given = parser.parse_args()
    if reason := why_not():
        record("power cuts", {}, {"power cuts": reason}, part=given.of)
        sys.stdout.write(f"left out: {reason}\n")
        return 0
    clock, bad = SystemClock(), 0
    began = clock.monotonic()
    with world("site", PAGES, DELAY_S) as here:
        found = recorded(here)
        proof = Proof(here, found)
        moments = proof.moments(given.of, given.cuts, Random(given.seed))
        for moment, wrong in proof.cuts(moments, given.seed, CRAWLED_EVERY[given.of]):
            bad += bool(wrong)
            if wrong or given.show:
                call = found.calls[min(moment, len(found.calls) - 1)]
                sys.stdout.write(f"before call {moment}: {call.who} {call.name} {call.path}\n")
                sys.stdout.write("".join(f"  - {each}\n" for each in wrong))
                sys.stdout.flush()
            if wrong and given.until_wrong:
                break
    figures = {"cuts": given.cuts, "that lost or broke something": bad}
    seconds = round(clock.monotonic() - began)
    measured = {"calls recorded": len(found.calls), "transactions": len(found.over), "seconds": seconds}
    sys.stdout.write(json.dumps(figures | measured) + "\n")
    record("power cuts", figures, part=given.of, measured=measured)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
