"""The Python interface: one object for an installation.

with Cormorant.open() as c:  # the default data folder of the commands; open("DIR") takes another
    if "docs" not in c.sources:
        c.sources.add("web", "docs", start=["http://localhost:8000/"])
    report = c.crawl("docs")
    for hit in c.search("install from source"):
        print(hit.title, hit.url)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, overload

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.model.run import Mode, Refresh
from cormorant.operate.explain import explain
from cormorant.operate.installation import Installation
from cormorant.operate.records.explanations import Explanation
from cormorant.operate.records.sources import SourceRecord
from cormorant.operate.runs import start
from cormorant.operate.runs.start import RunOrder
from cormorant.operate.search import search as searching
from cormorant.operate.search.federation import Federation
from cormorant.operate.sources import sources
from cormorant.operate.sources.secrets import Opened
from cormorant.search.reader import Answer, Hit, Library, Question, ScoreExplanation, Sort


@dataclass(frozen=True, slots=True)
class RunReport:
    """Run report: every figure of a run is an attribute, like `fetched` and `state`.

    `exit_code` is the exit code of the command; `problems` are the problems that a user should know.
    """

    record: Mapping[str, Any]
    exit_code: int

    def __getattr__(self, name: str) -> Any:
        """A figure of the report. Raises AttributeError if there is none of that name."""
        if name.startswith("__") or name not in self.record:
            raise AttributeError(f"a run report has no {name!r}")
        return self.record[name]


class Hits(Sequence[Hit]):
    """The hits of one answer, best first. There are `total` in all; an offset below `reachable` leads to one.

    Hits of federated sources are included but not counted in either; `notes` name those that gave no answer.
    """

    def __init__(self, answer: Answer) -> None:
        self._hits = answer.hits
        self.total, self.reachable = answer.total, answer.reachable
        self.took_ms, self.query = answer.took_ms, answer.understood.text
        self.notes = answer.notes

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        """One hit, or some."""
        return self._hits[index]

    def __len__(self) -> int:
        """Return the number of hits that were requested and found."""
        return len(self._hits)

    def __iter__(self) -> Iterator[Hit]:
        """The hits, best first."""
        return iter(self._hits)


class Sources:
    """The sources of an installation."""

    def __init__(self, house: Callable[[], Installation]) -> None:
        self._house = house

    def add(self, kind: str, name: str, **given: Any) -> SourceRecord:
        """Add a source. Raises ConflictError if the name is taken, BadSetting for a wrong setting."""
        return sources.as_record(self._house(), sources.add(self._house(), kind, name, given))

    def edit(self, name: str, **given: Any) -> SourceRecord:
        """Change settings; settings that are not named stay. Raises NotFoundError, BadSetting."""
        return sources.as_record(self._house(), sources.edit(self._house(), name, given))

    def show(self, name: str) -> SourceRecord:
        """One source. Raises NotFoundError."""
        return sources.as_record(self._house(), sources.named(self._house(), name))

    def delete(self, name: str) -> int:
        """Delete a source; returns how many documents are deleted. Raises NotFoundError, ConflictError during a run."""
        return sources.delete(self._house(), name)

    def __contains__(self, name: object) -> bool:
        """Return whether a source of that name exists."""
        return any(row.name == name for row in sources.every(self._house()))

    def __iter__(self) -> Iterator[SourceRecord]:
        """All sources by name."""
        return (sources.as_record(self._house(), row) for row in sources.every(self._house()))


class Cormorant:
    """An open installation. Not for concurrent use by several threads."""

    def __init__(self, plan: BuildPlan) -> None:
        self._plan = plan
        self._open: Installation | None = open_house(plan, first=True)
        self._library: Library | None = None
        self._federation: Federation | None = None
        self.sources = Sources(self._house)

    @classmethod
    def open(cls, path: str | os.PathLike[str] | None = None, config: str | os.PathLike[str] | None = None) -> Self:
        """Open the data folder at `path`, creating it if there is none. Raises DataFolderError, NotPermitted.

        Without a path it is the default of the commands: CORMORANT_DATA, else ./cormorant-data if it exists, else the
        platform's.
        """
        loaded = settings.load(Path(config) if config is not None else None)
        return cls(BuildPlan(settings.data_folder(Path(path) if path is not None else None), loaded))

    def crawl(
        self,
        name: str,
        refresh: str | None = None,
        *,
        force: bool = False,
        restart: bool = False,
        mode: str | None = None,
    ) -> RunReport:
        """Crawl a source and return the report. Forks, so call it from the main thread if there are several.

        `refresh` is all, due, append or scratch, `mode` accept, examine, index_only or test; None: as the settings of
        the source say.

        Raises NotFoundError for an unknown source, ConflictError if its last run is held, ValueError for an unknown
        `refresh` or `mode`.
        """
        from cormorant.app import data_dir
        from cormorant.app.commands.follow import Nobody, carry_out
        from cormorant.app.processes.restarts import end_cut_off
        from cormorant.app.sample import sample_source

        end_cut_off(self._plan, self._house())
        wish = RunOrder(Refresh(refresh) if refresh else None, force, restart, Mode(mode) if mode else None)
        ordered = start.order(self._house(), [name], wish, data_dir.resting(self._plan.folder))
        for held in start.unanswered(self._house(), [name]) if not ordered else ():
            raise held
        numbers = [each.run for each in ordered]
        self._let_go()
        with sample_source.in_reach(self._plan, numbers):
            carry_out(self._plan, ordered, Nobody())
        house = self._house()
        return RunReport(start.shown(house, numbers[0]), start.exit_code(house, numbers))

    def search(
        self, text: str, source: str | None = None, limit: int = 10, offset: int = 0, *, sort: str = "relevance"
    ) -> Hits:
        """Search. One matching word is enough; documents that match more words come first.

        `sort` is relevance, newest, oldest or title. Raises NotFoundError for an unknown source, ValueError for an
        unknown order.
        """
        if self._library is None:
            self._library = searching.library(self._house())
        places = (source,) if source is not None else ()
        question = Question(text, places, limit, offset, Sort(sort), every_attribute=True)
        if self._federation is None:
            self._federation = Federation(self._house(), Opened(self._house()))
        found = searching.search(self._house(), question, shelf=self._library, federation=self._federation)
        return Hits(found)

    def why(self, text: str, number: int, source: str | None = None) -> ScoreExplanation:
        """Explain the score of a hit of this search, named by its `id`: parts that add up to it.

        Raises NotFoundError if the search finds no such document.
        """
        if self._library is None:
            self._library = searching.library(self._house())
        question = Question(text, (source,) if source is not None else (), every_attribute=True)
        return searching.why(self._house(), question, number, shelf=self._library)

    def explain(self, address: str) -> list[Explanation]:
        """Explain why an address is, or is not, in the index: one object for each source that knows it.

        Takes the path of a file, too. Raises BadAddress for anything else.
        """
        return explain.explain(self._house(), address)

    def close(self) -> None:
        """Close the installation. May be called twice."""
        self._let_go()

    def __enter__(self) -> Self:
        """Return the open installation for a `with` block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _house(self) -> Installation:
        if self._open is None:
            self._open = open_house(self._plan)
        return self._open

    def _let_go(self) -> None:
        house, self._open, self._library = self._open, None, None
        if self._federation is not None:
            self._federation.close()
            self._federation = None
        if house is not None:
            house.store.close()
