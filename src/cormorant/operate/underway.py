"""Of which sources does a crawl find pages right now?"""

from __future__ import annotations

from cormorant.catalog import sources
from cormorant.journal import runs
from cormorant.model.run import RunState
from cormorant.operate.house import House
from cormorant.store import processes

FINDING = (RunState.DISCOVERING, RunState.RETRIEVING)
"""States of a run in which it finds pages."""


def underway(house: House) -> list[str]:
    """Names of the sources that are being crawled. A run that was killed is not under way."""
    with house.store.read() as tx:
        numbers = {run.source_id for run in runs.open_runs(tx) if run.state in FINDING}
        if not numbers or not processes.alive(tx, "retriever"):
            return []
        return [row.name for row in sources.every(tx) if row.id in numbers]
