"""Requests of programs that change something: the verbs of commands, clear errors, and closed to others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings, strategies as st
from pydantic import TypeAdapter

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.model.resource import DiscoveredUrl
from cormorant.model.url import fingerprint, origin_of
from cormorant.operate.installation import Installation
from cormorant.operate.sources import impact_preview, sources
from cormorant.store.schema import resource
from cormorant.web import app
from cormorant.web.security.authorization import Audience
from cormorant.web.security.request_guard import Application
from tests.web.api.test_routing import DESCRIPTION, RECORDS
from tests.web.asking import Got, send_to
from tests.web.visiting import Caller


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("orders")
    (folder / "papers").mkdir()
    with opened(BuildPlan(folder / "data", InstallationSettings()), new=True) as made:
        sources.add(made, "files", "papers", {"path": str(folder / "papers")})
        sources.add(made, "web", "docs", {"start": ["https://docs.example/"]})
        yield made


@pytest.fixture(scope="module")
def pages(house: Installation) -> Application:
    return app.make(house)


def ask(pages: Application, method: str, path: str, said: object = None, **headers: str) -> Got:
    """Ask once, with an object as JSON when there is one."""
    fields = headers if said is None else {"content_type": "application/json", **headers}
    body = b"" if said is None else said if isinstance(said, bytes) else json.dumps(said).encode()
    return send_to(pages, f"/api/v1{path}", method, body, fields)


def done(pages: Application, method: str, path: str, said: object = None) -> dict[str, Any]:
    """Ask for what has to be well, and hold the answer to its description."""
    return held(method, path, ask(pages, method, path, said))


def held(method: str, path: str, got: Got) -> dict[str, Any]:
    """The answer, which has to be a success and match its schema."""
    assert got.status in (200, 201, 202), got.body
    answers = drawn(path)[method.lower()]["responses"]
    schema = answers[str(got.status)]["content"]["application/json"]["schema"]
    named = [each["$ref"].rpartition("/")[2] for each in schema.get("anyOf", (schema,))]
    models = [TypeAdapter[Any](RECORDS[name]) for name in named]
    assert any(_fits(model, got.body) for model in models) or models[0].validate_json(got.body, strict=True)
    record: dict[str, Any] = got.json
    return record


def _fits(model: TypeAdapter[Any], body: str) -> bool:
    try:
        model.validate_json(body, strict=True)
    except ValueError:
        return False
    return True


def drawn(path: str) -> dict[str, Any]:
    """The description of what can be asked at a path; of several the one with the most words of its own."""
    asked = "/api/v1" + path.partition("?")[0]
    found = [each for each in DESCRIPTION["paths"] if re.fullmatch(re.sub(r"{\w+}", "[^/]+", each), asked)]
    of: dict[str, Any] = DESCRIPTION["paths"][min(found, key=lambda each: each.count("{"))]
    return of


def test_a_receiver_from_its_beginning_to_its_end(pages: Application, tmp_path: Path) -> None:
    said = {"receiver": "lines", "kind": "jsonlines", "source": "papers", "settings": {"path": str(tmp_path / "a")}}
    made = done(pages, "POST", "/receivers", said)
    assert (made["receiver"], made["source"], made["settings"]) == ("lines", "papers", {"path": str(tmp_path / "a")})
    edited = done(pages, "PATCH", "/receivers/lines", {"settings": {"delta": False, "rotate_bytes": "1MB"}})
    assert edited["settings"] == {"path": str(tmp_path / "a"), "delta": False, "rotate_bytes": 1_000_000}
    assert done(pages, "PATCH", "/receivers/lines", {"settings": {"delta": None}})["settings"].keys() == {
        "path", "rotate_bytes",
    }  # fmt: skip
    assert done(pages, "POST", "/receivers/lines/resend", {"faulty": True})["receiver"] == "lines"
    assert done(pages, "GET", "/receivers/lines")["kind"] == "jsonlines"
    assert done(pages, "DELETE", "/receivers/lines") == {"receiver": "lines", "deleted": True}
    assert ask(pages, "GET", "/receivers/lines").status == 404


def test_an_edit_answers_that_everything_is_refetched(pages: Application) -> None:
    for values, settings_named in (({"max_documents": 9}, None), ({"dynamic_pages": False}, ["dynamic_pages"])):
        kept = done(pages, "PATCH", "/sources/docs", {"settings": values})
        assert (kept.get("recrawl") or {}).get("settings") == settings_named
        done(pages, "PATCH", "/sources/docs", {"settings": dict.fromkeys(values), "yes": True})


def test_documents_are_chosen_as_by_the_command(pages: Application, house: Installation) -> None:
    with house.store.begin() as tx:
        for address in ("https://docs.example/a", "https://docs.example/b"):
            found = DiscoveredUrl(address, origin_of(address).site, 0)
            arrival = NewUrl(found, fingerprint(address, 2))
            enqueue.admit(tx, SiteNumbers(), Admission(2, 1, 1), [arrival])
        tx.execute(sa.update(resource).values(outcome=4, status=404, due=1 << 50).where(resource.c.address.like("%/b")))
    path = "/documents/recrawl"
    assert ask(pages, "POST", path, {"status": 404}).json == {"documents": 1, "sources": {"docs": 1}}
    both = {"addresses": ["https://docs.example/a", "https://docs.example/b"]}
    assert ask(pages, "POST", path, both).json == {"documents": 2, "sources": {"docs": 2}}
    assert ask(pages, "POST", path, both | {"status": 404, "source": "docs"}).json["documents"] == 1
    assert ask(pages, "POST", path, {"source": "papers"}).json == {"documents": 0, "sources": {}}


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ({}, 400, "Choose documents"),
        ({"state": "lost"}, 400, "There is no state 'lost'"),
        ({"source": "nope"}, 404, "nope"),
        ({"addresses": ["https://docs.example/nowhere"]}, 404, "No source knows"),
        ({"addresses": ["papers/a.txt"]}, 422, "is neither a full address"),
        ({"addresses": ["x"] * 1001}, 422, "addresses"),
        ({"status": "many"}, 422, "status"),
        ({"stat": 404}, 422, "stat"),
    ],
)
def test_documents_that_cannot_be_chosen_are_named(said: object, status: int, words: str, pages: Application) -> None:
    got = ask(pages, "POST", "/documents/recrawl", said)
    assert (got.status, words in got.json["detail"]) == (status, True), got.body


def test_a_set_of_parameters_from_its_beginning_to_its_end(pages: Application, house: Installation) -> None:
    assert done(pages, "POST", "/parameters", {"parameters": "gentle", "settings": {"delay_s": 5}})["settings"] == {
        "delay_s": 5
    }
    sources.edit(house, "docs", {"parameters": "gentle"})
    seen = done(pages, "POST", "/parameters/gentle/preview", {"settings": {"delay_s": 9}})
    assert [each["source"] for each in seen["sources"]] == ["docs"]
    assert done(pages, "GET", "/parameters/gentle")["settings"] == {"delay_s": 5}
    assert done(pages, "PATCH", "/parameters/gentle", {"settings": {"delay_s": 9}})["sources"] == ["docs"]
    assert sources.named(house, "docs").settings["delay_s"] == 9
    refused = ask(pages, "DELETE", "/parameters/gentle")
    assert (refused.status, "is used by docs" in refused.json["detail"]) == (409, True)
    assert done(pages, "DELETE", "/parameters/gentle?used=true")["sources"] == ["docs"]


def test_the_systems_set_is_deleted_where_nothing_is_changed_or_that_is_agreed_to(
    pages: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert done(pages, "DELETE", "/parameters/system")["sources"] == []
    done(pages, "PATCH", "/parameters/system", {"settings": {"max_minutes": 7}})
    refused = ask(pages, "DELETE", "/parameters/system")
    assert (refused.status, "is used by docs, papers" in refused.json["detail"]) == (409, True)
    of_whole = impact_preview.of_whole
    with monkeypatch.context() as patch:
        patch.setattr(impact_preview, "of_whole", lambda *given: {**of_whole(*given), "leave": 1_200})
        assert "2,400 documents would leave the index." in ask(pages, "DELETE", "/parameters/system").json["detail"]
    assert done(pages, "DELETE", "/parameters/system?used=true")["sources"] == ["docs", "papers"]


def test_a_schedule_from_its_beginning_to_its_end(pages: Application) -> None:
    said = {"schedule": "nightly", "sources": ["papers", "docs"], "when": "0 2 * * *", "time_zone": "Europe/Berlin"}
    made = done(pages, "POST", "/schedules", said)
    assert (made["sources"], made["when"], made["overrun"]) == (["papers", "docs"], "0 2 * * *", "skip")
    edited = done(pages, "PATCH", "/schedules/nightly", {"windows": ["Mon-Fri 20-06"], "overrun": "queue"})
    assert (edited["windows"], edited["overrun"], edited["when"]) == (["Mon-Fri 20-06"], "queue", "0 2 * * *")
    assert done(pages, "POST", "/schedules/nightly/disable")["enabled"] is False
    assert done(pages, "POST", "/schedules/nightly/enable")["enabled"] is True
    assert done(pages, "POST", "/schedules/nightly/start")["schedule"] == "nightly"
    again = ask(pages, "POST", "/schedules/nightly/start")
    assert (again.status, "under way" in again.json["detail"]) == (409, True)
    assert done(pages, "DELETE", "/schedules/nightly")["deleted"] is True


@pytest.mark.parametrize(
    ("method", "path", "said", "status", "says"),
    [
        ("POST", "/receivers", {"receiver": "a", "kind": "none"}, 404, "no kind of receiver 'none'"),
        ("POST", "/receivers", {"receiver": "a", "kind": "jsonlines"}, 422, "'path' is needed"),
        ("POST", "/receivers", {"receiver": "a/b", "kind": "jsonlines"}, 400, "cannot be the name"),
        ("POST", "/receivers", {"receiver": "a"}, 422, "`kind` has to be given"),
        ("POST", "/receivers", {"receiver": 7, "kind": "warc"}, 422, "`receiver` has to be text"),
        ("POST", "/receivers", {"receiver": "a", "kind": "warc", "knd": 1}, 422, "`knd` is not known here"),
        ("POST", "/receivers", {"receiver": "index", "kind": "warc", "settings": {"folder": "/tmp"}}, 409, "already"),
        ("POST", "/receivers", {"receiver": "a", "kind": "jsonlines", "settings": {"path": "/a\0"}}, 422, "code 0"),
        ("POST", "/receivers", {"receiver": "\ud800", "kind": "warc"}, 422, "halves of a character"),
        ("POST", "/receivers", {"receiver": "a", "kind": "jsonlines", "settings": {"path": {"x": 1}}}, 422, "'path'"),
        ("POST", "/receivers", b"{", 422, "is no JSON object"), ("POST", "/receivers", [1], 422, "is no JSON object"),
        ("POST", "/receivers", b"[" * 9000, 400, "does not understand"),
        ("POST", "/receivers", None, 422, "has to be given"),
        ("PATCH", "/receivers/index", {"settings": {"delta": True}}, 409, "no settings of its own"),
        ("PATCH", "/receivers/none", {"settings": {"delta": True}}, 404, "no receiver 'none'"),
        ("PATCH", "/receivers/index", {"settings": {}}, 422, "has to have something in it"),
        ("DELETE", "/receivers/index", None, 409, "Search reads the index"),
        ("POST", "/receivers/index/resend", {}, 409, "index rebuild"),
        ("POST", "/parameters", {"parameters": "system"}, 409, "always exists"),
        ("POST", "/parameters", {"parameters": "p", "settings": {"delay": 1}}, 422, "Did you mean 'delay_s'"),
        *(
            (method, path, b'{"settings": {"delay_s": %s}}' % number, 422, "'delay_s' cannot be ")
            for method, path in (("PATCH", "/sources/docs"), ("PATCH", "/parameters/system"))
            for number in (b"1e999", b"-1e999", b"NaN", b'"inf"', b'"nan"', b"1e300", b"9" * 30)
        ),
        ("POST", "/documents/recrawl", b'{"status": 1e999}', 422, "`status` is not understood"),
        ("PATCH", "/parameters/none", {"settings": {"delay_s": 1}}, 404, "no set of parameters 'none'"),
        ("DELETE", "/parameters/none?use=1", None, 400, "Did you mean `used`"),
        ("POST", "/schedules", {"schedule": "s", "sources": ["papers"]}, 422, "`when` has to be given."),
        ("POST", "/schedules", {"schedule": "s"}, 422, "`sources` has to be given."),
        ("POST", "/schedules", {"schedule": "s", "sources": [], "when": "manual"}, 422, "`sources` has to have someth"),
        ("PATCH", "/schedules/none", {"sources": []}, 422, "`sources` has to have something in it."),
        ("POST", "/schedules", {"schedule": "s", "sources": ["docs"] * 2, "when": "manual"}, 400, "is named twice"),
        ("POST", "/schedules", {"schedule": "s", "sources": ["none"], "when": "manual"}, 404, "no source 'none'"),
        ("POST", "/schedules", {"schedule": "s", "sources": ["docs"], "when": "0 0 30 2 *"}, 422, "is not possible"),
        ("PATCH", "/schedules/none", {"overrun": "wait"}, 422, "`overrun` has to be 'skip', 'queue'"),
        ("PATCH", "/schedules/none", {"when": "manual"}, 404, "no schedule 'none'"),
        ("PATCH", "/schedules/none", {}, 422, "names no change. Name a"),
        ("PUT", "/receivers/index", {}, 405, "does not accept PUT"), ("POST", "/receivers/index", {}, 405, "POST"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    pages: Application, method: str, path: str, said: object, status: int, says: str
) -> None:
    got = ask(pages, method, path, said)
    assert got.headers["content-type"] == "application/problem+json"
    assert (got.status, got.json["status"], says in got.json["detail"]) == (status, status, True), got.json


CHANGES = [
    ("POST", "/documents/recrawl", {"source": "docs"}),
    ("POST", "/receivers", {"receiver": "x", "kind": "jsonlines", "settings": {"path": "/tmp/x"}}),
    ("PATCH", "/receivers/index", {"settings": {"delta": False}}), ("DELETE", "/receivers/index", None),
    ("POST", "/receivers/index/resend", {}), ("POST", "/parameters", {"parameters": "x"}),
    ("PATCH", "/parameters/system", {"settings": {"delay_s": 7}}), ("DELETE", "/parameters/system", None),
    ("POST", "/parameters/system/preview", {"settings": {"delay_s": 7}}), ("DELETE", "/schedules/x", None),
    ("POST", "/schedules", {"schedule": "x", "sources": ["docs"], "when": "manual"}),
    ("PATCH", "/schedules/x", {"when": "manual"}), ("POST", "/schedules/x/start", None),
    ("POST", "/schedules/x/enable", None), ("POST", "/schedules/x/disable", None),
    ("POST", "/sources", {"kind": "web", "name": "x", "settings": {"start": ["https://x.example/"]}}),
    ("PATCH", "/sources/docs", {"settings": {"depth": 2}}), ("DELETE", "/sources/docs", None),
    ("POST", "/sources/docs/test", {"no_fetch": True}), ("POST", "/runs", {"sources": ["docs"]}),
    *(("POST", f"/runs/1/{verb}", None) for verb in ("suspend", "resume", "stop", "accept", "refuse", "index")),
    ("POST", "/runs/1/prune", {"rules": ["path:/x"]}), ("DELETE", "/runs/1", None),
    ("POST", "/provider/pause", None), ("POST", "/provider/resume", None),
    ("POST", "/push/desk", {"items": []}), ("PUT", "/push/desk/{item}/attachments/{name}", {}),
    ("POST", "/tokens", {"token": "x", "scope": "admin"}), ("PATCH", "/tokens/x", {"scope": "admin"}),
    ("DELETE", "/tokens/x", None),
    ("POST", "/takedowns", {"what": "https://docs.example/", "reason": "x"}),
    ("POST", "/takedowns/1/lift", None), ("POST", "/takedowns/1/erase", None),
    ("POST", "/attributes", {"attribute": "Department"}), ("PATCH", "/attributes/Department", {"type": "number"}),
    ("DELETE", "/attributes/Department", None), ("POST", "/lovs", {"lov": "Department"}),
    ("POST", "/lovs/Department", {"value": "sales"}), ("PATCH", "/lovs/Department", {"value": "sales"}),
    ("DELETE", "/lovs/Department", None), ("POST", "/push/desk", {"items": []}),
    ("PUT", "/push/desk/17/attachments/plan", None),
]  # fmt: skip


def test_these_are_all_there_is() -> None:
    drawn = {(verb.upper(), path) for path, of in DESCRIPTION["paths"].items() for verb in of if verb != "get"}
    names = {"index": "{name}", "system": "{name}", "x": "{name}", "docs": "{name}", "1": "{number}"}
    names |= {"Department": "{name}", "desk": "{source}"}
    below = {"17": "{item}", "plan": "{name}"}

    def named(path: str) -> str:
        noun, *rest = path[1:].split("/")
        return "/api/v1/" + "/".join(
            (noun, *(names.get(each, each) for each in rest[:1]), *(below.get(each, each) for each in rest[1:]))
        )

    here = {(verb, named(path)) for verb, path, _ in CHANGES}
    assert drawn == here


@pytest.mark.parametrize(("method", "path", "said"), CHANGES, ids=lambda each: str(each)[:40])
def test_nobody_changes_anything_who_may_not(house: Installation, method: str, path: str, said: object) -> None:
    """A page of another site, another machine, a proxy that says so, and a client without a required token."""
    before = _everything(house)
    plain = app.make(house)
    for headers in (
        {"origin": "https://evil.example"},
        {"sec_fetch_site": "cross-site"},
        {"x_forwarded_for": "1.2.3.4"},
    ):
        assert ask(plain, method, path, said, **headers).status == 403
    assert ask(plain, method, path, said, host="evil.example").status == 421
    body = json.dumps(said).encode() if said is not None else b""
    assert Caller(plain).ask(method, f"/api/v1{path}", body, {"content-type": "application/json"}).status == 403
    for listed in (Audience.PUBLIC, Audience.PRIVATE):
        closed = Caller(app.make(house, (), listed))
        assert closed.ask(method, f"/api/v1{path}", body, {"content-type": "application/json"}).status == 401
    assert _everything(house) == before


def _everything(house: Installation) -> list[Any]:
    asked = app.make(house)
    nouns = ("receivers", "parameters", "schedules", "sources", "runs", "tokens")
    return [ask(asked, "GET", f"/{noun}").json for noun in nouns]


def test_a_form_of_an_old_browser_changes_nothing(pages: Application) -> None:
    sent = b'{"parameters": "formed", "x": "=1"}'
    got = ask(pages, "POST", "/parameters", sent, content_type="text/plain")
    assert got.status == 422, got.body
    assert ask(pages, "GET", "/parameters/formed").status == 404


ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)
NAMES = st.sampled_from([
    "receiver", "kind", "source", "settings", "faulty", "parameters", "agreed", "schedule", "sources", "when",
    "windows", "time_zone", "overrun", "refresh", "name", "yes", "preview", "rules", "address", "no_fetch", "mode",
])  # fmt: skip
VALUES = st.one_of(ANY, st.sampled_from(["webhook", "opensearch", "warc", "docs", "manual", "x"]), st.dictionaries(
    st.sampled_from(["path", "url", "folder", "delay_s", "start", "secret", "index", "batch", "auth"]), ANY, max_size=3
))  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(CHANGES), st.one_of(ANY, st.dictionaries(NAMES, VALUES, max_size=5)))
def test_whatever_is_sent_is_answered(pages: Application, change: tuple[str, str, object], said: object) -> None:
    got = ask(pages, change[0], change[1], json.dumps(said).encode())
    assert got.status < 500, got.body
    assert got.status < 300 or got.json["detail"]
