"""In which order are the files of tests run by several processes? The longest first.

A file is run by one process from end to end, since its tests share servers. One that takes minutes and is begun last
keeps its process busy when all others are done; so what takes long goes first, and what is short fills up the end.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

SECONDS = {
    "journeys/test_accidents.py": 173, "journeys/test_swallowed.py": 95, "journeys/test_files.py": 82,
    "journeys/test_lent.py": 150,
    "journeys/test_rounds.py": 76, "journeys/test_sitemaps.py": 75, "cli/test_crawl.py": 70,
    "house/test_readme.py": 70, "journeys/test_kills.py": 68, "journeys/test_ways_in.py": 60,
    "cli/test_storing.py": 60,
    "sources/files/test_discovery.py": 42, "journeys/test_sight.py": 41, "journeys/test_hostile.py": 40,
    "journeys/test_addresses.py": 39, "journeys/test_asking.py": 38, "journeys/test_backup.py": 30,
    "journeys/test_receivers.py": 50, "crawl/test_provide.py": 30, "operate/test_problems.py": 35,
    "journeys/test_opensearch.py": 45, "receivers/test_opensearch.py": 25,
    "receivers/test_jsonlines.py": 32, "journeys/test_access.py": 30, "cli/test_receivers.py": 20,
    "reliability/test_simulation.py": 30, "journeys/test_outages.py": 35, "journeys/test_disks.py": 30,
    "journeys/test_delta.py": 40, "journeys/test_modes.py": 45, "cli/test_parameters.py": 20, "cli/test_modes.py": 12,
    "contracts/test_index_tally.py": 19, "cli/test_boundaries.py": 17, "operate/test_explain.py": 15,
    "operate/test_scheduling.py": 15,
    "cli/test_sources.py": 15, "journeys/test_budgets.py": 15, "journeys/test_content.py": 15,
    "journeys/test_crowd.py": 15, "journeys/test_edits.py": 15, "journeys/test_errors.py": 15,
    "journeys/test_forbidden.py": 15, "journeys/test_hops.py": 15, "journeys/test_interrupted.py": 12,
    "journeys/test_links.py": 15, "journeys/test_maze.py": 15, "journeys/test_pace.py": 15,
    "journeys/test_plants.py": 15, "journeys/test_previews.py": 15, "journeys/test_priority.py": 15,
    "journeys/test_queries.py": 15, "journeys/test_recrawl.py": 15, "journeys/test_refresh.py": 15,
    "journeys/test_restart.py": 15, "journeys/test_silence.py": 15, "journeys/test_small_changes.py": 15,
    "journeys/test_stalls.py": 15, "journeys/test_traps.py": 15, "house/test_sizes.py": 15, "cli/test_help.py": 14,
    "portal/test_steering.py": 25, "portal/test_programs.py": 14, "cli/test_choosing.py": 13,
    "contracts/test_index_ranking.py": 13,
    "contracts/test_index_beginnings.py": 12, "cli/test_bad_input.py": 10, "cli/test_upkeep.py": 10,
    "fetch/test_coding.py": 9, "contracts/test_index_leaves.py": 9, "cache/test_writer.py": 8,
    "cli/test_advice.py": 8, "cli/test_agreed.py": 8, "cli/test_documents.py": 8, "cli/test_explain.py": 8,
    "cli/test_options.py": 8, "cli/test_progress.py": 8, "cli/test_runs.py": 8, "cli/test_search.py": 8,
    "cli/test_serve.py": 8, "cli/test_signals.py": 8, "cli/test_sites.py": 8, "cli/test_status.py": 8,
    "cli/test_traps.py": 8, "cli/test_tuning.py": 8, "app/test_folder.py": 6, "app/test_interrupts.py": 6,
    "app/test_logs.py": 6, "app/test_memory.py": 6, "app/test_roles.py": 6, "app/test_sampling.py": 6,
    "app/test_session.py": 6, "app/test_supervisor.py": 6, "app/test_web.py": 6,
}  # fmt: skip
"""About how many seconds files take (`make test` on two cores); 15, 8 and 6 stand for journeys, commands and processes
that were not measured one by one. What is not listed takes next to nothing, and goes by its number of tests."""
_FOLDER = Path(__file__).parent


def ordered(files: Sequence[str]) -> list[int]:
    """The places of tests, whose files are given, in the order in which they are to be run."""
    tests = Counter(files)
    return sorted(
        range(len(files)), key=lambda place: (-SECONDS.get(files[place], 0), -tests[files[place]], files[place])
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the files where there are several processes; `make test` has them taken as they come."""
    if hasattr(config, "workerinput"):
        files = [os.path.relpath(each.path, _FOLDER) for each in items]
        items[:] = [items[place] for place in ordered(files)]
