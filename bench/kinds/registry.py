"""The places that are measured, by name: one or more for each kind of source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cormorant.testing import CrawlPlace
from tests.places.archives import GitPlace, WarcPlace
from tests.places.feeds import FeedPlace, LinkedFeedPlace
from tests.places.folders import FolderPlace, FtpPlace, OwnedFolderPlace, SftpPlace, SmbPlace, WebDavPlace
from tests.places.interfaces import FakeWikiPlace, GitHubPlace, GitLabPlace, RealWikiPlace, S3Place
from tests.places.mailboxes import ImapPlace, MaildirPlace, MboxPlace
from tests.places.programs import FeedProgramPlace, ProgramPlace, RestrictedProgramPlace
from tests.places.pushes import FullPushPlace, PushPlace
from tests.places.tables import (
    MariadbLogPlace,
    MariadbPlace,
    PostgresqlLogPlace,
    PostgresqlPlace,
    SqliteLogPlace,
    SqlitePlace,
)

PLACES: Final[Mapping[str, type[CrawlPlace]]] = {
    "files": FolderPlace,
    "files, owner_grants": OwnedFolderPlace,
    "sftp": SftpPlace,
    "smb": SmbPlace,
    "webdav": WebDavPlace,
    "ftp": FtpPlace,
    "s3": S3Place,
    "table, checksum, SQLite": SqlitePlace,
    "table, log, SQLite": SqliteLogPlace,
    "table, modified, PostgreSQL": PostgresqlPlace,
    "table, log, PostgreSQL": PostgresqlLogPlace,
    "table, checksum, MariaDB": MariadbPlace,
    "table, log, MariaDB": MariadbLogPlace,
    "mail, Maildir": MaildirPlace,
    "mail, mbox": MboxPlace,
    "mail, IMAP": ImapPlace,
    "feed, entries": FeedPlace,
    "feed, linked pages": LinkedFeedPlace,
    "push, single changes": PushPlace,
    "push, full feeds": FullPushPlace,
    "program, listing": ProgramPlace,
    "program, listing with readers": RestrictedProgramPlace,
    "program, feed": FeedProgramPlace,
    "warc": WarcPlace,
    "git": GitPlace,
    "mediawiki": RealWikiPlace,
    "mediawiki, fake": FakeWikiPlace,
    "github": GitHubPlace,
    "gitlab": GitLabPlace,
}


def chosen(names: list[str]) -> list[str]:
    """Return the places of some kinds, or of these names; all for none. Raises ValueError for an unknown one."""
    for name in names:
        if not any(_fits(place, name) for place in PLACES):
            raise ValueError(f"There is no place {name!r}; there are {'; '.join(PLACES)}.")
    return [place for place in PLACES if not names or any(_fits(place, name) for name in names)]


def _fits(place: str, name: str) -> bool:
    return name in (place, place.partition(",")[0])
