"""Messages of an account on a server, against a fake that replays the protocol and has faults by choice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone
from cormorant.model.resource import DiscoveredUrl
from cormorant.sources.mail import imap_mailbox
from cormorant.sources.mail.settings import ImapServer
from cormorant.sources.mail.source import MailSource
from cormorant.testing import SourceSuite
from tests.sources.mail.fake_imap import FakeFolder, FakeImap, Fault, Session, fake_imap
from tests.sources.mail.mail_sources import fetched, mail_source, message, named


@pytest.fixture
def server() -> Iterator[FakeImap]:
    with fake_imap() as running:
        yield running


@pytest.fixture
def inbox(server: FakeImap) -> FakeFolder:
    folder = server.folders["INBOX"]
    for name in ("one", "two", "three"):
        folder.add(message(name))
    return folder


def at(server: FakeImap, **settings: object) -> MailSource:
    password = str(settings.pop("secret", "right"))
    return mail_source({"url": f"imap://127.0.0.1:{server.port}", "connect_timeout_s": 2, **settings}, password)


def tails(found: list[DiscoveredUrl]) -> list[str]:
    return sorted(each.address.removeprefix("mail://3/") for each in found)


class TestAccount(SourceSuite):
    @pytest.fixture(autouse=True)
    def account(self, server: FakeImap, inbox: FakeFolder) -> None:
        self.server = server
        server.folders['A "quoted" \\ &AOk- .. ~/%'] = FakeFolder(7, dict(inbox.messages))
        server.folders[".."] = FakeFolder(8, dict(inbox.messages))

    def make(self) -> MailSource:
        return at(self.server)


@pytest.mark.usefixtures("inbox")
def test_a_message_comes_as_it_was_sent_and_nothing_is_changed(server: FakeImap) -> None:
    source, trace = at(server), VisitTrace()
    found = named(source)
    assert tails(found) == ["INBOX/1608/1", "INBOX/1608/2", "INBOX/1608/3"]
    got = fetched(source, "mail://3/INBOX/1608/2", trace)
    assert isinstance(got, Content)
    assert (got.body, got.mime, got.modified_at) == (message("two"), "message/rfc822", 1794475804.0)
    assert got.attributes["Thread"] == "two@example.org"
    assert got.attributes["MailFolder"] == "INBOX"
    assert trace.received > len(message("two"))
    asyncio.run(source.close())
    verbs = {each.partition(" ")[0] for each in server.log}
    assert verbs == {"AUTHENTICATE", "CAPABILITY", "NOOP", "LIST", "EXAMINE", "FETCH", "UID", "LOGOUT"}
    assert not any("BODY[" in each or "SELECT" in each or "STORE" in each for each in server.log)


@pytest.mark.usefixtures("inbox")
def test_an_unchanged_account_costs_one_fetch_a_folder(server: FakeImap) -> None:
    source = at(server)
    before = named(source)
    server.log.clear()
    after = named(source, source.next_cursor)
    assert after == before
    assert [each.partition(" ")[0] for each in server.log] == ["NOOP", "LIST", "EXAMINE", "FETCH"]


def test_a_folder_is_listed_in_windows_and_a_deletion_meanwhile_hides_nothing(
    server: FakeImap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_mailbox, "WINDOW", 10)
    folder = server.folders["INBOX"]
    for number in range(35):
        folder.add(message(f"m{number}"))

    def delete_first(_session: Session, line: bytes) -> bool:
        if b"FETCH 16:25" in line:
            del folder.messages[1]
        return False

    server.fault = delete_first
    found = tails(named(at(server)))
    assert set(found) >= {f"INBOX/1608/{uid}" for uid in range(2, 36)}
    assert len(set(found)) == len(found)


def test_folders_are_chosen_by_name_and_by_use(server: FakeImap, inbox: FakeFolder) -> None:
    for name, flags in (("Trash", r"\Trash"), ("Lists/One", ""), ("Lists/Two", ""), ("Ends", r"\Noselect")):
        server.folders[name] = FakeFolder(5, dict(list(inbox.messages.items())[:1]), flags)
    server.folders["Entw&APw-rfe"] = FakeFolder(5, dict(list(inbox.messages.items())[:1]))
    assert {each.split("/")[0] for each in tails(named(at(server)))} == {
        "INBOX", "Lists%2FOne", "Lists%2FTwo", "Entw%26APw-rfe",
    }  # fmt: skip
    assert tails(named(at(server, folders=["lists", "Trash"], exclude_folders="Lists/T*"))) == [
        "Lists%2FOne/5/1",
        "Trash/5/1",
    ]
    assert tails(named(at(server, folders="entwürfe"))) == ["Entw%26APw-rfe/5/1"]


def test_a_folder_that_is_refused_is_not_gone(server: FakeImap, inbox: FakeFolder) -> None:
    server.folders["Boss"] = FakeFolder(5, dict(inbox.messages), refused="no permission")
    source = at(server)
    assert len(named(source)) == 3
    assert source.unlisted == ["mail://3/Boss/"]
    got = fetched(source, "mail://3/Boss/5/1")
    assert isinstance(got, Failed)
    assert (got.status, got.reason) == (403, "The server does not open the folder 'Boss': no permission.")


@pytest.mark.usefixtures("inbox")
def test_a_refused_password_is_not_tried_again(server: FakeImap) -> None:
    source = at(server, secret="wrong")
    for _ in range(3):
        with pytest.raises(LoginRefused, match=r"refuses the login of ada: .*wrong password") as caught:
            named(source)
        assert "wrong\0" not in caught.value.sentence
    got = fetched(source, "mail://3/INBOX/1608/1")
    assert isinstance(got, Deferred)
    assert got.whole_site
    assert [each for each in server.log if each.startswith("AUTH")] == ["AUTHENTICATE PLAIN"]


def test_a_server_that_is_busy_refuses_no_password(server: FakeImap) -> None:
    def busy(session: Session, line: bytes) -> bool:
        if b"AUTHENTICATE" in line:
            session.say(line.split()[0] + b" NO [UNAVAILABLE] directory is away")
            return True
        return False

    server.fault = busy
    with pytest.raises(Unreachable, match="does not let ada sign in now") as caught:
        named(at(server))
    assert not isinstance(caught.value, LoginRefused)


@pytest.mark.parametrize("offers", ["IMAP4rev1", "IMAP4rev1 AUTH=PLAIN"])
def test_ways_to_sign_in(server: FakeImap, offers: str) -> None:
    server.offers, server.password = offers, "a b"
    named(at(server, secret="a b"))
    assert ("LOGIN" in {each.split()[0] for each in server.log}) is (offers == "IMAP4rev1")


def test_a_token_is_sent_by_xoauth2(server: FakeImap) -> None:
    server.password = "token"
    named(at(server, secret="token", auth="xoauth2"))
    assert "AUTHENTICATE XOAUTH2" in server.log


def test_messages_that_moved_or_went(server: FakeImap, inbox: FakeFolder) -> None:
    source = at(server)
    named(source)
    del inbox.messages[2]
    assert fetched(source, "mail://3/INBOX/1608/2") == Gone()
    assert fetched(source, "mail://3/INBOX/1/1") == Gone()
    assert fetched(source, "mail://3/INBOX/1608/x") == Gone()
    assert tails(named(source, source.next_cursor)) == ["INBOX/1608/1", "INBOX/1608/3"]


def test_another_uidvalidity_keeps_the_versions_of_messages(server: FakeImap, inbox: FakeFolder) -> None:
    source = at(server)
    before = named(source)
    inbox.validity = 1700
    after = named(source, source.next_cursor)
    assert tails(after) == ["INBOX/1700/1", "INBOX/1700/2", "INBOX/1700/3"]
    assert sorted(each.validator for each in after) == sorted(each.validator for each in before)


def test_an_empty_mailbox_loses_nothing(server: FakeImap, inbox: FakeFolder) -> None:
    source = at(server)
    named(source)
    cursor = source.next_cursor
    kept = dict(inbox.messages)
    inbox.messages.clear()
    with pytest.raises(Unreachable, match="no message left"):
        named(source, cursor)
    server.folders["Other"] = FakeFolder(5, kept)
    assert len(named(source, cursor)) == 3
    inbox.validity = 9
    with pytest.raises(Unreachable, match="created again and is empty"):
        named(source, cursor)
    assert len(named(source)) == 3, "a forced run takes it as it is"


def answered(raw: bytes, verb: bytes) -> Fault:
    """Make a fault that answers a command by these bytes and closes."""

    def fault(session: Session, line: bytes) -> bool:
        if verb not in line:
            return False
        session.connection.sendall(raw)
        session.drop()
        return True

    return fault


@pytest.mark.parametrize(
    ("raw", "verb", "words"),
    [
        (b"* BYE shutting down\r\n", b"FETCH", "broke off: .*shutting down"),
        (b"", b"FETCH", "broke off"),
        (b"* 1 FETCH (UID 1 RFC822.SIZE 10 X {4294967295}\r\n", b"FETCH", "announces 4,294,967,295 bytes"),
        (b"* 1 FETCH (" + b"x" * 70_000, b"FETCH", "A line has more than 65,536 bytes"),
        (b"* 1 FETCH (FLAGS ())\r\n" * 120_000, b"FETCH", "The answer has more than 2,097,152 bytes"),
        (b"* 99999999999 EXISTS\r\n", b"EXAMINE", "broke off"),
    ],
)
@pytest.mark.usefixtures("inbox")
def test_hostile_answers(server: FakeImap, raw: bytes, verb: bytes, words: str) -> None:
    server.fault = answered(raw, verb)
    source = at(server)
    with pytest.raises(Unreachable, match=words):
        named(source)
    got = fetched(source, "mail://3/INBOX/1608/1")
    assert isinstance(got, Deferred)


@pytest.mark.usefixtures("inbox")
def test_a_list_of_folders_that_is_none(server: FakeImap) -> None:
    server.fault = answered(b"\0\xff garbage\r\n", b"LIST")
    with pytest.raises(Unreachable, match="broke off"):
        named(at(server))


@pytest.mark.usefixtures("inbox")
def test_a_server_that_hangs(server: FakeImap) -> None:
    server.fault = lambda _session, line: b"FETCH" in line
    source = at(server)
    with pytest.raises(Unreachable, match="did not answer in time"):
        named(source)
    got = fetched(source, "mail://3/INBOX/1608/1")
    assert isinstance(got, Deferred)
    assert got.status == 902


@pytest.mark.usefixtures("inbox")
def test_a_server_that_tells_of_too_few_messages(server: FakeImap) -> None:
    def silent(session: Session, line: bytes) -> bool:
        if b" FETCH 1:3" in line:
            session.say(line.split()[0] + b" OK nothing")
            return True
        return False

    server.fault = silent
    with pytest.raises(Unreachable, match="named 0 of 3 messages"):
        named(at(server))


@pytest.mark.usefixtures("inbox")
def test_a_kept_connection_that_was_dropped_is_replaced(server: FakeImap) -> None:
    source = at(server)
    named(source)
    for each in server.sessions:
        each.drop()
    assert isinstance(fetched(source, "mail://3/INBOX/1608/1"), Content)


def test_a_message_that_is_too_big(server: FakeImap, inbox: FakeFolder) -> None:
    uid = inbox.add(message("big", "x" * 5_000))
    got = fetched(at(server, max_size_bytes=1_000), f"mail://3/INBOX/1608/{uid}")
    assert isinstance(got, Excluded)
    assert got.status == 960
    cut = fetched(at(server, max_size_bytes=1_000, too_big="cut"), f"mail://3/INBOX/1608/{uid}")
    assert isinstance(cut, Content)
    assert (len(cut.body), cut.truncated) == (1_000, True)


def test_messages_of_lists_alone(server: FakeImap, inbox: FakeFolder) -> None:
    inbox.add(message("four", "", "Cc: Announce <ANNOUNCE@old.example.org>"))
    inbox.add(message("five", "", "List-Id: News <announce.lists.example.org>"))
    inbox.add(message("six", "", "Cc: not-announce@old.example.org"))
    source = at(server, lists="announce@lists.example.org announce@old.example.org")
    assert tails(named(source)) == ["INBOX/1608/4", "INBOX/1608/5", "INBOX/1608/6"]
    got = fetched(source, "mail://3/INBOX/1608/4")
    assert isinstance(got, Content)
    assert got.attributes["List"] == ("announce@lists.example.org",)
    refused = fetched(source, "mail://3/INBOX/1608/6")
    assert isinstance(refused, Excluded)
    assert refused.ruling.rule == "lists: it was sent to none of them"


def test_old_messages_are_left_out(server: FakeImap, inbox: FakeFolder) -> None:
    inbox.messages[1] = inbox.messages[1]._replace(received="01-Jan-2001 00:00:00 +0000")
    found = named(at(server, since_days=3650))
    assert "INBOX/1608/1" not in tails(found)
    assert len(found) == 2


@pytest.mark.usefixtures("inbox")
def test_readers_see_the_address_of_an_archive(server: FakeImap) -> None:
    source = at(server, display_url="https://lists.example.org/{message_id}")
    assert {each.display for each in named(source)} == {
        f"https://lists.example.org/{name}%40example.org" for name in ("one", "two", "three")
    }
    assert source.shows_otherwise


def test_idle_reports_a_new_message(server: FakeImap, inbox: FakeFolder) -> None:
    idling = threading.Event()

    def announce(session: Session, line: bytes) -> bool:
        if b"IDLE" not in line:
            return False
        session.say("+ idling")
        idling.set()
        inbox.add(message("new"))
        session.say("* OK still here", f"* {len(inbox.messages)} EXISTS")
        session.finish(line.split()[0])
        return True

    server.fault = announce
    source = at(server)
    assert source.wait_for_change(20.0), "the watch begins"
    assert source.wait_for_change(20.0)
    assert idling.is_set()


@pytest.mark.usefixtures("inbox")
def test_a_wait_ends_with_the_time_and_with_close(server: FakeImap) -> None:
    source = at(server)
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.2)
    ended = list[bool]()
    waiting = threading.Thread(target=lambda: ended.append(source.wait_for_change(60.0)))
    waiting.start()
    asyncio.run(source.close())
    waiting.join(10.0)
    assert ended == [False]


def test_a_server_beyond_this_machine_has_to_encrypt(server: FakeImap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImapServer, "is_loopback", property(lambda _: False))
    with pytest.raises(Unreachable, match="offers no encryption"):
        named(at(server))
    assert not any("AUTH" in each or "LOGIN" in each for each in server.log)
    assert named(at(server, allow_plain=True)) == []
    server.offers += " STARTTLS"
    with pytest.raises(Unreachable):
        named(at(server))
    assert server.log[-1] == "STARTTLS"


def test_nobody_listens() -> None:
    with fake_imap() as gone:
        source = at(gone)
    with pytest.raises(Unreachable, match="did not answer: connection refused"):
        named(source)
