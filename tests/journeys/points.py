"""The steps at which `phases` kills a crawl: where each is in the code, and the command that kills there.

    python -m tests.journeys.points POINT PLAN LOG      then as tests.journeys.crawling

PLAN says what happens when the step is reached, `7:process,3:group`: at the seventh time the process that has come
there is killed, three times later all of them but this command, which waits for them. LOG gets a line before each.
Nothing of that is in the product: the command puts itself around a function before the processes of the crawl are
forked from it.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from cormorant.base.clock import SystemClock
from tests.journeys import crawling

PROCESS, GROUP = "process", "group"
_LOCK_S = 5.0


class Point(NamedTuple):
    """A step: `module:name` of a function, whether one dies before or behind it, and how often it may go well.

    `delivers`: it is one of the way from the stream to a receiver, which goes on when a delivery is confirmed.
    """

    name: str
    where: str
    behind: bool = True
    often: int = 1
    delivers: bool = False


POINTS = (
    Point("run advanced", "cormorant.store.journal.runs:advance"),
    Point("leased, not committed", "cormorant.frontier.queue.host_leases:lease", often=4),
    Point("leased", "cormorant.crawl.worker.housekeeping:Housekeeper._supply_desk", often=4),
    Point("visit begins", "cormorant.net.http.client:Fetcher.get", behind=False, often=60),
    Point("request under way", "cormorant.net.http.client:Fetcher._perform", often=60),
    Point("answer there", "cormorant.net.http.curl_handle:Slot.finish", often=60),
    Point("page read", "cormorant.extract.html.page:render", often=60),
    Point("converters asked", "cormorant.crawl.visit.convert:Converter._in_child", often=3),
    Point("judged", "cormorant.crawl.commit.committer:BatchCommitter.add", often=60),
    Point("kept, not synced", "cormorant.store.blobs.writer:_sync", behind=False, often=3),
    Point("kept", "cormorant.store.blobs.writer:_sync", often=3),
    Point("leases renewed", "cormorant.frontier.queue.refill:renew", often=3),
    Point("links admitted", "cormorant.crawl.commit.discovered_links:admit", often=3),
    Point("events appended", "cormorant.receivers.stream:append", often=3),
    Point("rows written", "cormorant.crawl.commit.persist:write", often=3),
    Point("counted", "cormorant.store.journal.runs:count", often=3),
    Point("settled", "cormorant.crawl.commit.committer:BatchCommitter._settle", often=3),
    Point("site given back, not committed", "cormorant.frontier.queue.host_leases:release"),
    Point("delivery looked up", "cormorant.crawl.deliver.sinks:IndexSink.prepare", often=3, delivers=True),
    Point("index updated", "cormorant.search.index.tantivy.writer:EmbeddedWriter.apply", often=3, delivers=True),
    Point(
        "index to be committed",
        "cormorant.search.index.tantivy.writer:EmbeddedWriter._flush",
        behind=False,
        delivers=True,
    ),
    Point("index committed", "cormorant.search.index.tantivy.writer:EmbeddedWriter._flush", delivers=True),
    Point("lines written", "cormorant.receivers.jsonlines:JsonLinesReceiver.receive", often=3, delivers=True),
    Point("acknowledged, not committed", "cormorant.crawl.deliver.ack:acknowledge", often=2, delivers=True),
    Point("links inverted, not committed", "cormorant.frontier.links.inlinks:apply"),
    Point("links weighed, not committed", "cormorant.frontier.links.link_score:Weighing.weigh"),
    Point("about to delete", "cormorant.crawl.finish.sweep:settle", behind=False),
)
"""In the order of a document's way."""
RARE = (Point("copies excluded, not committed", "cormorant.frontier.state.canonical_target:exclude"),)
"""Those that not every site has a crawl come to."""


def place(point: Point) -> tuple[Any, str]:
    """Whose attribute the function is, and its name. Raises AttributeError when there is none any more."""
    module, _, name = point.where.partition(":")
    owner: Any = importlib.import_module(module)
    *path, last = name.split(".")
    for each in path:
        owner = getattr(owner, each)
    getattr(owner, last)
    return owner, last


def around(function: Callable[..., Any], reached: Callable[[], None], *, behind: bool) -> Callable[..., Any]:
    """The function, with a call of `reached` before it or behind."""

    @contextmanager
    def step() -> Iterator[None]:
        if not behind:
            reached()
        yield
        if behind:
            reached()

    @functools.wraps(function)
    def plain(*given: Any, **named: Any) -> Any:
        with step():
            return function(*given, **named)

    @functools.wraps(function)
    async def waiting(*given: Any, **named: Any) -> Any:
        with step():
            return await function(*given, **named)

    return waiting if inspect.iscoroutinefunction(function) else plain


class Plan:
    """The rest of a plan, shared by all processes that are forked from this one."""

    def __init__(self, said: str, log: Path) -> None:
        self._steps = [(int(count), whom) for count, _, whom in (each.partition(":") for each in said.split(","))]
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._lock = multiprocessing.Lock()
        self._at = multiprocessing.RawArray("i", [0, self._steps[0][0]])

    def reached(self) -> None:
        """Count, and kill when it is time."""
        if not self._lock.acquire(timeout=_LOCK_S):  # who held it was killed
            return
        try:
            at, left = self._at
            if at == len(self._steps):
                return
            self._at[1] = left - 1
            if left > 1:
                return
            whom = self._steps[at][1]
            self._at[0] = at + 1
            self._at[1] = self._steps[at + 1][0] if at + 1 < len(self._steps) else 0
        finally:
            self._lock.release()
        os.write(self._log, f"{whom} {SystemClock().monotonic()}\n".encode())
        if whom == GROUP:
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Put the plan around the step, then crawl as ordered."""
    name, said, log = sys.argv[1:]
    point = next(each for each in (*POINTS, *RARE) if each.name == name)
    owner, function = place(point)
    setattr(owner, function, around(getattr(owner, function), Plan(said, Path(log)).reached, behind=point.behind))
    del sys.argv[1:]
    crawling.main()


if __name__ == "__main__":
    main()
