"""Answers of servers as values, also those that few servers give."""

from __future__ import annotations

import pytest

from cormorant.sources.mail.fetch_answer import FetchedItem, epoch_of, folders_of, items_of, numbers_of
from cormorant.sources.mail.folder_name import FolderChoice, readable_folder
from cormorant.sources.mail.mailbox import address_of_parts, parts_of_address
from cormorant.sources.mail.mailing_list import lists_of, read_lists
from cormorant.sources.mail.message_head import fields_of, sent_at, thread_root, without_status


def test_folders_of_all_spellings() -> None:
    lines = [
        b'(\\HasNoChildren) "/" INBOX',
        rb'(\Noselect \HasChildren) "\\" "A \"b\" \\c"',
        rb'() NIL "flat"',
        (rb'(\Trash) "." {7}', b'M\xfcll "x'),
        b"",
        (rb'() "/" {3}', b"a\r\n"),
        b"nonsense",
        None,
    ]
    assert [tuple(each) for each in folders_of(lines)] == [
        ("INBOX", "/", frozenset((r"\hasnochildren",))),
        ('A "b" \\c', "\\", frozenset((r"\noselect", r"\haschildren"))),
        ("flat", "", frozenset()),
        ('M\udcfcll "x', ".", frozenset((r"\trash",))),
    ]


def test_messages_with_their_uid_before_and_behind() -> None:
    date = b'INTERNALDATE "12-Nov-2026 09:30:04 +0000"'
    lines: list[bytes | tuple[bytes, bytes] | None] = [
        (b"1 (UID 7 RFC822.SIZE 12 " + date + b" BODY[]<0> {3}", b"abc"),
        b")",
        (b"2 (BODY[]<0> {1}", b"x"),
        b" UID 8 RFC822.SIZE 1 " + date + b")",
        b"3 (FLAGS (\\Seen))",
        b"4 (UID 9 RFC822.SIZE 5)",
        (b"5 (BODY[] {1}", b"y"),
    ]
    when = "12-Nov-2026 09:30:04 +0000"
    assert list(items_of(lines)) == [
        FetchedItem(7, 12, when, b"abc"), FetchedItem(8, 1, when, b"x"), FetchedItem(9, 5, "", None),
    ]  # fmt: skip


def test_numbers_and_dates() -> None:
    assert numbers_of([b"1 2 x 99999999999", None, b"", b"3"]) == {1, 2, 3}
    assert epoch_of(" 1-Jan-2026 00:00:00 +0100") == 1767222000.0
    assert epoch_of("32-Foo-2026 00:00:00 +0100") is None
    assert epoch_of("") is None


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Entw&APw-rfe", "Entwürfe"), ("A &- B", "A & B"), ("&2D3eAA-", "😀"), ("&2D0-", "&2D0-"), ("&x", "&x")],
)
def test_modified_utf_7(name: str, shown: str) -> None:
    assert readable_folder(name) == shown


def test_folders_are_chosen() -> None:
    choice = FolderChoice(("Lists/*", "inbox"), ("Lists/Old",))
    paths = ("INBOX", "INBOX/a", "Lists", "Lists/x/y", "lists/old/z", "Other")
    assert [each for each in paths if choice.takes(each)] == ["INBOX", "INBOX/a", "Lists/x/y"]


@pytest.mark.parametrize("part", ["", ".", "..", "~", "~x", "a/b", "ü %2F?#", "\udcff", "\n\0", "^"])
def test_parts_come_back_from_addresses(part: str) -> None:
    address = address_of_parts("mail://3/", (part, "7", part or "x"))
    assert address.isascii()
    assert parts_of_address("mail://3/", address) == (part, "7", part or "x")


def test_lists_of_a_message() -> None:
    lists = read_lists(["News@x.org, old@x.org", "dev@x.org"])
    assert lists_of({"to": b'"dev@x.org" <someone@y.org>, OLD@X.org'}, lists) == ("news@x.org", "dev@x.org")
    assert lists_of({"list-id": b"Dev <dev.x.org>"}, lists) == ("dev@x.org",)
    assert lists_of({"to": b"newsnews@x.org, news@x.org.evil"}, lists) == ()
    for wrong in ("", "no address", "a@b c"):
        with pytest.raises(ValueError, match="no address of a list"):
            read_lists([wrong])


def test_headers_as_they_come() -> None:
    fields = fields_of(b"To: a@x\r\nTO: b@x\r\n folded\r\nX: " + b"y" * 90_000 + b"\r\n\r\nTo: body@x\r\n")
    assert fields["to"] == b"a@x,b@x folded"
    assert len(fields["x"]) == 65_536
    assert fields_of(b"\n\nTo: body") == {}
    assert without_status(b"A: 1\nStatus: RO\n folded\nB: 2\n") == b"A: 1\nB: 2\n"


def test_dates_that_are_none() -> None:
    assert sent_at({"date": b"Thu, 12 Nov 2026 09:30:04 +0000"}, 1794475900.0) == 1794475804.0
    assert sent_at({"date": b"Thu, 12 Nov 2126 09:30:04 +0000"}, 5.0) == 5.0
    assert sent_at({"date": b"\xff nonsense"}, 5.0) == 5.0
    assert sent_at({"date": b"Thu, 12 Nov 99999 09:30:04 +0000"}, None) is None


def test_the_root_of_a_thread() -> None:
    assert thread_root({"references": b"<a@x> <b@x>", "message-id": b"<c@x>"}) == "a@x"
    assert thread_root({"in-reply-to": b"<b@x>", "message-id": b"<c@x>"}) == "b@x"
    assert thread_root({}) == ""
