"""How does an index come to hold a million documents, without a crawl that fetches them?

Run as ``python -m bench.stocking DATA COUNT`` by the Python that has the product, on a new data folder or on one where
it was interrupted. Rows and entries are written by the product's own code, :mod:`cormorant.store.db.bulk` and the
index's writer, as a rebuild writes them. The place that the index commits with every part says how many documents it
holds, so filling goes on behind it. There are no kept copies, which no question asks for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bench import prose
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.settings import InstallationSettings
from cormorant.model.acl import ACL
from cormorant.operate.installation import Installation
from cormorant.operate.sources import sources
from cormorant.receivers import stream
from cormorant.search.index.document import IndexedDocument, Upsert
from cormorant.store.blobs.pack_format import packs_folder
from cormorant.store.catalog import receivers
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.db import bulk
from cormorant.store.schema import content

COMMIT = 2 * prose.CHUNK
_COLUMNS = (
    "id", "source_id", "url", "etag", "modified", "content_hash", "text_hash", "mime", "language", "title",
    "size_bytes", "modified_at", "fetched_at", "changed_at", "pack", "pack_offset", "pack_length", "acl_id", "indexed",
)  # fmt: skip
_MIME = "text/html"


def stock(house: Installation, count: int) -> Iterator[int]:
    """Bring the index up to so many documents; how many it holds after every part."""
    numbers = _sources(house)
    packs_folder(house.folder / "cache").mkdir(parents=True, exist_ok=True)  # else its disk is thought to be missing
    with closing(house.index_writer()) as writer:
        for start in range(writer.place, count, COMMIT):
            end = min(start + COMMIT, count)
            made = list(prose.pages(start, end))
            _keep(house, numbers, made)
            writer.apply(Upsert(_entry(page)) for page in made)
            writer.commit(end)
            _deliver(house, end)
            yield end


def _sources(house: Installation) -> dict[str, int]:
    """The sources, made when they are not there yet."""
    known = {row.name: row.id for row in sources.every(house)}
    for name in prose.SOURCES:
        if name not in known:
            known[name] = sources.add(house, "web", name, {"start": [f"https://{name}.known.example/"]}).id
    return known


def _keep(house: Installation, numbers: dict[str, int], made: Sequence[prose.Page]) -> None:
    """Write the rows of documents. Rows that an interrupted filling left are equal to these."""
    acls = ACLNumbers()
    with house.store.begin() as tx:
        rows = [_row(page, numbers[page.source], acls.of(tx, ACL.of(page.grants, page.denies))) for page in made]
        bulk.insert(tx, content, _COLUMNS, rows)


def _row(page: prose.Page, source: int, acl: int) -> tuple[Any, ...]:
    """One of them, in the order of the columns."""
    said = page.content_hash
    return (
        page.number + 1, source, page.url, "", "", said, said, _MIME, page.language, page.title,
        len(page.text), page.modified_at, page.modified_at, page.modified_at, 0, 0, 0, acl, True,
    )  # fmt: skip


def _entry(page: prose.Page) -> IndexedDocument:
    """The index entry of a document."""
    return IndexedDocument(
        id=page.number + 1,
        source=page.source,
        url=page.url,
        title=page.title,
        text=page.text,
        mime=_MIME,
        language=page.language,
        size_bytes=len(page.text),
        modified_at=page.modified_at,
        fetched_at=page.modified_at,
        grants=page.grants,
        denies=page.denies,
        content_hash=page.content_hash,
        depth=page.number % 6,
    )


def _deliver(house: Installation, place: int) -> None:
    """Say that the stream has come as far as the index, so that nothing is delivered when it is served."""
    with house.store.begin() as tx:
        stream.pass_over(tx, place)
        for row in receivers.every(tx):
            if row.kind == receivers.INDEX:
                receivers.set_place(tx, row.id, place)


def main(data: str, count: str) -> None:
    """Fill the installation in a data folder, making it when there is none."""
    house = open_house(BuildPlan(Path(data), InstallationSettings()), first=True)
    for held in stock(house, int(count)):
        print(f"  {held:,} documents", flush=True)
    house.store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
