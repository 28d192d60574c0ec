"""The interface for programs: the records that commands print, described as they are, and nothing that is a secret."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pydantic import TypeAdapter
from typing_extensions import is_typeddict

from cormorant.operate import records
from cormorant.operate.documents import listing
from cormorant.web import app
from tests.web.asking import Got
from tests.web.crawled import PASSWORD, Crawled

LINES = "application/x-ndjson"
RECORDS = {
    name: each
    for module in iter_modules(records.__path__, f"{records.__name__}.")
    for name, each in vars(import_module(module.name)).items()
    if is_typeddict(each)
}
"""Every record by its name."""
DESCRIPTION: dict[str, Any] = app.application(None)[0].openapi()  # type: ignore[arg-type] # asked nothing but this
OPERATIONS = sorted(path for path, of in DESCRIPTION["paths"].items() if path.startswith("/api/v1/") and "get" in of)


def printed(crawled: Crawled, *words: str) -> list[Any]:
    """The output of a command."""
    return crawled.home.fine(*words, "--json").objects


def test_documents_are_those_of_the_command(crawled: Crawled) -> None:
    every = printed(crawled, "document", "list")
    assert crawled.api("/documents?limit=1000") == {"documents": every, "next": None}
    assert crawled.api("/documents", accept=LINES) == every
    for asked, words in (
        ("source=papers", ("--source", "papers")), ("state=error", ("--state", "error")),
        ("status=404", ("--status", "404")), ("excluded=1", ("--excluded",)), ("state=excluded", ("--excluded",)),
    ):  # fmt: skip
        assert crawled.api(f"/documents?limit=1000&{asked}")["documents"] == printed(
            crawled, "document", "list", *words
        )


@pytest.mark.parametrize("asked", ["", "&source=web", "&excluded=1", "&excluded=1&source=twin", "&state=old"])
@pytest.mark.parametrize("size", [1, 3])
def test_pages_of_a_list_are_the_list(asked: str, size: int, crawled: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", 2)
    whole = crawled.api(f"/documents?limit=1000{asked}")["documents"]
    found: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        page = crawled.api(f"/documents?limit={size}{asked}&cursor={cursor}")
        assert len(page["documents"]) == min(size, len(whole) - len(found))
        found, cursor = [*found, *page["documents"]], page["next"]
        if cursor and len(found) == size:
            assert crawled.api(f"/documents?{asked}&cursor={cursor}", accept=LINES) == whole[size:]
    assert found == whole
    assert whole


def test_one_document_and_its_links(crawled: Crawled) -> None:
    address = f"{crawled.origin}/evil"
    shown = printed(crawled, "document", "show", address)
    assert [crawled.api(f"/documents/{each['id']}") for each in shown] == shown
    links = printed(crawled, "document", "links", address)
    paths = [f"/documents/{each['id']}/links" for each in shown]
    assert [link for path in paths for link in crawled.api(path)["links"]] == links
    assert [link for path in paths for link in crawled.api(path, accept=LINES)] == links


@pytest.mark.parametrize("path", ["/n0", "/missing", "/private/x", "/old", "/never", "/robots.txt"])
def test_explain_is_that_of_the_command(path: str, crawled: Crawled) -> None:
    address = f"{crawled.origin}{path}"
    asked = f"/explain?address={quote(address, safe='')}"
    assert crawled.api(asked)["explanations"] == printed(crawled, "explain", address)
    assert crawled.api(asked, accept=f"text/plain, {LINES};q=0.9") == printed(crawled, "explain", address)


def test_sources_and_their_kinds(crawled: Crawled) -> None:
    assert crawled.api("/sources")["sources"] == printed(crawled, "source", "list")
    assert [crawled.api("/sources/web")] == printed(crawled, "source", "show", "web")
    assert [crawled.api("/sources/web?effective=1")] == printed(crawled, "source", "show", "web", "--effective")
    kinds = crawled.api("/sources/kinds")["kinds"]
    assert [{key: each[key] for key in ("kind", "about", "package")} for each in kinds] == printed(
        crawled, "source", "kinds"
    )
    for each in kinds:
        assert each["settings"] == printed(crawled, "source", "kinds", each["kind"])


def test_runs_and_their_reports(crawled: Crawled) -> None:
    every = printed(crawled, "run", "list")
    assert crawled.api("/runs") == {"runs": every, "next": None}
    assert crawled.api("/runs", accept=LINES) == every
    assert crawled.api("/runs?source=papers")["runs"] == printed(crawled, "run", "list", "--source", "papers")
    first = crawled.api("/runs?limit=3")
    rest = crawled.api(f"/runs?limit=3&cursor={first['next']}")
    assert (first["runs"] + rest["runs"], rest["next"]) == (every, None)
    for each in every:
        assert [crawled.api(f"/runs/{each['run']}")] == printed(crawled, "run", "show", str(each["run"]))


def test_the_system_is_what_status_says(crawled: Crawled) -> None:
    (said,) = printed(crawled, "status")
    seen = crawled.api("/system")
    steady = {name for name in said if name not in ("disks", "processes")}
    assert {name: seen[name] for name in steady} == {name: said[name] for name in steady}
    assert seen.keys() == said.keys()
    fits("/api/v1/system", crawled.get("/api/v1/system"))


def test_the_log_of_a_run(crawled: Crawled) -> None:
    written = crawled.home.fine("run", "log", "1", "--json").objects
    assert crawled.api("/runs/1/log", accept="application/x-ndjson") == written
    assert crawled.api("/runs/1/log?limit=2")["lines"] == written[-2:]
    assert crawled.get("/api/v1/runs/99/log").status == 404
    assert crawled.get("/api/v1/runs/1/log?only=nothing").status == 400


def test_schedules(crawled: Crawled) -> None:
    assert crawled.api("/schedules")["schedules"] == printed(crawled, "schedule", "list")
    assert [crawled.api("/schedules/nightly")] == printed(crawled, "schedule", "show", "nightly")
    assert crawled.get("/api/v1/schedules/weekly").status == 404


def test_receivers_and_sets_of_parameters(crawled: Crawled) -> None:
    every = printed(crawled, "receiver", "list")
    assert crawled.api("/receivers")["receivers"] == crawled.api("/receivers", accept=LINES) == every
    assert [crawled.api("/receivers/index")] == printed(crawled, "receiver", "show", "index")
    assert crawled.api("/receivers/index/faulty") == {"faulty": [], "total": 0}
    kinds = crawled.api("/receivers/kinds")["kinds"]
    assert [{key: each[key] for key in ("kind", "about", "package")} for each in kinds] == printed(
        crawled, "receiver", "kinds"
    )
    for each in kinds:
        assert each["settings"] == printed(crawled, "receiver", "kinds", each["kind"])
    assert crawled.api("/parameters")["parameters"] == printed(crawled, "parameters", "list")
    assert [crawled.api("/parameters/system")] == printed(crawled, "parameters", "show", "system")


def test_search_takes_what_the_command_takes(crawled: Crawled) -> None:
    def found(**asked: Any) -> list[Any]:
        hits: list[Any] = crawled.api("/search?" + urlencode(asked, doseq=True))["hits"]
        return hits

    assert found(q="forest", source=["web", "papers"]) == printed(
        crawled, "search", "forest", "--source", "web", "--source", "papers"
    )
    assert len(found(q="forest", all=1)) > len(found(q="forest"))
    assert [each["source"] for each in found(q="sargasso", source=["papers", ""])] == ["papers"]
    newest = found(q="*", sort="newest", all=1, limit=100)
    oldest = found(q="*", sort="oldest", all=1, limit=100)
    assert {each["id"] for each in newest} == {each["id"] for each in oldest}
    by_title = found(q="*", sort="title", limit=100)
    assert by_title == printed(crawled, "search", "*", "--sort", "title", "--limit", "100")
    assert found(q="*", group="source") == printed(crawled, "search", "*", "--group", "source")
    assert found(q="*", since="2020", until="2999") == printed(
        crawled, "search", "*", "--since", "2020", "--until", "2999"
    )
    for offset in (2**31, 2**63 - 1, 2**63, 10**30):
        assert found(q="*", offset=offset) == found(q="*", offset=offset, group="source") == []
    assert crawled.get("/api/v1/search?q=a&sort=best").json["detail"].startswith("`sort` has to be 'relevance'")


def test_every_count_is_the_total_of_the_question_it_leads_to(crawled: Crawled) -> None:
    for asked in ({"q": "kelp"}, {"q": "*", "source": "web"}, {"q": "sargasso kelp", "type": "page"}):
        answer = crawled.api("/search?" + urlencode(asked))
        for name, choices in answer["facets"].items():
            for each in choices:
                narrowed = {**asked, **({"since": each["since"]} if name == "changed" else {name: each["value"]})}
                assert crawled.api("/search?" + urlencode(narrowed))["total"] == each["count"], narrowed
        assert answer["facets"]["source"]


def test_documents_of_equal_content(crawled: Crawled) -> None:
    (hit,) = [each for each in crawled.api("/search?q=start&source=web")["hits"] if each["url"] == f"{crawled.origin}/"]
    listed = crawled.api(f"/documents/{hit['id']}/duplicates")
    assert listed["total"] == len(listed["duplicates"]) == 2
    assert {each["source"] for each in listed["duplicates"]} == {"web", "twin"}
    (pay,) = [each for each in crawled.api("/documents?limit=1000")["documents"] if each["url"].endswith("pay.txt")]
    for number in (pay["id"], 999_999):
        got = crawled.get(f"/api/v1/documents/{number}/duplicates")
        assert (got.status, got.json["code"]) == (404, "not_found")
        assert got.body == crawled.get("/api/v1/documents/999999/duplicates").body


@pytest.mark.parametrize(
    ("path", "status", "code", "says"),
    [
        ("/documents?source=none", 404, "not_found", "There is no source 'none'"),
        ("/documents?state=gone", 400, "usage", "There is no state 'gone'"),
        ("/documents?state=retrieving", 400, "usage", "they are listed as todo"),
        ("/documents?cursor=7", 400, "usage", "does not come from a list"),
        ("/documents?cursor=0.r.99999999999999999999", 400, "usage", "does not come from a list"),
        ("/documents?excluded=1&cursor=99.x.1", 400, "usage", "belongs to another list"),
        ("/documents?sate=old", 400, "usage", "no parameter `sate` here. Did you mean `state`? It takes `changed`, "),
        ("/search?query=a", 400, "usage", "Did you mean `q`?"), ("/runs/1?x=1", 400, "usage", "It takes none."),
        ("/search?q=a&as=ada", 400, "usage", "There is no parameter `as` here."),
        ("/documents?limit=0", 422, "usage", "`limit` has to be at least 1"),
        ("/documents/0", 404, "not_found", ""), ("/documents/99999", 404, "not_found", "There is no document 99999."),
        ("/documents/99999999999999999999", 404, "not_found", ""), ("/explain", 422, "usage", "has to be given"),
        ("/explain?address=x", 422, "bad_address", "is neither a full address"),
        ("/sources/none", 404, "not_found", "There is no source 'none'"), ("/runs/999", 404, "not_found", "run 999"),
        ("/search?q=a&group=day", 422, "usage", "`group` has to be 'source' or 'site'"),
        ("/search?q=a&type=doc", 400, "usage", "There is no type 'doc'. There is page, pdf,"),
        ("/search?q=a&since=now", 400, "usage", "since takes a day, month or year"),
        ("/runs?cursor=%C2%B2", 400, "usage", "does not come from a list"), ("/none", 404, "not_found", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("accept", ["*/*", LINES])
def test_errors_say_what_is_wrong(path: str, status: int, code: str, says: str, accept: str, crawled: Crawled) -> None:
    got = crawled.get(f"/api/v1{path}", accept=accept)
    assert (got.status, got.headers["content-type"]) == (status, "application/problem+json")
    assert (got.json["code"], got.json["status"], says in got.json["detail"]) == (code, status, True), got.json


def test_no_secret_is_shown(crawled: Crawled) -> None:
    assert "secret:door" in crawled.get("/api/v1/sources/web").body
    for path in ("/sources", "/sources/web?effective=1", "/runs", "/runs/1", "/documents", "/documents?excluded=1"):
        body = crawled.get(f"/api/v1{path}").body
        assert PASSWORD not in body
        assert json.dumps(PASSWORD) not in body
    assert PASSWORD not in crawled.explain("/n0").body


@pytest.mark.parametrize("path", ["/sources", "/documents", "/runs", "/explain?address=https://a.example/"])
def test_no_other_origin_may_read_it(path: str, crawled: Crawled) -> None:
    for got in (
        crawled.get(f"/api/v1{path}", origin="https://evil.example"),
        crawled.get(f"/explain{path}", origin="null"),
    ):
        assert not [name for name in got.headers if name.startswith("access-control-")]
        assert got.headers["cross-origin-resource-policy"] == "same-origin"
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.headers["cache-control"] == "no-store"
    assert crawled.get(f"/api/v1{path}", host="evil.example").status == 421


# ------------------------------------------------------------------------------------ the description, and what fits it


def model_of(path: str, got: Got) -> Any:
    """The record that an answer has to be, as it is described."""
    kind = got.headers["content-type"].partition(";")[0]
    answers = DESCRIPTION["paths"][path]["get"]["responses"]
    said = answers[str(got.status)] if got.status == 200 else answers[f"{got.status // 100}XX"]
    name = said["content"][kind]["schema"]["$ref"].rpartition("/")[2]
    assert name in DESCRIPTION["components"]["schemas"]
    return RECORDS[name]


def fits(path: str, got: Got) -> None:
    """Hold an answer to its description."""
    described = TypeAdapter(model_of(path, got))
    for each in got.body.splitlines() if LINES in got.headers["content-type"] else [got.body]:
        described.validate_json(each, strict=True)


def filled(path: str, values: dict[str, str]) -> str:
    """The address of an operation, with values in the place of what varies."""
    return re.sub(r"\{(\w+)\}", lambda name: quote(values[name[1]], safe=""), path)


def parameters(path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = DESCRIPTION["paths"][path]["get"].get("parameters", [])
    return found


def example_of(parameter: dict[str, Any]) -> Any:
    return next(iter(parameter["schema"].get("examples", ())), None)


@pytest.fixture
def named(path: str, crawled: Crawled, tmp_path: Path) -> Iterator[str]:
    """Have what the examples of a path name for its length; gives the source that they are about."""
    made: list[tuple[str, ...]] = []
    if path.endswith("/script"):
        with closing(sqlite3.connect(tmp_path / "desk.db")) as database:
            database.execute("CREATE TABLE tickets (id INTEGER PRIMARY KEY, body TEXT)")
        given = (f"database=sqlite:///{tmp_path}/desk.db", "table=tickets", "key=id", "log_table=ticket_changes")
        crawled.home.fine("source", "add", "table", "desk", *(word for each in given for word in ("--set", each)))
        made.append(("source", "delete", "desk", "--yes"))
    if "attributes" in path or "lovs" in path:
        crawled.home.fine("attribute", "add", "Department")
        made.append(("attribute", "delete", "Department", "--yes"))
    yield "desk" if path.endswith("/script") else "web"
    for each in made:
        crawled.home.fine(*each)


@pytest.mark.parametrize("path", OPERATIONS)
def test_every_example_of_the_description_works(path: str, crawled: Crawled, named: str) -> None:
    found = crawled.api("/search?q=kelp")["hits"][0]["id"]
    here: dict[Any, Any] = {
        "docs": named, "http://127.0.0.1:8000/": f"{crawled.origin}/n0", "harbour": "kelp", 17: found,
    }  # fmt: skip
    said = {each["name"]: (each["in"], example_of(each)) for each in parameters(path)}
    values = {name: (place, here.get(value, value)) for name, (place, value) in said.items() if value is not None}
    inside = {name: str(value) for name, (place, value) in values.items() if place == "path"}
    queries = {name: value for name, (place, value) in values.items() if place == "query"}
    for asked in ({}, *({name: value} for name, value in queries.items()), queries):
        needed = {each["name"] for each in parameters(path) if each["required"] and each["in"] == "query"}
        if needed <= {*asked}:
            got = crawled.get(filled(path, inside) + "?" + urlencode(asked))
            assert got.status == 200, got.body
            fits(path, got)


def test_everything_is_described(crawled: Crawled) -> None:
    assert crawled.get("/api/openapi.json").json == DESCRIPTION
    assert DESCRIPTION["openapi"].startswith("3.1")
    for where, of in DESCRIPTION["paths"].items():
        for operation in of.values():
            assert operation["description"], where
            if where.startswith("/api/v1/"):
                assert {*operation["responses"]} - {"200", "201", "202"} == {"4XX", "5XX"}
    for path in OPERATIONS:
        for each in parameters(path):
            assert each.get("description") or each["in"] == "path", (path, each["name"])
    references = {*re.findall(r'"#/components/schemas/(\w+)"', json.dumps(DESCRIPTION))}
    assert references == {*DESCRIPTION["components"]["schemas"]}


def test_an_answer_that_has_more_than_is_described_is_seen(crawled: Crawled) -> None:
    got = crawled.get("/api/v1/documents/1")
    fits("/api/v1/documents/{number}", got)
    with pytest.raises(ValueError, match="extra"):
        fits("/api/v1/documents/{number}", got._replace(body=json.dumps(got.json | {"more": 1})))


JUNK = st.one_of(
    st.text(max_size=40), st.integers().map(str), st.sampled_from(["", "0", "-1", "1e9", "true", "\x00", "é", "%", "'"])
)


def value_of(parameter: dict[str, Any]) -> st.SearchStrategy[str]:
    """Values for a parameter: mostly valid ones, and any others."""
    schema = parameter["schema"]
    known = [str(each) for each in (*schema.get("examples", ()), *schema.get("enum", ()), schema.get("default", ""))]
    real = ["web", "papers", "none", "1", "2", "7", "404", "970", "http://127.0.0.1/", "file:///", "/srv/a"]
    return st.one_of(st.sampled_from(known), st.sampled_from(real), JUNK)


@pytest.mark.parametrize("path", OPERATIONS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_is_asked_is_answered_as_described(path: str, data: st.DataObject, crawled: Crawled) -> None:
    inside = {each["name"]: data.draw(value_of(each)) for each in parameters(path) if each["in"] == "path"}
    asked = {each["name"]: value_of(each) for each in parameters(path) if each["in"] == "query"}
    given_ = data.draw(st.fixed_dictionaries({}, optional=asked))
    where = filled(path, {name: value.replace("/", "") or "x" for name, value in inside.items()})
    got = crawled.get(f"{where}?{urlencode(given_)}", accept=data.draw(st.sampled_from(["*/*", LINES])))
    assert got.status < 500, got.body
    fits(path if "/kinds" not in where else "/api/v1/sources/kinds", got)


def test_a_parameter_that_is_there_and_empty_is_read_as_absent(crawled: Crawled) -> None:
    plain = crawled.api("/search?q=kelp")
    said = crawled.api("/search?q=kelp&offset=&limit=&sort=&group=&all=&source=&type=")
    assert [hit["id"] for hit in said["hits"]] == [hit["id"] for hit in plain["hits"]]
    assert crawled.get("/api/v1/search?q=kelp&limit=x").status == 422
    assert crawled.get("/api/v1/search?q=kelp&limit=-1").status == 422
