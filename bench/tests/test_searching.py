"""Is the index that is searched what it is said to be, and is what is asked answered and counted right?"""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice, pairwise

import pytest

from bench import askers, prose, searched, stocking
from bench.askers import Asked, NoAnswer, answered
from bench.bare import Bare
from bench.results import now
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.settings import InstallationSettings
from cormorant.model.acl import ANYONE, Reader
from cormorant.operate.installation import Installation
from cormorant.operate.search import reindex, search
from cormorant.search.reader import Question

COUNT = 300


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation that was filled, after an interruption within the first part."""
    patch = pytest.MonkeyPatch()
    patch.setattr(stocking, "COMMIT", 100)
    patch.setattr(prose, "CHUNK", 100)
    opened = open_house(BuildPlan(tmp_path_factory.mktemp("stocked") / "data", InstallationSettings()), first=True)
    assert list(islice(stocking.stock(opened, COUNT), 1)) == [100]
    assert list(stocking.stock(opened, COUNT)) == [200, 300]
    patch.undo()
    yield opened
    opened.store.close()


def test_documents_come_out_the_same_by_themselves() -> None:
    assert list(prose.pages(prose.CHUNK, prose.CHUNK + 50)) == list(prose.pages(0, prose.CHUNK + 50))[prose.CHUNK :]


def test_words_are_as_frequent_as_zipf_has_it() -> None:
    pages = list(prose.pages(0, 2_000))
    counts = Counter(word for page in pages for word in page.text.split())
    frequent = [count for _, count in counts.most_common(3_000)]
    assert 5 < frequent[9] / frequent[99] < 12
    assert sum(count == 1 for count in counts.values()) > len(counts) / 3
    sizes = Counter(len(page.text.split()) for page in pages)
    assert set(sizes) == {words for _, words in prose.SIZES}
    public = sum(page.grants == ("everyone",) for page in pages) / len(pages)
    assert abs(public - 0.7) < 0.05
    assert sum(one.text == other.text for one, other in pairwise(pages)) == len(pages) // prose.COPIES


def test_the_product_finds_what_was_filled_and_no_reader_more(house: Installation) -> None:
    library = search.library(house)
    pages = list(prose.pages(0, 100))
    assert reindex.stats(house)["documents"] == COUNT
    assert reindex.stats(house)["backlog"] == 0
    everybody = library.find(Question("*", fold=False), ANYONE).total
    staff = library.find(Question("*", fold=False), Reader("ada", frozenset(("everyone", prose.STAFF)))).total
    assert 0 < everybody < staff < COUNT
    page = next(each for each in pages if each.grants == ("everyone",))
    hit = library.see(page.number + 1, ANYONE)
    assert hit
    assert (hit.url, hit.title, hit.cached) == (page.url, page.title, True)


def test_questions_mostly_find_something(house: Installation) -> None:
    library = search.library(house)
    questions = prose.questions(100)
    assert questions == prose.questions(100)
    assert sum(library.find(Question(each), ANYONE).total > 0 for each in questions) > 60


def test_the_engine_reads_what_the_library_finds(house: Installation) -> None:
    bare, library = Bare(house.folder / "index", ANYONE), search.library(house)
    for question in prose.questions(60):
        found = library.find(Question(question), ANYONE)
        as_asked = found.total > 0 and not found.is_corrected  # not answered for a word that is written nearly so
        assert (bare.on_our_query(question) > 0) == as_asked, question
        assert bare.by_itself(question) >= 0


class _Server(BaseHTTPRequestHandler):
    """Answers, but to one question with an error."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(500 if "bad" in self.path else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_all_askers_ask_over_http_and_an_error_ends_it(address: str) -> None:
    asked = askers.over_http(address, os.getpid(), ["one", "two"], 3, 0.3)
    assert len(asked.took_s) > 3
    assert asked.cpu_s > 0
    assert asked.peak_mb > 1
    with pytest.raises(NoAnswer, match="bad was answered 500"):
        askers.over_http(address, os.getpid(), ["bad"], 2, 0.3)


def test_askers_within_begin_at_places_of_their_own() -> None:
    seen: Counter[str] = Counter()
    asked = askers.within(lambda text: seen.update((text,)), ["a", "b", "c"], 3, 0.1)
    assert seen.total() == len(asked.took_s)
    assert min(seen[each] for each in "abc") > 0


def test_percentiles_and_heads() -> None:
    took = [number / 1_000 for number in range(1, 101)]
    random.Random(1).shuffle(took)
    asked = Asked(took, cpu_s=2.0, wall_s=4.0)
    assert (asked.percentile(0.5), asked.percentile(0.95), asked.per_cpu_s, asked.per_s) == (51.0, 96.0, 50.0, 25.0)
    assert answered(b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\nX: y\r\n\r\n") == (200, 12)


def test_the_report_holds_ours_beside_the_engine() -> None:
    report = searched.Report(now(), 10, 20, 1.0, 5, calibrations=[0.5])
    for name, count in ((searched.LIBRARY, 60), (searched.ALONE, 100), (searched.OURS, 80)):
        for _ in range(2):
            report.add(name, 20, Asked([0.01] * count, 1.0, 1.0))
    text = searched.text(report)
    assert "| the library beside the engine by itself | 0.60 x | 0.5 x | 0.8 x | floor |" in text
    assert "| the library beside the engine on our query | 0.75 x | 0.5 x | 0.8 x | floor |" in text
    assert "| the served interface beside the engine by itself | - | 0.5 x | 0.8 x | not measured |" in text
    assert "| the engine on our query | 20 | 80 | 80 | 10.0 | 10.0 | 10.0 | 160 |  |" in text
