"""Settings of a mail source."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from ipaddress import ip_address
from string import Formatter
from typing import ClassVar, Literal, NamedTuple, Self
from urllib.parse import SplitResult, quote, urlsplit

from pydantic import Field, field_validator, model_validator
from xxhash import xxh3_64_hexdigest

from cormorant.model.acl import ACL, EVERYONE
from cormorant.model.settings.secret_name import SecretReference
from cormorant.sources.mail.folder_name import MAX_PATTERN, FolderChoice
from cormorant.sources.mail.mailing_list import MailingList, read_lists
from cormorant.sources.mail.message_head import DAY_S
from cormorant.sources.server_settings import ServerSettings

MAX_SIZE = 64 << 20
"""Bytes; no setting lets a larger message in."""
PORTS: Mapping[str, int] = {"imap": 143, "imaps": 993}
_URL = "Write it like imaps://mail.example.org or imap://mail.example.org:143."


class ImapServer(NamedTuple):
    """A server: its host and port, and whether TLS begins with the connection."""

    host: str
    port: int
    tls: bool

    @property
    def is_loopback(self) -> bool:
        """Return whether nobody can listen on the way to it."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False


class MailSettings(ServerSettings):
    """Settings of a mail source."""

    LISTED_BY = "cormorant source kinds mail"
    UNSHOWN = frozenset(("password",))
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("server", "host", "imap", "address", "start", "account"), "url"),
        **dict.fromkeys(("file", "folder", "dir", "directory", "mbox", "maildir", "archive", "root"), "path"),
        **dict.fromkeys(("username", "login", "user_name", "mailbox_user"), "user"),
        **dict.fromkeys(("secret", "token", "pass", "passwd", "oauth", "access_token"), "password"),
        **dict.fromkeys(("mailboxes", "include", "include_folders", "labels"), "folders"),
        **dict.fromkeys(("exclude", "skip", "ignore", "ignore_folders"), "exclude_folders"),
        **dict.fromkeys(("list", "mailing_list", "mailing_lists", "aliases", "list_address"), "lists"),
        **dict.fromkeys(("since", "not_before", "max_age", "days", "age"), "since_days"),
        **dict.fromkeys(("max_size", "size_limit"), "max_size_bytes"),
        **dict.fromkeys(("display", "display_prefix", "shown", "archive_url"), "display_url"),
        **dict.fromkeys(("acl", "access", "visibility", "readers"), "grants"),
        **dict.fromkeys(("insecure", "plain", "plaintext", "no_tls"), "allow_plain"),
        **dict.fromkeys(("ca_file", "cafile", "ca_cert", "certificate"), "ca"),
        **dict.fromkeys(("idle", "push", "live"), "watch"),
    }  # fmt: skip
    JUDGED = ServerSettings.JUDGED | {"lists", "max_size_bytes", "too_big"}
    AT_ONCE = ServerSettings.AT_ONCE | {"watch", "watch_folders", "user", "password", "auth", "ca", "relist_days"}

    url: str = Field(default="", description="The server of an account, like imaps://mail.example.org.")
    path: str = Field(default="", description="An mbox file, a folder of mbox files, or a Maildir, like /srv/mail.")
    user: str = Field(default="", max_length=500, description="The user name of the account.")
    password: SecretReference = Field(
        default="", description="The secret with its password, or with its token where auth is xoauth2: secret:NAME."
    )
    auth: Literal["password", "xoauth2"] = Field(
        default="password", description="Whether the secret is a password or an OAuth 2 access token."
    )
    allow_plain: bool = Field(
        default=False,
        description="Whether the password may be sent without encryption to a server that offers none.",
    )
    ca: str = Field(default="", description="PEM file of authorities to trust besides the system's.")
    folders: tuple[str, ...] = Field(
        default=(),
        description="Folders to take with all below them, like INBOX or Archive/2026, * for anything; may repeat. "
        "Not set: all but trash, junk and drafts.",
    )
    exclude_folders: tuple[str, ...] = Field(
        default=(), description="Folders to leave out with all below them, written like folders; may repeat."
    )
    lists: tuple[str, ...] = Field(
        default=(),
        description="Mailing lists whose messages alone are taken: an address, behind it its other addresses with "
        "blanks between; may repeat.",
    )
    since_days: int | None = Field(
        default=None, ge=1, le=36_500, description="Days that a message stays after it arrived. Not set: for ever."
    )
    max_size_bytes: int = Field(default=25_000_000, description="The largest message, like 25MB.", ge=1, le=MAX_SIZE)
    too_big: Literal["drop", "cut"] = Field(
        default="drop", description="Whether a larger message is left out (drop) or its beginning taken (cut)."
    )
    display_url: str = Field(
        default="",
        description="Address that readers see of a message, like https://lists.example.org/{message_id}; {folder} and "
        "{name} may stand in it too.",
    )
    relist_days: float = Field(
        default=7.0,
        ge=0,
        le=3_650,
        description="Days after which all messages of an account are listed again, and not only what changed. 0: at "
        "each crawl.",
    )
    watch: bool = Field(
        default=False, description="Whether new messages are crawled as soon as the server reports them."
    )
    watch_folders: int = Field(
        default=3,
        ge=0,
        le=50,
        description="Folders of an account that a connection each waits for, INBOX first, where the server cannot "
        "report all of them on one; the others are asked every half a minute.",
    )

    @field_validator("url")
    @classmethod
    def _server(cls, url: str) -> str:
        """Refuse what names no IMAP server; a user name belongs to `user`, a password to a secret."""
        if not url:
            return ""
        parts = _split(url)
        if parts.username is not None or parts.password is not None:
            raise ValueError("the user name is set by user, and the password by password=secret:NAME.")
        if parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError(f"it names a server only; folders are set by folders. {_URL}")
        host = parts.hostname or ""
        shown = f"[{host}]" if ":" in host else host
        return f"{parts.scheme}://{shown}:{parts.port or PORTS[parts.scheme]}/"

    @field_validator("path")
    @classmethod
    def _absolute(cls, path: str) -> str:
        if "\0" in path:
            raise ValueError("a path holds no NUL character.")
        return os.path.abspath(os.path.expanduser(path)) if path else ""  # noqa: PTH100, PTH111 - pathlib keeps `..`

    @field_validator("user")
    @classmethod
    def _user(cls, user: str) -> str:
        if any(not each.isprintable() for each in user):
            raise ValueError("a user name has no control characters.")
        return user

    @field_validator("folders", "exclude_folders")
    @classmethod
    def _patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        wrong = next((each for each in patterns if not each.strip("/ ") or len(each) > MAX_PATTERN), None)
        if wrong is not None:
            raise ValueError(f"{wrong[:40]!r} is no folder. Write it like INBOX or Archive/*.")
        return patterns

    @field_validator("lists")
    @classmethod
    def _lists(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        read_lists(lines)
        return lines

    @field_validator("display_url")
    @classmethod
    def _template(cls, template: str) -> str:
        if not template:
            return ""
        try:
            names = {name for _, name, spec, how in Formatter().parse(template) if name is not None or spec or how}
        except ValueError:
            names = {""}
        if not names or not names <= {"message_id", "folder", "name"}:
            raise ValueError("it takes {message_id}, {folder} and {name}, like https://lists.example.org/{message_id}.")
        if not template.startswith(("https://", "http://")):
            raise ValueError("readers can open https: and http: addresses only.")
        return template

    @model_validator(mode="after")
    def _together(self) -> Self:
        if bool(self.url) == bool(self.path):
            raise ValueError(
                "set either url (an IMAP server) or path (an mbox file, a folder of such files, or a Maildir)."
            )
        if self.url and not (self.user and self.password):
            raise ValueError("a server asks for a user name and a password: set user, and password=secret:NAME.")
        return self

    @cached_property
    def server(self) -> ImapServer:
        """The server that `url` names."""
        parts = _split(self.url)
        return ImapServer(parts.hostname or "", parts.port or PORTS[parts.scheme], parts.scheme == "imaps")

    @cached_property
    def mailing_lists(self) -> tuple[MailingList, ...]:
        """The lists whose messages are taken."""
        return read_lists(self.lists)

    @cached_property
    def choice(self) -> FolderChoice:
        """The choice among folders."""
        return FolderChoice(self.folders, self.exclude_folders)

    @property
    def selection(self) -> str:
        """A digest of the settings that decide which messages belong to the source and what is kept of them."""
        kept = self.model_dump_json(exclude={*self.AT_ONCE, *self.UNSHOWN, "relist_days"})
        return xxh3_64_hexdigest(kept.encode())

    @property
    def listed_for_s(self) -> float:
        """Seconds that a complete listing holds; a day at most where messages leave when they are too old."""
        return DAY_S * (self.relist_days if self.since_days is None else min(self.relist_days, 1.0))

    @property
    def common_acl(self) -> ACL:
        """All messages have the rights that the settings name."""
        return self.acl

    @property
    def shows_ids(self) -> bool:
        """Return whether readers see addresses that are made of identifiers of messages."""
        return "{message_id}" in self.display_url

    def shown_address(self, message_id: str, folder: str, name: str) -> str:
        """Return the address that readers see of a message, "" for its own."""
        if not self.display_url or (self.shows_ids and not message_id):
            return ""
        values = {"message_id": message_id, "folder": folder, "name": name}
        return self.display_url.format(
            **{key: quote(value, safe="", errors="replace") for key, value in values.items()}
        )


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        if parts.scheme in PORTS and parts.hostname and parts.port != 0 and url.isprintable():
            return parts
    except ValueError:
        pass
    raise ValueError(f"it names no IMAP server. {_URL}")


def doubts(settings: MailSettings) -> list[str]:
    """Say that everyone finds the messages of a personal account."""
    if settings.url and EVERYONE in settings.grants and not settings.lists:
        return [
            f"All messages of {settings.user} are taken. `--set lists=ADDRESS` takes those of mailing lists only, and "
            "`--set grants=user:NAME` keeps them to their owner."
        ]
    return []
