from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, cast

import pytest
import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadAddress, BadSetting, NotFoundError, UsageError
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl
from cormorant.model.settings.source import SourceSettings, parse_settings
from cormorant.model.url import fingerprint, origin_of
from cormorant.operate.checks import traps, unused_rules
from cormorant.operate.checks.problem import CheckContext
from cormorant.operate.documents import links, listing, lookup
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.documents.source_addresses import SourceAddresses
from cormorant.operate.explain import explain
from cormorant.operate.installation import Installation
from cormorant.operate.records.documents import DocumentRecord
from cormorant.operate.sources import impact_preview
from cormorant.plugins import source_kind
from cormorant.store.blobs.pack_folder import PackFolder
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import visits
from cormorant.store.journal.runs import RunRow
from cormorant.store.journal.visits import Exclusion
from cormorant.store.schema import source

FOLDER = "file:/srv/papers"


def unused(*_: object) -> NoReturn:
    raise AssertionError("a listing needs nothing but the store")


@pytest.fixture
def house(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """An installation with two sources, and pages of two rows."""
    monkeypatch.setattr(listing, "PAGE", 2)
    with store.begin() as tx:
        for name in ("docs", "papers"):
            sources.add(tx, "web", name, {"start": ["https://a.example/"]})
    packs = PackFolder(tmp_path)
    return Installation(
        tmp_path, store, SystemClock(), {}, unused, unused, unused, unused, unused, packs, searchable=False
    )  # fmt: skip


def know(tx: Tx, source: int, *addresses: str) -> None:
    arrivals = [
        NewUrl(
            DiscoveredUrl(each, FOLDER if each.startswith("file:") else origin_of(each).site, how=DiscoveredBy.LINK),
            key,
        )
        for each in addresses
        for key in [fingerprint(each, source)]
    ]
    assert enqueue.admit(tx, SiteNumbers(), Admission(source, 1, 1), arrivals) == len(addresses)


def exclude(tx: Tx, source: int, *addresses: str) -> None:
    rows = [Exclusion(source, fingerprint(x, source), x, "boundary", "a rule", 964, 1, 1, None) for x in addresses]
    visits.exclude(tx, rows)


def listed(house: Installation, **wanted: Any) -> list[str]:
    return [each["url"] for each in listing.listed(house, DocumentFilter(**wanted))]


def quiet(other: Store) -> bool:
    """Does no transaction stand open, so that SQLite can begin its log anew and PostgreSQL clean up?"""
    if other.sqlite:
        with other.begin() as tx:
            tx.driver("INSERT INTO site (key) VALUES ('another')")
        with other._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout=0")
            return int(connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]) == 0
    with other.read() as tx:
        idle = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in %'"
        return int(tx.execute(sa.text(idle)).scalar_one()) == 0


@pytest.mark.parametrize("fill", [know, exclude])
def test_a_listing_left_open_holds_nothing_open(house: Installation, other: Store, fill: Callable[..., None]) -> None:
    addresses = [f"https://a.example/{number}" for number in range(5)]
    with house.store.begin() as tx:
        fill(tx, 1, *addresses)
    lines = listing.listed(house, DocumentFilter(excluded=fill is exclude))
    first = next(lines)
    assert quiet(other)
    assert sorted([first["url"], *(each["url"] for each in lines)]) == addresses


def test_a_listing_of_one_source(house: Installation) -> None:
    with house.store.begin() as tx:
        know(tx, 1, "https://a.example/1", "https://a.example/2", "https://a.example/3")
        know(tx, 2, "https://a.example/4")
        exclude(tx, 1, "https://b.example/5")
        exclude(tx, 2, "https://b.example/6", "https://b.example/7")
    assert len(listed(house)) == 4
    assert listed(house, source="papers") == ["https://a.example/4"]
    assert len(listed(house, excluded=True)) == 3
    assert listed(house, source="docs", excluded=True) == ["https://b.example/5"]
    assert listed(house, status=404) == []


@pytest.mark.parametrize("front", ["https://a.example", "http://a.example:81", "file:///srv/papers"])
def test_what_is_a_resource_is_no_mere_exclusion(house: Installation, front: str) -> None:
    same = [f"{front}/{number}" for number in range(5)]
    with house.store.begin() as tx:
        exclude(tx, 1, *same, f"{front}/other", "https://b.example/x")
        know(tx, 1, *same)
        know(tx, 2, f"{front}/other")
    assert sorted(listed(house, source="docs", excluded=True)) == sorted([f"{front}/other", "https://b.example/x"])
    assert listed(house, source="docs") == same


def test_a_display_address_is_an_address(house: Installation) -> None:
    with house.store.begin() as tx:
        given = {"path": "/srv/papers", "display_prefix": "https://intra/docs"}
        files = sources.add(tx, "files", "files", given)
        know(tx, files, "file:///srv/papers/a%20b.txt")
        know(tx, 1, "https://intra/docs/page")
    for form in ("https://intra/docs/a%20b.txt", "https://INTRA/docs/a b.txt", "file:///srv/papers/a%20b.txt"):
        (record,) = lookup.shown(house, form)
        assert (record["source"], record["access_url"]) == ("files", "file:///srv/papers/a%20b.txt")
        assert links.links(house, form) == []
        (said,) = explain.explain(house, form)
        assert (said["source"], said["verdict"]) == ("files", "pending")
    assert [each["source"] for each in lookup.shown(house, "https://intra/docs/page")] == ["docs"]
    (said,) = explain.explain(house, "https://intra/docs/none.txt")
    assert (said["source"], "There is no such file." in said["because"]) == ("files", True)
    with pytest.raises(NotFoundError):
        lookup.shown(house, "https://intra/docs/none.txt")


def test_what_was_excluded_before_it_was_visited_has_every_field(house: Installation, store: Store) -> None:
    with store.begin() as tx:
        know(tx, 1, "https://a.example/known")
        exclude(tx, 1, "https://a.example/out")
    (known,) = listing.listed(house, DocumentFilter())
    (record,) = listing.listed(house, DocumentFilter(state="excluded", status=964))
    assert (record["url"], record["state"], record["attempts"]) == ("https://a.example/out", "excluded", 0)
    assert set(known) == set(record) - {"run"}


@pytest.mark.parametrize("spoilt", [{"kind": "no longer installed"}, {"settings": json.dumps({"links": ["nonsense"]})}])
def test_a_source_that_cannot_be_read_any_more_spoils_no_other(
    spoilt: dict[str, str], house: Installation, store: Store
) -> None:
    with store.begin() as tx:
        know(tx, sources.named(tx, "docs").id, "https://a.example/x")
        tx.execute(sa.update(source).where(source.c.name == "papers").values(**spoilt))
    (shown,) = lookup.shown(house, "https://a.example/x")
    assert shown["source"] == "docs"
    with store.read() as tx:
        assert SourceAddresses(sources.named(tx, "papers")).meanings("https://a.example/x") == ["https://a.example/x"]


@pytest.mark.parametrize("error", [UnicodeEncodeError("utf-8", "caf\udce9", 3, 4, "surrogate"), KeyError("key")])
def test_a_kind_that_fails_spoils_no_lookup(
    house: Installation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def fails(*_: object) -> NoReturn:
        raise error

    kind = dataclasses.replace(source_kind("web"), meant_by=fails)
    monkeypatch.setattr("cormorant.operate.documents.source_addresses.source_kind", lambda _: kind)
    with house.store.read() as tx, pytest.raises(BadAddress):
        lookup.address_of(tx, "caf\udce9", here=False)
    assert [record.__dict__["source"] for record in caplog.records] == ["docs", "papers"]


def test_a_name_is_looked_up_once_in_each_source(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def meant_by(number: int, *_: object) -> tuple[str, ...]:
        return (f"https://a.example/{number}",)

    def meanings(self: SourceAddresses, address: str) -> list[str]:
        asked.append(self.owner.name)
        return [address]

    kind = dataclasses.replace(source_kind("web"), meant_by=meant_by)
    monkeypatch.setattr("cormorant.operate.documents.source_addresses.source_kind", lambda _: kind)
    monkeypatch.setattr(SourceAddresses, "meanings", meanings)
    with house.store.begin() as tx:
        know(tx, 2, "https://a.example/2")
        assert lookup.address_of(tx, "rota", here=False) == "https://a.example/2"
    assert asked == ["docs", "papers"]


def test_settings_are_parsed_once_for_an_address(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = list[object]()

    def parse(kind: type[SourceSettings], given: dict[str, object]) -> SourceSettings:
        parsed.append(kind)
        return parse_settings(kind, given)

    monkeypatch.setattr("cormorant.operate.documents.source_addresses.parse_settings", parse)
    with house.store.begin() as tx:
        number = sources.add(tx, "files", "shown", {"path": "/srv/docs", "display_prefix": "https://intra/docs"})
        address = "file:///srv/docs/a"
        found = DiscoveredUrl(address, "file:", how=DiscoveredBy.LISTING)
        arrival = NewUrl(found, fingerprint(address, number))
        enqueue.admit(tx, SiteNumbers(), Admission(number, 1, 1), [arrival])
        assert [row.address for row in lookup.at(tx, "https://intra/docs/a")] == [address]
        assert len(parsed) == len(sources.every(tx)) == 3
        assert lookup.at(tx, "file:///srv/docs/none") == []
        assert len(parsed) == 6


def test_a_text_that_is_no_utf8_is_no_key() -> None:
    kind = source_kind("push")
    assert not kind.meant_by(3, kind.settings(), "caf\udce9")
    assert list(kind.meant_by(3, kind.settings(), "café")) == ["push://3/caf%C3%A9"]


def test_settings_that_are_none_any_more_can_be_mended(house: Installation, store: Store) -> None:
    kept = {"start": ["https://a.example/"], "links": ["nonsense"]}
    with store.begin() as tx:
        tx.execute(sa.update(source).where(source.c.name == "docs").values(settings=json.dumps(kept)))
    effect = impact_preview.preview(house, "docs", {"links": ["forms"]})
    assert effect["changes"] == [{"setting": "links", "before": ["nonsense"], "after": ["forms"]}]
    with pytest.raises(BadSetting, match="links"):
        impact_preview.preview(house, "docs", {"depth": "2"})


def test_a_preview_tells_of_start_addresses_in_a_file(house: Installation, store: Store, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    starts.write_text("https://a.example/one?utm_source=x\nhttps://a.example/two\n")
    with store.begin() as tx:
        row = sources.named(tx, "docs")
        kept = {"start_file": str(starts), "exclude": ["host:a.example"]}
        tx.execute(sa.update(source).where(source.c.name == "docs").values(settings=json.dumps(kept)))
        exclude(tx, row.id, "https://a.example/one", "https://a.example/two", "https://a.example/not-given-any-more")
    effect = impact_preview.preview(house, "docs", {"exclude": ["host:b.example"]})
    assert sorted(each["url"] for each in effect["entering"]) == ["https://a.example/one", "https://a.example/two"]


def idle_rules(house: Installation, store: Store, most: int, **settings: object) -> list[str]:
    """What a report says of rules."""
    with store.begin() as tx:
        row = sources.named(tx, "docs")
        sources.edit(tx, row.id, {"start": ["https://a.example/"], **settings})
        row = sources.named(tx, "docs")
    with store.read() as tx:
        return [sentence for _, sentence in unused_rules.watched(tx, house.source(row), most).notes()]


def test_no_rule_is_said_to_match_nothing_before_everything_was_looked_at(
    house: Installation, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unused_rules, "PAGE", 2)
    with store.begin() as tx:
        number = sources.named(tx, "docs").id
        know(tx, number, "https://a.example/in", "https://a.example/in2")
        exclude(tx, number, *(f"https://b.example/{each}" for each in range(6)))
        found = "https://a.example/old"
        visits.exclude(
            tx, [Exclusion(number, fingerprint(found, number), found, "boundary", "exclude path:/old", 964, 1, 1, None)]
        )
    rules: dict[str, object] = {"include": ["path:/in*"], "exclude": ["path:/old"]}
    assert idle_rules(house, store, 2, **rules) == [], "pages come first, and an exclusion names its rule"
    rules["exclude"] = ["path:/old", "path:/5"]
    (said,) = idle_rules(house, store, 2, **rules)
    assert "'exclude path:/5' matches none of the 2 addresses that were looked at" in said
    assert idle_rules(house, store, 100, **rules) == []
    rules["exclude"] = ["path:/nowhere"]
    (said,) = idle_rules(house, store, 100, **rules)
    assert "matches nothing that was found" in said


def test_a_report_names_ten_traps_at_the_most(
    house: Installation, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspected = [
        {"trap": f"{n:08x}", "rule": "r", "template": f"t{n}", "addresses": n, "visited": 1, "accepted": n == 14}
        for n in range(15)
    ]
    monkeypatch.setattr(traps, "of_source", lambda *_: suspected)
    with store.read() as tx:
        context = CheckContext(house, tx, cast("RunRow", None), sources.named(tx, "docs"))
        said = [each.sentence for each in traps.problems(context)]
    assert len(said) == traps.SHOWN + 1
    assert said[0].startswith("t13 looks like a trap")
    assert said[-1].startswith("4 more suspected traps")


def test_patterns_of_files_are_no_rules_of_addresses(store: Store) -> None:
    with store.begin() as tx:
        sources.add(tx, "files", "shelf", {"path": "/srv/shelf", "exclude": ["*.pdf"]})
        assert list(traps.of_source(tx, sources.named(tx, "shelf"))) == []


@pytest.mark.parametrize(
    "wanted",
    [DocumentFilter(), DocumentFilter("docs"), DocumentFilter(excluded=True), DocumentFilter("papers", excluded=True)],
)
@pytest.mark.parametrize("most", [1, 2, 5])
def test_pages_of_a_listing_are_the_listing(wanted: DocumentFilter, most: int, house: Installation) -> None:
    with house.store.begin() as tx:
        know(tx, 1, *(f"https://a.example/{number}" for number in range(5)))
        know(tx, 2, *(f"https://a.example/{number}" for number in range(3)))
        exclude(tx, 1, *(f"https://b.example/{number}" for number in range(4)))
        exclude(tx, 2, *(f"https://b.example/{number}" for number in range(3)))
    whole = list(listing.listed(house, wanted))
    found: list[DocumentRecord] = []
    cursor: str | None = ""
    while cursor is not None:
        assert list(listing.listed(house, wanted, cursor)) == whole[len(found) :]
        records, cursor = listing.page(house, wanted, cursor, most)
        assert len(records) == most or cursor is None
        found += records
    assert found == whole
    assert len(whole) >= 3


@pytest.mark.parametrize("cursor", ["7", "0.r.", "0.r.1 ", "a.r.1", "0.y.1", "0.r.9223372036854775808", "9" * 50])
def test_what_is_no_cursor_is_told(cursor: str, house: Installation) -> None:
    with pytest.raises(UsageError, match="does not come from a list"):
        listing.page(house, DocumentFilter(), cursor, 1)


def test_the_cursor_of_a_source_that_was_deleted(house: Installation) -> None:
    with pytest.raises(UsageError, match="belongs to another list"):
        listing.page(house, DocumentFilter(excluded=True), "99.x.-1", 1)


def test_a_document_by_its_number(house: Installation) -> None:
    with house.store.begin() as tx:
        know(tx, 1, "https://a.example/1")
    (known,) = listing.listed(house, DocumentFilter())
    assert lookup.numbered(house, known["id"] or 0).items() >= known.items()
    with pytest.raises(NotFoundError, match="There is no document 77"):
        lookup.numbered(house, 77)


@pytest.mark.parametrize(
    ("kind", "url", "site"),
    [
        ("sftp", "sftp://files.example:2222/srv/docs", "sftp://files.example:2222"),
        ("smb", "smb://files.example/share/docs", "smb://files.example:445"),
        ("ftp", "ftp://files.example/pub", "ftp://files.example:21"),
    ],
)
def test_a_file_on_a_server_is_known_by_its_address(house: Installation, kind: str, url: str, site: str) -> None:
    login = {"user": "ada", "password": "secret:p"} | ({"host_key": f"SHA256:{'A' * 43}"} if kind == "sftp" else {})
    settings = {"url": url, **(login if kind != "ftp" else {})}
    address = f"{url}/caf%E9%20%2541.txt"
    with house.store.begin() as tx:
        number = sources.add(tx, kind, "files", settings)
        arrival = NewUrl(DiscoveredUrl(address, site, how=DiscoveredBy.LISTING), fingerprint(address, number))
        assert enqueue.admit(tx, SiteNumbers(), Admission(number, 1, 1), [arrival]) == 1
        assert [row.address for row in lookup.at(tx, address)] == [address]
        assert lookup.at(tx, f"{url}/other.txt") == []
