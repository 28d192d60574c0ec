from __future__ import annotations

import pytest

from cormorant.extract.mail.header_field import addresses, decoded_field, epoch_of, message_ids


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", "plain"),
        (b"=?utf-8?q?gr=C3=BC=C3=9Fe?=", "grüße"),
        (b"=?UTF-8?B?Z3LDvMOfZQ==?=", "grüße"),
        (b"=?UTF-8?B?Z3LDvMOfZQ?=", "grüße"),
        (b"=?utf-8?q?one?= =?utf-8?q?_two?=", "one two"),
        (b"=?utf-8?q?one?=\r\n =?utf-8?q?_two?=", "one two"),
        (b"Re: =?iso-8859-1?q?=E4?= and =?koi8-r?b?8NXU?=", "Re: ä and Пут"),
        (b"=?utf-8?b?w6Q=?= =?utf-8?q?=C3?= =?utf-8?q?=BC?=", "äü"),
        (b"=?utf-8*de?q?=C3=A4?=", "ä"),
        (b"=?nonsense?q?=E4?=", "ä"),
        (b"=?gb2312?B?1tC5+g==?=", "中国"),
        (b"=?utf-8?q?not closed", "=?utf-8?q?not closed"),
        (b"a =?= b ?= c", "a =?= b ?= c"),
        ("raw grüße".encode(), "raw grüße"),
        ("raw grüße".encode("latin-1"), "raw grüße"),
        (b"folded\r\n\tline", "folded line"),
        (b"=?utf-8?q?with spaces inside?=", "with spaces inside"),
    ],
)
def test_a_field_is_decoded(raw: bytes, text: str) -> None:
    assert decoded_field(raw) == text


def test_a_raw_field_counts_as_the_body_is_declared() -> None:
    assert decoded_field("Привет".encode("koi8-r"), "koi8-r") == "Привет"


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"a@b.c", ("a@b.c",)),
        (b"<a@b.c>", ("a@b.c",)),
        (b'"Doe, Jane" <j@b.c>, Bob <b@b.c>', ("Doe, Jane <j@b.c>", "Bob <b@b.c>")),
        (b"=?utf-8?q?M=C3=BCller=2C_Jo?= <m@b.c>", ("Müller, Jo <m@b.c>",)),
        (b"a@b.c (Anna, of sales), a@b.c (Anna, of sales)", ("a@b.c (Anna, of sales)",)),
        (b"undisclosed-recipients:;", ()),
        (b"Team: a@b.c, d@e.f;", ("Team: a@b.c", "d@e.f")),
        (b", ,,", ()),
        (b'"unclosed, <a@b.c', ("unclosed, <a@b.c",)),
    ],
)
def test_addresses_are_parted(raw: bytes, found: tuple[str, ...]) -> None:
    assert addresses(raw) == found


def test_no_number_of_addresses_is_too_large() -> None:
    assert len(addresses(b", ".join(b"a%d@b.c" % number for number in range(100_000)))) == 200
    assert len(addresses(b'(<"' * 100_000)) == 1


def test_hostile_encoded_words_take_no_quadratic_time() -> None:
    assert decoded_field(b"=?a?q?" * 1_000_000)


@pytest.mark.parametrize(
    ("raw", "moment"),
    [
        (b"Thu, 1 Jan 1970 01:00:00 +0100", 0.0),
        (b"1 Jan 70 00:00:00 GMT", 0.0),
        (b"Thu, 01 Jan 1970 00:00:00 -0000 (comment)", 0.0),
        (b"nonsense", None),
        (b"", None),
        (b"\xff" * 1000, None),
    ],
)
def test_a_date_is_a_moment(raw: bytes, moment: float | None) -> None:
    assert epoch_of(raw) == moment


def test_identifiers_have_no_brackets() -> None:
    assert message_ids(b"<a@b> <c@d>\r\n <a@b> nonsense <e f>") == ("a@b", "c@d")
