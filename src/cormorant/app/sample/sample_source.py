"""The bundled sample as sources: a site served on this machine, and a folder.

The command that has the site crawled serves it, `quickstart` or a later `crawl`, for as long as the command goes on:
if `serve` carries the crawl out, interrupting the command ends the site.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from cormorant.app.build import BuildPlan, open_house
from cormorant.app.sample.pages import documents_folder
from cormorant.app.sample.site import HOST, SampleSite
from cormorant.base.errors import Unreachable
from cormorant.model.url import origin_of
from cormorant.operate.installation import Installation
from cormorant.operate.runs.quickstart import Made
from cormorant.operate.sources import sources
from cormorant.store.catalog import sources as catalog
from cormorant.store.journal import runs

SITE, FOLDER = "sample-site", "sample-documents"
PORT = 8766
"""The port of the sample site if it is free, so that its addresses are always the same."""
_ANSWER_S = 1.0


@contextmanager
def serving() -> Iterator[SampleSite]:
    """Serve the sample site for the length of a block."""
    site = SampleSite(PORT)
    try:
        site.start()
    except Unreachable:
        site = SampleSite()
        site.start()
    try:
        yield site
    finally:
        site.stop()


@contextmanager
def in_reach(plan: BuildPlan, numbers: Sequence[int]) -> Iterator[str]:
    """Serve the sample site for the length of a block if one of these runs crawls it and it is not served yet.

    Yields the address, "" if it is not served. The store is closed again before the block begins.
    """
    port = _port_of_runs(plan, numbers)
    with served_at(port) if port is not None else nullcontext("") as address:
        yield address


def _port_of_runs(plan: BuildPlan, numbers: Sequence[int]) -> int | None:
    house = open_house(plan)
    try:
        with house.store.read() as tx:
            rows = [runs.get(tx, number) for number in numbers]
            owners = {row.id: catalog.numbered(tx, row.source_id) for row in rows}
    finally:
        house.store.close()
    ports = (port_of(owner.name, row.settings) for row in rows if (owner := owners[row.id]) is not None)
    return next((port for port in ports if port is not None), None)


def port_of(name: str, settings: Mapping[str, Any]) -> int | None:
    """The port at which a source expects the sample site, None if it is not a source of the sample."""
    start = settings.get("start")
    start = [start] if isinstance(start, str) else start
    if name != SITE or not isinstance(start, list) or len(start) != 1:
        return None
    port = origin_of(start[0]).port
    return port if start == [f"http://{HOST}:{port}/"] else None


@contextmanager
def served_at(port: int) -> Iterator[str]:
    """Serve the sample site at a port for a block, unless a server listens there; yields its address, or ""."""
    site = SampleSite(port)
    try:
        address = "" if _listens(port) else site.start()
    except Unreachable:  # another process was faster, or may not listen there: the crawl then reports it
        address = ""
    try:
        yield address
    finally:
        site.stop()


def _listens(port: int) -> bool:
    """Return whether a server accepts connections on this port."""
    try:
        socket.create_connection((HOST, port), _ANSWER_S).close()
    except OSError:
        return False
    return True


def make(house: Installation, site: SampleSite) -> list[Made]:
    """Add the two sources of the sample, or update them to the current address of the site."""
    rows = {row.name: row for row in sources.every(house)}
    wanted = {SITE: ("web", {"start": site.address}), FOLDER: ("files", {"path": str(documents_folder())})}
    for name, (kind, given) in wanted.items():
        if name not in rows:
            sources.add(house, kind, name, given)
        elif not _is_at(rows[name].settings, given):
            sources.edit(house, name, given)
    return [Made(name, new=name not in rows) for name in wanted]


def _is_at(settings: Mapping[str, Any], given: Mapping[str, str]) -> bool:
    """Return whether a source has the given settings, each alone or as the only item of a list."""
    return all(settings.get(name) in (value, [value]) for name, value in given.items())
