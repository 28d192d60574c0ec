"""The same against a server that people run. `make servers` installs it where it may, and runs this."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from imaplib import IMAP4
from pathlib import Path

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content
from cormorant.model.resource import DiscoveredUrl, Removal
from cormorant.sources.protocol import Discovery
from cormorant.testing import CrawlSuite
from tests.places.mailboxes import ImapPlace
from tests.sources.mail.dovecot import PASSWORD, Dovecot, dovecot, own
from tests.sources.mail.mail_sources import fetched, mail_source, message, named

pytestmark = pytest.mark.server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Dovecot]:
    with dovecot(tmp_path) as running:
        yield running


def flags_of(server: Dovecot) -> list[str]:
    """Return the names of all files of messages, which hold their flags."""
    return sorted(each.name for each in server.mail.rglob("*") if each.parent.name in ("cur", "new"))


@pytest.mark.parametrize("way", ["imap", "imaps", "starttls"])
def test_messages_are_read_and_no_flag_changes(server: Dovecot, way: str) -> None:
    for number in range(3):
        server.put(f"17.m{number}", message(f"m{number}"))
    server.put("18.deep", message("deep"), ".Archive.2026")
    server.put("19.gone", message("gone"), ".Trash")
    address = f"imaps://localhost:{server.tls_port}" if way == "imaps" else f"imap://localhost:{server.port}"
    source = mail_source({"url": address, "ca": "" if way == "imap" else str(server.ca)}, PASSWORD)
    named(source)  # Dovecot itself moves what is new to cur
    before = flags_of(server)
    found = named(source)
    assert len(found) == 4
    got = [fetched(source, each) for each in found]
    assert {each.body for each in got if isinstance(each, Content)} == {
        message(name) for name in ("m0", "m1", "m2", "deep")
    }
    assert flags_of(server) == before
    assert not any("S" in each.partition(":2,")[2] for each in before)


def test_a_wrong_password_and_an_unknown_authority(server: Dovecot) -> None:
    with pytest.raises(LoginRefused, match="refuses the login of ada"):
        named(mail_source({"url": f"imap://127.0.0.1:{server.port}"}, "wrong"))
    with pytest.raises(Unreachable, match=r"The certificate of localhost, port .* is not trusted"):
        named(mail_source({"url": f"imaps://localhost:{server.tls_port}"}, PASSWORD))


def test_idle_reports_a_delivery(server: Dovecot) -> None:
    server.put("17.a", message("a"))
    source = mail_source({"url": f"imap://127.0.0.1:{server.port}"}, PASSWORD)
    named(source)
    assert source.wait_for_change(60.0), "the watch begins"
    ended = list[bool]()
    waiting = threading.Thread(target=lambda: ended.append(source.wait_for_change(120.0)))
    waiting.start()
    number = 0
    while waiting.is_alive():
        server.put(f"18.b{number}", message(f"b{number}"))
        number += 1
        time.sleep(0.5)
    assert ended == [True]
    asyncio.run(source.close())


def test_changes_are_named_without_a_listing(server: Dovecot) -> None:
    for number in range(5):
        server.put(f"17.m{number}", message(f"m{number}"))
    server.put("18.deep", message("deep"), ".Archive")
    source = mail_source({"url": f"imap://127.0.0.1:{server.port}"}, PASSWORD)
    assert len(named(source)) == 6
    assert list(filter(None, source.discover(source.next_cursor))) == []
    assert source.discovery is Discovery.FEED
    next(server.mail.rglob("17.m2*")).unlink()
    late = server.put("19.late", message("late"))
    os.utime(late, (2_000_000_000, 2_000_000_000))
    found = [each for batch in source.discover(source.next_cursor) for each in batch]
    assert source.discovery is Discovery.FEED
    assert [each.address.rpartition("/")[2] for each in found if isinstance(each, DiscoveredUrl)] == ["6"]
    assert [each.address.rpartition("/")[2] for each in found if isinstance(each, Removal)] == ["3"]


def test_another_folder_is_watched(server: Dovecot) -> None:
    server.put("17.a", message("a"))
    server.put("18.b", message("b"), ".Archive")
    source = mail_source({"url": f"imap://127.0.0.1:{server.port}"}, PASSWORD)
    assert source.wait_for_change(60.0), "the watch begins"
    quiet = (not source.wait_for_change(0.5) for _ in range(10))
    assert any(quiet), "Dovecot may still report the files that it has just met, but nothing else happens"
    with IMAP4("127.0.0.1", server.port) as other:
        other.authenticate("PLAIN", lambda _: f"\0ada\0{PASSWORD}".encode())
        other.append("Archive", "", None, message("late"))
        assert source.wait_for_change(60.0)
    asyncio.run(source.close())


def test_a_folder_that_is_created_again(server: Dovecot) -> None:
    for number in range(3):
        server.put(f"17.m{number}", message(f"m{number}", "x" * number))
    source = mail_source({"url": f"imap://127.0.0.1:{server.port}"}, PASSWORD)
    before = named(source)
    asyncio.run(source.close())
    for each in server.mail.glob("dovecot*"):
        each.unlink()
    (server.mail / "dovecot-uidlist").write_text("3 V4711 N1\n")
    own(server.mail)
    again = mail_source({"url": f"imap://127.0.0.1:{server.port}"}, PASSWORD)
    after = named(again, source.next_cursor)
    assert all("/INBOX/4711/" in each.address for each in after)
    assert sorted(each.validator for each in after) == sorted(each.validator for each in before)


@pytest.mark.long
class TestAccount(ImapPlace, CrawlSuite):
    """Messages of an account."""
