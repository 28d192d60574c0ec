"""Faults planted into a copy of the package, to see that the kill test finds them.

Each is a plausible mistake. If the gap that it opens is too short to be hit by a few kills, the plant holds it open
(`pause`).
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "cormorant"
_HOLD = '__import__("cormorant.base.clock").base.clock.pause(1.0)'


class Plant(NamedTuple):
    """A fault: its name, the file, and texts with their replacements."""

    name: str
    file: str
    changes: tuple[tuple[str, str], ...]


PLANTS = (
    Plant(
        "the epoch of a lease is not checked",
        "frontier/queue/host_leases.py",
        (("if row.epoch == wanted[row.id].lease.epoch and row.owner == owner\n", "if row.id in wanted\n"),),
    ),
    Plant(
        "events are appended after the commit, in a transaction of their own",
        "crawl/commit/committer.py",
        (
            ("            persist.write(tx, made, self.order.run)\n",
             "            append, persist.stream.append = persist.stream.append, lambda *_: 0\n"
             "            persist.write(tx, made, self.order.run)\n            persist.stream.append = append\n"),
            ("            runs.count(tx, self.order.run, means.owner, counters)\n        return lost",
             f"            runs.count(tx, self.order.run, means.owner, counters)\n        {_HOLD}\n"
             "        if made.entries:\n            with means.store.begin() as tx:\n"
             "                persist.stream.append(tx, made.entries)\n        return lost"),
        ),
    ),
    Plant(
        "rows name copies that are written after the commit",
        "store/blobs/writer.py",
        (
            ("        self._write(parts)\n", "        late = getattr(self, '_late', [])\n        self._write(late)\n"
             "        self._late = parts\n"),
            ("        if self._descriptor >= 0:\n            os.close", "        if self._descriptor >= 0:\n"
             "            self._write(getattr(self, '_late', []))\n            self._late = []\n            os.close"),
        ),
    ),
    Plant(
        "a visit is completed before its document is written",
        "crawl/commit/committer.py",
        (
            ("            persist.write(tx, made, self.order.run)\n",
             "            fates, persist.writes.fates = persist.writes.fates, lambda *_: None\n"
             "            persist.write(tx, made, self.order.run)\n            persist.writes.fates = fates\n"),
            ('        with means.steps("settle"), means.store.begin() as tx:\n',
             "        with means.store.begin() as tx:\n"
             "            early = batch_rows.rows(batch, list(places.values()), "
             "self.order.run, lambda acl: means.acls.of(tx, acl))\n            "
             f"persist.writes.fates(tx, early.fates, self.order.run)\n        {_HOLD}\n"
             "        with means.store.begin() as tx:\n"),
        ),
    ),
    Plant(
        "a batch is counted in a transaction of its own",
        "crawl/commit/committer.py",
        (
            ("            runs.count(tx, self.order.run, means.owner, counters)\n        return lost",
             "        with means.store.begin() as tx:\n            runs.count(tx, self.order.run, means.owner, "
             "counters)\n        return lost"),
            ("            host_facts.write(tx, [*kept.facts, *discovered_links.learned(kept)])\n",
             f"            host_facts.write(tx, [*kept.facts, *discovered_links.learned(kept)])\n        {_HOLD}\n"),
        ),
    ),
    Plant(
        "a delivery is confirmed before it is made",
        "crawl/deliver/loop.py",
        (
            ("        errand.hand_over(found, upto, ",
             "        if events:\n            with self._store.begin() as tx:\n"
             "                ack.acknowledge(tx, row, errand, upto)\n"
             f"            {_HOLD}\n        errand.hand_over(found, upto, "),
        ),
    ),
    Plant(
        "documents that the index has not committed are confirmed",
        "crawl/deliver/sinks.py",
        (("        return self._confirmed\n", "        return self.place\n"),),
    ),
    Plant(
        "a receiver does not check where its file ends",
        "receivers/jsonlines.py",
        (
            ("self.last = max(seq, self._last_renamed())", "self.last = 0"),
            ("        self.last = last\n        return refusals",
             f"        self.last = last\n        {_HOLD}\n        return refusals"),
        ),
    ),
)  # fmt: skip


def planted(fault: Plant) -> str:
    """The text of the file with this fault; each replaced text has to occur once."""
    text = (PACKAGE / fault.file).read_text()
    for before, after in fault.changes:
        assert text.count(before) == 1, f"{fault.file} has {text.count(before)} times {before!r}"
        text = text.replace(before, after)
    return text


def plant(fault: Plant, folder: Path) -> Path:
    """Make a copy of the package with this fault; return the folder for PYTHONPATH."""
    shutil.copytree(PACKAGE, folder / "cormorant", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "cormorant" / fault.file).write_text(planted(fault))
    return folder
