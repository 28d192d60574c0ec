"""Consistency checks of a web source's settings, each of which is valid by itself."""

from __future__ import annotations

from collections.abc import Iterator

from cormorant.model.url import origin_of
from cormorant.sources.rules import DOCUMENT_TYPES
from cormorant.sources.rules.conflicts import Conflict, conflicts
from cormorant.sources.web.filters import WebGates
from cormorant.sources.web.settings import credential_lines
from cormorant.sources.web.settings.web import WebSettings

SHOWN = 5


def doubts(settings: WebSettings) -> list[str]:
    """Start addresses that the rules leave out, rules that never decide, secrets that many hosts get.

    Raises what `web.starts` raises.
    """
    return [*_starts(settings), *(each.sentence for each in _conflicts(settings)), *_shared_secrets(settings)]


def _conflicts(settings: WebSettings) -> Iterator[Conflict]:
    yield from conflicts(settings.include, settings.exclude)
    yield from conflicts(_of_addresses(settings.index_include), _of_addresses(settings.index_exclude), "index_")


def _of_addresses(rules: tuple[str, ...]) -> list[str]:
    return [rule for rule in rules if rule.partition(":")[0].strip().lower() not in DOCUMENT_TYPES]


def _starts(settings: WebSettings) -> Iterator[str]:
    """The start addresses that would not be visited, the first of them by name."""
    starts = settings.starts()
    gates = WebGates(settings, starts, float)
    ruled = ((start, gates.follow(start, 0)) for start in starts)
    refused = [(start, f"{ruling.gate}: {ruling.rule}") for start, ruling in ruled if not ruling.admitted]
    for start, rule in refused[:SHOWN]:
        yield f"The start address {start} would not be visited, by {rule}."
    if len(refused) > SHOWN:
        yield f"{len(refused) - SHOWN:,} more start addresses would not be visited."


def _shared_secrets(settings: WebSettings) -> Iterator[str]:
    """Settings by which unrelated hosts get the same secret."""
    origins = {str(origin_of(each)) for each in settings.starts()}
    if len(origins) < 2:
        return
    proofs = {
        "credentials": [each.place for each in map(credential_lines.credential, settings.credentials)],
        "headers": [each.place for each in map(credential_lines.header, settings.headers) if each.secret],
        "client_certificate": [each.place for each in map(credential_lines.certificate, settings.client_certificate)],
    }
    for name, places in proofs.items():
        if any(not place.origin for place in places):
            yield (
                f"The setting {name} has an entry without an address, so it is sent to all {len(origins):,} origins "
                "of the start addresses: begin the entry with its origin, like https://wiki.example.org."
            )
