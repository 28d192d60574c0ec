"""Count the files that a source shows to everyone although others may not read them, and name the remedies.

A scan of the folder counts them before the first crawl, and each listing after that. The check decides nothing: the
settings decide what a source shows, and the count informs a person while they can still change them.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Final
from urllib.parse import unquote

from cormorant.base.errors import CormorantError
from cormorant.frontier.state import exposure
from cormorant.frontier.state.enqueue import SiteNumbers
from cormorant.model.exposure import ExposedFiles, ExposureTally
from cormorant.model.resource import DiscoveredUrl
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.operate.installation import Installation
from cormorant.plugins import Source, source_settings
from cormorant.store.catalog import sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs

LOOK_S: Final = 3.0
"""Seconds for which a folder is scanned before its first crawl."""


Seen = tuple[ExposedFiles, str] | None
"""The count of a scan and the site of the folder; None if there was nothing to scan."""


def look(source: Source) -> Seen:
    """Count exposed files in a folder for LOOK_S. None if it is missing, empty or does not answer."""
    counting = _Counting(source)
    thread = threading.Thread(target=counting.count, name="exposure", daemon=True)
    thread.start()
    thread.join(LOOK_S)
    counting.stopped = True
    at_least = thread.is_alive() or bool(source.unlisted)
    found = counting.tally.total(at_least=at_least, blind=source.blind)
    return (found, counting.site) if counting.site else None


class _Counting:
    """Scans a folder until it is stopped; a share that is gone may block its thread for ever."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.tally, self.site, self.stopped = ExposureTally(), "", False

    def count(self) -> None:
        """Count."""
        with suppress(CormorantError):
            for batch in takewhile(lambda _: not self.stopped, self._source.discover("")):
                for found in (each for each in batch if isinstance(each, DiscoveredUrl)):
                    self._add(found)

    def _add(self, found: DiscoveredUrl) -> None:
        self.site = found.site
        if found.closure is not None and self._source.gates.follow(found.address, found.depth).admitted:
            self.tally.add(found.address, found.closure)


def keep(tx: Tx, source: int, seen: Seen) -> None:
    """Store the count of a scan of a source's folder."""
    if seen is not None:
        exposure.keep(tx, SiteNumbers(), source, seen[1], seen[0])


def of_source(tx: Tx, row: SourceRow) -> ExposedFiles | None:
    """Return the newest count, 0 if the source is not for everyone; None if nothing was counted yet."""
    try:
        exposes = source_settings(row.kind, row.settings).exposes
    except CormorantError:
        return None
    if not exposes:
        return ExposedFiles()
    return exposure.newest(tx, row.id)


def sentences(name: str, found: ExposedFiles | None) -> Iterator[str]:
    """Name the exposed files, and the ways to keep them closed."""
    if found is None:
        return
    if found.files:
        yield f"{_count(found)} {_which(name, found)}{_named(found)}. {_ways(name, found)}"
    if found.blind:
        yield (
            f"The folder of {name} is on a {found.blind} file system, whose rights its mount makes up: who may read "
            "the files cannot be seen from here, and everyone who reaches the search page may find them all. "
            f"{_FOR_SOME.format(shlex.quote(name))}"
        )


_FOR_SOME: Final = "`cormorant source edit {} --set grants=group:NAME` hides all of it from everyone."


def _count(found: ExposedFiles) -> str:
    many = "1 file" if found.files == 1 else f"{found.files:,} files"
    return f"At least {many}" if found.at_least else many


def _which(name: str, found: ExposedFiles) -> str:
    them = "it" if found.files == 1 else "them"
    closed = f"of {name} may not be read by others on this machine"
    return f"{closed}, and everyone who reaches the search page may find {them}"


def _named(found: ExposedFiles) -> str:
    """Name the first files, with the reasons."""
    named = [f"{unquote(address.removeprefix('file://'), errors='replace')} ({why})" for address, why in found.first]
    more = found.files - len(named)
    return f": {', '.join(named)}" + (f" and {more:,} more" if more > 0 else "") if named else ""


def _ways(name: str, found: ExposedFiles) -> str:
    """Say how to keep the exposed files of a source closed.

    `owner_grants` ignores the rights of folders above the source's folder.
    """
    quoted = shlex.quote(name)
    by_rights = f"`cormorant source edit {quoted} --set owner_grants=true` applies the rights of the files"
    others = "`--set exclude=PATTERN` leaves them out, `--set grants=group:NAME` keeps all of the source from everyone"
    if not found.above:
        return f"To keep them closed: {by_rights}, {others}."
    if not found.inside:
        others = others.replace("`--set", f"`cormorant source edit {quoted} --set", 1)
        return f"To keep them closed: {others}. owner_grants does not look at {found.above}, which is above its folder."
    return (
        f"To keep them closed: {by_rights}, though not by those of {found.above}, which is above its folder; {others}."
    )


def notices(context: CheckContext) -> Iterator[RunProblem]:
    """Yield a line for a run that listed more exposed files than the run before it; the first run always counts."""
    tx, row, owner = context.tx, context.row, context.owner
    if not row.lists or owner is None:
        return
    count, before = context.counters.exposed_files, runs.listed_before(tx, row)
    newest = exposure.newest(tx, owner.id) if context.is_newest else None
    found = newest if newest is not None and newest.files == count else ExposedFiles(count)
    if before is not None:
        grown = count > runs.counters(tx, before.id).exposed_files
        found = found._replace(blind="", files=count if grown else 0)
    for sentence in sentences(owner.name, found):
        yield RunProblem("exposure", sentence, {"addresses": found.files, "first": found.as_record()["first"]})


def first_looks(house: Installation, names: Sequence[str]) -> list[str]:
    """Scan the folders of these sources (no names: of all) that were never crawled or scanned; return the findings.

    A share may not have been mounted when its source was added. Raises NotFoundError.
    """
    with house.store.read() as tx:
        chosen = [sources.named(tx, name) for name in dict.fromkeys(names)] or sources.every(tx)
        new = [row for row in chosen if not row.generation and of_source(tx, row) is None]
    return [sentence for row in new for sentence in _first_look(house, row)]


def _first_look(house: Installation, row: SourceRow) -> list[str]:
    """Scan the folder of one source. The crawl reports errors of its settings or its folder."""
    try:
        seen = look(house.source(row))
    except CormorantError:
        return []
    with house.store.begin() as tx:
        if sources.numbered(tx, row.id) is not None:
            keep(tx, row.id, seen)
    return [*sentences(row.name, seen[0])] if seen is not None else []
