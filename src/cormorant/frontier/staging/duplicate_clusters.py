"""Near duplicates: documents that are nearly the same.

Classes of them, kept as documents come, change and go.

    told --leave the class it was in, enter one--> (led by one that is like it) or (leads a class of its own)

Each class has one document that leads it, and all others in it are like that one. Those that lead are filed by bands of
their sketches, so a document is compared with those it shares a band with, never with all. When the leader changes or
goes, the newest of the others leads; those that are not like it leave and enter anew, each by itself.

Whoever may read a document of a class may read the one that leads it: they have the same rights, or that one is for
everyone. So of two documents that a reader may read it depends on no other whether they are of one class. Bands are
filed by rights, so neither does it depend on how many others there are.
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
"""Leaders filed under one key: what is very many documents' is no help in telling them apart."""
_COLUMNS = ("id", "source_id", "acl_id", "sketch", "label", "leads", "seq")
_REWRITTEN = bulk.OnConflict(key=("id",), columns=_COLUMNS[1:])
_EVERYONE = 0
_WITH_OTHERS = "EXISTS (SELECT 1 FROM near AS other WHERE other.label = near.label AND other.id <> near.id)"


class ClusterChange(NamedTuple):
    """A document as it is now, by the event of that number. Without a sketch it is in no class."""

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

    def is_of(self, told: ClusterChange) -> bool:
        """Return whether a document is unchanged, by its access rights and its sketch."""
        return (self.acl, self.sketch) == (told.acl, told.sketch)


class Classes:
    """The classes, in one transaction. `public` says of a number of an access list whether it is for everyone.

    `fresh` gives a number that no class has had, signed and of 64 bits.
    """

    def __init__(self, tx: Tx, public: Callable[[int], bool], fresh: Callable[[], int]) -> None:
        self._tx, self._public, self._fresh = tx, functools.cache(public), fresh
        self._before: dict[int, Member | None] = {}
        self._now: dict[int, Member | None] = {}
        self._filed: dict[int, list[int]] = {}
        self._filed_before: dict[int, frozenset[int]] = {}
        self._founded: set[int] = set()
        self._bands: dict[tuple[bytes, int], list[int]] = {}

    def tell(self, told: Sequence[ClusterChange]) -> set[int]:
        """Take note of documents; returns those whose class, as it is shown, is another now."""
        self._know(each.id for each in told)
        new = [each for each in told if not self._stands(each)]
        keys = {key for each in new if each.sketch for key in self._keys(each)}
        self._open(keys)
        self._know(chain.from_iterable(self._filed.values()))
        for each in new:
            if not self._stands(each):
                self._leave(each.id)
                if each.sketch:
                    self._enter(each)
        return self._write()

    def _stands(self, told: ClusterChange) -> bool:
        known = self._now.get(told.id)
        return known.is_of(told) if known else not told.sketch

    def _enter(self, told: ClusterChange | Member) -> None:
        """Put a document into the class whose leader it is most like, or the oldest such; or into one of its own."""
        label = self._alike(told)
        leads = label is None
        label = self._found() if label is None else label
        self._put(Member(told.id, told.source, told.acl, told.sketch, label, leads, told.seq))

    def _alike(self, told: ClusterChange | Member) -> int | None:
        """Return the class whose leader it is most like, of the same the oldest."""
        leaders = (self._now[each] for each in self._leaders(told))
        ranked = ((likeness(told.sketch, each.sketch), -each.id, each.label) for each in leaders if each)
        best = max((each for each in ranked if each[0] >= ALIKE), default=None)
        return best[2] if best else None

    def _found(self) -> int:
        label = self._fresh()
        self._founded.add(label)
        return label

    def _leave(self, number: int) -> None:
        """Take a document out of its class, if it is in one."""
        known = self._now.get(number)
        if known is None:
            return
        self._now[number] = None
        if known.leads:
            self._unfile(known)
            self._succeed(self._members(known.label))

    def _succeed(self, left: Sequence[Member]) -> None:
        """Let the newest lead, one for everyone before others; who may not be led by it, or is unlike it, leaves.

        One that is like the leader of another class goes there.
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
        """Return who is in a class now, in the order of their numbers."""
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

    def _keys(self, told: ClusterChange | Member) -> list[int]:
        """Return under which keys leaders are filed that may lead it."""
        seeds = dict.fromkeys((_EVERYONE, self._seed(told.acl)))
        return [key for seed in seeds for key in self._banded(told.sketch, seed)]

    def _banded(self, sketch: bytes, seed: int) -> list[int]:
        found = self._bands.get((sketch, seed))
        if found is None:
            found = self._bands[sketch, seed] = bands(sketch, seed)
        return found

    def _leaders(self, told: ClusterChange | Member) -> Iterator[int]:
        numbers = {number for key in self._keys(told) for number in self._under(key)}
        self._know(numbers)
        return iter(numbers - {told.id})

    def _under(self, key: int) -> list[int]:
        if key not in self._filed:
            self._open((key,))
        return self._filed[key]

    def _open(self, keys: Iterable[int]) -> None:
        """Look up what is filed under some keys."""
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
        """Write what changed; returns the documents whose class is shown as another."""
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
        """Return who is in the classes that were founded: nobody but who was told of, or entered anew."""
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
    """Return the class of those of these documents that are in one with others."""
    return dict(bulk.select_numbered(tx, near, ("id", "label"), "id", sorted(numbers), besides=_WITH_OTHERS))


def members(tx: Tx, numbers: Sequence[int], most: int) -> list[int]:
    """Return the other documents of the classes of these, at most so many, in the order of their numbers."""
    theirs = sa.select(near.c.label).where(near.c.id.in_(numbers))
    others = sa.and_(near.c.label.in_(theirs), near.c.id.not_in(numbers))
    return [row[0] for row in tx.rows(sa.select(near.c.id).where(others).order_by(near.c.id).limit(most))]


def _some(tx: Tx, wanted: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Return two documents of each of these classes, or the one that it has: who leads it, and any other."""
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
