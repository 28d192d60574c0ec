"""The bundled sample as sources: a site served on this machine, and a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from cormorant.base.errors import Unreachable
from cormorant.operate import sources
from cormorant.operate.house import House
from cormorant.operate.quickstart import Made
from cormorant.sample.pages import documents_folder
from cormorant.sample.site import SampleSite

SITE, FOLDER = "sample-site", "sample-documents"
PORT = 8766
"""Where the sample site is served when that port is free, so that its addresses are the same every time."""


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


def make(house: House, site: SampleSite) -> list[Made]:
    """Make the two sources of the sample, or bring those that are there up to where it is served now."""
    rows = {row.name: row for row in sources.every(house)}
    wanted = {SITE: ("web", {"start": site.address}), FOLDER: ("files", {"path": str(documents_folder())})}
    for name, (kind, given) in wanted.items():
        if name not in rows:
            sources.add(house, kind, name, given)
        elif not _is_at(rows[name].settings, given):
            sources.edit(house, name, given)
    return [Made(name, new=name not in rows) for name in wanted]


def _is_at(settings: Mapping[str, Any], given: Mapping[str, str]) -> bool:
    """Whether a source is where it should be, its one setting alone or in a list."""
    return all(settings.get(name) in (value, [value]) for name, value in given.items())
