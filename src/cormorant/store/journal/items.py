"""Items of sources whose documents are pushed by programs, or read from feeds.

    put --new, or another digest--> a number of its source, the body in pieces --since a number--> discovery
     `--same digest--> only named again                   drop --> gone, without a body

The newest version of every item stays, so that a forced crawl reads it again without its sender. Numbers of a source
grow with each change and are assigned under a lock of the source's row: a reader of one number has seen all smaller
ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
import zstandard

from cormorant.base.errors import StoreError
from cormorant.store.catalog import sources
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import item, item_mark, item_piece, source as source_table

PIECE: Final = 64 << 10
"""Bytes of a body in one row: a backup reads a thousand rows at a time."""
MAX_BODY: Final = 64 << 20
"""Bytes of a body, the ceiling of every size setting."""
_COLUMNS: Final = ("id", "name", "part", "seq", "named", "gone", "version", "digest", "shown", "note", "size", "at")
_PICKED: Final = tuple(item.c[name] for name in _COLUMNS)


class Item(NamedTuple):
    """An item as stored. `version` is its sender's count, None if the sender does not count."""

    id: int
    name: str
    part: str
    seq: int
    named: int
    gone: bool
    version: int | None
    digest: str
    shown: str
    note: str
    size: int
    at: float


class NewItem(NamedTuple):
    """An item before it is stored. `shown` is the address that readers see, "" for its own."""

    name: str
    part: str
    version: int | None
    digest: str
    shown: str
    note: str
    body: bytes


def claim(tx: Tx, source: int) -> int:
    """Lock the items of a source until this transaction ends; returns its newest number."""
    sources.claim(tx, source)
    return head(tx, source)


def head(tx: Tx, source: int) -> int:
    """Return the newest number of a source, 0 if there is none."""
    return int(tx.execute(sa.select(sa.func.max(item.c.seq)).where(item.c.source_id == source)).scalar_one() or 0)


def owner(tx: Tx, source: int) -> int:
    """Return the source whose items a source reads: the original for a copy that was made for a test."""
    row = sources.numbered(tx, source)
    return source if row is None or row.test_of is None else row.test_of


def cursor(tx: Tx, source: int) -> str:
    """Return the cursor of a source's last run; "" for a source without one, or a deleted one."""
    rows = tx.rows(sa.select(source_table.c.cursor).where(source_table.c.id == source))
    return str(rows[0].cursor) if rows else ""


def since(tx: Tx, source: int, behind: int, upto: int, most: int) -> list[Item]:
    """Return the items changed after a number and up to another one, oldest change first."""
    those = sa.and_(item.c.source_id == source, item.c.seq > behind, item.c.seq <= upto)
    return [Item(*row) for row in tx.rows(sa.select(*_PICKED).where(those).order_by(item.c.seq).limit(most))]


def get(tx: Tx, source: int, name: str, part: str = "") -> Item | None:
    """Return one item, or a part of one; None for an unknown one."""
    those = sa.and_(item.c.source_id == source, item.c.name == name, item.c.part == part)
    return next((Item(*row) for row in tx.rows(sa.select(*_PICKED).where(those))), None)


def named(tx: Tx, source: int, names: Iterable[str]) -> list[Item]:
    """Return items of these names with all their parts, including gone ones."""
    wanted, found = sorted(set(names)), list[Item]()
    for start in range(0, len(wanted), 500):
        those = sa.and_(item.c.source_id == source, item.c.name.in_(wanted[start : start + 500]))
        found += [Item(*row) for row in tx.rows(sa.select(*_PICKED).where(those))]
    return found


def there(tx: Tx, source: int, part: str | None = None, most: int = 1_000) -> Iterator[list[Item]]:
    """Yield pages of existing items, of one part if it is named; the caller may change a page meanwhile."""
    those, behind = sa.and_(item.c.source_id == source, sa.not_(item.c.gone)), 0
    those = those if part is None else sa.and_(those, item.c.part == part)
    while True:
        statement = sa.select(*_PICKED).where(those, item.c.id > behind).order_by(item.c.id).limit(most)
        page = [Item(*row) for row in tx.rows(statement)]
        if page:
            yield page
        if len(page) < most:
            return
        behind = page[-1].id


def unnamed(tx: Tx, source: int, full: int, most: int) -> list[Item]:
    """Return existing items, no parts, that were not named since a full feed, by its number, began."""
    those = sa.and_(item.c.source_id == source, sa.not_(item.c.gone), item.c.part == "", item.c.named < full)
    return [Item(*row) for row in tx.rows(sa.select(*_PICKED).where(those).order_by(item.c.id).limit(most))]


def count(tx: Tx, source: int) -> int:
    """Count the existing items of a source, without parts."""
    those = sa.and_(item.c.source_id == source, sa.not_(item.c.gone), item.c.part == "")
    return int(tx.execute(sa.select(sa.func.count()).where(those)).scalar_one())


def body(tx: Tx, found: Item) -> bytes:
    """Return the body of an item. Raises StoreError if its pieces do not match."""
    rows = tx.rows(sa.select(item_piece.c.data).where(item_piece.c.item_id == found.id).order_by(item_piece.c.place))
    packed = b"".join(bytes(row.data) for row in rows)
    try:
        whole = zstandard.ZstdDecompressor().decompress(packed, max_output_size=MAX_BODY) if packed else b""
    except zstandard.ZstdError:
        whole = None
    if whole is None or len(whole) != found.size:
        raise StoreError(f"The kept body of {found.name!r} is damaged. Push it again.")
    return whole


def put(tx: Tx, source: int, new: NewItem, numbers: tuple[int, int], known: Item | None) -> int:
    """Store an item with its body; `known` is its row so far. Returns its row's number.

    `numbers` are the number of the change and that of the full feed under way.
    """
    values: dict[str, Any] = {
        "seq": numbers[0], "named": numbers[1], "gone": False, "version": new.version, "digest": new.digest,
        "shown": new.shown, "note": new.note, "size": len(new.body), "at": tx.now(),
    }  # fmt: skip
    if known is None:
        fresh = sa.insert(item).values(source_id=source, name=new.name, part=new.part, **values)
        number = int(tx.execute(fresh.returning(item.c.id)).scalar_one())
    else:
        number = known.id
        tx.execute(sa.update(item).where(item.c.id == number).values(**values))
        tx.execute(sa.delete(item_piece).where(item_piece.c.item_id == number))
    bulk.insert(tx, item_piece, ("item_id", "place", "data"), list(_pieces(number, new.body)))
    return number


def _pieces(number: int, whole: bytes) -> Iterator[tuple[int, int, bytes]]:
    packed = zstandard.ZstdCompressor(level=3).compress(whole) if whole else b""
    for place, start in enumerate(range(0, len(packed), PIECE)):
        yield number, place, packed[start : start + PIECE]


def name_again(tx: Tx, numbers: Sequence[int], full: int, version: int | None = None) -> None:
    """Store that a full feed named these unchanged items; `version` is their sender's new count."""
    values: dict[str, Any] = {"named": full} | ({} if version is None else {"version": version})
    for start in range(0, len(numbers), 500):
        tx.execute(sa.update(item).where(item.c.id.in_(numbers[start : start + 500])).values(**values))


def set_versions(tx: Tx, numbers: Sequence[int], version: int | None) -> None:
    """Store another sender's count of these items, which have not changed."""
    for start in range(0, len(numbers), 500):
        tx.execute(sa.update(item).where(item.c.id.in_(numbers[start : start + 500])).values(version=version))


def renew(tx: Tx, numbers: Sequence[int], seq: int, digest: str) -> None:
    """Store another digest of parts under a number: not their bytes changed, but their rights."""
    for number in numbers:
        tx.execute(sa.update(item).where(item.c.id == number).values(seq=seq, digest=digest))


def drop(tx: Tx, found: Sequence[Item], seq: int, version: int | None = None) -> None:
    """Mark items as gone, under a number: their rows stay, their bodies are deleted."""
    for start in range(0, len(found), 500):
        numbers = [each.id for each in found[start : start + 500]]
        values: dict[str, Any] = {"seq": seq, "gone": True, "digest": "", "size": 0, "at": tx.now()}
        values |= {} if version is None else {"version": version}
        tx.execute(sa.update(item).where(item.c.id.in_(numbers)).values(**values))
        tx.execute(sa.delete(item_piece).where(item_piece.c.item_id.in_(numbers)))


def forget(tx: Tx, source: int) -> None:
    """Delete all items and marks of a source that is deleted."""
    mine = sa.select(item.c.id).where(item.c.source_id == source)
    tx.execute(sa.delete(item_piece).where(item_piece.c.item_id.in_(mine)))
    for each in (item, item_mark):
        tx.execute(sa.delete(each).where(each.c.source_id == source))


def mark(tx: Tx, source: int, name: str) -> str | None:
    """Return the value of a mark, None if there is none."""
    those = sa.and_(item_mark.c.source_id == source, item_mark.c.name == name)
    return next((row.value for row in tx.rows(sa.select(item_mark.c.value).where(those))), None)


def set_mark(tx: Tx, source: int, name: str, value: str) -> None:
    """Store the value of a mark."""
    conflict = bulk.OnConflict(key=("source_id", "name"), columns=("value", "at"))
    bulk.insert(tx, item_mark, ("source_id", "name", "value", "at"), [(source, name, value, tx.now())], conflict)


def forget_marks(tx: Tx, source: int, beginning: str, before: float) -> None:
    """Delete marks with this prefix that are older than a time (epoch seconds)."""
    those = sa.and_(item_mark.c.source_id == source, item_mark.c.name.startswith(beginning, autoescape=True))
    tx.execute(sa.delete(item_mark).where(those, item_mark.c.at < before))
