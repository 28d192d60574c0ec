"""Schema of documents found behind resources: one write for each found page, none for a link."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, Integer, LargeBinary, Table, Text, text

from cormorant.store.schema.frontier import BIG_ID
from cormorant.store.schema.metadata import metadata, partial

content = Table(
    "content",
    metadata,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("source_id", Integer, nullable=False),
    Column("url", Text, nullable=False, comment="display address"),
    Column("etag", Text, nullable=False),
    Column("modified", Text, nullable=False, comment="Last-Modified as sent"),
    Column("content_hash", LargeBinary, nullable=False),
    Column("text_hash", LargeBinary, nullable=False),
    Column("mime", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("modified_at", Double),
    Column("fetched_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    Column("pack", BigInteger, nullable=False),
    Column("pack_offset", BigInteger, nullable=False),
    Column("pack_length", Integer, nullable=False),
    Column("acl_id", Integer, nullable=False),
    Column("indexed", Boolean, nullable=False, comment="search may find it"),
    Column("seq", BigInteger, nullable=False, server_default=text("0"), comment="its newest place in the stream"),
    Column(
        "unvisited",
        Boolean,
        nullable=False,
        server_default=text("false"),
        comment="receivers were told that nothing links to it any more",
    ),
    Column("orphan_since", Integer, comment="the run that first found that nothing leads to it, where that is counted"),
)

partial(content, "ix_content_indexed", "source_id", "indexed", sqlite="indexed = 1")

OUTDATED = text("length(content.text_hash) > 32 AND length(content.text_hash) = 34")
"""Documents to be converted again from their kept copies; worded like its index, which is used only then."""

partial(content, "ix_content_outdated", "source_id, id", "length(text_hash) > 32")

reader = Table(
    "reader",
    metadata,
    Column("mime", Text, primary_key=True),
    Column("version", Text, nullable=False, comment="of the reader of that type, as of the newest start"),
    comment="readers by media type: where one has another version, its documents are read again",
)

Index("ix_content_hash", content.c.content_hash)

original = Table(
    "original",
    metadata,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("source_id", Integer, nullable=False),
    Column("address", Text, nullable=False, comment="that its page calls canonical, and is not its own"),
    Column("open", Boolean, nullable=False, comment="its visit could not tell whether that keeps it out of the index"),
    comment="pages that call themselves copies of another page of their source",
)

partial(original, "ix_original_open", "source_id, id", "open", sqlite="open = 1")

version = Table(
    "version",
    metadata,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("source_id", Integer, nullable=False),
    Column("run", Integer, nullable=False, comment="that changed it, or would"),
    Column("likeness", BigInteger, nullable=False, comment="of the newer text"),
    Column("waiting", Boolean, nullable=False, comment="true: the newer version, held; false: the one it replaced"),
    Column("url", Text, nullable=False),
    Column("etag", Text, nullable=False),
    Column("modified", Text, nullable=False),
    Column("content_hash", LargeBinary, nullable=False),
    Column("text_hash", LargeBinary, nullable=False),
    Column("mime", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("modified_at", Double),
    Column("fetched_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    Column("pack", BigInteger, nullable=False),
    Column("pack_offset", BigInteger, nullable=False),
    Column("pack_length", Integer, nullable=False),
    Column("links", LargeBinary, comment="of the newer version, packed"),
    comment="the version of a document that `content` does not have, while a run may still be held for it",
)

Index("ix_version_likeness", version.c.source_id, version.c.likeness)

hidden = Table(
    "hidden",
    metadata,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("source_id", Integer, nullable=False),
    Column("run", Integer, nullable=False),
    Column("seq", BigInteger, comment="of its event; the row goes when the index has passed it. NULL: run not settled"),
    Column("rights_seq", BigInteger, comment="of a change of its rights; the row does not go before, whatever the run"),
    comment="what search must not find although the index still has it",
)

withdrawn = Table(
    "withdrawn",
    metadata,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("source_id", Integer, nullable=False),
    Column("reason", Text, comment="the remark of its last visit, which is on its row again then"),
    comment="documents that search found when a takedown hid them, and finds again when it ends",
)

outlinks = Table(
    "outlinks",
    metadata,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("run", Integer, nullable=False, comment="that wrote it; inverted when its run ends"),
    Column("inverted", Boolean, nullable=False),
    Column("links", LargeBinary, nullable=False),
    Column("previous", LargeBinary, comment="as of the last inversion, while `inverted` is false"),
)

partial(outlinks, "ix_outlinks_changed", "id", "NOT inverted", sqlite="inverted = 0")

inlinks = Table(
    "inlinks",
    metadata,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource linked to"),
    Column("count", Integer, nullable=False),
    Column("links", LargeBinary, nullable=False, comment="referrer and anchor text of each"),
    Column(
        "stale", Boolean, nullable=False, server_default=text("true"),
        comment="`anchors` and `score` are of other links or rights than there are now",
    ),
    Column("anchors", Text, nullable=False, server_default=text("'[]'"), comment="JSON list of texts, best first"),
    Column("score", Double, nullable=False, server_default=text("0"), comment="from 0 to 1"),
)  # fmt: skip

partial(inlinks, "ix_inlinks_stale", "id", "stale", sqlite="stale = 1")

near = Table(
    "near",
    metadata,
    Column("id", BIG_ID, primary_key=True, autoincrement=False, comment="of the resource"),
    Column("source_id", Integer, nullable=False),
    Column("acl_id", Integer, nullable=False),
    Column("sketch", LargeBinary, nullable=False, comment="see `model.text.near_duplicates`"),
    Column("label", BigInteger, nullable=False, comment="of its class, which may be of this document alone"),
    Column("leads", Boolean, nullable=False, comment="the others of its class are like this one"),
    Column("seq", BigInteger, nullable=False, comment="of the event that put it there"),
    comment="documents that are compared, and what is nearly the same",
)

Index("ix_near_label", near.c.label)

near_band = Table(
    "near_band",
    metadata,
    Column("key", BigInteger, primary_key=True, autoincrement=False, comment="a band of a sketch, for some readers"),
    Column("id", BigInteger, primary_key=True, autoincrement=False, comment="of a document that leads a class"),
    sqlite_with_rowid=False,
)
