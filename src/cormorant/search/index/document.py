"""Entries of the index, and the changes to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cormorant.model.content import Value


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as the index holds it.

    `id` is the resource's number in the store and the only key: an entry replaces the one with the same id. `url` is
    the display address. An entry without grants is visible to nobody. `content_hash` is that of the document, or b""
    for one that must never be folded with its equals. `modified_at` and `fetched_at` are epoch seconds. `anchors` are
    the texts of links to it and `link_score` their worth; `near` is its class of near duplicates, if any. An upsert
    replaces all of these.
    """

    id: int
    source: str
    url: str
    title: str
    text: str
    mime: str = ""
    language: str = ""
    size_bytes: int = 0
    modified_at: float | None = None
    fetched_at: float | None = None
    grants: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()
    attributes: Mapping[str, Value] = field(default_factory=dict)
    content_hash: bytes = b""
    anchors: tuple[str, ...] = ()
    depth: int = 0
    link_score: float = 0.0
    near: int | None = None

    def __post_init__(self) -> None:
        if self.id < 0:
            raise ValueError("An entry's id counts from 0.")


@dataclass(frozen=True, slots=True)
class Upsert:
    """Add the entry, or replace the one with its id."""

    entry: IndexedDocument

    @property
    def id(self) -> int:
        """The id of the entry."""
        return self.entry.id


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the entry with this id, if there is one."""

    id: int


@dataclass(frozen=True, slots=True)
class UpdateLinks:
    """Replace the anchors, link score and class of the entry with this id, if there is one, and its `rights` if given.

    Rights are grants and denies. None leaves `rights` or `depth` unchanged.
    """

    id: int
    anchors: tuple[str, ...]
    score: float
    rights: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    depth: int | None = None
    near: int | None = None

    def on(self, entry: IndexedDocument) -> IndexedDocument:
        """Return the entry with its new anchors, score, class, rights and depth."""
        grants, denies = self.rights or (entry.grants, entry.denies)
        depth = entry.depth if self.depth is None else self.depth
        linked = replace(entry, anchors=self.anchors, link_score=self.score, near=self.near, depth=depth)
        return replace(linked, grants=grants, denies=denies)


Change = Upsert | Delete | UpdateLinks
