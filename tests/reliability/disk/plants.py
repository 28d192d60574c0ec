"""Faults that the proofs of failing calls and of power cuts must find, each with the run that must find it.

They are plausible mistakes that no kill shows, because a killed process leaves its writes in the page cache.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.journeys.plants import Plant


class Caught(NamedTuple):
    """A fault, and the run that must find it."""

    plant: Plant
    run: str
    given: tuple[str, ...]


def _cut(name: str, file: str, before: str, after: str, part: str, cuts: int = 60) -> Caught:
    given = ("--of", part, "--cuts", str(cuts), "--until-wrong")
    return Caught(Plant(name, file, ((before, after),)), "tests.reliability.disk.cuts", given)


def _call(name: str, file: str, before: str, after: str, faults: str) -> Caught:
    given = ("--faults", faults, "--until-wrong")
    return Caught(Plant(name, file, ((before, after),)), "tests.reliability.disk.calls", given)


PLANTS = (
    _cut("the database confirms a commit that is not synced", "store/db/drivers.py",
         '"PRAGMA synchronous=FULL"', '"PRAGMA synchronous=NORMAL"', "store"),
    _cut("a batch of copies is not synced", "store/blobs/writer.py",
         "            _sync(self._descriptor)\n", "            pass\n", "cache"),
    _cut("rows are committed before their copies are on the disk", "store/blobs/writer.py",
         "            _write_all(self._descriptor, parts)\n",
         "            _sync(self._descriptor)\n            _write_all(self._descriptor, parts)\n            return\n",
         "cache"),
    _cut("the name of a new pack is not synced", "store/blobs/writer.py",
         "            sync_folder(folder)\n", "            pass\n", "cache"),
    _cut("the index confirms a commit whose folder is not synced", "search/index/tantivy/writer.py",
         "        self._open.commit()\n        sync_folder(self._generation)\n", "        self._open.commit()\n",
         "index", 100),
    _cut("no folder is ever synced", "base/durability.py",
         "        os.fsync(descriptor)\n", "        pass\n", "index"),
    _cut("the name of the index in use is not synced", "search/index/tantivy/generations.py",
         "        os.fsync(file.fileno())\n", "        pass\n", "index"),
    _cut("a receiver confirms events that it has not synced", "receivers/jsonlines.py",
         "                rest = rest[os.write(self._descriptor, rest) :]\n            os.fsync(self._descriptor)\n",
         "                rest = rest[os.write(self._descriptor, rest) :]\n", "receiver"),
    _cut("a hole in the file of a receiver is not repaired", "receivers/jsonlines.py",
         "        if torn:\n", "        if False:\n", "receiver"),
    _call("an error of a disk is ignored when a copy is written", "store/blobs/writer.py",
          "            self._give_back()\n            self._fail(error)\n", "            self._whole = bool(error)\n",
          "1-60"),
    _call("an error of a disk is ignored when a receiver writes", "receivers/jsonlines.py",
          "            raise self._failure(error) from error\n        self._size += len(data)\n",
          "            self._whole = bool(error)\n            return\n        self._size += len(data)\n", "1-60"),
    _call("an error of a disk is reported as an internal error", "base/durability.py",
          "    if not isinstance(error, OSError) or", "    if isinstance(error, OSError) or", "1-60"),
)  # fmt: skip
