"""The receiver `opensearch`: what it writes, on a small server that keeps to the API and on a real one, and what it
does about every way in which a cluster can say no, on the small one."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from cormorant.base.errors import BadSetting, NotFoundError
from cormorant.model.settings.source import parse_settings
from cormorant.receivers import bulk_api
from cormorant.receivers.bulk_api import Verdict
from cormorant.receivers.opensearch import OpenSearchReceiver, OpenSearchSettings
from cormorant.receivers.protocol import Delivery, DocumentRights, NotTaken, Refusal, Stop
from tests.receivers.cluster import Cluster, basic
from tests.receivers.engine import PARTS, Engine, started
from tests.receivers.hook import KEY
from tests.receivers.tools import tools

EVERYONE = DocumentRights(("everyone",), ())
PLACES = st.integers(1, 4)


def page(number: int, seq: int, event: str = "new", rights: DocumentRights = EVERYONE, **more: Any) -> Delivery:
    """A delivery of document `number`: gone, when `event` says so."""
    url = f"https://harbour.example/{number}"
    if event == "deleted":
        return Delivery(seq, event, 1, "harbour", url, id=number)
    document = {
        "url": url, "access_url": "https://inside.example/x", "referrer": "https://inside.example/secret",
        "title": f"Plover {number}", "mime": "text/html", "language": "en", "size_bytes": 10, "depth": 1,
        "fetched_at": "2026-11-23T04:00:00Z", "changed_at": "2026-11-23T04:00:00.250Z", "content_hash": "ab",
        "indexed": True, **more,
    }  # fmt: skip
    return Delivery(seq, event, 1, "harbour", url, document, f"state {seq}", id=number, rights=rights)


def made(url: str, *, newest: int = 1 << 40, **more: object) -> OpenSearchReceiver:
    """A receiver that writes to this server, opened."""
    receiver = OpenSearchReceiver(OpenSearchSettings.model_validate({"url": url, **more}), tools(newest=newest))
    receiver.open()
    return receiver


def told(url: str, *batches: Sequence[Delivery], **more: Any) -> list[Refusal | Stop]:
    """Tell a new receiver these batches."""
    receiver = made(url, **more)
    try:
        return [each for batch in batches for each in receiver.receive(batch)]
    finally:
        receiver.close()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    if not any(PARTS.glob("opensearch-*.jar")):
        pytest.skip("There is no OpenSearch in build/opensearch: `make opensearch` fetches it.")
    with started(tmp_path_factory.mktemp("engine")) as engine:
        yield engine


@pytest.fixture(params=["small", pytest.param("real", marks=pytest.mark.server)])
def engine(request: pytest.FixtureRequest) -> Iterator[Cluster | Engine]:
    """Either of them, without an index."""
    if request.param == "small":
        yield request.getfixturevalue("cluster")
        return
    found: Engine = request.getfixturevalue("real")
    found.forget()
    yield found


# ---------------------------------------------------------------------------------------- on the small and the real one


def test_what_is_written_of_a_document(engine: Cluster | Engine) -> None:
    rights = DocumentRights(("group:hr", "user:ada"), ("user:bob",))
    assert told(engine.url, [page(7, 12, rights=rights), page(8, 13)]) == []
    assert engine.documents()["1d-7"] == {
        "url": "https://harbour.example/7", "source": "harbour", "title": "Plover 7", "mime": "text/html",
        "language": "en", "size_bytes": 10, "depth": 1, "fetched_at": "2026-11-23T04:00:00Z",
        "changed_at": "2026-11-23T04:00:00.250Z", "content_hash": "ab", "text": "state 12",
        "grants": ["group:hr", "user:ada"], "denies": ["user:bob"], "installation": "1d", "id": 7, "seq": 12,
    }  # fmt: skip
    assert set(engine.documents()) == {"1d-7", "1d-8"}


def test_readers_find_what_they_may_read(engine: Cluster | Engine) -> None:
    pages = {
        1: EVERYONE, 2: DocumentRights(("group:hr",), ()), 3: DocumentRights(("group:hr",), ("user:bob",)),
        4: DocumentRights((), ()),
    }  # fmt: skip
    told(engine.url, [page(number, number, rights=rights) for number, rights in pages.items()])

    def numbers(*principals: str) -> set[int]:
        return {int(each.rpartition("/")[2]) for each in engine.found("cormorant", *principals)}

    assert numbers("everyone") == {1}
    assert numbers("everyone", "group:hr") == {1, 2, 3}
    assert numbers("everyone", "group:hr", "user:bob") == {1, 2}
    told(engine.url, [page(1, 9, "changed", DocumentRights(("group:hr",), ()))])
    assert numbers("everyone") == set()


def test_what_is_late_takes_the_place_of_nothing_newer(engine: Cluster | Engine) -> None:
    told(engine.url, [page(1, 5), page(2, 6)], [page(1, 8, "changed"), page(2, 9, "deleted")])
    late = [page(1, 5), page(2, 6)], [page(1, 5)], [page(1, 8, "changed"), page(2, 9, "deleted")], [page(2, 6)]
    for batch in late:
        assert told(engine.url, batch) == []
    assert {name: each["text"] for name, each in engine.documents().items()} == {"1d-1": "state 8"}
    told(engine.url, [page(2, 11)])
    assert engine.documents()["1d-2"]["seq"] == 11


def test_one_that_cannot_be_taken_is_named_and_the_rest_goes_on(engine: Cluster | Engine) -> None:
    told(engine.url, [page(number, number) for number in (1, 2, 3)])
    bad = page(2, 5, "changed", depth=1 << 40)
    said = told(engine.url, [page(1, 4, "changed"), bad, page(3, 6, "changed")])
    (refusal,) = said
    assert isinstance(refusal, Refusal)
    assert (refusal.seq, refusal.reason.startswith("400: mapper_parsing_exception")) == (5, True)
    assert {name: each["seq"] for name, each in engine.documents().items()} == {"1d-1": 4, "1d-3": 6}
    told(engine.url, [page(2, 5, "changed")])
    assert "1d-2" not in engine.documents(), "its withdrawal has the number of what was refused"
    told(engine.url, [page(2, 7, "changed")])
    assert engine.documents()["1d-2"]["seq"] == 7


def test_principals_are_never_left_out_for_their_length(engine: Cluster | Engine) -> None:
    told(engine.url, [page(1, 1), page(2, 2)])
    long = "user:" + "x" * 40_000
    said = told(engine.url, [page(1, 3, rights=DocumentRights(("everyone",), (long,))), page(2, 4, rights=EVERYONE)])
    assert [each.seq for each in said if isinstance(each, Refusal)] == [3]
    assert set(engine.documents()) == {"1d-2"}
    assert told(engine.url, [page(3, 5, content_hash="y" * 40_000)]) == []


def test_an_index_that_was_deleted_is_made_again_with_its_mapping(engine: Cluster | Engine) -> None:
    receiver = made(engine.url)
    receiver.receive([page(1, 1)])
    engine.forget()
    receiver.receive([page(1, 2, rights=DocumentRights(("group:Human Resources",), ()))])
    receiver.close()
    assert engine.found("cormorant", "group:Human Resources") == {"https://harbour.example/1"}


def test_an_index_that_knows_greater_numbers_is_left_alone(engine: Cluster | Engine) -> None:
    told(engine.url, [page(1, 900)])
    assert len(engine.documents()) == 1, "and searches see what was written"
    with pytest.raises(NotTaken, match=r"number 900 .* none above 500.*edit shop --set index=NAME.*resend shop"):
        told(engine.url, [page(1, 400)], newest=500)
    assert engine.documents()["1d-1"]["seq"] == 900
    assert told(engine.url, [page(1, 901)], newest=901) == []
    assert told(engine.url, [page(1, 400)], newest=500, index="another") == []
    engine.forget("another")


# --------------------------------------------------------------------------------------------------- on the small one


def insist(receiver: OpenSearchReceiver, batch: Sequence[Delivery]) -> None:
    """Tell it a batch until it has taken it."""
    while True:
        try:
            receiver.receive(batch)
        except NotTaken:
            continue
        return


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(PLACES, st.booleans()), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(1, 6), st.booleans()), max_size=10),
    st.lists(st.sampled_from([429, 500, "reset", "ok", "nonsense"]), max_size=6),
)
def test_whatever_comes_late_twice_or_fails_the_newest_stands(
    events: list[tuple[int, bool]], again: list[tuple[int, int, bool]], failures: list[int | str]
) -> None:
    """The stream once in order, then pieces of it again, as after kills, by the same receiver or another."""
    stream = [page(number, seq + 1, "deleted" if gone else "changed") for seq, (number, gone) in enumerate(events)]
    with Cluster() as cluster:
        cluster.plan += failures
        receiver = made(cluster.url, batch=3)
        for first, size, anew in [(0, len(stream), False), *again]:
            if anew:
                receiver.close()
                receiver = made(cluster.url, batch=2)
            insist(receiver, stream[first : first + size])
        receiver.close()
        wanted = {f"1d-{each.id}": each.seq for each in stream if each.document}
        gone = {f"1d-{each.id}": each.seq for each in stream if not each.document}
        standing = {name: seq for name, seq in wanted.items() if seq > gone.get(name, 0)}
        assert {name: each["seq"] for name, each in cluster.documents().items()} == standing


def test_busy_ones_come_again_alone(cluster: Cluster) -> None:
    cluster.busy["1d-2"] = 2
    bad = page(3, 3, depth=1 << 40)
    receiver = made(cluster.url)
    batch = [page(1, 1), page(2, 2), bad, page(4, 4)]
    for _ in range(2):
        with pytest.raises(NotTaken, match="rejected 1 of 4: 429: rejected_execution"):
            receiver.receive(batch)
    assert [each.seq for each in receiver.receive(batch) if isinstance(each, Refusal)] == [3]
    assert receiver.receive([page(1, 9)]) == []
    receiver.close()
    sent = [[version for _, _, version in each] for each in cluster.bulks]
    assert sent == [[1, 2, 3, 4], [3], [2], [2], [9]]


@pytest.mark.parametrize(
    ("answer", "words", "after_s"),
    [
        (429, "answered 429", 0), ((503, {"Retry-After": "9"}), "answered 503", 9), (500, "answered 500", 0),
        (401, "Check its auth", 0), (403, "needs permission to read the index", 0), (404, "Check the url", 0),
        (400, "answered 400", 0), ("reset", "was not reached", 0), ("nonsense", "unknown form of answer", 0),
        ((302, {"Location": "http://127.0.0.1:9/"}), "Redirects are not followed", 0),
    ],
)  # fmt: skip
def test_what_was_not_taken_comes_again(cluster: Cluster, answer: Any, words: str, after_s: float) -> None:
    cluster.plan += [answer, *(["reset"] if answer == "reset" else [])]  # that is tried once more by itself
    receiver = made(cluster.url)
    with pytest.raises(NotTaken, match=words) as raised:
        receiver.receive([page(1, 1), page(2, 2)])
    assert (raised.value.after_s, cluster.documents()) == (after_s, {})
    assert receiver.receive([page(1, 1), page(2, 2)]) == []
    receiver.close()
    assert len(cluster.documents()) == 2


def test_one_that_hangs_is_given_up(cluster: Cluster) -> None:
    cluster.plan += ["hang"]
    with pytest.raises(NotTaken, match="was not reached"):
        told(cluster.url, [page(1, 1)], timeout_s=0.5)


def test_nobody_listens() -> None:
    with Cluster() as cluster:
        url = cluster.url
    with pytest.raises(NotTaken, match="was not reached"):
        told(url, [page(1, 1)])


def test_what_is_too_large_goes_in_halves_and_the_largest_is_refused() -> None:
    with Cluster(most_bytes=3_000) as cluster:
        big = replace(page(3, 3), text="x" * 4_000)
        told(cluster.url, [replace(big, seq=1, text="small")])
        assert told(cluster.url, [*(page(number, number + 10) for number in range(4, 12)), big]) == [
            Refusal(3, "It was answered with 413: it is too large.")
        ]
        assert len(cluster.documents()) == 8
        assert "1d-3" not in cluster.documents()


def test_requests_have_so_many_documents_and_bytes(cluster: Cluster) -> None:
    told(cluster.url, [page(number, number) for number in range(1, 8)], batch=3)
    assert [len(each) for each in cluster.bulks] == [3, 3, 1]
    cluster.bulks.clear()
    told(cluster.url, [replace(page(number, number), text="x" * 600) for number in range(1, 5)], batch_bytes=2_000)
    assert [len(each) for each in cluster.bulks] == [2, 2]


def test_of_a_document_only_the_newest_goes(cluster: Cluster) -> None:
    told(cluster.url, [page(1, 1), page(2, 2), page(1, 3, "deleted"), page(2, 4, "changed"), page(1, 5, "changed")])
    assert cluster.bulks == [[("index", "1d-2", 4), ("index", "1d-1", 5)]]


def test_what_is_not_there_is_told_in_no_way(cluster: Cluster) -> None:
    told(cluster.url, [page(1, 1), page(2, 2), page(3, 3)])
    gone = Delivery(4, "found", 1, "harbour", "", id=1)
    said = told(cluster.url, [gone, page(2, 5, indexed=False), Delivery(6, "finished", 1, "harbour", "")])
    assert (said, set(cluster.documents())) == ([], {"1d-1", "1d-3"})
    damaged = Delivery(7, "changed", 1, "harbour", "https://harbour.example/3", id=3, damaged=True)
    assert told(cluster.url, [damaged]) == [Refusal(7, "Its kept copy is damaged.")]
    assert set(cluster.documents()) == {"1d-1"}
    asked = len(cluster.asked)
    assert told(cluster.url, [Delivery(8, "started", 1, "harbour", "")], []) == []
    assert len(cluster.asked) == asked


def test_what_json_does_not_have_is_refused_and_taken_out(cluster: Cluster) -> None:
    told(cluster.url, [page(1, 1)])
    said = told(cluster.url, [page(1, 2, title=object()), page(2, 3)])
    assert [each.seq for each in said if isinstance(each, Refusal)] == [2]
    assert set(cluster.documents()) == {"1d-2"}


def test_a_closed_index_is_waited_for(cluster: Cluster) -> None:
    told(cluster.url, [page(1, 1)])
    cluster.closed = True
    with pytest.raises(NotTaken, match="index_closed_exception"):
        told(cluster.url, [page(1, 2)])


def test_an_index_is_only_made_where_that_is_wanted(cluster: Cluster) -> None:
    with pytest.raises(NotTaken, match=r"no index 'docs' .* set create=true"):
        told(cluster.url, [page(1, 1)], index="docs", create=False)
    told(cluster.url, [page(1, 1)], index="docs")
    told(cluster.url, [page(1, 2)], index="docs", create=False)
    assert cluster.documents("docs")["1d-1"]["seq"] == 2
    assert "GET /docs?filter_path=*.state" in cluster.asked


@pytest.mark.parametrize(
    ("given_", "shown"),
    [
        ({"auth": "basic", "user": "ada"}, basic("ada", KEY.decode())),
        ({"auth": "bearer"}, f"Bearer {KEY.decode()}"), ({"auth": "api_key"}, f"ApiKey {KEY.decode()}"),
    ],
)  # fmt: skip
def test_it_is_shown_who_asks(given_: dict[str, str], shown: str) -> None:
    with Cluster(shown) as cluster:
        with pytest.raises(NotTaken, match=r"answered 401\. Check its auth") as raised:
            told(cluster.url, [page(1, 1)])
        assert KEY.decode() not in raised.value.sentence
        told(cluster.url, [page(1, 1)], secret="secret:shop", **given_)
        assert set(cluster.documents()) == {"1d-1"}


def test_a_secret_that_there_is_not_is_told_of(cluster: Cluster) -> None:
    with pytest.raises(NotFoundError, match="no secret 'none'"):
        made(cluster.url, auth="bearer", secret="secret:none")


def test_a_secret_that_is_no_token_is_not_sent(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.receivers.tools.KEY", b"a\r\nX-Admin: 1")
    with pytest.raises(BadSetting, match="characters that no token has") as raised:
        made(cluster.url, auth="bearer", secret="secret:shop")
    assert "X-Admin" not in raised.value.sentence


def test_a_certificate_is_checked(tmp_path: Path) -> None:
    import trustme

    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with Cluster() as cluster:
        cluster.wrap(context)
        url = cluster.url.replace("http:", "https:")
        with pytest.raises(NotTaken, match="was not reached"):
            told(url, [page(1, 1)])
        assert cluster.asked == []
        told(url, [page(1, 1)], ca=str(tmp_path / "ca.pem"))
        assert set(cluster.documents()) == {"1d-1"}


def test_where_nobody_may_go_nothing_is_sent(cluster: Cluster) -> None:
    with pytest.raises(NotTaken, match="network policy"):
        told("http://169.254.169.254", [page(1, 1)])
    with pytest.raises(NotTaken, match="network policy"):
        told(cluster.url, [page(1, 1)], network=("public",))
    assert cluster.asked == []


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({}, "is needed"), ({"url": "ftp://a.example/"}, "only http"), ({"url": "https://me:pass@a.example/"}, "user"),
        ({"url": "https://a.example/?q=1"}, "nothing is asked"), ({"index": "Docs"}, "small letters"),
        ({"index": "_all"}, "small letters"), ({"index": "a,b"}, "small letters"), ({"index": "a/b"}, "small letters"),
        ({"index": ".."}, "small letters"), ({"index": "x" * 256}, "small letters"), ({"user": "a:b"}, "no colon"),
        ({"secret": "plain"}, "NAME"), ({"secret": "secret:shop"}, "auth=basic"), ({"auth": "basic"}, "needs a secret"),
        ({"auth": "basic", "secret": "secret:a"}, "needs one"), ({"auth": "magic"}, "auth"),
        ({"auth": "bearer", "secret": "secret:a", "user": "b"}, "for no other"), ({"batch": "0"}, "batch"),
        ({"batch_bytes": "1GB"}, "batch_bytes"),
    ],
)  # fmt: skip
def test_settings(given_: dict[str, str], words: str) -> None:
    full = given_ if not given_ or "url" in given_ else {"url": "https://a.example/", **given_}
    with pytest.raises(BadSetting, match=words) as raised:
        parse_settings(OpenSearchSettings, full)
    assert "pass@" not in raised.value.sentence
    assert "plain" not in raised.value.sentence


def test_an_address_may_lie_below_a_path() -> None:
    assert parse_settings(OpenSearchSettings, {"url": "https://a.example/es/"}).url == "https://a.example/es"
    again = parse_settings(OpenSearchSettings, {"url": "https://a.example"})
    assert again == parse_settings(OpenSearchSettings, {"url": again.url})


HOSTILE = st.one_of(st.binary(max_size=60), st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(
        st.sampled_from(["items", "index", "delete", "status", "error", "type", "reason", "x"]), inner, max_size=3
    )), max_leaves=12,
).map(msgspec.json.encode))  # fmt: skip


@settings(max_examples=200)
@given(HOSTILE, st.integers(0, 3))
def test_an_answer_is_understood_or_is_none(answer: bytes, count: int) -> None:
    try:
        found = bulk_api.items(answer, count)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError, OverflowError):
        return
    assert len(found) == count
    assert all(verdict in Verdict and len(reason) <= bulk_api.MOST_WORDS for verdict, reason in found)


@settings(max_examples=200)
@given(st.integers(100, 599), st.sampled_from(["index", "delete"]), st.booleans())
def test_every_status_has_one_verdict(status: int, word: str, wrong: bool) -> None:
    item: dict[str, Any] = {"status": status} | ({"error": {"type": "odd", "reason": "why"}} if wrong else {})
    ((verdict, reason),) = bulk_api.items(msgspec.json.encode({"items": [{word: item}]}), 1)
    kept = status // 100 == 2 or status == 409 or (status == 404 and word == "delete" and not wrong)
    assert (verdict is Verdict.KEPT) == kept
    assert (verdict is Verdict.REFUSED) == (status in (400, 413, 422))
    assert bool(reason) == (not kept)
