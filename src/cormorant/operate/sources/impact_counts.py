"""Impact counts: documents that would leave the index, for the error that refuses such an edit unconfirmed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice, zip_longest
from typing import Final

import sqlalchemy as sa

from cormorant.frontier.staging import pending_deletes
from cormorant.operate.installation import Installation
from cormorant.operate.records.problem import ImpactRecord, RuleCount
from cormorant.operate.records.sources import EffectRecord
from cormorant.operate.sources.impact_preview import SHOWN
from cormorant.store.catalog import sources
from cormorant.store.schema import content

DELETED: Final = "source: deleted"
"""The rule for documents that leave with their source."""


def going(effects: Sequence[EffectRecord]) -> int:
    """Return the number of documents that would leave by these edits of one source each, as in `impact_preview`."""
    return sum(each["leave"] + each["merge"] for each in effects)


def of_edits(effects: Sequence[EffectRecord]) -> ImpactRecord:
    """Return the impact of all these edits: count, some addresses per source, rules; {} if nothing would leave."""
    if not going(effects):
        return {}
    rules = Counter[str]()
    for each in chain.from_iterable(effect["leave_rules"] for effect in effects):
        rules[each["rule"]] += each["addresses"]
    turns = zip_longest(*(effect["leaving"] for effect in effects))
    return {
        "leave": sum(effect["leave"] for effect in effects), "merge": sum(effect["merge"] for effect in effects),
        "leaving": list(islice((url for turn in turns for url in turn if url is not None), SHOWN)),
        "leave_rules": [{"rule": rule, "addresses": count} for rule, count in rules.most_common()],
    }  # fmt: skip


def of_deletion(house: Installation, name: str) -> ImpactRecord:
    """Return the impact of the deletion of a source, in the same form. Raises NotFoundError."""
    columns = content.c
    with house.store.read() as tx:
        number = sources.named(tx, name).id
        count = pending_deletes.indexed_count(tx, number)
        chosen = sa.select(columns.url).where(columns.source_id == number, columns.indexed)
        some = [row.url for row in tx.rows(chosen.order_by(columns.id).limit(SHOWN))] if count else []
    rules: list[RuleCount] = [{"rule": DELETED, "addresses": count}]
    return {"leave": count, "merge": 0, "leaving": some, "leave_rules": rules} if count else {}
