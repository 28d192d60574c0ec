"""Messages of mbox files and Maildirs."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from cormorant.base.errors import Unreachable
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone
from cormorant.sources.mail import local_mailbox
from cormorant.sources.mail.source import MailSource
from cormorant.testing import SourceSuite
from tests.sources.mail.mail_sources import fetched, mail_source, message, named

POSTMARK = b"From ada@example.org Thu Nov 12 09:30:04 2026\n"


def mbox_of(*messages: bytes) -> bytes:
    """Return an mbox with line ends of Unix; lines that begin with From are quoted."""
    bodies = [each.replace(b"\r\n", b"\n").replace(b"\nFrom ", b"\n>From ") for each in messages]
    return b"".join(POSTMARK + each + b"\n" for each in bodies)


def maildir(folder: Path, *names: str) -> Path:
    """Make a Maildir with messages of these names."""
    for each in ("cur", "new", "tmp"):
        (folder / each).mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / "new" / name).write_bytes(message(name))
    return folder


def at(path: Path, **settings: object) -> MailSource:
    return mail_source({"path": str(path), **settings})


class TestMbox(SourceSuite):
    @pytest.fixture(autouse=True)
    def archive(self, tmp_path: Path) -> None:
        self.path = tmp_path / "archive.mbox"
        self.path.write_bytes(
            mbox_of(message("one"), message("two"), message("one", "once more"), b"Subject: x\n\nbare")
        )

    def make(self) -> MailSource:
        return at(self.path)


class TestMaildir(SourceSuite):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.path = maildir(tmp_path / "Maildir", "17.a", "18.b", "~", "..x")
        maildir(self.path / ".Work.\xdcber", "19.c")
        maildir(Path(os.fsdecode(os.fsencode(self.path) + b"/.odd\xff")), "20.d")

    def make(self) -> MailSource:
        return at(self.path)


def test_a_message_is_known_again_when_the_file_is_compacted(tmp_path: Path) -> None:
    path = tmp_path / "archive.mbox"
    path.write_bytes(mbox_of(*(message(f"m{number}", "From here on\r\nit is quoted") for number in range(5))))
    source = at(path)
    before = {each.address: each.validator for each in named(source)}
    path.write_bytes(mbox_of(*(message(f"m{number}", "From here on\r\nit is quoted") for number in (1, 3, 4))))
    after = {each.address: each.validator for each in named(source, source.next_cursor)}
    assert after.items() < before.items()
    assert len(after) == 3
    bodies = [fetched(source, each) for each in after]
    assert {each.body for each in bodies if isinstance(each, Content)} == {
        message(f"m{number}", "From here on\r\nit is quoted").replace(b"\r\n", b"\n") for number in (1, 3, 4)
    }
    assert fetched(source, (before.keys() - after.keys()).pop()) == Gone()


def test_a_message_is_found_where_it_lies_now(tmp_path: Path) -> None:
    path = tmp_path / "archive.mbox"
    path.write_bytes(mbox_of(message("one"), message("two")))
    source = at(path)
    second = named(source)[1]
    fetched(source, second)
    path.write_bytes(mbox_of(message("zero", "longer than it was"), message("two")))
    got = fetched(source, second)
    assert isinstance(got, Content)
    assert b"This is two." in got.body


def test_flags_make_no_new_version_and_what_programs_hide_is_no_message(tmp_path: Path) -> None:
    path = tmp_path / "archive.mbox"
    path.write_bytes(mbox_of(message("one", "", "Status: O", "X-Mozilla-Status: 0000")))
    source = at(path)
    before = named(source)
    path.write_bytes(
        mbox_of(
            message("data", "", "X-IMAP: 17 0").replace(b"Subject: data", b"Subject: DON'T DELETE -- INTERNAL DATA"),
            message("one", "", "Status: RO", "X-Mozilla-Status: 0001"),
            message("deleted", "", "X-Mozilla-Status: 0009"),
        )
    )
    assert named(source) == before
    path.write_bytes(mbox_of(message("one", "Another text.", "Status: RO")))
    changed = named(source)
    assert changed[0].address == before[0].address
    assert changed[0].validator != before[0].validator


def test_lines_that_begin_no_message(tmp_path: Path) -> None:
    path = tmp_path / "archive.mbox"
    text = "From now on it is 10:30 in 2026\nnot a field\nFrom afar.\n"
    path.write_bytes(POSTMARK + b"Subject: one\n\n" + text.encode() + b"\n" + POSTMARK + b"Subject: two\n\nx\n")
    found = named(at(path))
    assert len(found) == 2


def test_pieces_that_are_read_tear_no_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cormorant.sources.mail.mbox.PIECE", 61)
    path = tmp_path / "archive.mbox"
    path.write_bytes(mbox_of(*(message(f"m{number}", "x" * number) for number in range(200))))
    source = at(path)
    found = named(source)
    assert len({each.address for each in found}) == len(found) == 200
    got = fetched(source, found[-1])
    assert isinstance(got, Content)
    assert got.body == message("m199", "x" * 199).replace(b"\r\n", b"\n")


def test_a_folder_of_archives_and_maildirs(tmp_path: Path) -> None:
    (tmp_path / "2025").mkdir()
    (tmp_path / "2025" / "june.mbox").write_bytes(mbox_of(message("june")))
    (tmp_path / "2026.mbox").write_bytes(mbox_of(message("six")))
    (tmp_path / "notes.txt").write_text("no mail\n")
    (tmp_path / "link.mbox").symlink_to(tmp_path / "2026.mbox")
    os.mkfifo(tmp_path / "pipe")
    maildir(tmp_path / "ada", "17.a")
    maildir(tmp_path / "ada" / ".Spam", "18.b")
    found = named(at(tmp_path, exclude_folders="ada/.Spam"))
    assert {each.address.removeprefix("mail://3/").split("/")[0] for each in found} == {
        "2025%2Fjune.mbox", "2026.mbox", "ada",
    }  # fmt: skip


def test_flags_of_a_maildir_change_nothing(tmp_path: Path) -> None:
    maildir(tmp_path, "17.a")
    source = at(tmp_path)
    before = named(source)
    for flags in (":2,S", ":2,DFPRSTabc", ":2,xyz"):
        there = next(each for place in ("new", "cur") for each in (tmp_path / place).iterdir())
        there.rename(tmp_path / "cur" / f"17.a{flags}")
        assert named(source, source.next_cursor) == before
        got = fetched(source, before[0])
        assert isinstance(got, Content)
        assert got.body == message("17.a")


def test_what_went_and_what_may_not_be_read(tmp_path: Path) -> None:
    maildir(tmp_path / "in", "17.a", "18.b")
    source = at(tmp_path)
    first, second = sorted(named(source))
    (tmp_path / "in" / "new" / "17.a").unlink()
    assert fetched(source, first) == Gone()
    assert fetched(source, "mail://3/in/..%2F..%2Fetc%2Fpasswd") == Gone()
    assert fetched(source, "mail://3/..%2F../passwd") == Gone()
    if os.geteuid():
        (tmp_path / "in" / "new" / "18.b").chmod(0)
        assert isinstance(fetched(source, second), Failed)
    tmp_path.rename(tmp_path.with_name("away"))
    got = fetched(source, second)
    assert isinstance(got, Deferred)
    assert got.whole_site
    tmp_path.with_name("away").rename(tmp_path)


def test_a_place_that_is_away_or_suddenly_empty(tmp_path: Path) -> None:
    path = tmp_path / "archive.mbox"
    source = at(path)
    with pytest.raises(Unreachable, match="is not there"):
        MailSource.look(source.settings)
    with pytest.raises(Unreachable, match=r"archive\.mbox cannot be listed: no such file or directory"):
        named(source)
    path.write_bytes(mbox_of(message("one")))
    named(source)
    cursor = source.next_cursor
    path.write_bytes(b"")
    with pytest.raises(Unreachable, match="no message left"):
        named(source, cursor)
    assert named(source) == []


def test_lists_and_days(tmp_path: Path) -> None:
    path = tmp_path / "archive.mbox"
    old = message("old", "", "To: news@lists.example.org").replace(b"12 Nov 2026", b"12 Nov 2001")
    path.write_bytes(mbox_of(message("one", "", "Cc: News@lists.example.org"), message("two"), old))
    assert len(named(at(path, lists="news@lists.example.org"))) == 2
    assert len(named(at(path, lists="news@lists.example.org", since_days=365 * 10))) == 1
    maildir(tmp_path / "in", "17.a")
    source = at(tmp_path / "in", lists="news@lists.example.org")
    assert isinstance(fetched(source, named(source)[0]), Excluded)


def test_a_new_message_ends_a_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_mailbox, "POLL_S", 0.02)
    maildir(tmp_path, "17.a")
    source = at(tmp_path)
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    ended = list[bool]()
    waiting = threading.Thread(target=lambda: ended.append(source.wait_for_change(60.0)))
    waiting.start()
    while waiting.is_alive():
        (tmp_path / "new" / "18.b").write_bytes(message("b"))
        (tmp_path / "new" / "18.b").unlink()
    assert ended == [True]
    asyncio.run(source.close())
    assert not source.wait_for_change(60.0)


def test_a_change_between_two_waits_ends_the_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_mailbox, "POLL_S", 0.02)
    maildir(tmp_path, "17.a")
    source = at(tmp_path)
    assert source.wait_for_change(20.0), "the watch begins"
    assert not source.wait_for_change(0.1)
    (tmp_path / "new" / "18.b").write_bytes(message("b"))
    assert source.wait_for_change(60.0)
    assert not source.wait_for_change(0.1)


def test_a_link_is_never_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(message("secret"))
    folder = maildir(tmp_path / "in", "17.a")
    (folder / "new" / "18.b").symlink_to(secret)
    source = at(folder)
    assert [each.address for each in named(source)] == ["mail://3/~/17.a"]
    assert not isinstance(fetched(source, "mail://3/~/18.b"), Content)
