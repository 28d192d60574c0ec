"""Of which sources does a crawl find pages right now?"""

from __future__ import annotations

from cormorant.model.run import RunState
from cormorant.operate.installation import Installation
from cormorant.store.catalog import sources
from cormorant.store.db import heartbeats
from cormorant.store.journal import runs

FINDING = (RunState.DISCOVERING, RunState.RETRIEVING)
"""States of a run in which it finds pages."""


def underway(house: Installation) -> list[str]:
    """Names of the sources that are being crawled. A run that was killed is not under way."""
    with house.store.read() as tx:
        numbers = {run.source_id for run in runs.open_runs(tx) if run.state in FINDING}
        if not numbers or not heartbeats.alive(tx, "retriever"):
            return []
        return [row.name for row in sources.every(tx) if row.id in numbers]
