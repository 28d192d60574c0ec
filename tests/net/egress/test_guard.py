"""Names to pins: resolving, caching, and every way an answer can be hostile (faults N1, S1, S5)."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest

from cormorant.base.errors import Unreachable
from cormorant.base.exhaustion import Shortage
from cormorant.net.egress.guard import Egress, EgressRefused, Pinned, Settle, Unsettled
from cormorant.net.egress.policy import PUBLIC_ONLY, AddressClass, Consent
from cormorant.net.egress.resolver import Resolver, Unresolved, literal, system_lookup
from tests.clocks import Hands
from tests.scarcity import few_files

T = TypeVar("T")
PUBLIC, OTHER = "93.184.216.34", "93.184.216.35"


class Names:
    """A name server: answers in turn, the last one for ever; an exception is raised."""

    def __init__(self, **answers: list[tuple[str, ...] | Exception]) -> None:
        self.answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    def __call__(self, host: str) -> tuple[str, ...]:
        self.asked.append(host)
        answers = self.answers[host]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    return asyncio.run(work())


def egress_of(lookup: Callable[[str], tuple[str, ...]], clock: Hands | None = None, timeout_s: float = 5.0) -> Egress:
    hands = clock or Hands()
    return Egress(hands, frozenset((8000,)), Resolver(hands, lookup, timeout_s))


def test_a_name_is_pinned_to_its_addresses() -> None:
    async def work() -> None:
        names = Names(a_example=[(PUBLIC, OTHER)])
        egress = egress_of(names)
        assert egress.pinned("a.example", 80, PUBLIC_ONLY) is None
        pinned = await egress.open("a.example", 80, PUBLIC_ONLY)
        assert pinned == Pinned("a.example", 80, (PUBLIC, OTHER))
        assert egress.pinned("a.example", 80, PUBLIC_ONLY) is pinned
        assert await egress.open("a.example", 443, PUBLIC_ONLY) == Pinned("a.example", 443, (PUBLIC, OTHER))
        assert names.asked == ["a.example"]

    run(work)


def test_answers_are_asked_for_again_after_a_minute() -> None:
    async def work() -> None:
        clock, names = Hands(), Names(a_example=[(PUBLIC,), (OTHER,)])
        egress = egress_of(names, clock)
        await egress.open("a.example", 80, PUBLIC_ONLY)
        clock.at += 59
        assert egress.pinned("a.example", 80, PUBLIC_ONLY) is not None
        clock.at += 2
        assert egress.pinned("a.example", 80, PUBLIC_ONLY) is None
        assert await egress.open("a.example", 80, PUBLIC_ONLY) == Pinned("a.example", 80, (OTHER,))

    run(work)


@pytest.mark.parametrize("bad", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fe80::1", "::ffff:10.0.0.1"])
def test_one_bad_address_refuses_the_answer(bad: str) -> None:
    async def work() -> None:
        for answer in ((PUBLIC, bad), (bad, PUBLIC), (bad,)):
            said = await egress_of(Names(a_example=[answer])).open("a.example", 80, PUBLIC_ONLY)
            assert isinstance(said, EgressRefused)
            assert said.ruling.status == 974

    run(work)


def test_rebinding_is_refused() -> None:
    async def work() -> None:
        clock = Hands()
        egress = egress_of(Names(a_example=[(PUBLIC,), ("127.0.0.1",)]), clock)
        assert isinstance(await egress.open("a.example", 80, PUBLIC_ONLY), Pinned)
        clock.at += 61
        assert isinstance(await egress.open("a.example", 80, PUBLIC_ONLY), EgressRefused)

    run(work)


def test_a_named_host_is_held_to_its_first_class() -> None:
    async def work() -> None:
        clock, consent = Hands(), Consent.of([("a.example", 80)])
        egress = egress_of(Names(a_example=[("10.0.0.1",), ("10.0.0.2",), ("127.0.0.1",), (PUBLIC,)]), clock)
        said = []
        for _ in range(4):
            said.append(type(await egress.open("a.example", 80, consent)))
            clock.at += 61
        assert said == [Pinned, Pinned, EgressRefused, EgressRefused]

    run(work)


def test_a_first_answer_that_mixes_inside_and_outside_is_an_attack() -> None:
    async def work() -> None:
        consent = Consent.of([("a.example", 80)])
        for answer, expected in (
            ((PUBLIC, "127.0.0.1"), EgressRefused),
            ((PUBLIC, "10.0.0.1"), EgressRefused),
            (("2606:2800::1", "::1"), EgressRefused),
            (("2606:2800::1", "10.0.0.1"), Pinned),
            (("10.0.0.1", "fd12::1"), Pinned),
            (("127.0.0.1", "::1"), Pinned),
        ):
            said = await egress_of(Names(a_example=[answer])).open("a.example", 80, consent)
            assert isinstance(said, expected), answer

    run(work)


def test_a_metadata_answer_settles_nothing() -> None:
    async def work() -> None:
        clock, consent = Hands(), Consent.of([("a.example", 80)])
        egress = egress_of(Names(a_example=[("169.254.169.254",), ("10.0.0.1",), ("127.0.0.1",)]), clock)
        said = []
        for _ in range(3):
            said.append(type(await egress.open("a.example", 80, consent)))
            clock.at += 61
        assert said == [EgressRefused, Pinned, EgressRefused]

    run(work)


def test_two_sources_have_their_own_consent() -> None:
    async def work() -> None:
        egress, consent = egress_of(Names(a_example=[("10.0.0.1",)])), Consent.of([("a.example", 80)])
        assert isinstance(await egress.open("a.example", 80, consent), Pinned)
        assert isinstance(await egress.open("a.example", 80, PUBLIC_ONLY), EgressRefused)
        assert egress.pinned("a.example", 80, PUBLIC_ONLY) is None

    run(work)


def test_cluster_names_are_not_even_asked_for() -> None:
    async def work() -> None:
        names = Names(metadata_google_internal=[(PUBLIC,)])
        egress = egress_of(names)
        assert isinstance(await egress.open("metadata.google.internal", 80, PUBLIC_ONLY), EgressRefused)
        assert names.asked == []
        literally = Consent.of([("metadata.google.internal", 80)])
        assert isinstance(await egress.open("metadata.google.internal", 80, literally), Pinned)

    run(work)


def test_our_own_ports() -> None:
    async def work() -> None:
        consent = Consent.of([("127.0.0.1", 8000), ("127.0.0.1", 8001)], ["loopback", "private"])
        egress = egress_of(Names())
        assert isinstance(await egress.open("127.0.0.1", 8000, consent), EgressRefused)
        assert isinstance(await egress.open("127.0.0.1", 8001, consent), Pinned)

    run(work)


@pytest.mark.parametrize(
    ("host", "port", "refused"),
    [
        ("10.0.0.9", 5432, True), ("db.example", 5432, True), ("alias.example", 5432, True),
        ("[::ffff:10.0.0.9]", 5432, True), ("[64:ff9b::a00:9]", 5432, True), ("10.0.0.9", 80, False),
        ("10.0.0.8", 5432, False), ("127.0.0.1", 5433, True), ("mine.example", 5433, True), ("127.0.0.1", 5432, False),
    ],
)  # fmt: skip
def test_the_database_is_nobodys(host: str, port: int, *, refused: bool) -> None:
    async def work() -> None:
        names = Names(
            db_example=[("10.0.0.9",)], alias_example=[("10.0.0.8", "10.0.0.9")], mine_example=[("127.0.0.2",)],
            localhost=[("127.0.0.1",)],
        )  # fmt: skip
        hands = Hands()
        places = (("db.example", 5432), ("localhost", 5433))
        egress = Egress(hands, resolver=Resolver(hands, names, 5.0), own_places=places)
        consent = Consent.of([(host, port)], ["loopback", "private"])
        said = await egress.open(host, port, consent)
        assert isinstance(said, EgressRefused if refused else Pinned)

    run(work)


def test_the_second_check() -> None:
    egress = egress_of(Names())
    pinned = Pinned("a.example", 80, (PUBLIC, "169.254.169.254"))
    assert not egress.veto(PUBLIC, 80, pinned)
    assert egress.veto(PUBLIC, 81, pinned)
    assert egress.veto(OTHER, 80, pinned)
    assert egress.veto("169.254.169.254", 80, pinned)


@pytest.mark.parametrize(
    ("error", "missing", "asks_again_after_s"),
    [
        (socket.gaierror(socket.EAI_NONAME, "x"), True, 300),
        (socket.gaierror(socket.EAI_AGAIN, "x"), False, 30),
        (socket.gaierror(socket.EAI_FAIL, "x"), False, 30),
        (UnicodeError("label too long"), True, 300),
    ],
)
def test_names_that_do_not_resolve(error: Exception, missing: bool, asks_again_after_s: float) -> None:
    async def work() -> None:
        clock, names = Hands(), Names(a_example=[error])
        egress = egress_of(names, clock)
        said = await egress.open("a.example", 80, PUBLIC_ONLY)
        assert isinstance(said, Unresolved)
        assert (said.missing, said.status) == (missing, 975)
        clock.at += asks_again_after_s - 1
        await egress.open("a.example", 80, PUBLIC_ONLY)
        assert len(names.asked) == 1
        clock.at += 2
        await egress.open("a.example", 80, PUBLIC_ONLY)
        assert len(names.asked) == 2

    run(work)


def test_an_empty_answer_is_no_address() -> None:
    async def work() -> None:
        said = await egress_of(Names(a_example=[()])).open("a.example", 80, PUBLIC_ONLY)
        assert isinstance(said, Unresolved)

    run(work)


def test_a_slow_name_server_holds_up_nobody_else() -> None:
    async def work() -> None:
        release, asked = threading.Event(), []

        def lookup(host: str) -> tuple[str, ...]:
            asked.append(host)
            if host == "slow.example":
                release.wait(5)
            return (PUBLIC,)

        egress = egress_of(lookup, timeout_s=0.2)
        waiting = [asyncio.create_task(egress.open("slow.example", 80, PUBLIC_ONLY)) for _ in range(5)]
        assert isinstance(await egress.open("fast.example", 80, PUBLIC_ONLY), Pinned)
        said = await asyncio.gather(*waiting)
        assert all(isinstance(one, Unresolved) and not one.missing for one in said)
        assert asked.count("slow.example") == 1
        release.set()
        for _ in range(100):
            await asyncio.sleep(0.01)
            if isinstance(await egress.open("slow.example", 80, PUBLIC_ONLY), Pinned):
                break
        else:
            pytest.fail("an answer that came late was not remembered")
        await egress.close()

    run(work)


def test_closing_while_a_name_is_asked_for() -> None:
    async def work() -> None:
        release = threading.Event()

        def lookup(_: str) -> tuple[str, ...]:
            release.wait(5)
            return (PUBLIC,)

        egress = egress_of(lookup)
        waiting = asyncio.create_task(egress.open("slow.example", 80, PUBLIC_ONLY))
        await asyncio.sleep(0.05)
        await egress.close()
        assert isinstance(await waiting, Unresolved)
        release.set()

    run(work)


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("[0:0::1]", "::1"), ("[::ffff:1.2.3.4]", "::ffff:1.2.3.4")],
)
def test_literals_are_not_asked_for(host: str, address: str) -> None:
    assert literal(host) == address


def test_spellings_are_judged_by_their_address() -> None:
    async def work() -> None:
        egress = egress_of(system_lookup)
        for host in ("0x7f.1", "017700000001", "2130706433", "127.1", "localhost"):
            assert isinstance(await egress.open(host, 80, PUBLIC_ONLY), EgressRefused), host

    run(work)


def test_names_that_cannot_be_asked_for() -> None:
    assert literal("a.example") is None
    with pytest.raises(UnicodeError):
        system_lookup("bücher.example")


def test_the_class_of_a_host_that_was_opened() -> None:
    async def work() -> None:
        egress = egress_of(Names(a_example=[(PUBLIC,)], b_example=[("fd12::1", "10.0.0.1")]))
        consent = Consent.of([("b.example", 80)])
        assert egress.class_of("a.example", 80, PUBLIC_ONLY) is None
        await egress.open("a.example", 80, PUBLIC_ONLY)
        await egress.open("b.example", 80, consent)
        assert egress.class_of("a.example", 80, PUBLIC_ONLY) is AddressClass.PUBLIC
        assert egress.class_of("b.example", 80, consent) is AddressClass.ULA
        assert egress.class_of("[::1]", 80, PUBLIC_ONLY) is AddressClass.LOOPBACK

    run(work)


NAMED = Consent.of([("a.example", 80)])


class Ledger:
    """What all processes go by: whoever is first is right. It counts how often it was asked."""

    def __init__(self, *first: AddressClass) -> None:
        self.first, self.asked = frozenset(first), 0

    def __call__(self, host: str, port: int, classes: frozenset[AddressClass]) -> frozenset[AddressClass]:
        assert (host, port) == ("a.example", 80)
        self.asked += 1
        self.first = self.first or classes
        return self.first


def process(settle: Settle, *answers: str, clock: Hands | None = None) -> Egress:
    """Another process, to which the name server gives these answers."""
    hands = clock or Hands()
    names = Names(a_example=[(answer,) for answer in answers])
    return Egress(hands, resolver=Resolver(hands, names, 5.0), settle=settle)


def said_by(egress: Egress, consent: Consent = NAMED) -> Pinned | EgressRefused | Unresolved | Unsettled:
    return run(lambda: egress.open("a.example", 80, consent))


def test_what_another_process_settled_holds_at_once() -> None:
    ledger = Ledger()
    assert isinstance(said_by(process(ledger, PUBLIC)), Pinned)
    later = process(ledger, "10.0.0.1")
    assert isinstance(said_by(later), EgressRefused)
    assert later.pinned("a.example", 80, NAMED) is None
    assert isinstance(said_by(process(ledger, PUBLIC)), Pinned)


def test_of_two_that_resolve_at_one_moment_the_first_is_right() -> None:
    def just_before(_host: str, _port: int, _classes: frozenset[AddressClass]) -> frozenset[AddressClass]:
        return frozenset((AddressClass.PUBLIC,))

    assert isinstance(said_by(process(just_before, "10.0.0.1")), EgressRefused)


def test_all_the_classes_that_were_settled_hold_together() -> None:
    assert isinstance(said_by(process(Ledger(AddressClass.PUBLIC, AddressClass.PRIVATE), "10.0.0.1")), Pinned)


def test_a_process_asks_once_what_was_settled() -> None:
    clock, ledger = Hands(), Ledger()
    egress = process(ledger, PUBLIC, "10.0.0.1", clock=clock)
    assert isinstance(said_by(egress), Pinned)
    clock.at += 61
    assert isinstance(said_by(egress), EgressRefused)
    assert ledger.asked == 1


def test_nobody_is_asked_about_a_host_that_is_not_named() -> None:
    ledger = Ledger()
    assert isinstance(said_by(process(ledger, PUBLIC), PUBLIC_ONLY), Pinned)
    assert isinstance(said_by(process(ledger, "169.254.169.254")), EgressRefused), "nothing there can be consented to"
    assert ledger.asked == 0


def test_nothing_is_connected_to_while_it_cannot_be_settled(caplog: pytest.LogCaptureFixture) -> None:
    away = True

    def settle(_host: str, _port: int, classes: frozenset[AddressClass]) -> frozenset[AddressClass]:
        if away:
            raise Unreachable("The database does not answer.")
        return classes

    egress = process(settle, "10.0.0.1")
    assert isinstance(said_by(egress), Unsettled)
    assert [each.__dict__["reason"] for each in caplog.records] == ["The database does not answer."]
    assert egress.pinned("a.example", 80, NAMED) is None
    away = False
    assert isinstance(said_by(egress), Pinned)


@pytest.mark.parametrize("host", ["wiki.localhost", "a.b.localhost", "wiki.localhost."])
def test_names_below_localhost_are_this_machine_whoever_is_asked(host: str) -> None:
    async def work() -> None:
        names = Names()
        egress = egress_of(names)
        assert await egress.open(host, 80, PUBLIC_ONLY) == EgressRefused(), "nobody consented"
        consent = Consent.of([(host.rstrip("."), 80), (host, 80)], ())
        pinned = await egress.open(host, 80, consent)
        assert isinstance(pinned, Pinned)
        assert pinned.addresses == ("127.0.0.1", "::1")
        assert names.asked == []

    run(work)


def test_a_name_that_could_not_be_asked_for_is_asked_for_once_there_are_files() -> None:
    """Without a file for its socket, or for what it is told, the system says that there is no such name."""

    async def work() -> None:
        names = Names(a_example=[socket.gaierror(socket.EAI_NONAME, "x"), ("93.184.216.34",)])
        egress = egress_of(names)
        with few_files(0):
            said = await egress.open("a.example", 80, PUBLIC_ONLY)
        assert isinstance(said, Unresolved)
        assert (said.lack, said.missing) == (Shortage.FILES, False)
        assert isinstance(await egress.open("a.example", 80, PUBLIC_ONLY), Pinned)

    run(work)


def test_a_thread_that_does_not_start_is_no_fault_of_a_name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def work() -> None:
        egress = egress_of(Names(a_example=[("93.184.216.34",)]))
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", start)
            said = await egress.open("a.example", 80, PUBLIC_ONLY)
        assert isinstance(said, Unresolved)
        assert (said.lack, said.missing) == (Shortage.THREADS, False)
        assert isinstance(await egress.open("a.example", 80, PUBLIC_ONLY), Pinned)

    run(work)
