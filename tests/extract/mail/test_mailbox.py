from __future__ import annotations

import random
from contextlib import suppress

import pytest

from cormorant.extract.errors import Unreadable
from cormorant.extract.mail.mailbox import extract_mbox, mbox_embedded_files
from tests.extract.mail.reading import task

LINE = "From anna@example.org Sat Mar 14 09:30:00 2026\n"


def message(number: int, subject: str = "Plan", more: str = "") -> str:
    return (
        f"{LINE}Subject: {subject} {number}\nDate: Sat, 14 Mar 2026 09:30:00 +0000\n"
        f"Message-ID: <{number}@example.org>\n{more}\nText {number}\n\n"
    )


def paths(body: str) -> list[str]:
    return [each.path for each in mbox_embedded_files(body.encode(), task("a.mbox"))]


def test_the_text_of_a_mailbox_is_the_list_of_its_subjects() -> None:
    made = extract_mbox((message(1) + message(2, "=?utf-8?q?Gr=C3=BC=C3=9Fe?=")).encode(), task("inbox.mbox"))
    assert made.text == "Messages: 2\n\nPlan 1\nGrüße 2"
    assert made.title == "inbox.mbox"
    assert made.attributes == {"MessageCount": 2}


def test_the_list_of_subjects_ends() -> None:
    made = extract_mbox("".join(message(number) for number in range(1_100)).encode(), task())
    assert made.attributes == {"MessageCount": 1_100}
    assert made.text.count("Plan") == 1_000


def test_each_mail_is_a_file() -> None:
    first, second = mbox_embedded_files((message(1) + message(2)).encode(), task())
    assert first.path.startswith("2026-03-14 Plan 1 ")
    assert first.path.endswith(".eml")
    assert first.body.endswith(b"\n\nText 1\n")
    assert first.body.startswith(b"Subject: Plan 1\n")
    assert (second.mime, second.modified_at) == ("message/rfc822", 1_773_480_600.0)


def test_names_do_not_depend_on_the_other_mails() -> None:
    before = paths(message(1) + message(2) + message(3))
    assert paths(message(0) + message(1) + message(3)) == [paths(message(0))[0], before[0], before[2]]


def test_a_mail_that_is_there_twice_has_two_names() -> None:
    first, second = paths(message(1) + message(1))
    assert second == first.replace(".eml", " (2).eml")


def test_mails_without_identity_are_named_after_their_bytes() -> None:
    mails = [f"{LINE}Subject: a/b\n\ntext {number}\n\n" for number in (1, 2)]
    one, two = paths("".join(mails))
    assert one != two
    assert one.startswith("a-b ")
    assert "/" not in one


def test_a_line_that_begins_with_from_is_no_new_mail() -> None:
    text = "From the beginning it was clear.\n\nFrom 10:00 to 11:00 in 2026\nwe meet.\n\n"
    body = message(1).replace("Text 1\n", text) + message(2)
    assert extract_mbox(body.encode(), task()).attributes == {"MessageCount": 2}


def test_a_quoted_line_loses_its_mark() -> None:
    body = message(1).replace("Text 1\n", ">From here\n>>From there\n> From afar\n")
    [file] = mbox_embedded_files(body.encode(), task())
    assert file.body.endswith(b"\nFrom here\n>From there\n> From afar\n")


@pytest.mark.parametrize(
    "line",
    [
        "From - Sat Mar 14 09:30:00 2026\n",
        "From 1234567890123456789@xxx Sat Mar 14 09:30:00 +0000 2026\n",
        "From MAILER-DAEMON Sat Mar 14  9:30:00 2026\r\n",
        "From anna@example.org Sat Mar 14 09:30 CET 2026 remote from host\n",
    ],
)
def test_mailboxes_of_every_program_are_read(line: str) -> None:
    body = "\n" + message(1).replace(LINE, line) + message(2).replace(LINE, line)
    assert len(paths(body)) == 2


def test_deleted_mails_and_what_programs_keep_are_left_out() -> None:
    body = message(1, more="X-Mozilla-Status: 0009\n") + message(2, more="X-Mozilla-Status: 0001\n")
    folder = message(3, "DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA", "X-IMAP: 1234567890 0000000001\n")
    made = extract_mbox((folder + body).encode(), task())
    assert made.text == "Messages: 1\n\nPlan 2"
    assert len(paths(folder + body)) == 1


@pytest.mark.parametrize("body", ["", "plain text", "From afar\n\n", "Subject: a mail\n\ntext"])
def test_what_is_no_mailbox_cannot_be_read(body: str) -> None:
    with pytest.raises(Unreadable):
        extract_mbox(body.encode(), task())
    with pytest.raises(Unreadable):
        paths(body)


def test_damaged_mailboxes_are_survived() -> None:
    body = (message(1) + message(2)).encode()
    for seed in range(300):
        chance = random.Random(seed)
        made = bytearray(body)
        for _ in range(chance.randint(1, 10)):
            made[chance.randrange(len(made))] = chance.choice((10, 13, 0, chance.randrange(256)))
        with suppress(Unreadable):
            extract_mbox(bytes(made), task())
            list(mbox_embedded_files(bytes(made), task()))
