"""Near duplicates: classes of documents that are nearly the same.

They are updated as documents are added, changed and deleted.

    update --leave the old class, enter one--> (with a similar leader) or (as the leader of a class of its own)

Each class has one leader, and all its other documents are similar to the leader. Leaders are filed by bands of their
sketches, so a document is compared only with leaders that share a band. When the leader changes or leaves, the newest
of the others leads; those that are not similar to it leave and each enters a class again.

The readers of a document may read its leader: both have the same rights, or the leader is for everyone. So whether two
documents of a reader share a class depends on no document that he may not read. Bands are filed by rights, so it does
not depend on the number of other documents either.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.model.text.near_duplicates import ALIKE, bands, likeness
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import near, near_band

MOST_FILED = 16
"""Leaders that are filed under one key: a key of very many documents does not distinguish them."""
_COLUMNS = ("id", "source_id", "acl_id", "sketch", "label", "leads", "seq")
_REWRITTEN = bulk.OnConflict(key=("id",), columns=_COLUMNS[1:])
_EVERYONE = 0
_WITH_OTHERS = "EXISTS (SELECT 1 FROM near AS other WHERE other.label = near.label AND other.id <> near.id)"


class ClusterChange(NamedTuple):
    """The present state of a document, by the event of that number. Without a sketch it is in no class."""

    id: int
    source: int
    acl: int
    sketch: bytes
    seq: int


class Member(NamedTuple):
    """A document in its class."""

    id: int
    source: int
    acl: int
    sketch: bytes
    label: int
    leads: bool
    seq: int

    def is_of(self, change: ClusterChange) -> bool:
        """Return whether a document is unchanged, by its access rights and its sketch."""
        return (self.acl, self.sketch) == (change.acl, change.sketch)


class Classes:
    """The classes, in one transaction. `public` returns whether an access list, by its number, is for everyone.

    `fresh` returns a number that no class has had, signed and of 64 bits.
    """

    def __init__(self, tx: Tx, public: Callable[[int], bool], fresh: Callable[[], int]) -> None:
        self._tx, self._public, self._fresh = tx, functools.cache(public), fresh
        self._before: dict[int, Member | None] = {}
        self._now: dict[int, Member | None] = {}
        self._filed: dict[int, list[int]] = {}
        self._filed_before: dict[int, frozenset[int]] = {}
        self._founded: set[int] = set()
        self._bands: dict[tuple[bytes, int], list[int]] = {}

    def update(self, changes: Sequence[ClusterChange]) -> set[int]:
        """Update the classes of documents; returns the documents whose displayed class is another now."""
        self._know(each.id for each in changes)
        new = [each for each in changes if not self._stands(each)]
        keys = {key for each in new if each.sketch for key in self._keys(each)}
        self._open(keys)
        self._know(chain.from_iterable(self._filed.values()))
        for each in new:
            if not self._stands(each):
                self._leave(each.id)
                if each.sketch:
                    self._enter(each)
        return self._write()

    def _stands(self, change: ClusterChange) -> bool:
        known = self._now.get(change.id)
        return known.is_of(change) if known else not change.sketch

    def _enter(self, entering: ClusterChange | Member) -> None:
        """Put a document into the class with the most similar leader, the oldest of equals, or into one of its own."""
        label = self._alike(entering)
        leads = label is None
        label = self._found() if label is None else label
        self._put(Member(entering.id, entering.source, entering.acl, entering.sketch, label, leads, entering.seq))

    def _alike(self, document: ClusterChange | Member) -> int | None:
        """Return the class with the most similar leader, the oldest of equals."""
        leaders = (self._now[each] for each in self._leaders(document))
        ranked = ((likeness(document.sketch, each.sketch), -each.id, each.label) for each in leaders if each)
        best = max((each for each in ranked if each[0] >= ALIKE), default=None)
        return best[2] if best else None

    def _found(self) -> int:
        label = self._fresh()
        self._founded.add(label)
        return label

    def _leave(self, number: int) -> None:
        """Remove a document from its class, if it is in one."""
        known = self._now.get(number)
        if known is None:
            return
        self._now[number] = None
        if known.leads:
            self._unfile(known)
            self._succeed(self._members(known.label))

    def _succeed(self, left: Sequence[Member]) -> None:
        """Make the newest document the leader, one for everyone before others; those it may not lead leave.

        A document that is similar to the leader of another class goes there.
        """
        waiting = sorted(left, key=lambda each: (self._public(each.acl), each.seq, each.id))
        heir = None
        while waiting and heir is None:
            first = waiting.pop()
            label = self._alike(first)
            if label is None:
                heir = first._replace(leads=True)
                self._put(heir)
            else:
                self._put(first._replace(label=label))
        if heir is None:
            return
        seed = self._seed(heir.acl)
        leaving = [
            each
            for each in waiting
            if not (seed in {self._seed(each.acl), _EVERYONE} and likeness(each.sketch, heir.sketch) >= ALIKE)
        ]
        for each in leaving:
            self._now[each.id] = None
        for each in leaving:
            self._enter(each)

    def _members(self, label: int) -> list[Member]:
        """Return the present documents of a class, in the order of their numbers."""
        rows = self._tx.rows(sa.select(*(near.c[name] for name in _COLUMNS)).where(near.c.label == label))
        for row in rows:
            self._note(row)
        return sorted(each for each in self._now.values() if each and each.label == label)

    def _put(self, member: Member) -> None:
        self._now[member.id] = member
        self._before.setdefault(member.id, None)
        if member.leads:
            for key in self._banded(member.sketch, self._seed(member.acl)):
                filed = self._under(key)
                if len(filed) < MOST_FILED and member.id not in filed:
                    filed.append(member.id)

    def _unfile(self, member: Member) -> None:
        for key in self._banded(member.sketch, self._seed(member.acl)):
            filed = self._under(key)
            if member.id in filed:
                filed.remove(member.id)

    def _seed(self, acl: int) -> int:
        return _EVERYONE if self._public(acl) else acl

    def _keys(self, document: ClusterChange | Member) -> list[int]:
        """Return the keys under which possible leaders are filed."""
        seeds = dict.fromkeys((_EVERYONE, self._seed(document.acl)))
        return [key for seed in seeds for key in self._banded(document.sketch, seed)]

    def _banded(self, sketch: bytes, seed: int) -> list[int]:
        found = self._bands.get((sketch, seed))
        if found is None:
            found = self._bands[sketch, seed] = bands(sketch, seed)
        return found

    def _leaders(self, document: ClusterChange | Member) -> Iterator[int]:
        numbers = {number for key in self._keys(document) for number in self._under(key)}
        self._know(numbers)
        return iter(numbers - {document.id})

    def _under(self, key: int) -> list[int]:
        if key not in self._filed:
            self._open((key,))
        return self._filed[key]

    def _open(self, keys: Iterable[int]) -> None:
        """Look up the leaders that are filed under some keys."""
        missing = set(keys) - self._filed.keys()
        self._filed |= {key: [] for key in missing}
        for key, number in bulk.select_numbered(self._tx, near_band, ("key", "id"), "key", sorted(missing)):
            self._filed[key].append(number)
        self._filed_before |= {key: frozenset(self._filed[key]) for key in missing}

    def _know(self, numbers: Iterable[int]) -> None:
        """Look up some documents."""
        missing = set(numbers) - self._before.keys()
        for row in bulk.select_numbered(self._tx, near, _COLUMNS, "id", sorted(missing)):
            self._note(row)
        for number in missing:
            self._before.setdefault(number, None)

    def _note(self, row: Sequence[Any]) -> None:
        if row[0] not in self._before:
            number, source, acl, sketch, label, leads, seq = row
            member = Member(number, source, acl, bytes(sketch), label, bool(leads), seq)
            self._before[member.id] = self._now[member.id] = member

    def _write(self) -> set[int]:
        """Write the changes; returns the documents whose displayed class is another."""
        changed = [each for each in self._before if self._before[each] != self._now.get(each)]
        touched = {side.label for each in changed for side in (self._before[each], self._now.get(each)) if side}
        old = _some(self._tx, touched - self._founded)
        self._rewrite(changed)
        new = _some(self._tx, touched - self._founded) | self._some_founded()
        shown = {each for each in changed if _shown(self._before[each], old) != _shown(self._now.get(each), new)}
        for label in touched:
            two, few = sorted((old.get(label, ()), new.get(label, ())), key=len, reverse=True)
            if len(two) > 1 >= len(few):
                shown.update(set(few) - set(changed))
        return shown

    def _some_founded(self) -> dict[int, tuple[int, ...]]:
        """Return the documents of the new classes: only updated ones, or those that entered again."""
        found: dict[int, tuple[int, ...]] = {}
        for each in self._now.values():
            if each is not None and each.label in self._founded:
                found[each.label] = (*found.get(each.label, ()), each.id)
        return found

    def _rewrite(self, changed: Sequence[int]) -> None:
        gone = [(each,) for each in changed if self._now.get(each) is None]
        _delete(self._tx, near, ("id",), gone)
        rows = [tuple(each) for each in map(self._now.get, changed) if each]
        bulk.insert(self._tx, near, _COLUMNS, rows, _REWRITTEN)
        sides = [(key, self._filed_before[key], set(found)) for key, found in self._filed.items()]
        _delete(self._tx, near_band, ("key", "id"), [(key, each) for key, was, now in sides for each in was - now])
        added = sorted((key, each) for key, was, now in sides for each in now - was)
        bulk.insert(self._tx, near_band, ("key", "id"), added)


def labels(tx: Tx, numbers: Iterable[int]) -> dict[int, int]:
    """Return the class of those of these documents that share it with others."""
    return dict(bulk.select_numbered(tx, near, ("id", "label"), "id", sorted(numbers), besides=_WITH_OTHERS))


def members(tx: Tx, numbers: Sequence[int], most: int) -> list[int]:
    """Return at most `most` other documents of the classes of these, in the order of their numbers."""
    theirs = sa.select(near.c.label).where(near.c.id.in_(numbers))
    others = sa.and_(near.c.label.in_(theirs), near.c.id.not_in(numbers))
    return [row[0] for row in tx.rows(sa.select(near.c.id).where(others).order_by(near.c.id).limit(most))]


def _some(tx: Tx, wanted: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Return two documents of each of these classes, or the only one: the leader, and any other."""
    one, another = near.alias("one"), near.alias("another")
    beside = sa.select(another.c.id).where(another.c.label == one.c.label, another.c.id != one.c.id).limit(1)
    numbers, found = sorted(wanted), {}
    for start in range(0, len(numbers), 1000):
        some = one.c.label.in_(numbers[start : start + 1000])
        for label, *ids in tx.rows(sa.select(one.c.label, one.c.id, beside.scalar_subquery()).where(some, one.c.leads)):
            found[label] = tuple(each for each in ids if each is not None)
    return found


def _shown(member: Member | None, some: dict[int, tuple[int, ...]]) -> int | None:
    return member.label if member is not None and len(some.get(member.label, ())) > 1 else None


def _delete(tx: Tx, table: sa.Table, key: tuple[str, ...], rows: Sequence[tuple[int, ...]]) -> None:
    """Delete rows by key."""
    if rows:
        matching = sa.and_(*(table.c[name] == sa.bindparam(f"its_{name}") for name in key))
        named = [{f"its_{name}": value for name, value in zip(key, row, strict=True)} for row in rows]
        tx.execute(sa.delete(table).where(matching), named)
