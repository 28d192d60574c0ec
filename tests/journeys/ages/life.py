"""The life of one installation: made and crawled with by an older version, then handed to this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pysqlite3 import dbapi2 as sqlite

from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError
from cormorant.store.schema import SCHEMA_VERSION
from tests.journeys import processes
from tests.journeys.ages.versions import Age
from tests.journeys.home import Home, received
from tests.journeys.pages import SiteSettings
from tests.journeys.site import WebSite, website

PAGES, FILES = 60, 20
LONG = 90
"""Pages of the site whose crawl is killed, of which so many have been asked for by then:"""
ASKED = 55
SLOW_S = 0.15
TIMEOUT_S = 400
THIS = (sys.executable, "-m", "cormorant")
OTHER_LAYOUT = "The index was written by another version of Cormorant. Run `cormorant index rebuild`."
NOTHING = {"new": 0, "changed": 0, "index_writes": 0, "index_deletes": 0, "cache_writes": 0}


@dataclass(slots=True)
class Seen:
    """Documents, those visited by the killed run before and after the upgrade, rebuilt indexes, and faults."""

    documents: int = 0
    settled_before: int = 0
    visited_after: int = 0
    indexes_rebuilt: int = 0
    wrong: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, int]:
        """For the page of proofs."""
        return {name.replace("_", " "): value for name, value in asdict(self).items() if name != "wrong"}


class Said:
    """The output of a command."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.text, self.notes = done.returncode, done.stdout, done.stderr

    @property
    def records(self) -> list[dict[str, Any]]:
        """Its lines of JSON."""
        return [json.loads(line) for line in self.text.splitlines() if line.startswith("{")]

    def __str__(self) -> str:
        return f"{self.code}: {(self.notes or self.text).strip()[-600:]}"


class Life:
    """One installation. `program` runs the older version."""

    def __init__(self, age: Age, program: list[str], home: Home, folder: Path) -> None:
        self.age, self.home = age, home
        self._program, self._folder = program, folder
        self._lines = folder / "received.jsonl"
        self.seen = Seen()

    def live(self) -> Seen:
        """Live it to the end; what is wrong is in what was seen."""
        with ExitStack() as stack:
            sites = []
            for name, settings in (("site", SiteSettings(PAGES)), ("long", SiteSettings(LONG, seed=2))):
                (self._folder / name).mkdir()
                sites.append(stack.enter_context(website(settings, self._folder / name)))
            self._live(*sites)
        return self.seen

    def _live(self, site: WebSite, long: WebSite) -> None:
        before = self._youth(site, long)
        if self.seen.wrong:
            return
        self._upgraded(before)
        self._goes_on(long, before)
        self._is_unchanged(site, long)
        self._is_found(site, long)
        self._is_refused()

    def _note(self, sentence: str) -> None:
        self.seen.wrong.append(f"{self.age.schema} ({self.age.commit}), {self._store}: {sentence}")

    def _expect(self, found: object, wanted: object, what: str) -> None:
        if found != wanted:
            self._note(f"{what}: {found}, not {wanted}")

    @property
    def _store(self) -> str:
        return "postgresql" if self.home.store else "sqlite"

    def _command(self, program: list[str] | tuple[str, ...], *what: str) -> list[str]:
        return [*program, "--data", str(self.home.folder), *what]

    @property
    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CORMORANT_")}
        return kept | ({"CORMORANT_STORE": self.home.store} if self.home.store else {}) | {"CORMORANT_RETRIEVERS": "2"}

    def _run(self, program: list[str] | tuple[str, ...], *what: str) -> Said:
        return Said(subprocess.run(
            self._command(program, *what), env=self._environment, capture_output=True, text=True, check=False,
            timeout=TIMEOUT_S, cwd=self._folder,
        ))  # fmt: skip

    def _old(self, *what: str) -> Said:
        return self._run(self._program, *what)

    def _new(self, *what: str) -> Said:
        return self._run(THIS, *what)

    def _youth(self, site: WebSite, long: WebSite) -> dict[str, dict[str, Any]]:
        """Run the older version; return its records of addresses."""
        files = self._folder / "files"
        files.mkdir()
        for number in range(FILES):
            (files / f"note{number}.txt").write_text(f"A note about {self._word(number)}, which no other file says.\n")
        made = [
            self._old("source", "add", "web", "site", "--set", f"start={site.url(0)}"),
            self._old("source", "add", "web", "long", "--set", f"start={long.url(0)}"),
            self._old("source", "add", "files", "files", "--set", f"path={files}"),
            self._old("receiver", "add", "jsonlines", "lines", "--set", f"path={self._lines}"),
            self._old("crawl", "site", "files", "--json"),
        ]
        for each in made:
            self._expect(each.code, 0, f"what the older version does first ({each})")
        self._interrupt(long)
        listed = self._old("document", "list", "--json")
        before = {each["url"]: each for each in listed.records}
        settled = sum(each["source"] == "long" and each["status"] == 200 for each in before.values())
        self.seen.settled_before = settled
        if not 0 < settled < LONG:
            self._note(f"the run was not killed in the middle: {settled} of {LONG} documents had come ({listed})")
        return before

    @staticmethod
    def _word(number: int) -> str:
        return f"note{number}word"

    def _interrupt(self, long: WebSite) -> None:
        """Begin a crawl, whose findings wait for receivers, and kill all of it in the middle."""
        paused = self._old("provider", "pause")
        self._expect(paused.code, 0, f"provider pause ({paused})")
        long.tell(delay_s=SLOW_S)
        with subprocess.Popen(
            self._command(self._program, "crawl", "long"), env=self._environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True, cwd=self._folder,
        ) as crawl:  # fmt: skip
            long.wait_for(ASKED)
            tree = processes.below(crawl.pid)
            processes.kill_group(crawl.pid)
        processes.wait_gone(tree, 30.0)
        long.tell(delay_s=0.0)

    def _upgraded(self, before: dict[str, dict[str, Any]]) -> None:
        """The first command of this version upgrades behind a backup, says so, and everything is there still."""
        first = self._new("status")
        self._expect(first.code, 0, f"the first command ({first})")
        said = f"The database was upgraded from version {self.age.schema} to {SCHEMA_VERSION}."
        self._expect(said in first.notes, True, f"it says {said!r} ({first})")
        self._expect(self._backup(), self.age.schema, "the version of the backup")
        after = {each["url"]: each for each in self._new("document", "list", "--json").records}
        self._expect(sorted(set(before) ^ set(after)), [], "addresses that only one of both versions knows")
        both = set(before) & set(after)
        for name in ("source", "status", "title", "content_hash", "depth"):
            odd = [url for url in both if before[url].get(name) != after[url].get(name)]
            self._expect(odd[:3], [], f"documents whose {name} is another")
        delivered = {
            url for url in both if after[url]["state"] != "found"
        }  # older versions called indexed what was to be
        odd = [url for url in delivered if before[url]["indexed"] != after[url]["indexed"]]
        self._expect(odd[:3], [], "documents that are indexed no more, or are now")
        self._expect(len(delivered) >= PAGES + FILES, True, f"documents delivered to the index ({len(delivered)})")
        self._check()

    def _backup(self) -> str:
        """Of which version the database is that was kept, "" when there is none that can be read."""
        if self._store == "sqlite":
            path = self.home.folder / f"cormorant.before-{SCHEMA_VERSION}.db"
            if not path.exists():
                return ""
            with sqlite.connect(f"file:{path}?mode=ro", uri=True) as database:
                return str(database.execute("SELECT version_num FROM alembic_version").fetchone()[0])
        archives = sorted(self.home.folder.glob("cormorant.before-*.tar"))
        looked = [self._kept_version(each) for each in archives]
        return looked[0] if looked else ""

    @staticmethod
    def _kept_version(path: Path) -> str:
        from cormorant.operate.storage import archive

        return archive.check(path).about.schema

    def _check(self, *, rebuilt: bool = False) -> bool:
        """`store check` finds nothing wrong, but for an index of another layout; returns whether it is one."""
        said = self._new("store", "check", "--json")
        wrong = [each for each in said.records if not each.get("ok", True)]
        other = [each for each in wrong if OTHER_LAYOUT in json.dumps(each)]
        self._expect([each for each in wrong if each not in other], [], "what store check finds")
        self._expect(said.code, int(bool(wrong)), f"the exit code of store check ({said})")
        if rebuilt:
            self._expect(other, [], "the rebuilt index")
        return bool(other)

    def _goes_on(self, long: WebSite, before: dict[str, dict[str, Any]]) -> None:
        """The killed run goes on, and what had come is not asked for again."""
        resumed = self._new("provider", "resume")
        self._expect(resumed.code, 0, f"provider resume ({resumed})")
        since = SystemClock().now()
        said = self._new("crawl", "long", "--json")
        (report,) = said.records[:1] or [{}]
        self._expect(report.get("state"), "finished", f"the state of the run that goes on ({said})")
        self._expect("which was interrupted" in said.notes, True, f"it says that it goes on ({said})")
        self._expect(report.get("fetched"), LONG, "documents that both parts of the run fetched")
        paths = Counter(each.path for each in long.log(since))
        had = {url for url, each in before.items() if each["source"] == "long" and each["status"] == 200}
        again = [url for url in had if paths[url[url.index("/p/") :]]]
        self._expect(again, [], "documents that had come and were asked for again")
        self._expect([path for path, count in paths.items() if count > 1], [], "what was asked for twice")
        self.seen.visited_after = len(paths.keys() - {"/robots.txt"})
        self._expect(self.seen.visited_after, LONG - len(had), "documents asked for to the end")

    def _is_unchanged(self, site: WebSite, long: WebSite) -> None:
        """Check that nothing is new, changed or written, except for an index that has to be rebuilt first."""
        since = SystemClock().now()
        if self._check():
            self.seen.indexes_rebuilt += 1
            rebuilt = self._new("index", "rebuild")
            self._expect(rebuilt.code, 0, f"index rebuild ({rebuilt})")
            self._expect(len([*site.log(since), *long.log(since)]), 0, "requests for the rebuilt index")
            self._check(rebuilt=True)
        reports = self._new("crawl", "--json").records
        self._expect(sorted(each["source"] for each in reports), ["files", "long", "site"], "sources crawled again")
        for each in reports:
            name, wanted = each["source"], {"long": LONG, "site": PAGES, "files": FILES}
            self._expect({key: each[key] for key in NOTHING}, NOTHING, f"what crawling {name} again wrote")
            self._expect((each["unchanged"], each["state"]), (wanted[name], "finished"), f"{name} crawled again")
            if name != "files":
                self._expect(each["not_modified"], wanted[name], f"documents of {name} that were confirmed")
        odd = [each for each in (*site.log(since), *long.log(since)) if not each.conditional and "/p/" in each.path]
        self._expect(odd, [], "documents asked for without a condition")
        self._check(rebuilt=True)

    def _is_found(self, site: WebSite, long: WebSite) -> None:
        """Check that search finds each document by its own word, and that the receiver has got each once."""
        wanted = {site.word(number): site.url(number) for number in range(PAGES)}
        wanted |= {long.word(number): long.url(number) for number in range(LONG)}
        files = [self._word(number) for number in range(FILES)]
        try:
            found = self.home.found(*wanted, *files)
        except CormorantError as error:
            self._note(f"search ends with: {error.sentence}")
            return
        missed = [word for word, each in zip([*wanted, *files], found, strict=True) if len(each) != 1]
        self._expect(missed, [], "words that are not found once")
        self.seen.documents = len(found)
        counts = Counter(each["url"] for each in received(self._lines) if each["event"] in ("new", "found"))
        self._expect([url for url, count in counts.items() if count != 1], [], "documents delivered more than once")
        self._expect(len(counts), len(found), "documents that were delivered")

    def _is_refused(self) -> None:
        """The older version refuses the folder in a sentence, and so does this one a newer folder; both leave it."""
        old = self._old("status")
        sentence = f"The database is of version {SCHEMA_VERSION}, and this program knows {self.age.schema}."
        self._expect((old.code, old.notes.startswith(sentence)), (1, True), f"what the older version says now ({old})")
        self._stamp("9999")
        new = self._new("crawl", "site")
        sentence = f"The database is of version 9999, and this program knows {SCHEMA_VERSION}."
        self._expect((new.code, new.notes.startswith(sentence)), (1, True), f"what is said of a newer folder ({new})")
        self._stamp(SCHEMA_VERSION)
        self._expect(self._new("status").code, 0, "the exit code of status, with its own version again")

    def _stamp(self, version: str) -> None:
        if self._store == "sqlite":
            with sqlite.connect(self.home.folder / "cormorant.db") as database:
                database.execute("UPDATE alembic_version SET version_num = ?", (version,))
            return
        engine = sa.create_engine(self.home.store.replace("postgresql://", "postgresql+psycopg://"))
        with engine.begin() as connection:
            connection.execute(sa.text("UPDATE alembic_version SET version_num = :version"), {"version": version})
        engine.dispose()
