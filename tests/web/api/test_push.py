"""Programs push over HTTP: what they are answered, and what they may not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.operate.installation import Installation
from cormorant.operate.sources import push, sources
from cormorant.web import app
from tests.web.asking import Got, send_to

BATCH = json.dumps({"items": [{"id": "a/b", "content": "oil"}, {"id": ""}]}).encode()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        sources.add(made, "push", "desk", {})
        yield made


def sent(house: Installation, path: str, body: bytes, method: str = "POST", **headers: str) -> Got:
    return send_to(app.make(house), f"/api/v1/push{path}", method, body, headers)


def test_a_batch_is_answered_item_by_item(house: Installation) -> None:
    got = sent(house, "/desk", BATCH, content_type="application/json", idempotency_key="k")
    assert got.status == 202
    assert [each["outcome"] for each in got.json["results"]] == ["accepted", "refused"]
    assert sent(house, "/desk", BATCH, idempotency_key="k").json == {**got.json, "repeated": True}
    assert sent(house, "/desk", b'<feed><item id="2"/></feed>', content_type="text/xml; charset=utf-8").status == 202


def test_an_attachment_comes_as_bytes(house: Installation) -> None:
    sent(house, "/desk", BATCH)
    got = sent(house, "/desk/a/b/attachments/r.pdf", b"%PDF-", "PUT", content_type="application/pdf")
    assert (got.status, got.json["results"]) == (202, [{"id": "a/b", "outcome": "accepted", "reason": None}])
    assert sent(house, "/desk/other/attachments/r.pdf", b"x", "PUT").status == 404


def test_what_is_wrong_is_a_problem(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (sent(house, "/nothing", BATCH).status, sent(house, "/nothing", BATCH).json["code"]) == (404, "not_found")
    assert sent(house, "/desk", b"{").status == 400
    assert sent(house, "/desk?wait=1", BATCH).status == 400
    stale = json.dumps({"items": [{"id": "v", "version": 1}]}).encode()
    sent(house, "/desk", stale.replace(b": 1}", b": 2}"))
    got = sent(house, "/desk", stale)
    assert (got.status, got.json["code"], got.json["results"][0]["outcome"]) == (409, "conflict", "stale")
    monkeypatch.setattr(push, "MOST_BYTES", 10)
    got = sent(house, "/desk", BATCH)
    assert (got.status, got.json["code"]) == (413, "too_large")


def test_a_page_of_another_site_cannot_push(house: Installation) -> None:
    got = sent(house, "/desk", BATCH, origin="https://evil.example", sec_fetch_site="cross-site")
    assert got.status == 403
