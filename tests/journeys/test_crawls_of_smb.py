"""A share of Samba passes the suite of whole crawls, and its grants and denies decide who finds what."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.testing import Commands, CrawlSuite
from tests.places.folders import SmbPlace
from tests.sources.smb.samba import KEEPS_RIGHTS, PASSWORD, Extra, RightEntry, samba, see_rights_kept, set_rights

pytestmark = pytest.mark.server


class TestSmb(SmbPlace, CrawlSuite):
    """Files of Samba."""


EVERYONE, DAEMON = RightEntry("S-1-1-0", True), RightEntry("S-1-22-1-1", True)


def test_grants_and_denies_decide_who_finds_a_file(tmp_path: Path) -> None:
    see_rights_kept()
    share = tmp_path / "share"
    share.mkdir()
    for word in ("openword", "deniedword", "grantedword"):
        (share / f"{word}.txt").write_text(f"The text has {word}.")
    extra = Extra(of_share=KEEPS_RIGHTS)
    with samba(share, tmp_path / "state", read_only=False, with_=extra) as server:
        set_rights(server, "openword.txt", EVERYONE)
        set_rights(server, "deniedword.txt", DAEMON._replace(is_granted=False), EVERYONE)
        set_rights(server, "grantedword.txt", DAEMON)
        commands = Commands(tmp_path / "data")
        commands.run("secret", "add", "p", given=PASSWORD)
        commands.add("smb", "place", server.settings(owner_grants="true", sid_lookup="account"))
        commands.crawl("place")
        assert finds(commands) == {"openword", "deniedword"}
        assert finds(commands, "user:games") == {"openword", "deniedword"}
        assert finds(commands, "user:daemon") == {"openword", "grantedword"}
        set_rights(server, "openword.txt", DAEMON._replace(is_granted=False), EVERYONE)
        commands.crawl("place")
        assert finds(commands, "user:daemon") == {"grantedword"}
        assert finds(commands, "user:games") == {"openword", "deniedword"}


def finds(commands: Commands, *readers: str) -> set[str]:
    """The words of the files that a reader finds; everyone where none is named."""
    words = ("openword", "deniedword", "grantedword")
    return {word for word, hits in commands.found(words, ("everyone", *readers)).items() if hits}
