"""Settings of a table source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from cormorant.model.acl import ACL
from cormorant.model.settings.bounded import Seconds, Timeout
from cormorant.model.settings.secret_name import SecretReference
from cormorant.sources.server_settings import ServerSettings
from cormorant.sources.table.place import DatabasePlace, read_place
from cormorant.sources.table.query_check import check_query

MAX_CELL: Final = 64 << 20
"""Bytes; no larger cell is read."""
_ATTRIBUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_SCHEME: Final = re.compile(r"(?:https?|ftp|file|smb|\{[^{}]+\}$)", re.IGNORECASE)


def columns_of(template: str) -> tuple[str, ...]:
    """Return the columns that a text names in braces, each once. Raises ValueError for one that is not closed."""
    try:
        named = [name for _, name, _, _ in Formatter().parse(template) if name is not None]
    except ValueError:
        raise ValueError(f"a brace of {template!r} is not closed. Write columns like {{id}}.") from None
    if "" in named:
        raise ValueError("{} names no column. Write columns like {id}.")
    return tuple(dict.fromkeys(named))


class TableSettings(ServerSettings):
    """Settings of a table source."""

    LISTED_BY = "cormorant source kinds table"
    UNSHOWN = frozenset(("password", "database"))
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("url", "uri", "address", "dsn", "connection", "db", "jdbc_url", "path", "start"), "database"),
        **dict.fromkeys(("username", "account", "login"), "user"),
        **dict.fromkeys(("secret", "pass", "passwd"), "password"),
        **dict.fromkeys(("view", "table_name", "from"), "table"),
        **dict.fromkeys(("sql", "select", "statement"), "query"),
        **dict.fromkeys(("keys", "primary_key", "key_column", "key_columns", "id", "id_column"), "key"),
        **dict.fromkeys(("title_column", "name_column"), "title"),
        **dict.fromkeys(("content_column", "content_columns", "text", "text_column", "body"), "content"),
        **dict.fromkeys(("language", "lang_column"), "language_column"),
        **dict.fromkeys(("content_type", "mime_column", "content_type_column"), "type_column"),
        **dict.fromkeys(("filename_column", "file_name"), "file_name_column"),
        **dict.fromkeys(("attribute", "mapping", "map"), "attributes"),
        **dict.fromkeys(("display", "url_template", "display_prefix", "shown"), "display_url"),
        **dict.fromkeys(("attachment", "attachment_columns", "blobs"), "attachments"),
        **dict.fromkeys(("links", "link_column"), "link_columns"),
        **dict.fromkeys(("grant_column", "readers_column", "acl_column"), "grants_column"),
        **dict.fromkeys(("deny_column",), "denies_column"),
        **dict.fromkeys(("modified", "last_modified", "lastmodified_column", "watermark"), "modified_column"),
        **dict.fromkeys(("changes", "change_detection", "delta"), "incremental"),
        **dict.fromkeys(("ssl", "sslmode", "encryption"), "tls"),
        **dict.fromkeys(("max_size", "size_limit"), "max_size_bytes"),
    }  # fmt: skip
    JUDGED = ServerSettings.JUDGED | {
        "title", "content", "language_column", "type_column", "file_name_column", "attributes", "display_url",
        "attachments", "link_columns", "grants_column", "denies_column", "principals_are", "max_size_bytes", "too_big",
        "modified_column",
    }  # fmt: skip
    AT_ONCE = ServerSettings.AT_ONCE | {"listing_s"}

    database: str = Field(
        description="The address of the database, like postgresql://db.example/desk, mysql://db.example/desk or "
        "sqlite:////srv/desk.db, without a password.",
        min_length=1,
    )
    user: str = Field(default="", description="The account that signs in. It should only be allowed to read.")
    password: SecretReference = Field(default="", description="The password of the account, as secret:NAME.")
    tls: Literal["auto", "verify", "require", "off"] = Field(
        default="auto",
        description="Encryption: verify (the certificate is checked), require (encrypted, whoever answers), off; auto "
        "is verify, and off for a server on this machine.",
    )
    ca: str = Field(default="", description="A file of certificates of authorities that the server's may be from.")
    table: str = Field(default="", description="The table or view, like tickets or desk.tickets.")
    query: str = Field(default="", description="A SELECT whose rows are documents, in place of a table.")
    key: tuple[str, ...] = Field(
        default=(), description="Columns that tell rows apart; may repeat. Not set: the primary key of the table."
    )
    title: str = Field(
        default="", description="The column of the title, or a text with columns in braces, like {subject} ({id})."
    )
    content: tuple[str, ...] = Field(
        default=(),
        description="Columns of text or of files (PDF, Word, ...) that are searched; may repeat. Not set: all columns.",
    )
    language_column: str = Field(default="", description="The column with the language of the text, like de.")
    type_column: str = Field(default="", description="The column with the media type of the content, like text/html.")
    file_name_column: str = Field(default="", description="The column with the file name of the content.")
    attributes: tuple[str, ...] = Field(
        default=(), description="Columns that become search attributes, like author=Author; may repeat."
    )
    display_url: str = Field(
        default="",
        description="The address that readers open, with columns in braces, like https://desk.example/tickets/{id}.",
    )
    attachments: tuple[str, ...] = Field(
        default=(), description="Columns whose values become documents of their own beside the row; may repeat."
    )
    link_columns: tuple[str, ...] = Field(
        default=(), description="Columns with addresses that the page of a row links to; may repeat."
    )
    grants_column: str = Field(
        default="", description="The column with the readers of a row, split at commas, semicolons and line ends."
    )
    denies_column: str = Field(default="", description="The column with readers who may not, whatever is granted.")
    principals_are: Literal["group", "user"] = Field(
        default="group", description="The sort of readers in these columns that are written without user: or group:."
    )
    incremental: Literal["checksum", "modified", "log"] = Field(
        default="checksum",
        description="How changed rows are found: by a checksum of all rows, by the column modified_column, or by the "
        "table log_table that triggers write.",
    )
    modified_column: str = Field(default="", description="The column that says when a row was changed.")
    overlap_s: Seconds = Field(
        default=600.0,
        description="Seconds before the newest change in which rows are compared by their content as well, or log "
        "entries read again: for changes within one tick of the clock, and for late commits.",
    )
    log_table: str = Field(default="", description="The table that triggers write the keys of changed rows to.")
    full_every: int = Field(
        default=20, ge=1, le=10_000, description="With incremental=log, every how many runs all rows are listed."
    )
    listing_s: Timeout = Field(default=3600.0, description="Seconds that listing the rows may take.")
    max_size_bytes: int = Field(
        default=10_000_000, ge=1, le=MAX_CELL, description="The largest content of a row, like 10MB."
    )
    too_big: Literal["drop", "cut"] = Field(
        default="drop", description="Whether larger content is left out (drop) or its beginning taken (cut)."
    )

    @field_validator("database")
    @classmethod
    def _database(cls, text: str) -> str:
        """Refuse what is no address of a database."""
        read_place(text)
        return text.strip()

    @field_validator("query")
    @classmethod
    def _query(cls, text: str) -> str:
        """Refuse what is no single SELECT."""
        return check_query(text) if text.strip() else ""

    @field_validator("ca")
    @classmethod
    def _ca(cls, path: str) -> str:
        """Make the path absolute."""
        return str(Path(path).expanduser().absolute()) if path else ""

    @field_validator("attributes")
    @classmethod
    def _attributes(cls, pairs: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse what is no column and name."""
        for pair in pairs:
            column, equals, name = pair.rpartition("=")
            if not column or not equals or not _ATTRIBUTE.fullmatch(name.strip()):
                raise ValueError(
                    f"{pair!r} is not a column and an attribute. Write them like author=Author; a name has letters, "
                    "digits and underscores."
                )
        return pairs

    @field_validator("title")
    @classmethod
    def _title(cls, text: str) -> str:
        """Read the columns in it."""
        columns_of(text)
        return text.strip()

    @field_validator("display_url")
    @classmethod
    def _display(cls, text: str) -> str:
        """Read the columns in it; without one all rows would have the same address."""
        text = text.strip()
        if text and not columns_of(text):
            raise ValueError("it has no column. Write it like https://desk.example/tickets/{id}.")
        if text and not _SCHEME.match(text):
            raise ValueError("it begins with no scheme that browsers open. Write it like https://desk.example/{id}.")
        return text

    @model_validator(mode="after")
    def _together(self) -> Self:
        """See that the settings go together."""
        if bool(self.table.strip()) == bool(self.query):
            raise ValueError("Name either a table (--set table=tickets) or a query (--set 'query=SELECT ...').")
        if self.query and not self.key:
            raise ValueError("A query needs the columns that tell its rows apart: --set key=id.")
        if self.incremental == "modified" and not self.modified_column:
            raise ValueError("With incremental=modified name the column: --set modified_column=changed_at.")
        if self.incremental == "log" and not (self.log_table and self.key):
            raise ValueError("With incremental=log name the log table and the key: --set log_table=... --set key=id.")
        if self.user and read_place(self.database).user:
            raise ValueError("The user stands in the address of the database and in user. Write it once.")
        return self

    @cached_property
    def place(self) -> DatabasePlace:
        """The database, and the account that signs in."""
        place = read_place(self.database)
        return place._replace(user=self.user or place.user)

    @property
    def named_hosts(self) -> tuple[tuple[str, int], ...]:
        """The host and port that the settings name."""
        return ((self.place.host, self.place.port),) if self.place.host else ()

    @property
    def has_own_rights(self) -> bool:
        """Return whether rows say who may read them."""
        return bool(self.grants_column or self.denies_column)

    @property
    def common_acl(self) -> ACL | None:
        """All rows have the rights of the settings, unless they have their own."""
        return None if self.has_own_rights else self.acl

    @cached_property
    def mapped(self) -> tuple[tuple[str, str], ...]:
        """Columns and the attributes that they become."""
        pairs = [pair.rpartition("=") for pair in self.attributes]
        return tuple((column.strip(), name.strip()) for column, _, name in pairs)

    @property
    def cell_limit(self) -> int:
        """Bytes of the largest cell that is read; larger ones are known by their size alone."""
        return self.max_size_bytes if self.too_big == "drop" else MAX_CELL
