"""Waits for changes of an account, against a fake that reports them by NOTIFY, by IDLE, or not at all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.sources.mail.changes import account_watch
from cormorant.sources.mail.source import MailSource
from tests.clocks import until
from tests.sources.mail.fake_imap import FakeFolder, FakeImap, Session, fake_imap
from tests.sources.mail.mail_sources import mail_source, message

NOTIFY = "IMAP4rev1 AUTH=PLAIN IDLE NOTIFY"


@pytest.fixture
def server() -> Iterator[FakeImap]:
    with fake_imap() as running:
        for name in ("A", "B", "C"):
            running.folders[name] = FakeFolder(5)
            running.folders[name].add(message(name))
        running.folders["Trash"] = FakeFolder(6, flags=r"\Trash")
        yield running


def at(server: FakeImap, **settings: object) -> MailSource:
    return mail_source({"url": f"imap://127.0.0.1:{server.port}", "connect_timeout_s": 2, "watch": True, **settings})


def opened(server: FakeImap, verb: str) -> list[str]:
    return [each.partition(" ")[2] for each in server.log if each.startswith(verb)]


def change(server: FakeImap, source: MailSource, act: Callable[[], None], count: int = 1, verb: str = "IDLE") -> bool:
    """Wait in a thread, act once the connections wait, and return how the wait ended."""
    ended = list[bool]()
    waiting = threading.Thread(target=lambda: ended.append(source.wait_for_change(60.0)))
    waiting.start()
    until(lambda: len(opened(server, verb)) >= count)
    act()
    waiting.join(60.0)
    return ended == [True]


def idling(server: FakeImap, name: str) -> Session:
    """The session that waits in a folder."""
    return next(each for each in server.sessions if each.open is server.folders[name])


def test_the_first_folders_are_idled_in_and_the_others_asked(server: FakeImap) -> None:
    source = at(server, watch_folders=2)
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    assert opened(server, "EXAMINE") == ['"INBOX"', '"A"']
    assert [each.partition(" ")[0] for each in opened(server, "STATUS")] == ['"B"', '"C"']
    assert len(server.sessions) == 3
    assert change(server, source, lambda: idling(server, "A").say("* 2 EXISTS"), 2)
    assert len(server.sessions) == 3, "connections are kept from one wait to the next"
    assert not source.wait_for_change(0.1)
    asyncio.run(source.close())


def test_what_is_reported_between_two_waits_is_not_missed(server: FakeImap) -> None:
    source = at(server, folders="INBOX")
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    idling(server, "INBOX").say("* 1 EXISTS")
    assert source.wait_for_change(20.0)
    assert not source.wait_for_change(0.1)


@pytest.mark.parametrize("line", ["* 1 EXPUNGE", "* VANISHED 3", "* 7 EXISTS"])
def test_lines_that_are_changes(server: FakeImap, line: str) -> None:
    source = at(server, folders="A")
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    session = idling(server, "A")
    session.connection.sendall(line[:4].encode())
    assert not source.wait_for_change(0.1)
    session.say(line[4:])
    assert source.wait_for_change(20.0)
    assert not source.wait_for_change(0.1)


@pytest.mark.parametrize("line", ["* OK still here", "* 1 EXISTS", "* 0 RECENT", "* 1 FETCH (FLAGS (\\Seen))"])
def test_lines_that_are_none(server: FakeImap, line: str) -> None:
    source = at(server, folders="A")
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    idling(server, "A").say(line)
    assert not source.wait_for_change(0.5)


def test_folders_that_are_asked(server: FakeImap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account_watch, "POLL_S", 0.05)
    monkeypatch.setattr(account_watch, "PACE_S", 0.0)
    server.offers = "IMAP4rev1 AUTH=PLAIN"
    source = at(server)
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.3)
    server.folders["C"].add(message("new"))
    assert source.wait_for_change(20.0)
    assert not source.wait_for_change(0.3)
    server.folders["B"].validity = 9
    assert source.wait_for_change(20.0)
    assert len(server.sessions) == 1


def test_one_connection_reports_all_folders(server: FakeImap) -> None:
    server.offers = NOTIFY
    source = at(server)
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    idling(server, "INBOX").say('* STATUS "C" (MESSAGES 2)')
    assert source.wait_for_change(20.0)
    assert opened(server, "NOTIFY") == [
        'SET (selected (MessageNew MessageExpunge)) (mailboxes ("A" "B" "C") (MessageNew MessageExpunge))'
    ]
    assert (opened(server, "EXAMINE"), len(opened(server, "IDLE")), len(server.sessions)) == (['"INBOX"'], 1, 2)
    idling(server, "INBOX").say("* OK [NOTIFICATIONOVERFLOW] too much")
    assert source.wait_for_change(20.0)


def test_a_server_that_refuses_to_report_is_idled_at(server: FakeImap) -> None:
    server.offers = NOTIFY

    def refuse(session: Session, line: bytes) -> bool:
        if b"NOTIFY" in line:
            session.say(line.split()[0] + b" BAD no events for you")
            return True
        return False

    server.fault = refuse
    source = at(server, watch_folders=1)
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    assert opened(server, "EXAMINE") == ['"INBOX"']
    assert len(opened(server, "STATUS")) == 3


def test_folders_that_are_reported_are_looked_at_now_and_then(
    server: FakeImap, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may not see what another program delivers."""
    monkeypatch.setattr(account_watch, "CHECK_S", 0.1)
    monkeypatch.setattr(account_watch, "PACE_S", 0.0)
    monkeypatch.setattr(account_watch, "STEP_S", 0.1)
    server.offers = NOTIFY
    source = at(server)
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    server.folders["C"].add(message("new"))
    assert source.wait_for_change(20.0)


@pytest.mark.parametrize("offers", [NOTIFY, "IMAP4rev1 AUTH=PLAIN IDLE"])
def test_the_session_is_kept_and_a_change_meanwhile_is_seen(
    server: FakeImap, monkeypatch: pytest.MonkeyPatch, offers: str
) -> None:
    server.offers = offers
    monkeypatch.setattr(account_watch, "RENEWED_S", 0.2)
    monkeypatch.setattr(account_watch, "STEP_S", 0.1)
    source = at(server, folders=["A", "B"], watch_folders=1)
    assert source.wait_for_change(20.0), "the watch begins"
    until(lambda: not source.wait_for_change(0.3) and len(opened(server, "IDLE")) >= 2)
    idling(server, "A").say("* 9 EXISTS")
    assert source.wait_for_change(20.0)


def test_a_connection_that_held_is_made_again(server: FakeImap, monkeypatch: pytest.MonkeyPatch) -> None:
    source = at(server, folders="A")
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    server.sessions[-1].drop()
    with pytest.raises(Unreachable, match="broke off"):
        source.wait_for_change(20.0)
    monkeypatch.setattr(account_watch, "HELD_S", 0.0)
    assert source.wait_for_change(20.0), "the watch begins again"
    server.sessions[-1].drop()
    assert source.wait_for_change(20.0), "something may have been missed"
    assert source.wait_for_change(20.0), "the watch begins again"
    assert not source.wait_for_change(0.1)


def test_a_refused_login_is_no_wait(server: FakeImap) -> None:
    server.password = "another"
    with pytest.raises(LoginRefused):
        at(server).wait_for_change(1.0)


def test_nothing_is_waited_for_after_close(server: FakeImap) -> None:
    source = at(server)
    asyncio.run(source.close())
    assert not source.wait_for_change(20.0)
    assert server.sessions == []
