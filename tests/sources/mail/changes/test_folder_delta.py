"""Changes of an account since its last listing, against a fake that counts its UIDs and names messages that went."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cormorant.base.errors import Unreachable
from cormorant.model.resource import DiscoveredUrl, Removal
from cormorant.sources.mail.changes import folder_delta
from cormorant.sources.mail.changes.folder_delta import vanished
from cormorant.sources.mail.source import MailSource
from cormorant.sources.protocol import Discovery
from tests.clocks import Hands
from tests.sources.mail.fake_imap import FakeFolder, FakeImap, Session, fake_imap
from tests.sources.mail.mail_sources import mail_source, message

OLD = "01-Jan-2020 09:00:00 +0000"
NEW = "12-Nov-2036 09:30:04 +0000"


@pytest.fixture
def server() -> Iterator[FakeImap]:
    with fake_imap() as running:
        running.tells_next = True
        running.offers += " CONDSTORE ENABLE QRESYNC"
        yield running


@pytest.fixture
def inbox(server: FakeImap) -> FakeFolder:
    folder = server.folders["INBOX"]
    for number in range(20):
        folder.add(message(f"m{number}", "x" * number), OLD)
    server.folders["Archive"] = FakeFolder(7)
    server.folders["Archive"].add(message("archived"), OLD)
    return folder


def at(server: FakeImap, **settings: object) -> MailSource:
    return mail_source({"url": f"imap://127.0.0.1:{server.port}", "connect_timeout_s": 2, **settings})


def discovered(source: MailSource, cursor: str) -> tuple[Discovery, list[str], list[str]]:
    """Return what a discovery proves, and the tails of the addresses that came and went."""
    batches = [each for batch in source.discover(cursor) for each in batch]
    came = [each.address.removeprefix("mail://3/") for each in batches if isinstance(each, DiscoveredUrl)]
    went = [each.address.removeprefix("mail://3/") for each in batches if isinstance(each, Removal)]
    return source.discovery, sorted(came), sorted(went)


def first(source: MailSource) -> str:
    """List everything, and return the cursor."""
    assert discovered(source, "")[0] is Discovery.LISTING
    return source.next_cursor


def commands(server: FakeImap) -> list[str]:
    return [" ".join(each.split()[: 2 if each.startswith("UID") else 1]) for each in server.log]


@pytest.mark.usefixtures("inbox")
def test_an_unchanged_account_costs_one_examine_a_folder(server: FakeImap) -> None:
    source = at(server)
    cursor = first(source)
    server.log.clear()
    assert discovered(source, cursor) == (Discovery.FEED, [], [])
    assert commands(server) == ["NOOP", "LIST", "EXAMINE", "EXAMINE"]
    assert discovered(source, source.next_cursor) == (Discovery.FEED, [], [])


def test_new_messages_are_named_without_a_look_at_the_others(server: FakeImap, inbox: FakeFolder) -> None:
    source = at(server)
    cursor = first(source)
    uids = [inbox.add(message("late"), NEW), inbox.add(message("later"), NEW)]
    server.log.clear()
    assert discovered(source, cursor) == (Discovery.FEED, [f"INBOX/1608/{uid}" for uid in uids], [])
    assert "UID FETCH 21:22 (UID RFC822.SIZE INTERNALDATE)" in server.log
    assert discovered(source, source.next_cursor) == (Discovery.FEED, [], [])


def test_messages_that_went_are_named_by_the_server(server: FakeImap, inbox: FakeFolder) -> None:
    source = at(server)
    cursor = first(source)
    for uid in (3, 4, 20):
        inbox.remove(uid)
    late = inbox.add(message("late"), NEW)
    found = Discovery.FEED, [f"INBOX/1608/{late}"], ["INBOX/1608/20", "INBOX/1608/3", "INBOX/1608/4"]
    assert discovered(source, cursor) == found
    assert discovered(source, source.next_cursor) == (Discovery.FEED, [], [])


def test_a_message_that_is_moved_goes_and_comes(server: FakeImap, inbox: FakeFolder) -> None:
    """A size and a second do not tell two messages apart, so it is read again in its new folder."""
    source = at(server)
    cursor = first(source)
    moved = server.folders["Archive"].add(inbox.messages[3].body, OLD)
    inbox.remove(3)
    way, came, went = discovered(source, cursor)
    assert (way, len(came), went) == (Discovery.FEED, 1, ["INBOX/1608/3"])
    assert came[0].endswith(f"/{moved}")
    assert not source.tracks_moves


def test_a_server_that_names_more_than_went_is_listed(server: FakeImap, inbox: FakeFolder) -> None:
    source = at(server)
    cursor = first(source)
    inbox.remove(3)
    inbox.gone[4] = inbox.modseq
    assert discovered(source, cursor)[0] is Discovery.LISTING


def test_a_server_that_names_nothing_that_went_is_listed(server: FakeImap, inbox: FakeFolder) -> None:
    server.offers = "IMAP4rev1 AUTH=PLAIN"
    source = at(server)
    cursor = first(source)
    late = inbox.add(message("late"), NEW)
    assert discovered(source, cursor) == (Discovery.FEED, [f"INBOX/1608/{late}"], [])
    inbox.remove(3)
    way, came, _ = discovered(source, source.next_cursor)
    assert (way, len(came)) == (Discovery.LISTING, 21)


def test_a_history_that_is_lost_has_everything_listed(server: FakeImap, inbox: FakeFolder) -> None:
    source = at(server)
    cursor = first(source)
    inbox.remove(3)
    inbox.gone.clear()
    assert discovered(source, cursor)[0] is Discovery.LISTING


@pytest.mark.parametrize("change", ["validity", "refused", "another folder", "lower next"])
def test_what_does_not_add_up_is_listed(server: FakeImap, inbox: FakeFolder, change: str) -> None:
    source = at(server)
    cursor = first(source)
    if change == "validity":
        inbox.validity = 1700
    elif change == "refused":
        inbox.refused = "no permission"
    elif change == "another folder":
        server.folders["Lists"] = FakeFolder(9)
    else:
        del inbox.messages[20]
    way, _, went = discovered(source, cursor)
    assert (way, went) == (Discovery.LISTING, [])
    assert source.unlisted == (["mail://3/INBOX/"] if change == "refused" else [])
    assert discovered(source, source.next_cursor) == (Discovery.FEED, [], [])
    assert source.unlisted == (["mail://3/INBOX/"] if change == "refused" else [])


def test_a_folder_that_is_emptied_loses_nothing(server: FakeImap, inbox: FakeFolder) -> None:
    source = at(server, folders="INBOX")
    cursor = first(source)
    for uid in list(inbox.messages):
        inbox.remove(uid)
    with pytest.raises(Unreachable, match="no message left"):
        discovered(source, cursor)
    inbox.validity = 9
    with pytest.raises(Unreachable, match="created again and is empty"):
        discovered(source, cursor)


@pytest.mark.usefixtures("inbox")
def test_everything_is_listed_when_settings_change_or_a_run_wants_it(server: FakeImap) -> None:
    cursor = first(at(server))
    assert discovered(at(server, since_days=30_000), cursor)[0] is Discovery.LISTING
    assert discovered(at(server, max_size_bytes=1_000), cursor)[0] is Discovery.LISTING
    assert discovered(at(server, watch=True), cursor)[0] is Discovery.FEED
    assert discovered(at(server, relist_days=0), cursor)[0] is Discovery.LISTING
    source = at(server)
    source.names_all = True
    assert discovered(source, cursor)[0] is Discovery.LISTING


@pytest.mark.usefixtures("inbox")
@pytest.mark.parametrize(("settings", "days"), [({}, 7.0), ({"relist_days": 2}, 2.0), ({"since_days": 20_000}, 1.0)])
def test_everything_is_listed_from_time_to_time(server: FakeImap, settings: dict[str, object], days: float) -> None:
    clock = Hands(1_794_475_804.0)
    source = mail_source({"url": f"imap://127.0.0.1:{server.port}", **settings}, clock=clock)
    cursor = first(source)
    clock.at += days * 86_400 - 60
    assert discovered(source, cursor)[0] is Discovery.FEED
    clock.at += 120
    assert discovered(source, source.next_cursor)[0] is Discovery.LISTING


def test_a_race_heals(server: FakeImap, inbox: FakeFolder) -> None:
    """A message that goes between EXAMINE and FETCH hides another one that went until the next discovery."""
    source = at(server)
    cursor = first(source)
    late = inbox.add(message("late"), NEW)
    inbox.remove(5)

    def expunge(_session: Session, line: bytes) -> bool:
        if b"UID FETCH" in line and late in inbox.messages:
            inbox.remove(late)
        return False

    server.fault = expunge
    assert discovered(source, cursor) == (Discovery.FEED, [], [])
    way, came, went = discovered(source, source.next_cursor)
    assert way is Discovery.LISTING or went
    assert "INBOX/1608/5" not in came


def test_lists_are_searched_among_new_messages(server: FakeImap, inbox: FakeFolder) -> None:
    inbox.add(message("one", "", "Cc: announce@lists.example.org"), OLD)
    source = at(server, lists="announce@lists.example.org")
    cursor = first(source)
    inbox.add(message("other"), NEW)
    ours = inbox.add(message("two", "", "Cc: announce@lists.example.org"), NEW)
    assert discovered(source, cursor) == (Discovery.FEED, [f"INBOX/1608/{ours}"], [])


@pytest.mark.parametrize(
    ("line", "uids"),
    [
        (b"(EARLIER) 3,5:7,9", [3, 5, 6, 7, 9]),
        (b"(EARLIER) 1:4294967295", list(range(3, 10))),
        (b"(EARLIER) 9:8", [8, 9]),
        (b"3,4", []),
        (b"(EARLIER) :,,4:,99999999999:1", [4]),
    ],
)
def test_hostile_ranges(line: bytes, uids: list[int]) -> None:
    assert vanished([line], 3, 9) == uids


def test_windows_of_new_messages(server: FakeImap, inbox: FakeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    source = at(server)
    cursor = first(source)
    monkeypatch.setattr(folder_delta, "WINDOW", 2)
    monkeypatch.setattr(folder_delta, "MAX_NEW", 5)
    for number in range(5):
        inbox.add(message(f"late{number}"), NEW)
    server.log.clear()
    assert len(discovered(source, cursor)[1]) == 5
    assert [each.split()[2] for each in server.log if "UID FETCH" in each] == ["21:22", "23:24", "25:25"]
    inbox.add(message("late"), NEW)
    assert discovered(source, cursor)[0] is Discovery.LISTING
