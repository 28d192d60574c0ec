"""A message of a Maildir by the path of its file, whose name changes with its flags."""

from __future__ import annotations

import pytest

from cormorant.plugins import source_kind
from cormorant.sources.mail.settings import MailSettings

MAIL = source_kind("mail")


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/srv/mail/cur/17.M1.host:2,S", "mail://3/~/17.M1.host"),
        ("/srv/mail/cur/17.M1.host:2,RS", "mail://3/~/17.M1.host"),
        ("/srv/mail/new/17.M1.host", "mail://3/~/17.M1.host"),
        ("/srv/mail/.Archive.2026/cur/17.M1.host,S=50:2,", "mail://3/.Archive.2026/17.M1.host%2CS%3D50"),
        ("/srv/mail/a/b/new/17.M1", "mail://3/a%2Fb/17.M1"),
    ],
)
def test_its_file(path: str, address: str) -> None:
    assert MAIL.meant_by(3, MailSettings(path="/srv/mail"), path) == (address,)


@pytest.mark.parametrize("path", ["/srv/mail/tmp/17.M1", "/srv/mailbox/cur/17.M1", "/srv/mail/cur", "17.M1", ""])
def test_no_file_of_a_message(path: str) -> None:
    assert MAIL.meant_by(3, MailSettings(path="/srv/mail"), path) == ()
