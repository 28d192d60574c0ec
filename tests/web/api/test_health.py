"""Health, readiness and metrics for monitoring systems."""

from __future__ import annotations

import json
import shutil
from collections import namedtuple
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.base import metrics
from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.system import tokens
from cormorant.receivers import stream
from cormorant.search.index.document import Upsert
from cormorant.search.index.tantivy import reader
from cormorant.store.catalog import receivers
from cormorant.store.db import heartbeats
from cormorant.web import app, shared_reader
from cormorant.web.security.authorization import Audience
from tests.house.test_alerts import rules, selectors
from tests.search.index.shelves import entry
from tests.web.crawled import Crawled
from tests.web.visiting import Caller

Usage = namedtuple("Usage", ("total", "used", "free"))
WELL = {"database": "ok", "index": "ok", "disk": "ok", "conductor": "ok"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        with made.store.begin() as tx:
            heartbeats.say(tx, "conductor@here", "conductor", 0.0)
        yield made


def ready(house: Installation) -> tuple[int, dict[str, object]]:
    got = Caller(app.make(house, (), Audience.PRIVATE)).get("/health/ready")
    said: dict[str, object] = json.loads(got.body)
    return got.status, said


def test_it_is_ready(house: Installation) -> None:
    assert ready(house) == (200, {"status": "ready", "checks": WELL})


def test_search_goes_on_while_nothing_is_crawled(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    with house.store.begin() as tx:
        heartbeats.leave(tx, "conductor@here")
    assert ready(house) == (200, {"status": "degraded", "checks": WELL | {"conductor": "silent"}})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**12, 10**12 - 5, 5))
    assert ready(house)[1]["checks"] == WELL | {"conductor": "silent", "disk": "full"}


def test_without_a_database_it_is_not_ready(house: Installation) -> None:
    house.store.close()
    for each in house.folder.glob("cormorant.db*"):
        each.write_bytes(b"no database at all" * 1000)
    status, said = ready(house)
    assert (status, said["status"]) == (503, "unavailable")
    assert said["checks"] == WELL | {"database": "away", "conductor": "silent"}


def test_without_an_index_it_is_not_ready_until_there_is_one(house: Installation) -> None:
    pages = Caller(app.make(house))
    away = house.folder / "away"
    shutil.move(house.folder / "index", away)
    (house.folder / "index").write_text("no folder")
    got = pages.get("/health/ready")
    assert (got.status, json.loads(got.body)["checks"]) == (503, WELL | {"index": "away"})
    (house.folder / "index").unlink()
    shutil.move(away, house.folder / "index")
    assert pages.get("/health/ready").status == 200


def test_while_no_search_is_answered_it_is_not_ready(house: Installation) -> None:
    with closing(house.index_writer()) as writer:
        writer.commit(1)
    with house.store.begin() as tx:
        stream.pass_over(tx, 1)
        receivers.set_place(tx, receivers.index(tx), 1)
    pages = Caller(app.make(house))
    assert [pages.get(each).status for each in ("/api/v1/search?q=kelp", "/health/ready")] == [200, 200]
    current = (house.folder / "index" / "CURRENT").rename(house.folder / "index" / "AWAY")
    assert [pages.get(each).status for each in ("/health/ready", "/api/v1/search?q=kelp")] == [503, 503]
    assert json.loads(pages.get("/health/ready").body)["checks"] == WELL | {"index": "away"}
    current.rename(house.folder / "index" / "CURRENT")
    assert pages.get("/health/ready").status == 200


def test_once_damage_was_met_it_is_not_ready_until_the_index_is_whole(
    house: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index opens, since only its ends are looked at then; what a search met is no less true afterwards."""
    writer = house.index_writer()
    writer.apply([Upsert(entry(1, "kelp"))])
    writer.commit(1)
    writer.close()
    monkeypatch.setattr(reader, "CHECKED_BYTES", 0)
    pages = Caller(app.make(house))
    store = next((house.folder / "index").rglob("*.store"))
    data = store.read_bytes()
    store.write_bytes(data.replace(b"kelp", b"help"))
    assert pages.get("/health/ready").status == 200
    monkeypatch.setattr(shared_reader, "LOOKED_S", 0.0)
    assert pages.get("/api/v1/search?q=kelp").status == 503
    for _ in range(2):
        got = pages.get("/health/ready")
        assert (got.status, json.loads(got.body)["checks"]) == (503, WELL | {"index": "away"})
    store.write_bytes(data)
    assert pages.get("/health/ready").status == 200


def test_figures_are_for_who_looks_after_it(house: Installation) -> None:
    pages = app.make(house, (), Audience.PUBLIC)
    assert Caller(pages).get("/metrics").status == 401
    assert json.loads(Caller(pages).get("/metrics").body)["code"] == "not_signed_in"
    token = str(tokens.add(house, "prometheus", Scope.OPERATE)["value"])
    got = Caller(pages).get("/metrics", authorization=f"Bearer {token}")
    assert (got.status, got.headers["content-type"]) == (200, metrics.CONTENT_TYPE)
    assert Caller(app.make(house)).get("/metrics", x_forwarded_for="192.0.2.7").status == 403


def test_figures_of_a_crawled_installation(crawled: Crawled) -> None:
    got = crawled.get("/metrics")
    found = {
        (each.name, *each.labels.values()): each.value
        for family in text_string_to_metric_families(got.body)
        for each in family.samples
    }
    assert found["cormorant_sources",] == 4
    assert found["cormorant_index_documents",] > 10
    report = next(each for each in crawled.home.fine("run", "list", "--json").objects if each["source"] == "web")
    assert found["cormorant_run_requests_total", "web"] == report["requests"] > 8
    assert found["cormorant_run_documents_total", "web", "gone"] == report["gone"]
    assert found["cormorant_run_state", "web", "finished"] == 1
    assert crawled.origin.partition("//")[2] not in got.body, "no address, and no host"


def test_the_alert_rules_use_exported_metrics(crawled: Crawled) -> None:
    """Metrics of failures have values only after a failure; their names always exist."""
    exported = {family.name for family in text_string_to_metric_families(crawled.get("/metrics").body)}
    seldom = {metrics.RUN_WAITS.name, metrics.UNDELIVERED.name, "up"}
    asked = {each.name.removesuffix("_total") for rule in rules() for each in selectors(rule["expr"])}
    assert asked - seldom <= exported
