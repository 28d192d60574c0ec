"""A mail: its head, its attributes, its text."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cormorant.extract.errors import Unreadable
from cormorant.extract.mail.mailbox import extract_mbox
from cormorant.extract.mail.message import extract_eml, mail_embedded_files
from cormorant.extract.mail.mhtml import extract_mhtml
from cormorant.model.content import Manner
from tests.extract.mail.reading import HEAD, body_of, files, multipart, page, plain, read, task

FULL = """\
From: =?utf-8?q?J=C3=BCrgen_M=C3=BCller?= <jm@example.org>
To: "Doe, Jane" <jane@example.com>, bob@example.com
Cc: team@example.org
Date: Sat, 14 Mar 2026 09:30:00 +0100
Subject: =?iso-8859-1?Q?Pl=E4ne?= =?iso-8859-1?Q?_f=FCr?= heute
Message-ID: <1@example.org>
In-Reply-To: <0@example.org>
References: <-1@example.org> <0@example.org>
List-Id: Our list <list.example.org>
Keywords: budget, plans
Content-Language: de

Text of the mail.
"""


def test_the_head_of_a_mail_is_text() -> None:
    assert read(FULL).text == (
        "From: Jürgen Müller <jm@example.org>\n"
        "To: Doe, Jane <jane@example.com>, bob@example.com\n"
        "Cc: team@example.org\n"
        "Date: Sat, 14 Mar 2026 09:30:00 +0100\n"
        "Subject: Pläne für heute\n\n"
        "Text of the mail."
    )


def test_fields_become_attributes() -> None:
    made = read(FULL)
    assert made.title == "Pläne für heute"
    assert made.language == "de"
    assert made.attributes == {
        "Author": "Jürgen Müller <jm@example.org>",
        "To": ("Doe, Jane <jane@example.com>", "bob@example.com"),
        "Cc": ("team@example.org",),
        "Subject": "Pläne für heute",
        "sent_at": datetime(2026, 3, 14, 8, 30, tzinfo=UTC).timestamp(),
        "MessageId": "1@example.org",
        "InReplyTo": "0@example.org",
        "References": ("-1@example.org", "0@example.org"),
        "ListId": "list.example.org",
        "Keywords": ("budget", "plans"),
    }


def test_a_mail_without_subject_is_called_like_its_file() -> None:
    assert read("From: a@b\n\ntext").title == "a.eml"


@pytest.mark.parametrize("date", ["", "yesterday", "Mon, 99 Foo 20001 25:61", "Sat, 1 Jan 9999999 00:00:00 +0000"])
def test_a_date_that_is_none_is_left_out(date: str) -> None:
    assert "sent_at" not in read(f"Date: {date}\nSubject: a\n\nb").attributes


def test_lines_that_end_in_any_way_are_read() -> None:
    for end in ("\r\n", "\r"):
        assert read(FULL.replace("\n", end)).text == read(FULL).text


@pytest.mark.parametrize("before", ["\ufeff", "\n\r\n", "From anna Sat Mar 14 09:30:00 2026\n", ">From anna\n"])
def test_what_stands_before_the_header_does_no_harm(before: str) -> None:
    assert read(before + FULL).attributes == read(FULL).attributes


def test_a_mail_in_utf_16_is_read() -> None:
    assert read(FULL.encode("utf-16")).text == read(FULL).text


def test_a_file_of_apple_mail_ends_before_its_property_list() -> None:
    mail = f"{HEAD}\ntext\n"
    assert body_of(f"{len(mail):<10}\n{mail}<?xml version='1.0'?><plist>flags</plist>") == "text"


def test_the_plain_alternative_is_shown() -> None:
    assert (
        body_of(multipart("alternative", plain("The same words."), page("<p>The same words.</p>"))) == "The same words."
    )


@pytest.mark.parametrize("stub", ["", "Your program cannot show this mail.\nhttps://example.org/view"])
def test_the_page_is_shown_when_the_plain_text_is_a_stub(stub: str) -> None:
    text = "Dear reader, this letter has many words that nobody should miss. " * 4
    assert body_of(multipart("alternative", plain(stub), page(f"<p>{text}</p>"))) == text.strip()


PICTURES = (
    '<img alt="A heron  by the dyke"><img alt="Picture 1"><img alt="logo.png"><img alt="spacer hidden" hidden><img>x'
)


def test_alternative_texts_of_pictures_are_text_of_a_page() -> None:
    mail = multipart("mixed", page(f"<p>See{PICTURES}</p>"))
    assert body_of(mail) == "See A heron by the dyke x"


def test_alternative_texts_stand_behind_the_plain_text_that_lacks_them() -> None:
    words = " ".join(("Some words that both texts have:", *(f"word{number}" for number in range(60)), "x"))
    beside = page(f'<p>{words}</p>{PICTURES}<img alt="Some WORDS">')
    assert body_of(multipart("alternative", plain(words), beside)) == f"{words}\n\nA heron by the dyke"
    assert body_of(multipart("alternative", plain(f"{words} A Heron, by the dyke."), beside)).endswith("by the dyke.")


def test_links_of_the_page_are_found_whichever_alternative_is_shown() -> None:
    mail = multipart(
        "alternative", plain("Look here"), page('<a href="https://example.org/x">Look</a> <a href="y">here</a>')
    )
    assert [(link.address, link.text) for link in read(mail).links] == [("https://example.org/x", "Look")]


def test_addresses_in_plain_text_are_links_by_choice() -> None:
    mail = f"{HEAD}\nSee https://example.org/plan now"
    assert read(mail).links == ()
    assert [link.address for link in read(mail, Manner(links=("text",))).links] == ["https://example.org/plan"]


def test_a_page_with_its_pictures_is_text_without_files() -> None:
    picture = 'Content-Type: image/png; name="logo.png"\nContent-ID: <1>\nContent-Disposition: inline\n\nx'
    document = 'Content-Type: application/pdf; name="terms.pdf"\n\n%PDF'
    attached = 'Content-Type: image/png; name="plan.png"\nContent-Disposition: attachment\n\nx'
    mail = multipart("related", page("Hello <img src='cid:1'>"), picture, document, attached)
    assert body_of(mail) == "Hello\n\nAttachment: terms.pdf\nAttachment: plan.png"
    assert [each.path for each in files(mail)] == ["terms.pdf", "plan.png"]


def test_the_root_of_a_page_is_the_part_that_start_names() -> None:
    mail = multipart("related", "Content-Type: image/png\nContent-ID: <p>\n\nx", page("root", "\nContent-ID: <r>"))
    assert body_of(mail.replace("multipart/related;", 'multipart/related; start="<r>";')) == "root"


def test_texts_of_a_mail_follow_one_another() -> None:
    assert body_of(multipart("mixed", plain("first"), page("second"), plain("third"))) == "first\n\nsecond\n\nthird"


def test_a_named_text_behind_the_mail_is_a_file() -> None:
    mail = multipart("mixed", plain("hello"), plain("1;2", '; name="list.csv"'))
    assert body_of(mail) == "hello\n\nAttachment: list.csv"
    assert [(each.path, each.body, each.mime) for each in files(mail)] == [("list.csv", b"1;2", "text/plain")]


def test_the_text_of_an_attachment_is_not_that_of_the_mail() -> None:
    attached = "Content-Type: text/plain\nContent-Disposition: attachment; filename=secret.txt\n\nhidden words"
    assert body_of(multipart("mixed", attached)) == "Attachment: secret.txt"


def test_an_attached_mail_is_named_after_its_subject() -> None:
    mail = multipart("mixed", plain("see below"), "Content-Type: message/rfc822\n\nSubject: Re: a/b\n\ninner text")
    assert body_of(mail) == "see below\n\nAttachment: Re: a-b.eml"
    [file] = files(mail)
    assert (file.path, file.mime, file.body) == ("Re: a-b.eml", "message/rfc822", b"Subject: Re: a/b\n\ninner text")


def test_mails_of_a_digest_are_files() -> None:
    mail = multipart("digest", "\nSubject: one\n\n1", "\nSubject: two\n\n2", "\nSubject: two\n\n3")
    assert [each.path for each in files(mail)] == ["one.eml", "two.eml", "two (2).eml"]


def test_files_without_a_name_get_one() -> None:
    mail = multipart(
        "mixed", plain("a"), "Content-Type: application/pdf\n\n%PDF", "Content-Type: application/pdf\n\n%PDF"
    )
    assert body_of(mail) == "a"
    assert [each.path for each in files(mail)] == ["attachment.pdf", "attachment (2).pdf"]


def test_tnef_is_handed_on_as_a_file() -> None:
    mail = multipart("mixed", plain("a"), "Content-Type: application/ms-tnef\n\nx")
    assert [(each.path, each.mime) for each in files(mail)] == [("winmail.dat", "application/ms-tnef")]


def test_a_signature_is_neither_text_nor_file() -> None:
    for kind in ("pgp-signature", "pkcs7-signature", "x-pkcs7-signature"):
        mail = multipart("signed", plain("signed text"), f"Content-Type: application/{kind}; name=s.asc\n\nxyz")
        assert body_of(mail) == "signed text"
        assert files(mail) == []


def test_an_encrypted_mail_has_its_head_only() -> None:
    control = "Content-Type: application/pgp-encrypted\n\nVersion: 1"
    made = read(
        multipart("encrypted", control, "Content-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----")
    )
    assert made.text == "From: Anna <anna@example.org>\nSubject: Plans"
    assert made.attributes["Protection"] == "password"


def test_an_envelope_of_smime_is_protected() -> None:
    mail = f"{HEAD}Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n\nxyz"
    assert read(mail).attributes["Protection"] == "password"
    assert files(mail) == []


def test_an_encrypted_block_in_the_text_is_left_out() -> None:
    made = read(f"{HEAD}\nHello\n-----BEGIN PGP MESSAGE-----\nhQEMA\n-----END PGP MESSAGE-----\nBye")
    assert made.text.endswith("Hello\n\nBye")
    assert made.attributes["Protection"] == "password"


def test_reports_of_delivery_are_text() -> None:
    status = "Content-Type: message/delivery-status\n\nFinal-Recipient: rfc822; nobody@example.org\nStatus: 5.1.1"
    returned = "Content-Type: text/rfc822-headers\n\nSubject: lost"
    text = body_of(multipart("report", plain("not delivered"), status, returned))
    assert text == "not delivered\n\nFinal-Recipient: rfc822; nobody@example.org\nStatus: 5.1.1\n\nSubject: lost"


def test_an_invitation_says_what_where_and_when() -> None:
    calendar = (
        "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Review\\, second\n"
        "LOCATION;LANGUAGE=en:Room 5\nDTSTART;TZID=Europe/Berlin:20260314T093000\n"
        "DESCRIPTION:Bring\n  plans\\nand tea\nEND:VEVENT\nEND:VCALENDAR"
    )
    made = body_of(multipart("alternative", plain("You are invited to Room 5"), calendar))
    assert made == "You are invited to Room 5\n\nReview, second\n2026-03-14 09:30\nBring plans\nand tea"


def test_a_part_without_end_is_read_and_noted() -> None:
    mail = multipart("mixed", plain("first"), plain("second"))
    made = read(mail[: mail.rfind("\n--limit--")])
    assert made.text.endswith("first\n\nsecond")
    assert made.truncated
    assert made.fault == "Its last part has no end: it may be cut short."


def test_a_mail_of_many_parts_is_cut() -> None:
    made = read(multipart("mixed", *[plain("word")] * 10_010))
    assert made.fault == "It has more than 10,000 parts."
    assert made.text.count("word") == 9_999


def test_parts_that_lie_deep_in_one_another_are_cut() -> None:
    mail = HEAD + "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(3_000))
    made = read(mail + plain("deep"))
    assert made.truncated
    assert "deep" not in made.text


def test_a_part_like_its_container_does_not_repeat_it() -> None:
    part = "Content-Type: multipart/mixed; boundary=limit\n\n"
    assert body_of(multipart("mixed", part, plain("once"))).count("once") == 1


def test_a_header_without_end_is_survived() -> None:
    for mail in ("X: y\n" * 200_000, "Subject: a\n" + " b\n" * 200_000, "Subject: " + "x" * 2_000_000):
        assert read(mail).title


def test_text_without_a_header_is_text() -> None:
    made = read("This is a letter.\nIt has no header.")
    assert made.text == "This is a letter.\nIt has no header."
    assert made.fault == "It has no header."


@pytest.mark.parametrize("body", [b"", b"\r\n\r\n", b"\x89PNG\r\n\x1a\n" + bytes(100)])
def test_what_is_no_mail_cannot_be_read(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read(body)


def test_damaged_mails_are_survived() -> None:
    uuencoded = plain("a\nbegin 644 x\n#86)C\nend\n")
    inner = multipart("alternative", uuencoded, page("<b>b</b>")).partition("1.0\n")[2].replace("limit", "inner")
    attached = "Content-Type: message/rfc822\n\nSubject: =?utf-8?q?a=C3?=\n\nb"
    mail = multipart("mixed", inner, attached, plain("c", "; format=flowed; name*0*=utf-8''%C3")).encode()
    words = (b"--limit", b"\r\n", b"=?", b"\0", b'"', b"multipart/related", b"base64", b"\xff", b"/pkcs7-mime")
    for seed in range(300):
        chance = random.Random(seed)
        made = bytearray(mail)
        for _ in range(chance.randint(1, 12)):
            place = chance.randrange(len(made))
            made[place : place + chance.randrange(4)] = chance.choice((*words, bytes((chance.randrange(256),))))
        read_by_all(bytes(made))


def read_by_all(body: bytes) -> None:
    """Read a mail as whatever it may be called. Raises what no reader may raise."""
    for reader in (extract_eml, extract_mbox, extract_mhtml, mail_embedded_files):
        with suppress(Unreadable):
            made = reader(body, task())
            assert made is not None
            if reader is mail_embedded_files:
                list(mail_embedded_files(body, task()))


OTHERWISE = frozenset(
    (
        "bluedot-postcard_decoded_1_2_1", "double-semicolon_decoded_1_2", "double-semicolon2_decoded_1_2",
        "boundary-name-clash_decoded_1_1_2", "ticket-60931_decoded_1_2",  # pages beside the plain text that is shown
        "uu-junk_decoded_1_2", "uu-zeegee_decoded_1", "sig-uu_decoded_1",  # letters of files, which are taken out
        "multipartnestedemptyparts_decoded_1_1",  # what stands before the first part
        "very-long-boundary_decoded_1_1", "weird-boundary_decoded_1_1",  # a line that differs by a space at its end
    )
)  # fmt: skip
"""Texts of the corpus that are not to be shown as they are there."""


def shown(body: bytes, depth: int = 0) -> tuple[str, set[bytes]]:
    """Return the text of a mail and of all mails and texts in it, and the bytes of its files."""
    text, bodies = extract_eml(body, task()).text, set[bytes]()
    for file in mail_embedded_files(body, task()):
        bodies.add(file.body)
        inner, more = shown(file.body, depth + 1) if file.mime == "message/rfc822" and depth < 9 else ("", set())
        text += " " + inner + " " + file.body.decode("latin-1")
        bodies |= more
    return text, bodies


def words_of(text: str) -> set[str]:
    """Return the words of a text without what marks them up; those of other letters may be written otherwise."""
    return {word for word in re.sub(r"</?[a-z]+>|<<|[<>]", " ", text, flags=re.IGNORECASE).split() if word.isascii()}


def test_the_corpus_of_mime4j_is_read(suite: Callable[[str], Path]) -> None:
    """Every text that the corpus names is found, and every file has its bytes; a damaged one has those before."""
    read_files = 0
    for file in sorted(suite("mail-mime4j").glob("*/*.msg")):
        text, bodies = shown(file.read_bytes())
        found = words_of(text) | set(text.split())
        for wanted in file.parent.glob(f"{file.stem}_decoded_*.txt"):
            read_files += 1
            words = wanted.read_text("latin-1")
            assert wanted.stem in OTHERWISE or words_of(words) <= found, wanted.name
        for wanted in file.parent.glob(f"{file.stem}_decoded_*.bin"):
            read_files += 1
            picture = wanted.read_bytes()
            assert any(each.startswith(picture) for each in bodies) or "postcard" in wanted.name, wanted.name
    assert read_files > 150
