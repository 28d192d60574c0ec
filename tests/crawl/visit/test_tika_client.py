"""Documents are put to a Tika server: what is sent, what each answer means, and who is to blame when none comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import unquote

import pytest

from cormorant.base.clock import Clock, SystemClock
from cormorant.crawl.visit import tika_client
from cormorant.crawl.visit.tika_client import AWAY_S, MOST_BYTES, RESTS_S, TikaClient
from cormorant.extract.detect.tika_types import TikaTypes
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ConversionFault, ExtractionTask
from cormorant.extract.tika_answer import extract_tika_answer
from cormorant.model.content import Content, Extraction
from cormorant.model.outcome import Deferred, Failed, Outcome
from cormorant.model.status import Status
from cormorant.net.egress.guard import Egress
from cormorant.net.http.messages import TransportError
from tests.clocks import Hands
from tests.net.http.servers import run
from tests.tika import documents, servers, started
from tests.tika.small import Reply, SmallTika, with_text

ONE_NOTE = "application/onenote"
BODY = documents.ONE + bytes(range(256))
TASK = ExtractionTask(ONE_NOTE, "file:///x.one")


@pytest.fixture
def tika() -> Iterator[SmallTika]:
    with SmallTika() as small:
        yield small


def note(name: str = "notes.one", body: bytes = BODY, mime: str = ONE_NOTE) -> Content:
    return Content(f"file:///srv/{name}", body, mime, file_name=name)


class Rests:
    """Sleeps no time, and remembers how long it should have."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


@asynccontextmanager
async def client(
    url: str, *, clock: Clock | None = None, own: int = 0, sleep: Rests | None = None
) -> AsyncIterator[TikaClient]:
    clock = clock or SystemClock()
    egress = Egress(clock, frozenset({own} if own else ()))
    made = TikaClient(url, TikaTypes(""), egress, clock, sleep=sleep or Rests())
    try:
        yield made
    finally:
        await made.close()
        await egress.close()


def answers_of(tika: SmallTika, *contents: Content) -> list[bytes | Outcome]:
    """The answers for documents, one after the other."""

    async def work() -> list[bytes | Outcome]:
        async with client(tika.url) as made:
            return [await made.read(each) for each in contents]

    return run(work())


def reason(outcome: object) -> str:
    assert isinstance(outcome, Deferred | Failed)
    return outcome.reason


# ------------------------------------------------------------------------------------------------------- what is sent


def test_the_bytes_are_put_as_they_are(tika: SmallTika) -> None:
    [answer] = answers_of(tika, note())
    [put] = tika.asked
    assert put.path == "/rmeta/text"
    assert put.body == BODY, "with its zero bytes"
    assert isinstance(answer, bytes)
    assert b"%d bytes" % len(BODY) in answer


def test_no_type_is_said_and_no_credential(tika: SmallTika) -> None:
    answers_of(tika, note())
    sent = {name.lower(): value for name, value in tika.asked[0].headers.items()}
    assert sent["content-type"] == "application/octet-stream", "Tika believes any other blindly"
    assert sent["accept"] == "application/json"
    assert not {"authorization", "cookie", "expect"} & set(sent)


@pytest.mark.parametrize(
    ("name", "plain", "whole"),
    [
        ("notes.one", "document.one", "notes.one"),
        ('a"; x="b.one', "document.one", 'a"; x="b.one'),
        ("Übersicht.one", "document.one", "Übersicht.one"),
        ("download.php", "document.one", "download.php.one"),
        ("notes", "document.one", "notes.one"),
        (f"{'n' * 300}.one", "document.one", f"{'n' * 146}.one"),
    ],
)
def test_the_name_is_sent_so_that_it_can_be_nothing_else(tika: SmallTika, name: str, plain: str, whole: str) -> None:
    answers_of(tika, note(name))
    field = tika.asked[0].headers["Content-Disposition"]
    assert field.isascii()
    start, _, encoded = field.partition("; filename*=UTF-8''")
    assert (start, unquote(encoded)) == (f'attachment; filename="{plain}"', whole)
    assert not set(encoded) & set('";\\ ')


def test_a_path_before_its_own_is_kept(tika: SmallTika) -> None:
    async def work() -> None:
        async with client(f"{tika.url}/behind/a/proxy/") as made:
            await made.read(note())

    run(work())
    assert tika.asked[0].path == "/behind/a/proxy/rmeta/text"


# ----------------------------------------------------------------------------------------------------- who is to blame


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 429, 502, 503, 504])
def test_a_server_that_does_not_read_has_documents_wait(tika: SmallTika, status: int) -> None:
    tika.plan = [status]
    [outcome] = answers_of(tika, note())
    assert isinstance(outcome, Deferred)
    assert (outcome.status, outcome.wait_s, outcome.elsewhere) == (Status.TIKA, None, True), "its site has answered"
    assert outcome.reason == f"The Tika server at {tika.url} answered {status}."


def test_a_redirect_is_not_followed(tika: SmallTika) -> None:
    tika.plan = [Reply(307, {"Location": f"{tika.url}/elsewhere"})]
    [outcome] = answers_of(tika, note())
    assert reason(outcome).endswith("answered 307. Redirects are not followed: set tika to the target.")
    assert [put.path for put in tika.asked] == ["/rmeta/text"]


def test_one_that_is_down_is_tried_for_a_moment_and_then_left_alone() -> None:
    with SmallTika() as gone:
        url = gone.url
    clock, rests = Hands(), Rests()

    async def work() -> list[bytes | Outcome]:
        async with client(url, clock=clock, sleep=rests) as made:
            outcomes = [await made.read(note()), await made.read(note("other.one"))]
            assert rests.slept == [*RESTS_S], "the second was not asked for"
            clock.at += AWAY_S + 1
            return [*outcomes, await made.read(note())]

    outcomes = run(work())
    assert [each.status for each in outcomes if isinstance(each, Deferred)] == [Status.TIKA] * 3
    assert {reason(each) for each in outcomes} == {
        f"The Tika server at {url} was not reached. The connection was not made: nothing accepts connections there."
    }
    assert rests.slept == [*RESTS_S, *RESTS_S]


def test_our_own_port_is_no_tika_server(tika: SmallTika) -> None:
    async def work() -> bytes | Outcome:
        async with client(tika.url, own=tika.port) as made:
            return await made.read(note())

    assert "The network policy does not allow this connection." in reason(run(work()))
    assert not tika.asked


@pytest.mark.parametrize("fault", ["hang", "reset", 500])
def test_a_document_that_does_not_come_to_its_end_has_failed_the_second_time(
    tika: SmallTika, monkeypatch: pytest.MonkeyPatch, fault: int | str
) -> None:
    monkeypatch.setattr(tika_client, "TIMEOUT_S", 0.5)
    tika.read = lambda put: with_text("well") if b"harmless" in put.body else fault
    first, other, second = answers_of(tika, note(), note("good.one", documents.ONE + b"harmless"), note())
    assert isinstance(first, Deferred)
    assert first.status == Status.TIKA
    assert isinstance(other, bytes), "it goes on reading others"
    assert isinstance(second, Failed)
    assert second.status == Status.CONVERSION_FAILED
    assert second.reason.endswith(", 2 times in a row.")


def test_a_server_that_hangs_is_no_fault_of_documents(tika: SmallTika, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tika_client, "TIMEOUT_S", 0.3)
    tika.version = None
    clock = Hands()

    async def work() -> list[bytes | Outcome]:
        async with client(tika.url, clock=clock) as made:
            outcomes = []
            for _ in range(4):
                tika.plan = ["hang"]
                outcomes.append(await made.read(note()))
                clock.at += AWAY_S + 1
            return outcomes

    assert all(isinstance(each, Deferred) for each in run(work()))


def test_one_that_was_read_has_a_clean_record(tika: SmallTika) -> None:
    async def work() -> list[bytes | Outcome]:
        async with client(tika.url) as made:
            outcomes = []
            for planned in (500, with_text("well"), 500):
                tika.plan = [planned]
                outcomes.append(await made.read(note()))
            return outcomes

    assert [type(each) for each in run(work())] == [Deferred, bytes, Deferred]


def test_what_it_cannot_read_is_the_documents_fault(tika: SmallTika) -> None:
    locked = Reply(
        422, body=b"org.apache.tika.exception.EncryptedDocumentException: Unable to process: encrypted\n\tat"
    )
    tika.plan = [422, locked, 415, 413]
    answers = answers_of(tika, *(note(f"{number}.one") for number in range(4)))
    assert all(isinstance(each, bytes) for each in answers[:3])
    with pytest.raises(Unreadable, match="damaged, or of another format"):
        extract_tika_answer(answers[0] if isinstance(answers[0], bytes) else b"", TASK)
    with pytest.raises(Protected):
        extract_tika_answer(answers[1] if isinstance(answers[1], bytes) else b"", TASK)
    unread = extract_tika_answer(answers[2] if isinstance(answers[2], bytes) else b"", TASK)
    assert isinstance(unread, ConversionFault)
    assert unread.status == Status.NO_CONVERTER
    assert reason(answers[3]).endswith("takes no document of this size.")


def test_of_an_answer_that_is_too_long_the_beginning_is_read(tika: SmallTika) -> None:
    tika.plan = [Reply(200, {}, b'[{"X-TIKA:content":"' + b"x" * (MOST_BYTES + 10) + b'"}]')]
    [answer] = answers_of(tika, note())
    assert isinstance(answer, bytes)
    assert len(answer) == MOST_BYTES


def test_so_many_are_under_way_as_it_may_do_at_once(tika: SmallTika) -> None:
    async def work() -> None:
        egress = Egress(SystemClock())
        made = TikaClient(tika.url, TikaTypes(""), egress, SystemClock(), parallel=2)

        async def one(number: int) -> None:
            await made.read(note(f"{number}.one"))

        await asyncio.gather(*map(one, range(6)))
        await made.close()
        await egress.close()

    run(work())
    assert len(tika.asked) == 6
    assert tika.most_at_once <= 2


def test_its_version_is_asked_for(tika: SmallTika) -> None:
    async def work() -> list[str | TransportError]:
        async with client(tika.url) as made:
            first = await made.version()
            tika.version = None
            return [first, await made.version()]

    [version, none] = run(work())
    assert version == "Apache Tika 3.2.3"
    assert isinstance(none, TransportError)


# --------------------------------------------------------------------------------------------------------- a real one


@pytest.mark.server
@pytest.mark.parametrize("name", servers() or ["none"])
def test_a_real_one_reads_the_long_tail(name: str, tmp_path: Path) -> None:
    if name not in servers():
        pytest.skip("There is no Tika in build/tika: `make tika` fetches it.")
    kinds = {
        "plan.vsdx": ("application/vnd.ms-visio.drawing", documents.vsdx("lighthouse keeper")),
        "page.xps": ("application/vnd.ms-xpsdocument", documents.xps("curlew over the breakwater")),
        "notes.one": (ONE_NOTE, documents.one("The razorbill writes its notes here.")),
        "letter.pages": ("application/vnd.apple.pages", documents.pages("The avocet nests on the quay.")),
    }

    async def work(url: str) -> dict[str, Extraction | ConversionFault | Outcome]:
        found: dict[str, Extraction | ConversionFault | Outcome] = {}
        async with client(url) as made:
            assert str(await made.version()).startswith("Apache Tika ")
            for file, (mime, body) in kinds.items():
                answer = await made.read(note(file, body, mime))
                task = ExtractionTask(mime, f"file:///{file}", file_name=file)
                found[file] = extract_tika_answer(answer, task) if isinstance(answer, bytes) else answer
            broken = await made.read(note("cut.vsdx", kinds["plan.vsdx"][1][:900]))
            assert isinstance(broken, bytes)
            with pytest.raises(Unreadable):
                extract_tika_answer(broken, TASK)
        return found

    with started(servers()[name], tmp_path) as url:
        found = run(work(url))
    texts = {file: each.text for file, each in found.items() if isinstance(each, Extraction)}
    assert texts == {
        "plan.vsdx": "lighthouse keeper", "page.xps": "curlew over the breakwater",
        "notes.one": "The razorbill writes its notes here.", "letter.pages": "The avocet nests on the quay.",
    }  # fmt: skip
    plan = found["plan.vsdx"]
    assert isinstance(plan, Extraction)
    assert (plan.title, plan.language) == ("Harbour plan", "en-gb")
    assert plan.attributes == {
        "Author": "Ada Plover", "Subject": "Moorings", "Description": "Where ships lie", "Keywords": ("quay", "mole"),
        "ReadBy": "Apache Tika",
    }  # fmt: skip
