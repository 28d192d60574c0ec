from __future__ import annotations

import pytest

from cormorant.extract.detect.mail_signature import mail_type

MAIL = "Received: by x\nFrom: a@b\nTo: c@d\nSubject: x\nDate: Sat, 14 Mar 2026 09:30:00 +0000\n"
RELATED = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"{MAIL}\ntext", "message/rfc822"),
        (f"\ufeff\r\n{MAIL}\ntext", "message/rfc822"),
        (f"From a@b Sat Mar 14 09:30:00 2026\n{MAIL}\ntext", "application/mbox"),
        (f"From: <Saved by Blink>\n{RELATED}Subject: x\n\n", "multipart/related"),
        (f"From: <Gespeichert von Microsoft>\nSubject: x\n{RELATED}\n", "multipart/related"),
        (f"{MAIL}{RELATED}\n", "message/rfc822"),
        ("Subject: a letter\n\nDear all, from now on", ""),
        ("title: front matter\ndate: 2026-03-14\nauthor: Anna\n\ntext", ""),
        ("HTTP/1.1 200 OK\nDate: x\nContent-Type: y\n\n", ""),
        ("From: a\nSubject: b\nDear all\nDate: c\n", ""),
        ("From: a\nSubject: b\n\nDate: c\nTo: d\n", ""),
        ("From: a\nSubject: b\n folded: c\nDate: d\n\n", "message/rfc822"),
        ("From: a\nSubject: b\n \nDate: d\n\n", ""),
        (">From a@b\nFrom: a\nTo: b\nSubject: c\n", "message/rfc822"),
        ("https://a.example/\nFrom: a\nTo: b\nSubject: c\n", ""),
        ("", ""),
        ("From me to you\n", ""),
    ],
)
def test_the_first_lines_prove_a_mail(text: str, kind: str) -> None:
    assert mail_type(text.encode()) == kind
