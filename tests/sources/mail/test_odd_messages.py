"""Messages and mailboxes that are odd: they grow while they are read, vanish, are huge, or have broken heads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Excluded, Gone
from cormorant.sources.mail import mbox
from cormorant.sources.mail.message_head import MAX_FIELDS, MOST, fields_of, message_id, sent_at, thread_root
from tests.clocks import cpu_s
from tests.extract.mail.reading import files, multipart, plain, read
from tests.sources.mail.fake_imap import fake_imap
from tests.sources.mail.mail_sources import fetched, mail_source, message, named
from tests.sources.mail.test_local_mailbox import maildir, mbox_of

HUGE = 80_000_000


def test_an_mbox_that_grows_while_it_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "list.mbox"
    path.write_bytes(mbox_of(message("one"), message("two")))
    fd = os.open(path, os.O_RDONLY)
    try:
        found = mbox.messages_of(fd)
        first = next(found)
        with path.open("ab") as file:
            file.write(mbox_of(message("three")) + b"From bob@example.org Thu Nov 12 09:30")
        others = list(found)
        assert [each.fields["subject"] for each in (first, *others)] == [b"one", b"two"]
        assert mbox.read_message(fd, others[0].start, others[0].end, 10_000).endswith(b"This is two.\n")
    finally:
        os.close(fd)


def test_a_message_that_was_half_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "list.mbox"
    whole = mbox_of(message("one"), message("two", "The end of it is here."))
    path.write_bytes(whole[: whole.index(b"of it")])
    source = mail_source({"path": str(path)})
    before = {each.address: each.validator for each in named(source)}
    path.write_bytes(whole)
    after = {each.address: each.validator for each in named(source, source.next_cursor)}
    assert after.keys() == before.keys()
    assert sum(after[each] != before[each] for each in after) == 1
    got = [fetched(source, each) for each in after]
    assert any(isinstance(each, Content) and each.body.endswith(b"The end of it is here.\n") for each in got)


def test_an_mbox_that_is_cut_while_it_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "list.mbox"
    path.write_bytes(mbox_of(*(message(f"m{number}") for number in range(50))))
    fd = os.open(path, os.O_RDONLY)
    try:
        found = mbox.messages_of(fd)
        next(found)
        os.truncate(path, 0)
        assert len(list(found)) <= 50
    finally:
        os.close(fd)


def test_a_message_of_a_maildir_that_vanishes_behind_the_listing(tmp_path: Path) -> None:
    source = mail_source({"path": str(maildir(tmp_path / "mail", "17.a", "18.b"))})
    found = named(source)
    (tmp_path / "mail" / "new" / "17.a").unlink()
    (tmp_path / "mail" / "new" / "18.b").rename(tmp_path / "mail" / "cur" / "18.b:2,S")
    got = {each.address.rpartition("/")[2]: fetched(source, each) for each in found}
    assert isinstance(got["17.a"], Gone)
    assert isinstance(got["18.b"], Content)


@pytest.mark.parametrize("too_big", ["drop", "cut"])
def test_a_huge_message_of_a_maildir_is_not_read_to_its_end(tmp_path: Path, too_big: str) -> None:
    folder = maildir(tmp_path / "mail", "17.a")
    with (folder / "new" / "17.a").open("r+b") as file:
        file.truncate(HUGE)
    source, trace = mail_source({"path": str(folder), "max_size_bytes": 1_000_000, "too_big": too_big}), VisitTrace()
    got = fetched(source, named(source)[0], trace)
    assert trace.received == 1_000_001
    if too_big == "cut":
        assert isinstance(got, Content)
        assert (len(got.body), got.truncated) == (1_000_000, True)
    else:
        assert isinstance(got, Excluded)


def test_a_huge_message_of_an_account_is_not_fetched_to_its_end() -> None:
    with fake_imap() as server:
        server.folders["INBOX"].add(message("huge") + b"x" * HUGE)
        source, trace = (
            mail_source({"url": f"imap://127.0.0.1:{server.port}", "max_size_bytes": 1_000_000}),
            VisitTrace(),
        )
        got = fetched(source, named(source)[0], trace)
    assert isinstance(got, Excluded)
    assert trace.received < 1_010_000


def test_a_message_of_3_000_parts() -> None:
    whole = multipart("mixed", plain("The first."), *(plain(f"p{n}", f"; name=p{n}.txt") for n in range(3_000)))
    assert read(whole).text.startswith("From: Anna")
    names = [each.path for each in files(whole)]
    assert (names[0], names[-1], len(set(names))) == ("p0.txt", "p2999.txt", 3_000)


@pytest.mark.parametrize(
    "bomb",
    [
        lambda: b"To: " + b"a@x, " * 400_000 + b"\n\n",
        lambda: b"".join(b"X-%d: y\n" % number for number in range(200_000)),
        lambda: b"Subject: x\n" + b" y\n" * 500_000,
        lambda: b"References: " + b"<a@x> " * 300_000 + b"\n\n",
        lambda: b"Message-ID: " + b"<" * 1_000_000,
        lambda: b"\n" * 1_000_000,
        lambda: b"To:\n" * 300_000,
    ],
    ids=["recipients", "fields", "folds", "references", "brackets", "lines", "one field"],
)
def test_header_bombs(bomb: Callable[[], bytes]) -> None:
    whole = bomb()
    fields = fields_of(whole)
    assert len(fields) <= MAX_FIELDS + 1
    assert sum(map(len, fields.values())) <= MOST
    assert cpu_s(lambda: (message_id(fields_of(whole)), thread_root(fields), sent_at(fields, None))) < 0.5


def test_messages_without_an_identifier_and_with_the_same(tmp_path: Path) -> None:
    path = tmp_path / "list.mbox"
    bare = b"From: ada@example.org\nSubject: bare\n\n"
    path.write_bytes(mbox_of(bare + b"one", bare + b"two", bare + b"one", message("same", "a"), message("same", "b")))
    source = mail_source({"path": str(path)})
    found = named(source)
    tails = [each.address.rpartition("/")[2] for each in found]
    assert len(set(tails)) == 5
    assert [each.endswith(".2") for each in tails] == [False, False, True, False, True]
    bodies = [each.body for each in (fetched(source, each) for each in found) if isinstance(each, Content)]
    assert [each.rstrip().rpartition(b"\n")[2] for each in bodies] == [b"one", b"two", b"one", b"a", b"b"]
    got = fetched(source, found[0])
    assert isinstance(got, Content)
    assert "Thread" not in got.attributes
