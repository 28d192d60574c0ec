"""Mail with bodies, attachments and a mail in it, by the standard library: RFC 5322, 2045 to 2047, 2231."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

from bench.formats.packages import PICTURE, attachment
from bench.formats.sample import Sample, named, sample

_HTML: Final = """<html><head><style>.quokkastyle { color: red }</style></head><body><p>quokkahtmlbody</p>
<table><tr><td>quokkacellone</td><td>quokkacelltwo</td></tr></table><p>quokkabreakone<br>quokkabreaktwo</p>
<p><a href="https://example.org/quokkalinktarget">quokkalinktext</a> <img src="cid:p1" alt="quokkaalttext"></p>
<script>var quokkascript = 1</script></body></html>"""
_BOTH: Final = """<html><head><style>.quokkastyle { color: red }</style></head><body><p>quokkabody, with Ümlauts. See
<a href="https://example.org/quokkalinktarget">https://example.org/quokkalinktarget</a></p>
<img src="cid:p1" alt="quokkaalttext">
<script>var quokkascript = 1</script></body></html>"""
_CALENDAR: Final = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:quokkainvitation\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
_XLSX: Final = ("application", "vnd.openxmlformats-officedocument.spreadsheetml.sheet")
_BOUNDARY: Final = "quokkaboundary"


def mail_samples() -> Iterator[Sample]:
    """Yield a mail of two bodies with files, one of HTML, one whose plain body says nothing, and one of old manners."""
    yield sample(
        "eml", "email", _full().as_bytes(policy=SMTP),
        named(
            "property title", "sender", "recipient", "copy recipient", "body", "link target", "alt text", "script",
            "style sheet", "attachment name", "attachment text", "nested attachment", "forwarded mail", "invitation",
            "MIME boundary",
        ),
    )  # fmt: skip
    html = named(
        "property title", "HTML body", "neighbouring cells", "line break", "link text", "link target", "alt text",
        "style sheet", "script",
    )  # fmt: skip
    only = _headed("quokkatitle of the mail")
    only.set_content(_HTML, subtype="html")
    yield sample("eml", "email, HTML", only.as_bytes(policy=SMTP), html)
    stub = _headed("quokkatitle of the mail")
    stub.set_content("This message needs a program that shows HTML.\n")
    stub.add_alternative(_HTML, subtype="html")
    yield sample("eml", "email, HTML beside a plain stub", stub.as_bytes(policy=SMTP), html)
    old = named("property title", "plain body", "attachment name", "attachment text")
    yield sample("eml", "by hand, old", _old(), old)


def _full() -> EmailMessage:
    mail = _headed("quokkatitle of the mail: Grüße")
    mail["Cc"] = "Quokkacopied Brown <brown@example.org>"
    mail.set_content("quokkabody, with Ümlauts. See https://example.org/quokkalinktarget\n", cte="quoted-printable")
    mail.add_alternative(_BOTH, subtype="html")
    html = mail.get_payload()[1]  # type: ignore[index]
    html.add_related(PICTURE, "image", "png", cid="<p1>")  # type: ignore[union-attr]
    mail.add_attachment(_CALENDAR.encode(), maintype="text", subtype="calendar", filename="invite.ics")
    mail.add_attachment(attachment(), maintype=_XLSX[0], subtype=_XLSX[1], filename="quokkaattachmentname Größe.xlsx")
    mail.add_attachment(b"quokkanestedattachment\n", maintype="text", subtype="plain", filename="second.txt")
    inner = _headed("Forwarded")
    inner.set_content("quokkaforwarded\n")
    mail.add_attachment(inner)
    mail.set_boundary(_BOUNDARY)
    return mail


def _headed(subject: str) -> EmailMessage:
    mail = EmailMessage(policy=SMTP)
    mail["Subject"] = subject
    mail["From"] = "Quokkasender Smith <smith@example.org>"
    mail["To"] = "Quokkarecipient Miller <miller@example.org>"
    mail["Date"] = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    mail["Message-ID"] = "<1@example.org>"
    return mail


def _old() -> bytes:
    """Return a mail with a folded subject of several encoded words, Latin-1 and a file name as RFC 2047 forbids it."""
    return (
        b"From: smith@example.org\r\nSubject: =?iso-8859-1?Q?quokkat?=\r\n =?iso-8859-1?Q?itle_of_=FCber?=\r\n"
        b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\npreamble\r\n--b\r\n"
        b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"quokkaplain=\r\nbody =FCber\r\n--b\r\n"
        b"Content-Type: text/plain\r\n"
        b"Content-Disposition: attachment; filename==?utf-8?Q?quokkaattachmentname=2Etxt?=\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\ncXVva2thYXR0YWNobWVudHRleHQ=\r\n--b--\r\n"
    )
