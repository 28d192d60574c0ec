"""Which crawls are said to be running."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.model.run import Refresh, RunState
from cormorant.operate.runs.live import underway
from cormorant.store.catalog import sources
from cormorant.store.db import heartbeats
from cormorant.store.journal import runs


@pytest.mark.parametrize("state", [*RunState])
def test_a_run_is_under_way_while_it_finds_and_somebody_is_at_work(state: RunState, tmp_path: Path) -> None:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as house:
        with house.store.begin() as tx:
            number = sources.add(tx, "files", "docs", {"path": "/srv"})
            sources.add(tx, "files", "idle", {"path": "/srv"})
            runs.change(tx, runs.request(tx, number, "{}", Refresh.ALL, force=False), state=state)
        assert underway(house) == [], "what was killed is not under way"
        with house.store.begin() as tx:
            heartbeats.say(tx, "retriever-1@here", "retriever", 0.0)
        assert underway(house) == (["docs"] if state in (RunState.DISCOVERING, RunState.RETRIEVING) else [])
