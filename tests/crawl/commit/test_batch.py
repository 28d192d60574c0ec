"""Which outcome writes what: the table in `crawl.commit.batch`, a case a line."""

from __future__ import annotations

import dataclasses
from dataclasses import asdict

import pytest
from msgspec.structs import replace

from cormorant.base.profiling import unmeasured
from cormorant.crawl.commit import batch as batch_rows, counters as run_counters
from cormorant.crawl.commit.batch import Batch, BatchRows, Visited
from cormorant.crawl.link_filter import Screened, excluded
from cormorant.frontier.links import codec
from cormorant.frontier.state.enqueue import NewUrl
from cormorant.model.acl import ACL, PUBLIC
from cormorant.model.content import PageLink, VisitTrace
from cormorant.model.outcome import (
    Deferred,
    Excluded,
    Failed,
    Gone,
    Held,
    Moved,
    Ok,
    Outcome,
    OutcomeKind,
    Quarantined,
    Unchanged,
)
from cormorant.model.resource import DiscoveredUrl, Resource, Role
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.run import Counters
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.blobs.record import decode
from tests.crawl.samples import (
    AT,
    INDEXED,
    NEVER_SEEN,
    NOTHING_FOUND,
    OLD_BODY,
    OLD_TEXT,
    RUN,
    SOURCE,
    a_content,
    a_document,
    visited,
    web_source,
)

STAFF = ACL.of(["group:staff"])
LINK = PageLink("https://a.example/next")
NOINDEX = Ruling(admitted=False, gate=Gate.ROBOTS_META, rule="noindex", status=971)
FORBIDDEN = Ruling(admitted=False, gate=Gate.ROBOTS, rule="Disallow: /", status=970)

WAS_GONE = INDEXED._replace(outcome=int(OutcomeKind.GONE), status=404)
WAS_DEFERRED = INDEXED._replace(outcome=int(OutcomeKind.DEFERRED), status=503)
WAS_SILENT = INDEXED._replace(outcome=int(OutcomeKind.FAILED), status=1023)
WAS_EXCLUDED = NEVER_SEEN._replace(
    outcome=int(OutcomeKind.EXCLUDED), status=971, etag='"9"', modified="Sun", content_hash=OLD_BODY, acl=1
)

OK = Ok(a_content(), a_document(LINK.address), (LINK,))
SAME_BYTES = Unchanged(200, a_content(b"old body", '"1"'))
OTHER_VALIDATORS = Unchanged(200, a_content(b"old body", '"2"'))
SAME_TEXT = Unchanged(200, a_content(), a_document(LINK.address), (LINK,))
OTHER_RIGHTS = Unchanged(200, a_content(b"old body", '"1"', STAFF))
READ_AND_EXCLUDED = Excluded(NOINDEX, 971, (LINK,), a_content())
NOTHING_TO_FOLLOW = Excluded(NOINDEX, 971, (), a_content())
READ = {"links": 1, "judged": 1}
WRITTEN = {"content": 1, "cache": 1, "links": 1}

# Outcome, what was known, what is written, and what the visit's row says it changed ("": it has none).
TABLE: list[tuple[Outcome, Resource, dict[str, int], str]] = [
    (OK, NEVER_SEEN, {**WRITTEN, "new": 1}, "new"),
    (OK, WAS_EXCLUDED, {**WRITTEN, "new": 1}, "new"),
    (OK, INDEXED, {**WRITTEN, "changed": 1}, "content"),
    (OK, WAS_GONE, {**WRITTEN, "changed": 1, "shown": 1}, "content"),
    (Unchanged(), INDEXED, {}, ""),
    (Unchanged(), WAS_GONE, {"shown": 1}, "outcome"),
    (Unchanged(), WAS_DEFERRED, {"shown": 1}, "outcome"),
    (Unchanged(), WAS_EXCLUDED, {}, ""),
    (SAME_BYTES, INDEXED._replace(modified="Tue"), {}, ""),
    (OTHER_VALIDATORS, INDEXED, {"validators": 1}, ""),
    (SAME_TEXT, INDEXED, {"validators": 1, "links": 1}, ""),
    (SAME_TEXT, WAS_GONE, {"validators": 1, "links": 1, "shown": 1}, "outcome"),
    (OTHER_RIGHTS, INDEXED._replace(modified="Tue"), {"access": 1, "restricted": 1}, "access"),
    (OTHER_RIGHTS, WAS_GONE._replace(modified="Tue"), {"access": 1, "restricted": 1, "shown": 1}, "access"),
    (Moved("https://a.example/8"), NEVER_SEEN, {}, "outcome"),
    (Moved("https://a.example/8"), INDEXED, {"hidden": 1}, "outcome"),
    (Moved("https://a.example/8", acl=STAFF), INDEXED, {"access": 1, "restricted": 1, "hidden": 1}, "access"),
    (Gone(), NEVER_SEEN, {}, "outcome"),
    (Gone(), INDEXED, {"hidden": 1}, "outcome"),
    (Gone(410), WAS_DEFERRED, {"hidden": 1}, "outcome"),
    (Excluded(FORBIDDEN, 970), NEVER_SEEN, {}, "outcome"),
    (Excluded(FORBIDDEN, 970), INDEXED, {"hidden": 1}, "outcome"),
    (READ_AND_EXCLUDED, NEVER_SEEN, {"links": 1, "judged": 1}, "outcome"),
    (READ_AND_EXCLUDED, INDEXED, {"links": 1, "judged": 1, "hidden": 1}, "outcome"),
    (READ_AND_EXCLUDED, WAS_EXCLUDED, {"links": 1, "judged": 1}, ""),
    (NOTHING_TO_FOLLOW, INDEXED, {"links": 1, "judged": 1, "hidden": 1}, "outcome"),
    (replace(READ_AND_EXCLUDED, acl=STAFF), INDEXED, {**READ, "access": 1, "restricted": 1, "hidden": 1}, "access"),
    (Deferred(503, "busy"), NEVER_SEEN, {}, "outcome"),
    (Deferred(503, "busy"), INDEXED, {}, "outcome"),
    (Deferred(503, "busy"), WAS_DEFERRED, {"shown": 1}, ""),
    (Failed(403, "forbidden"), NEVER_SEEN, {}, "outcome"),
    (Failed(403, "forbidden"), INDEXED, {}, "outcome"),
    (Failed(403, "forbidden", acl=STAFF), NEVER_SEEN, {}, "outcome"),
    (Failed(403, "forbidden", acl=STAFF), INDEXED, {"access": 1, "restricted": 1}, "access"),
    (Failed(403, "forbidden", acl=PUBLIC), INDEXED, {}, "outcome"),
    (Failed(903, "it gave up", acl=STAFF), WAS_GONE, {"access": 1, "restricted": 1, "shown": 1}, "access"),
    (Failed(906, "refused"), INDEXED, {}, "outcome"),
    (Failed(906, "refused"), WAS_SILENT, {"hidden": 1}, "outcome"),
    (Quarantined("it killed a child"), NEVER_SEEN, {}, "outcome"),
    (Quarantined("it killed a child"), INDEXED, {}, "outcome"),
    (Quarantined("it killed a child", a_content()), NEVER_SEEN, {"judged": 1}, "outcome"),
    (Quarantined("it killed a child", a_content()), INDEXED, {"judged": 1}, "outcome"),
    (Quarantined("it killed a child", acl=STAFF), INDEXED, {"access": 1, "restricted": 1}, "access"),
    (Held("too many"), NEVER_SEEN, {}, "outcome"),
    (Held("too many"), INDEXED, {}, "outcome"),
]


def acl_number(acl: ACL) -> int:
    return {PUBLIC: 1, STAFF: 2}[acl]


def batch_of(*several: Visited) -> Batch:
    batch, source = Batch(), web_source()
    for each in several:
        batch_rows.add(batch, source, each, NOTHING_FOUND, unmeasured)
    return batch


def rows_of(batch: Batch) -> BatchRows:
    return batch_rows.rows(batch, [(1, n * 100, 100) for n in range(len(batch.packed))], RUN, acl_number)


def written(batch: Batch, made: BatchRows) -> dict[str, int]:
    """How many rows of each sort."""
    events = [each.event for each in made.entries]
    counts = {
        "content": len(made.contents), "cache": len(batch.frames), "links": len(made.links),
        "validators": len(made.validators), "judged": len(made.judged), "access": len(made.access),
        "hidden": len(made.hidden), "shown": len(made.shown), "new": events.count(Event.NEW),
        "changed": events.count(Event.CHANGED), "restricted": len(made.restricted(1)),
    }  # fmt: skip
    assert len(events) == counts["new"] + counts["changed"] + counts["restricted"]
    return {name: count for name, count in counts.items() if count}


def named(value: object) -> str:
    if isinstance(value, Resource):
        past = f"{OutcomeKind(value.outcome).name.lower()}-{value.status}"
        return f"indexed-{past}" if value.indexed else past
    return "" if isinstance(value, dict | str) else type(value).__name__


@pytest.mark.parametrize(("outcome", "known", "want", "changed"), TABLE, ids=named)
def test_what_an_outcome_writes(outcome: Outcome, known: Resource, want: dict[str, int], changed: str) -> None:
    batch = batch_of(visited(known, outcome))
    made = rows_of(batch)
    assert written(batch, made) == want
    assert [each.changed for each in made.visits] == ([changed] if changed else [])
    assert [each[0] for each in made.fates] == [known], "every visit has a fate"


def test_the_table_has_every_outcome() -> None:
    for past in (True, False):
        assert {o.kind for o, known, _, _ in TABLE if known.indexed is past} == set(OutcomeKind) - {OutcomeKind.NONE}


def test_a_document_is_kept_whole() -> None:
    batch = batch_of(visited(NEVER_SEEN, OK))
    made = rows_of(batch)
    ((number, frame),) = batch.frames
    assert number == NEVER_SEEN.id
    got = decode(frame)
    assert (got.url, got.body, got.text, got.title) == ("https://a.example/7", b"new body", "text", "Title")
    (row,) = made.contents
    document = a_document()
    assert (row.id, row.source_id, row.etag, row.modified, row.acl_id) == (7, SOURCE, '"2"', "Tue", 1)
    assert (row.content_hash, row.text_hash) == (document.content_hash, document.text_hash)
    assert (row.pack, row.pack_offset, row.pack_length, row.fetched_at, row.indexed) == (1, 0, 100, AT, True)
    assert made.links == [(7, RUN, False, codec.pack([LINK]))]
    (visit,) = made.visits
    assert visit == (7, RUN, AT, OutcomeKind.OK, 200, 8, document.content_hash, "new", None)


def test_a_long_title_is_cut() -> None:
    document = replace(a_document(), title="x" * 9999)
    (row,) = rows_of(batch_of(visited(NEVER_SEEN, Ok(a_content(), document)))).contents
    assert len(row.title) == batch_rows.MAX_TITLE


def test_validators_are_of_the_version_that_was_judged() -> None:
    (row,) = rows_of(batch_of(visited(INDEXED, SAME_TEXT))).validators
    assert row == ('"2"', "Tue", a_document().content_hash, 7)
    (judged,) = rows_of(batch_of(visited(INDEXED, READ_AND_EXCLUDED))).judged
    assert judged == ('"2"', "Tue", True, 7), "the bytes are still those that could be found"


def test_what_is_judged_by_something_said_beside_it_keeps_no_validators() -> None:
    """It would be confirmed for ever by what is no longer said."""
    beside = Excluded(NOINDEX._replace(lasting=False), 971, (), a_content())
    for known in (INDEXED, NEVER_SEEN):
        (judged,) = rows_of(batch_of(visited(known, beside))).judged
        assert judged == ("", "", known.indexed, 7)
    unsent = replace(beside, content=None)
    assert rows_of(batch_of(visited(INDEXED, unsent))).judged == [("", "", True, 7)]
    assert rows_of(batch_of(visited(NEVER_SEEN, unsent))).judged == []


def test_what_says_of_itself_that_it_is_not_to_be_found_keeps_its_validators() -> None:
    """Other facts beside the version are ignored; a document without a version keeps that of its listing."""
    remarks = replace(a_content(), directives=("max-image-preview:large",))
    for known in (INDEXED, NEVER_SEEN):
        (judged,) = rows_of(batch_of(visited(known, replace(READ_AND_EXCLUDED, content=remarks)))).judged
        assert judged == ('"2"', "Tue", known.indexed, 7)
    listed = replace(a_content(), etag="", modified="", directives=("nofollow",))
    assert rows_of(batch_of(visited(NEVER_SEEN, replace(READ_AND_EXCLUDED, content=listed)))).judged == []


def test_what_harmed_a_child_keeps_its_validators() -> None:
    batch = batch_of(visited(INDEXED, Quarantined("it killed a child", a_content())))
    (judged,) = rows_of(batch).judged
    assert judged == ('"2"', "Tue", True, 7)
    light = batch.visited[0].report.outcome
    assert isinstance(light, Quarantined)
    assert light.content is not None
    assert (light.content.body, light.reason) == (b"", "it killed a child")


def test_a_changed_document_with_other_rights_is_restricted_until_the_index_has_it() -> None:
    def restricted(known: Resource, acl: ACL) -> list[tuple[int, int, int, int]]:
        return rows_of(batch_of(visited(known, Ok(a_content(), a_document(acl=acl))))).restricted(5)

    assert restricted(INDEXED, STAFF) == [(7, SOURCE, RUN, 5)]
    assert restricted(INDEXED, PUBLIC) == []
    assert restricted(NEVER_SEEN, STAFF) == [], "nobody could find it before"


def test_links_of_a_returning_document_with_other_rights_are_weighed_again_and_those_of_a_new_one_are_not() -> None:
    def returned(known: Resource) -> set[int]:
        return rows_of(batch_of(visited(known, OK))).returned

    assert returned(NEVER_SEEN) == set(), "its links will be weighed when they have been inverted"
    assert returned(WAS_EXCLUDED._replace(acl=2)) == {7}
    assert returned(WAS_EXCLUDED) == set(), "its rights are those that it had"


def test_rights_of_what_could_not_be_read_are_numbered() -> None:
    batch = batch_of(*several((1, Failed(403, "forbidden", acl=STAFF)), (2, Failed(403, "forbidden"))))
    assert list(batch_rows.rights(batch)) == [STAFF]
    made = rows_of(batch)
    assert made.access == [(2, 1)]
    assert [(each.resource, each.event) for each in made.entries] == [(1, Event.ACCESS)]


def test_a_forced_row_keeps_the_validators_of_what_was_excluded() -> None:
    forced = INDEXED._replace(etag="", modified="", content_hash=b"", text_hash=b"")
    assert len(rows_of(batch_of(visited(forced, READ_AND_EXCLUDED))).judged) == 1
    (never,) = rows_of(batch_of(visited(NEVER_SEEN, READ_AND_EXCLUDED))).judged
    assert never == ('"2"', "Tue", False, NEVER_SEEN.id), "it has no content to keep them with"


def test_an_unchanged_document_of_a_forced_run_is_rewritten_and_counted_as_unchanged() -> None:
    known = INDEXED._replace(etag="", modified="", content_hash=b"", text_hash=b"")
    for before, count, journal in (
        (a_document().text_hash, "unchanged", []), (OLD_TEXT, "changed", ["content"]), (b"", "changed", ["content"])
    ):  # fmt: skip
        batch, counters = batch_of(visited(known._replace(before=before), OK)), Counters()
        made = rows_of(batch)
        assert written(batch, made) == {**WRITTEN, "changed": 1}, "its copy is mended and every receiver gets an event"
        assert [each.changed for each in made.visits] == journal
        run_counters.count(counters, batch, excluded=0)
        assert {name: value for name, value in asdict(counters).items() if value} == {
            "fetched": 1, count: 1, "cache_writes": 1
        }  # fmt: skip
    back = batch_of(visited(WAS_GONE._replace(text_hash=b"", before=a_document().text_hash), OK))
    assert [each.changed for each in rows_of(back).visits] == ["outcome"], "found again, with the same text"


def several(*pairs: tuple[int, Outcome], known: Resource = INDEXED) -> list[Visited]:
    """Visits of resources with these numbers, each at the site of its own number."""
    return [visited(known._replace(id=number, site=number), outcome) for number, outcome in pairs]


def test_numbers_of_the_stream_follow_the_order_of_the_batch() -> None:
    batch = batch_of(*several((1, OTHER_RIGHTS), (2, OK), (3, Gone()), (4, OK)))
    made = rows_of(batch)
    assert [(each.resource, each.event) for each in made.entries] == [
        (2, Event.CHANGED), (4, Event.CHANGED), (1, Event.ACCESS),
    ]  # fmt: skip
    assert made.entries[0] == NewEvent(SOURCE, 2, RUN, Event.CHANGED)
    assert [(row.id, row.seq, row.pack_offset) for row in made.numbered(50)] == [(2, 50, 0), (4, 51, 100)]
    assert made.restricted(50) == [(1, SOURCE, RUN, 52)]
    assert made.hidden == [(3, SOURCE, RUN)]


def found(number: int) -> Screened:
    """The links of a page: a new resource and an excluded address."""
    each = DiscoveredUrl(f"https://b.example/{number}", "b.example", 3, referrer=number)
    no = Ruling(admitted=False, gate=Gate.BOUNDARY, rule="exclude *.zip", status=964)
    return Screened([NewUrl(each, number)], [excluded(SOURCE, number, each, no, RUN)])


def test_a_lost_site_takes_everything_of_its_own_along() -> None:
    batch, source = Batch(), web_source()
    robots = visited(INDEXED._replace(id=5, site=1, role=Role.ROBOTS), Ok(a_content(), None))
    visits = [*several((1, OK), (2, OK), (3, SAME_TEXT)), robots]
    for each in visits:
        batch_rows.add(batch, source, each, found(each.resource.id), unmeasured)
    kept = batch.without({1, 3})
    assert [each.resource.id for each in kept.visited] == [2]
    assert [each.key for each in kept.arrivals] == [each.hash for each in kept.exclusions] == [2]
    assert [number for number, _ in kept.frames] == list(kept.links) == [2]
    assert kept.facts == []
    assert len(batch.visited) == len(batch.arrivals) == 4, "the batch itself is still whole"
    assert len(batch.facts) == 1
    assert batch.without(set()).frames == batch.frames


def test_a_robots_txt_is_a_fact_and_no_document() -> None:
    batch = batch_of(visited(NEVER_SEEN._replace(role=Role.ROBOTS), Ok(a_content(b"User-agent: *"), None)))
    made = rows_of(batch)
    assert written(batch, made) == {}
    assert [each.changed for each in made.visits] == ["outcome"]
    (fact,) = batch.facts
    assert fact == (1, 0, "robots:https://a.example", b"User-agent: *", AT + 60)
    assert batch_of(visited(NEVER_SEEN._replace(role=Role.ROBOTS), Deferred(503, "busy"))).facts == []


def test_the_same_robots_txt_again_is_no_news() -> None:
    known = NEVER_SEEN._replace(role=Role.ROBOTS, outcome=int(OutcomeKind.OK), status=200)
    assert rows_of(batch_of(visited(known, Ok(a_content(b"User-agent: *"), None)))).visits == []


@pytest.mark.parametrize("outcome", [OK, SAME_TEXT, READ_AND_EXCLUDED], ids=named)
def test_what_waits_to_be_settled_is_light_and_keeps_its_size(outcome: Outcome) -> None:
    batch = batch_of(visited(WAS_GONE, outcome))
    (light,) = batch.visited
    left = light.report.outcome
    assert isinstance(left, Ok | Unchanged | Excluded)
    assert left.content is not None
    assert (left.content.body, left.content.header_block, left.follow) == (b"", b"", ())
    assert light.size == len(b"new body") == rows_of(batch).visits[0].size_bytes
    assert batch.size_bytes == sum(len(frame) for _, frame in batch.frames)


@pytest.mark.parametrize(
    ("outcome", "links"),
    [
        (OK, [LINK]), (SAME_TEXT, [LINK]), (READ_AND_EXCLUDED, [LINK]), (Moved("https://a.example/8"),
        [PageLink("https://a.example/8")]), (Unchanged(), []), (Gone(), []), (Failed(403, ""), []),
        (Deferred(503, ""), []), (Quarantined(""), []), (Held(""), []),
    ],
    ids=named,
)  # fmt: skip
def test_what_may_be_followed(outcome: Outcome, links: list[PageLink]) -> None:
    found = batch_rows.links_to_follow(outcome, lambda _: None)
    assert list(found.follow) == links
    assert found.unfollowed == ()


def test_a_site_is_written_back_once() -> None:
    same = visited(INDEXED, OK)
    again = same._replace(report=same.report._replace(outcome=Gone()))
    found = {site.lease.site: site for site in batch_rows.sites(batch_of(same, again, *several((9, Gone()))))}
    assert found.keys() == {1, 9}
    assert found[1] is same.report.task.site


def test_of_a_site_lost_and_leased_again_the_older_lease_counts() -> None:
    older, newer = visited(INDEXED, OK), visited(INDEXED, OK)
    newer.report.task.site.lease = dataclasses.replace(older.report.task.site.lease, epoch=2)
    (site,) = batch_rows.sites(batch_of(older, newer))
    assert site.lease.epoch == 1


def test_the_figures_of_a_batch() -> None:
    counters, wire = Counters(), VisitTrace(2, 1, 0, 500, 900)
    visits = [
        visited(NEVER_SEEN, OK, wire=wire), visited(INDEXED, OK), visited(INDEXED, Unchanged()),
        visited(INDEXED, READ_AND_EXCLUDED), visited(NEVER_SEEN, Excluded(FORBIDDEN, 970)),
        visited(INDEXED, Failed(906, "refused")), visited(INDEXED, Deferred(503, "busy")),
        visited(INDEXED, Failed(906, "it redirects to what is away", elsewhere=True)),
        visited(NEVER_SEEN._replace(role=Role.ROBOTS), Ok(a_content(), None), wire=wire),
        visited(WAS_EXCLUDED, Unchanged()),
    ]  # fmt: skip
    run_counters.count(counters, batch_of(*visits), excluded=5)
    assert {name: value for name, value in asdict(counters).items() if value} == {
        "requests": 4, "requests_conditional": 2, "bytes": 1000, "bytes_decoded": 1800, "cache_writes": 2,
        "fetched": 5, "new": 1, "changed": 1, "unchanged": 1, "not_modified": 2, "non_indexable": 2, "discovered": 5,
        "excluded": 8, "rejected": 6, "failed": 2, "fetch_failures": 2,
        "unanswered": 2,
    }  # fmt: skip
