"""Which other crawlers are measured, and what does each do?

wget2 keeps pages as files, Crawlee is the other crawler in Python that is kept up, ht://Dig also indexes. Each runs as
its documentation says, without delay, robots obeyed, over the same hosts of the same server. A note beside its figure
says what it does less or more than Cormorant. One that cannot be installed, or does not end in time, is
a line with the reason. Those that would take long crawl a part of the corpus, and Cormorant that part beside them.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple, Protocol

from bench import measure
from bench.corpus import Corpus
from bench.crawlers import Cormorant, Observation, PhaseFailed, judged
from bench.measure import Usage
from bench.places import ROOT, RUN
from bench.programs import NoProgram, Program, program
from bench.server import serving

PART = 2_000
"""Pages, about, of the part of the corpus that a slow peer crawls."""
LIMIT_S = 600.0
_WGET_SOME_FAILED = 8
Show = Callable[[Observation], Observation]


class Peer(Protocol):
    """Another crawler. `beside`: which of our crawls does most nearly the same; `whole`: it takes the whole corpus."""

    name: str
    does: str
    does_again: str
    beside: str
    whole: bool

    def prepare(self) -> str:
        """Get it ready; its version. Raises PhaseFailed or NoProgram when it cannot be had."""
        ...

    def crawl(self, name: str, corpus: Corpus) -> Observation:
        """Crawl, knowing nothing. Raises PhaseFailed."""
        ...

    def again(self, name: str, corpus: Corpus) -> Observation:
        """Crawl again what has not changed; only asked when `does_again` says something."""
        ...


@dataclass(slots=True)
class Wget:
    """wget2: every page becomes a file; asked again, it sends If-Modified-Since with the file's time."""

    name: str = "wget2"
    does: str = (
        "less: no text, no index, no record of visits; keeps the pages as files, unsynced; where a crawl had come to "
        "is lost with the process"
    )
    does_again: str = "one request a page with the file's time; reads every file again for its links"
    beside: str = "plain"
    whole: bool = True
    _found: Program = field(default_factory=lambda: Program(""))

    def prepare(self) -> str:
        """Find it, or fetch its package."""
        self._found = program("wget2", "wget2")
        return self._found.version("--version")

    def crawl(self, name: str, corpus: Corpus) -> Observation:
        """Fetch every host into a new folder."""
        shutil.rmtree(self._folder, ignore_errors=True)
        return self.again(name, corpus)

    def again(self, name: str, corpus: Corpus) -> Observation:
        """Fetch what is newer than the files that are there.

        Their robots.txt is taken away first: of one that has not changed it would not read the rules.
        """
        for rules in self._folder.glob("*/robots.txt"):
            rules.unlink()
        command = [self._found.path, "--no-config", "--recursive", "--level=inf", "--robots=on", "--timestamping"]
        command += ["--ignore-tags=img,link,script,input,object,embed", "--tries=1", "--no-verbose", "--progress=none"]
        command += [f"--directory-prefix={self._folder}", *corpus.starts]
        call = _Call("wget", command, self._found.environment, (0, _WGET_SOME_FAILED))
        return _observed(name, corpus, call)

    @property
    def _folder(self) -> Path:
        return RUN / "wget2"


@dataclass(slots=True)
class Crawlee:
    """Crawlee for Python with its HTTP crawler (:mod:`bench.crawlee_peer`)."""

    name: str = "Crawlee"
    does: str = (
        "less: text to one file, no originals, no index, no journal; its queue is in memory, so a crawl that is killed "
        "starts over. It has no conditional requests, so a second crawl is a first one"
    )
    does_again: str = ""
    beside: str = "plain"
    whole: bool = False

    def prepare(self) -> str:
        """See that its package is installed."""
        try:
            return version("crawlee")
        except PackageNotFoundError:
            raise PhaseFailed("the package crawlee is not installed; `make bench` does that") from None

    def crawl(self, name: str, corpus: Corpus) -> Observation:
        """Crawl every host."""
        items = RUN / f"{name}.jsonl"
        command = [sys.executable, "-m", "bench.crawlee_peer", str(items), *corpus.starts]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "CRAWLEE_STORAGE_DIR": str(RUN / "crawlee")}
        try:
            return _observed(name, corpus, _Call("crawlee", command, environment))
        finally:
            items.unlink(missing_ok=True)

    def again(self, name: str, corpus: Corpus) -> Observation:
        """It has no second crawl."""
        raise PhaseFailed(f"{name}: Crawlee asks for everything again, as in a first crawl of {corpus.pages} pages")


_HTDIG_SETTINGS = """\
database_dir: {folder}
common_dir: {folder}
start_url: {starts}
limit_urls_to: ${{start_url}}
exclude_urls:
bad_word_list: {folder}/none
mime_types: {folder}/mime.types
remove_default_doc:
max_doc_size: 10000000
max_hop_count: 999999
server_wait_time: 0
max_connection_requests: -1
persistent_connections: true
head_before_get: false
robotstxt_name: htdig
user_agent: htdig
"""


@dataclass(slots=True)
class HtDig:
    """ht://Dig: one process that asks for a page at a time and indexes its words, another that takes out the dead."""

    name: str = "ht://Dig"
    does: str = (
        "indexes every word with its places, as Cormorant does; less: keeps 512 bytes of a text and no originals, one "
        "request at a time, files that a killed crawl leaves half written"
    )
    does_again: str = "one request a page with its time"
    beside: str = "indexed"
    whole: bool = False
    _dig: Program = field(default_factory=lambda: Program(""))
    _purge: Program = field(default_factory=lambda: Program(""))

    def prepare(self) -> str:
        """Find its programs, or fetch their package."""
        self._dig, self._purge = program("htdig", "htdig"), program("htpurge", "htdig")
        return self._dig.version("-?")

    def crawl(self, name: str, corpus: Corpus) -> Observation:
        """Make an index of every host."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        (self._folder / "none").touch()
        (self._folder / "mime.types").write_text("text/html html htm\ntext/plain txt\n", encoding="ascii")
        said = _HTDIG_SETTINGS.format(folder=self._folder, starts=" ".join(corpus.starts))
        (self._folder / "conf").write_text(said, encoding="ascii")
        return self._run(name, corpus, "-i")

    def again(self, name: str, corpus: Corpus) -> Observation:
        """Bring the index up to date."""
        return self._run(name, corpus)

    def _run(self, name: str, corpus: Corpus, *words: str) -> Observation:
        script = 'conf="$1" dig="$2" purge="$3"; shift 3; "$dig" "$@" -c "$conf" && "$purge" -c "$conf"'
        command = ["sh", "-c", script, "sh", str(self._folder / "conf"), self._dig.path, self._purge.path, *words]
        return _observed(name, corpus, _Call("htdig", command, self._dig.environment))

    @property
    def _folder(self) -> Path:
        return RUN / "htdig"


PEERS: tuple[Callable[[], Peer], ...] = (Wget, Crawlee, HtDig)


@dataclass(slots=True)
class Seen:
    """The crawls of a peer; without a first crawl there is a reason."""

    peer: Peer
    version: str = ""
    first: Observation | None = None
    again: Observation | None = None
    reason: str = ""


@dataclass(slots=True)
class Beside:
    """All peers, and our crawls of the part of the corpus that the slow ones took."""

    part: Corpus
    ours: dict[str, list[Observation]] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)


def beside(cormorant: Path, whole: Corpus, show: Show) -> Beside:
    """Run every peer, and ours over the part before and after them; ``show`` prints each crawl."""
    found = Beside(whole.part(PART))
    _ours(cormorant, found, show)
    for make in PEERS:
        peer = make()
        found.seen.append(_seen(peer, whole if peer.whole else found.part, show))
    _ours(cormorant, found, show)
    return found


def _ours(cormorant: Path, found: Beside, show: Show) -> None:
    """Our own crawls of the part."""
    for name, index in (("plain", False), ("indexed", True)):
        crawler = Cormorant(cormorant, RUN / f"data-part-{name}", index=index)
        crawler.create(found.part)
        found.ours.setdefault(name, []).append(show(crawler.crawl(f"part-{name}", found.part)))
        if index:
            found.ours.setdefault("recrawl", []).append(show(crawler.crawl("part-recrawl", found.part)))
        shutil.rmtree(crawler.data)


def _seen(peer: Peer, corpus: Corpus, show: Show) -> Seen:
    """Run the crawls of one peer; its line gives the reason if one fails."""
    seen = Seen(peer)
    name = peer.name.lower().replace("://", "")
    try:
        print(f" {peer.name}", flush=True)
        seen.version = peer.prepare()
        seen.first = show(peer.crawl(name, corpus))
        if peer.does_again:
            seen.again = show(peer.again(f"{name}-again", corpus))
    except (PhaseFailed, NoProgram, OSError, RuntimeError) as fault:
        seen.reason = str(fault)
        print(f"  left out: {fault}", flush=True)
    return seen


class _Call(NamedTuple):
    """A command, what is in its User-Agent, and the exit codes of a crawl that came to its end."""

    agent: str
    command: list[str]
    environment: dict[str, str]
    fine: tuple[int, ...] = (0,)


def _observed(name: str, corpus: Corpus, call: _Call) -> Observation:
    """Run a peer's crawl and observe it. Raises PhaseFailed when it does not come to its end."""
    log = RUN / f"{name}.log"
    with serving(corpus, log):
        usage = measure.run(call.command, RUN / f"{name}.json", environment=call.environment, timeout_s=LIMIT_S)
    verdict = judged(log, corpus, call.agent)
    if usage.timed_out or usage.exit_code not in call.fine:
        raise PhaseFailed(f"{_how(usage)} with {verdict.pages:,} of {corpus.pages:,} pages; see {RUN / name}.err")
    return Observation(name, usage, verdict)


def _how(usage: Usage) -> str:
    """How a crawl ended that did not end well."""
    return f"not done after {LIMIT_S:.0f} s" if usage.timed_out else f"ended with {usage.exit_code}"
