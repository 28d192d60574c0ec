"""The accident of the backup: a database that is older than the index and the site beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from cormorant.operate.search import reindex
from tests.journeys.accidents.proof import Proof
from tests.journeys.accidents.stage import Stage
from tests.journeys.home import Home, received

NAME = "restored backup"


class Backup:
    """A copy of a database as it was."""

    def __init__(self, home: Home) -> None:
        self._home, self._file = home, home.folder / "cormorant.db"
        self._copy = home.folder.parent / "backup.db"
        if home.store:
            self._run(f"CREATE DATABASE {self._name}_kept TEMPLATE {self._name}")
        else:
            _copied(self._file, self._copy)

    @property
    def _name(self) -> str:
        return self._home.store.partition("?")[0].rpartition("/")[2]

    def restore(self) -> None:
        """Put the copy in the place of what is there now."""
        if self._home.store:
            self._run(f"DROP DATABASE {self._name} WITH (FORCE)")
            self._run(f"ALTER DATABASE {self._name}_kept RENAME TO {self._name}")
            return
        for each in self._file.parent.glob(f"{self._file.name}*"):
            each.unlink()
        _copied(self._copy, self._file)

    def _run(self, sql: str) -> None:
        import psycopg

        with psycopg.connect(self._home.store.replace(f"/{self._name}?", "/postgres?"), autocommit=True) as connection:
            connection.execute(sql)


def _copied(there: Path, here: Path) -> None:
    with closing(sqlite3.connect(there)) as old, closing(sqlite3.connect(here)) as new:
        old.backup(new)


def prove_restored(stage: Stage, runs: int) -> Proof:
    """Crawl, back up, crawl again, restore the database alone, rebuild the index as the message says, and crawl."""
    proof, site = Proof(NAME, len(stage.documents)), stage.site
    lines = stage.home.add_receiver("lines", "hit")
    stage.crawl()
    backup = Backup(stage.home)
    for number in range(runs):
        _change(stage, f"lost{number}", number)
        stage.crawl()
    backup.restore()
    _change(stage, "after", runs)
    stage.crawls.begin(stage.home, "hit")
    if "index rebuild" not in stage.crawls.end().get("error", ""):
        proof.strange.append("a crawl with a database that is older than the index is not refused")
    with stage.home.house() as house:
        reindex.rebuild(house)
    report = stage.crawl()
    proof.runs, proof.rightly_s = runs + 1, float(report["seconds"])
    proof.ended.append(str(report["state"]))
    lost = set(stage.lost(site.names))
    proof.wrongly, proof.late = lost - site.gone, sorted(site.gone - lost)
    proof.strange += _stale(stage, lines)
    return proof


def _change(stage: Stage, text: str, number: int) -> None:
    """One page says something else, one is gone, one is new."""
    site, name = stage.site, f"p/new-{text}.html"
    site.more[stage.documents[number]] = f"quick{text}"
    site.gone.add(stage.documents[-1 - number])
    site.names.append(name)
    site.linked.append(name)


def _stale(stage: Stage, lines: Path) -> list[str]:
    """Traces of another time in search, the index or the receiver."""
    site, wrong = stage.site, list[str]()
    for name, said in site.more.items():
        if stage.home.found(said) != [[f"{site.host}/{name}"]]:
            wrong.append(f"{said} is not found at {name}")
    with stage.home.house() as house:
        indexed = house.index_reader().count()
    known = stage.home.value("SELECT count(*) FROM content WHERE indexed")
    if indexed != known:
        wrong.append(f"{indexed} documents in the index, {known} in the database")
    last = list(site.more)[-1]
    events = [each["event"] for each in received(lines) if each["url"].endswith(last)]
    if events[-2:] != ["new", "changed"]:
        wrong.append(f"the receiver got {events} for the page that changed after the backup was restored")
    return wrong
