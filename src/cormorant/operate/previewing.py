"""What would an edit of a source do? Nothing is changed and nothing is asked of anybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import sqlalchemy as sa

from cormorant.base.errors import CormorantError
from cormorant.catalog import sources
from cormorant.catalog.sources import SourceRow
from cormorant.frontier import hiding
from cormorant.journal import visits
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.settings import parse_settings
from cormorant.model.status import Status
from cormorant.operate import documents
from cormorant.operate.house import House
from cormorant.operate.sources import Given, edited, settings_of
from cormorant.plugins import Source, Tools, source_kind
from cormorant.store.database import Tx
from cormorant.store.schema import content, resource

PAGE = 5000
SHOWN = 20
ADDRESSES = ("strip_parameters", "sort_query", "rewrite", "rewriter")
BOUNDARY = frozenset(
    ("start", "start_file", "include", "exclude", "depth", "dynamic_pages", "path", "hidden", *ADDRESSES)
)
"""Settings of any kind whose effect on known addresses can be told without fetching anything."""
PACE = frozenset(
    ("delay_s", "per_host", "crawl_delay", "patience_s", "timeout_s", "idle_timeout_s", "connect_timeout_s")
)
"""Settings that change when something is asked for, and nothing in the index."""


def preview(house: House, name: str, given: Given) -> dict[str, Any]:
    """Which settings change, which documents would leave, which excluded addresses would enter.

    Judged by the gates that need nothing fetched: boundary, depth, patterns. What other settings change shows at the
    next crawl, so those are named as `unjudged`; so does what the addresses that enter lead to. Raises what
    `sources.edit` raises.
    """
    with house.store.read() as tx:
        row = sources.named(tx, name)
        settings = settings_of(row.kind, edited(row, given))
        kind = source_kind(row.kind)
        before = parse_settings(kind.settings, row.settings).model_dump(mode="json")
        after = settings.model_dump(mode="json")
        source = kind.make(row.id, settings, Tools(None, house.clock))
        was: Source | None = None
        with suppress(CormorantError):  # the settings of now may no longer make a source
            was = house.source(row)
        coming = _Coming(source, was)
        for excluded in _excluded(tx, row):
            coming.judge(*excluded)
        leaving, leave = [], 0
        renaming = list[dict[str, str]]()
        renamed = 0
        for address, url, depth in _documents(tx, row):
            known = source.rename(address)
            if known is not None and known.address != address:
                renamed += 1
                renaming += [{"url": url, "to": known.address, "rule": known.rule}] if renamed <= SHOWN else []
            elif not source.gates.follow(address, depth).admitted:
                leave += 1
                leaving += [url] if leave <= SHOWN else []
        return {
            "source": name,
            "changes": [
                {"setting": key, "before": before.get(key), "after": value}
                for key, value in after.items()
                if value != before.get(key)
            ],
            "documents": hiding.indexed_count(tx, row.id), "leave": leave, "leaving": leaving,
            "rename": renamed, "renaming": renaming,
            "enter": coming.rules.total(), "entering": coming.examples,
            "enter_rules": [{"rule": rule, "addresses": count} for rule, count in coming.rules.most_common()],
            "unjudged": [key for key in after if after[key] != before.get(key) and key not in BOUNDARY | PACE],
        }  # fmt: skip


def _documents(tx: Tx, row: SourceRow) -> Iterator[tuple[str, str, int]]:
    """Address, display address and depth of every document that search may find."""
    behind = 0
    while True:
        statement = (
            sa.select(resource.c.id, resource.c.address, content.c.url, resource.c.depth)
            .join(content, content.c.id == resource.c.id)
            .where(content.c.source_id == row.id, content.c.indexed, resource.c.id > behind)
            .order_by(resource.c.id)
            .limit(PAGE)
        )
        rows = tx.rows(statement)
        for each in rows:
            yield each.address, each.url, each.depth
        if len(rows) < PAGE:
            return
        behind = rows[-1].id


class _Coming:
    """Excluded addresses that would be visited: how many by the rule that keeps them out now, and the first."""

    def __init__(self, source: Source, was: Source | None) -> None:
        self._source, self._was = source, was
        self.rules, self.examples = Counter[str](), list[dict[str, str]]()

    def judge(self, address: str, depth: int, rule: str) -> None:
        """Count an address that is kept out now and would not be. `rule` excluded it when it was met."""
        now = self._was.gates.follow(address, depth) if self._was else None
        if (now is not None and now.admitted) or not self._source.gates.follow(address, depth).admitted:
            return
        rule = f"{now.gate}: {now.rule}" if now else rule
        self.rules[rule] += 1
        if len(self.examples) < SHOWN:
            self.examples.append({"url": address, "rule": rule})


def _excluded(tx: Tx, row: SourceRow) -> Iterator[tuple[str, int, str]]:
    """Address, depth and reason of what a gate excluded: resources, then what never became one.

    Links that are not to be followed lead to addresses that no setting lets in.
    """
    columns, behind = resource.c, 0
    refused = (
        sa.select(columns.id, columns.address, columns.depth, columns.reason)
        .where(columns.source_id == row.id, columns.outcome == int(OutcomeKind.EXCLUDED))
        .where(columns.role == int(Role.DOCUMENT))
    )
    while rows := tx.rows(refused.where(columns.id > behind).order_by(columns.id).limit(PAGE)):
        for each in rows:
            yield each.address, each.depth, each.reason or ""
        behind = rows[-1].id
    key: int | None = None
    while page := visits.exclusions_behind(tx, row.id, key, PAGE):
        known = documents.known_among(tx, row.id, page)
        for one in page:
            if one.hash not in known and one.status != Status.NOFOLLOW_ONLY:
                yield one.address, one.depth, f"{one.gate}: {one.rule}"
        key = page[-1].hash
