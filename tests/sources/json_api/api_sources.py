"""Sources of suites as tests make them: with a way out to loopback, secrets, and a clock that does not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from cormorant import testing
from cormorant.base.clock import Clock, SystemClock
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import DiscoveredUrl, Removal
from cormorant.plugins import Source, make_source
from cormorant.testing.sources import resource_of


def api_source(
    kind: str, settings: Mapping[str, object], secrets: Mapping[str, str] | None = None, clock: Clock | None = None
) -> Source:
    """Make a source of that kind, which may connect to the server of its settings."""
    tools = replace(testing.tools(secrets or {}), clock=clock or SystemClock())
    return make_source(kind, 3, settings, tools)


def discovered(source: Source, cursor: str = "") -> tuple[dict[str, DiscoveredUrl], set[str]]:
    """Return the documents that a source names by their addresses, and the addresses that it says are gone."""
    found: dict[str, DiscoveredUrl] = {}
    gone = set[str]()
    for batch in source.discover(cursor):
        for each in batch:
            if isinstance(each, Removal):
                gone.add(each.address)
                found.pop(each.address, None)
            else:
                found[each.address] = each
    return found, gone


def fetched(source: Source, found: DiscoveredUrl, trace: VisitTrace | None = None) -> Content | Outcome:
    """Visit one document."""
    return asyncio.run(source.fetch(resource_of(found, source), trace or VisitTrace()))
