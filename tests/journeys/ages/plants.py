"""Faults planted into a copy of the package, to see that the proof of older data folders finds them."""

from __future__ import annotations

from tests.journeys.plants import Plant

_SOURCES = '    op.add_column("source", sa.Column("agreed_at", sa.Double))\n'


def _upgrade(name: str, statement: str) -> Plant:
    """An upgrade that also executes this statement."""
    added = f'{_SOURCES}    op.execute("{statement}")\n'
    return Plant(name, "store/migrations/versions/0013_agreed.py", ((_SOURCES, added),))


PLANTS = (
    Plant(
        "an upgrade keeps no backup", "store/db/migrate.py",
        (("    partial.replace(target)\n", "    partial.unlink()\n"),),
    ),
    _upgrade("an upgrade forgets the validators of pages", "UPDATE content SET etag = ''"),
    _upgrade("an upgrade makes every page due again", "UPDATE resource SET due = 0, state = 0"),
    _upgrade("an upgrade loses a document", "DELETE FROM resource WHERE id = (SELECT max(id) FROM content)"),
    _upgrade("an upgrade ends the open run", "UPDATE run SET state = 'stopped' WHERE complete = 0"),
    _upgrade(
        "an upgrade drops events that receivers have not got",
        "UPDATE receiver SET place = (SELECT seq FROM stream_head)",
    ),
    Plant(
        "an index of another layout is opened", "search/index/tantivy/schema.py",
        (("        if layout == LAYOUT:\n", "        if layout:\n"),),
    ),
    Plant("a newer database is opened", "store/db/migrate.py", (("elif version > SCHEMA_VERSION:", "elif False:"),)),
)  # fmt: skip
