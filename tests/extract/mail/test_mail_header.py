from __future__ import annotations

import pytest

from cormorant.extract.mail.mail_header import MailHeader, read_header


def header_of(*lines: str) -> MailHeader:
    body = "\n".join((*lines, "", "body")).encode("utf-8", "surrogateescape")
    return read_header(body, 0, len(body))[0]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Content-Disposition: attachment; filename=plan.pdf", "plan.pdf"),
        ('Content-Disposition: attachment; filename="my plan.pdf"', "my plan.pdf"),
        ("Content-Disposition: attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf", "Größe.pdf"),
        ("Content-Disposition: attachment; filename*=iso-8859-1'de'Gr%F6%DFe.pdf", "Größe.pdf"),
        ("Content-Disposition: attachment; filename*0=long-; filename*1=name.pdf", "long-name.pdf"),
        ("Content-Disposition: attachment; filename*0*=utf-8''%C3%A4; filename*1=.pdf", "ä.pdf"),
        ('Content-Disposition: attachment; filename="=?utf-8?q?Gr=C3=B6=C3=9Fe?=.pdf"', "Größe.pdf"),
        ('Content-Disposition: attachment; filename="Größe.pdf"', "Größe.pdf"),
        ("Content-Disposition: attachment; filename=Gr\udcf6sse.pdf", "Grösse.pdf"),
        ('Content-Type: application/pdf; name="plan.pdf"', "plan.pdf"),
        ("Content-Disposition: attachment; filename=my plan.pdf; size=1", "my plan.pdf"),
        ("Content-Disposition: attachment; filename*=a; filename*0=b", "a"),
        ("Content-Disposition: attachment", ""),
    ],
)
def test_the_name_of_a_file_is_read_in_every_form(line: str, name: str) -> None:
    assert header_of(line).file_name == name


def test_a_boundary_may_be_folded() -> None:
    assert (
        header_of('Content-Type: multipart/mixed; boundary="simple', ' boundary"').parameter("boundary")
        == "simple boundary"
    )


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("TEXT/HTML; charset=x", "text/html"), ("text", "text/plain"), ("", "text/plain"), ("nonsense", "text/plain"),
        ("=?utf-8?q?text/html?=", "text/html"), ("text/html charset=utf-8", "text/plain"),
    ],
)  # fmt: skip
def test_a_type_that_is_none_is_text(value: str, kind: str) -> None:
    assert header_of(f"Content-Type: {value}").content_type == kind


def test_the_header_ends_at_the_first_line_that_is_no_field() -> None:
    body = b"Subject: a\nThis is text.\nand: more\n\nlast"
    header, start = read_header(body, 0, len(body))
    assert header.fields == [("subject", b"a")]
    assert body[start:].startswith(b"This is text.")


def test_a_broken_fold_does_not_end_the_header() -> None:
    header = header_of("Subject: a long", "subject without a fold", "Content-Type: text/html")
    assert header.content_type == "text/html"
    assert header.text("subject") == "a long subject without a fold"


def test_blanks_before_the_colon_and_an_almost_blank_line_are_survived() -> None:
    header = header_of("Subject : a", " ", "To: b")
    assert (header.text("subject"), header.text("to")) == ("a", "b")


def test_fields_of_one_name_are_joined_or_the_first_counts() -> None:
    header = header_of("To: a@b", "To: c@d", "Subject: 1", "Subject: 2")
    assert header.joined("to") == b"a@b,c@d"
    assert header.text("subject") == "1"


def test_hostile_parameters_take_no_quadratic_time() -> None:
    for piece in ('a=";";', '"\\;";', "a*0*=x;", "=;"):
        header = header_of("Content-Type: text/plain; " + piece * 100_000 + " charset=utf-8")
        assert header.content_type == "text/plain"
        assert header.parameter("boundary") == ""
