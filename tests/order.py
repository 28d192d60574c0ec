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
    "house/test_readme.py": 290, "cli/crawl/test_crawl.py": 260, "journeys/test_accidents.py": 215,
    "journeys/test_crawls_of_mail.py": 180, "journeys/test_swallowed.py": 160, "journeys/test_files.py": 145,
    "operate/runs/test_report.py": 141,
    "journeys/test_turns.py": 138, "journeys/test_sitemaps.py": 133, "journeys/test_orphans.py": 123,
    "cli/admin/test_store.py": 118, "journeys/test_receivers.py": 111, "journeys/test_kills.py": 108,
    "journeys/test_survival.py": 90, "cli/begin/test_serve.py": 88, "contracts/test_index_properties.py": 88,
    "journeys/test_lent.py": 87, "web/pages/test_sign_in.py": 86, "cli/admin/test_index_and_cache.py": 81,
    "journeys/test_edits.py": 76, "journeys/test_delta.py": 76, "cli/crawl/test_receivers.py": 75,
    "journeys/test_ways_in.py": 75, "journeys/test_asking.py": 71, "journeys/test_traps.py": 69,
    "journeys/test_recrawl.py": 69, "crawl/deliver/test_loop.py": 67, "journeys/test_pace.py": 67,
    "journeys/test_forbidden.py": 66, "web/api/test_requests.py": 66, "journeys/test_modes.py": 62,
    "contracts/test_index_tally.py": 61, "journeys/test_rounds.py": 59, "journeys/test_addresses.py": 58,
    "journeys/test_refresh.py": 58, "store/db/test_dump.py": 55, "store/db/test_migrate.py": 53,
    "house/test_first_steps.py": 54, "journeys/test_hops.py": 53, "journeys/test_budgets.py": 53,
    "receivers/test_jsonlines.py": 50, "journeys/test_sight.py": 49, "journeys/test_errors.py": 48,
    "cli/test_signals.py": 47, "receivers/test_python.py": 47, "journeys/test_priority.py": 46, "cli/test_help.py": 45,
    "journeys/test_content.py": 45, "journeys/test_near.py": 45, "journeys/test_previews.py": 44,
    "journeys/test_disks.py": 44, "journeys/test_interrupted.py": 44, "journeys/test_hostile.py": 44,
    "contracts/test_index_beginnings.py": 43, "journeys/test_access.py": 41, "cli/crawl/test_runs.py": 40,
    "crawl/run/test_controller.py": 39, "cli/test_choosing.py": 39, "operate/runs/test_scheduler.py": 39,
    "journeys/test_links.py": 38, "web/api/test_routing.py": 37, "journeys/test_outages.py": 36,
    "journeys/test_edited_meanwhile.py": 36, "cli/test_boundaries.py": 36, "journeys/test_stalls.py": 36,
    "journeys/test_silence.py": 36, "cli/test_agreed.py": 35, "journeys/test_small_changes.py": 35,
    "operate/explain/test_explain.py": 32, "sources/files/test_walk.py": 31, "reliability/test_simulation.py": 28,
    "web/test_steering.py": 28, "journeys/test_backup.py": 28, "journeys/test_phases.py": 28,
    "cli/test_bad_input.py": 27, "cli/crawl/test_schedules.py": 26, "web/test_errors.py": 25,
    "net/http/test_content_encoding.py": 25, "house/test_sizes.py": 24, "house/test_packaging.py": 23,
    "operate/test_client.py": 23, "receivers/test_opensearch.py": 23, "journeys/test_queries.py": 23,
    "contracts/test_index_ranking.py": 23, "web/security/test_authentication.py": 23, "web/test_running.py": 22,
    "journeys/test_restart.py": 22, "house/test_names.py": 22, "contracts/test_index_leaves.py": 22,
    "search/index/tantivy/test_reader.py": 21, "cli/display/test_progress.py": 21, "sandbox/test_client.py": 20,
    "contracts/test_receivers.py": 20, "operate/documents/test_lookup.py": 20, "search/query/test_form.py": 20,
    "cli/admin/test_status.py": 20, "frontier/links/test_inlinks.py": 19, "web/test_query_recorder.py": 19,
    "net/http/test_hostile.py": 19, "journeys/test_logins.py": 19, "frontier/queue/test_refill.py": 18,
    "frontier/cleanup/test_purge.py": 18, "house/test_docs.py": 18, "journeys/test_failing.py": 17,
    "house/test_statuses.py": 17, "journeys/test_depth.py": 17, "model/schedule/test_recurrence.py": 16,
    "cli/crawl/test_sources.py": 16, "app/processes/test_supervisor.py": 16, "cli/test_modes.py": 15,
    "frontier/staging/test_duplicate_clusters.py": 15, "journeys/test_crowd.py": 15, "contracts/test_index.py": 14,
    "frontier/queue/test_host_leases.py": 14, "journeys/test_again.py": 14, "journeys/test_opensearch.py": 14,
    "frontier/state/test_enqueue.py": 14, "crawl/run/test_exact_depth.py": 14, "crawl/commit/test_moved_files.py": 14,
    "search/index/tantivy/test_folder.py": 14, "journeys/test_courtesy.py": 14, "web/test_api_page.py": 13,
    "store/blobs/test_writer.py": 13, "frontier/staging/test_pending_deletes.py": 12, "app/logs/test_otel.py": 12,
    "web/test_app.py": 12,
    "sources/table/test_source.py": 25, "journeys/test_crawls_of_sftp.py": 100, "journeys/test_crawls_of_webdav.py": 70,
    "journeys/test_crawls_of_ftp.py": 70, "journeys/test_crawls_of_s3.py": 70, "journeys/test_crawls_of_table.py": 80,
    "journeys/test_crawls_of_archives.py": 50, "journeys/test_crawls_of_feeds.py": 50,
    "journeys/test_crawls_of_folders.py": 50, "journeys/test_crawls_of_github.py": 50,
    "journeys/test_crawls_of_gitlab.py": 50, "journeys/test_crawls_of_mediawiki.py": 50,
    "journeys/test_crawls_of_programs.py": 50, "journeys/test_crawls_of_pushes.py": 50,
    "journeys/test_crawls_of_repositories.py": 50,
    "journeys/test_tika.py": 32, "crawl/visit/test_tika_client.py": 15,
}  # fmt: skip
"""About how many seconds files take beside three others (`make test` on two cores). What is not listed takes less than
twelve, and goes by its number of tests."""
QUICK_JOURNEYS = {
    "test_again.py", "test_backup.py", "test_counted_documents.py", "test_courtesy.py",
    "test_failing.py", "test_queries.py", "test_restart.py", "test_tongues.py",
}  # fmt: skip
"""Journeys that `make test` runs too; the others are marked `long`, and `make journeys` runs them."""
LONG = {
    "cli/admin/test_index_and_cache.py", "cli/admin/test_store.py", "cli/begin/test_serve.py",
    "cli/crawl/test_crawl.py",
    "cli/crawl/test_receivers.py", "cli/crawl/test_runs.py", "cli/test_boundaries.py", "cli/test_choosing.py",
    "cli/test_signals.py", "contracts/test_index_beginnings.py", "contracts/test_index_properties.py",
    "contracts/test_index_tally.py", "crawl/deliver/test_loop.py", "operate/runs/test_report.py",
    "receivers/test_jsonlines.py", "receivers/test_python.py", "store/db/test_dump.py", "store/db/test_migrate.py",
    "web/api/test_requests.py", "web/pages/test_sign_in.py",
}  # fmt: skip
"""Files beside the journeys that take most of a minute or more, and are `long` too."""
GUIDES = "test_page[docs/how-to/"
"""How the names of tests begin that run the examples of a guide; they take minutes together, and are `long` too."""
_FOLDER = Path(__file__).parent


def ordered(files: Sequence[str]) -> list[int]:
    """The places of tests, whose files are given, in the order in which they are to be run."""
    tests = Counter(files)
    return sorted(
        range(len(files)), key=lambda place: (-SECONDS.get(files[place], 0), -tests[files[place]], files[place])
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what takes long, before markers choose which tests are run."""
    is_journey = item.path.parent == _FOLDER / "journeys" and item.path.name not in QUICK_JOURNEYS
    name = os.path.relpath(item.path, _FOLDER)
    if is_journey or name in LONG or item.name.startswith(GUIDES):
        item.add_marker("long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the files where there are several processes; `make test` has them taken as they come."""
    if hasattr(config, "workerinput"):
        files = [os.path.relpath(each.path, _FOLDER) for each in items]
        items[:] = [items[place] for place in ordered(files)]
