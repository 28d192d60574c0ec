"""Objects of a bucket: keys of any sort, pages, and what each error of a store means."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone
from cormorant.model.settings.source import parse_settings
from cormorant.plugins import Source
from cormorant.sources.s3.object_urls import KeyNaming
from cormorant.sources.s3.settings import S3Settings
from cormorant.testing import SourceSuite
from tests.sources.remote.listing import fetched, found, listed, remote
from tests.sources.s3.s3_server import SECRET_KEY, S3Store, s3_store

SECRETS = {"k": SECRET_KEY, "w": "another"}


@pytest.fixture
def store() -> Iterator[S3Store]:
    with s3_store() as made:
        yield made


class TestSuite(SourceSuite):
    """A bucket, as discovery has it."""

    fetches = False  # in a suite without a fetcher; each test below fetches

    @pytest.fixture(autouse=True)
    def place(self) -> Iterator[None]:
        with s3_store() as self.store:
            self.store.objects |= {"docs/a.txt": b"one", "docs/b/c d.txt": b"two"}
            yield

    def make(self) -> Source:
        return remote("s3", SECRETS, **self.store.settings())


KEYS = ("a.txt", "sub dir/b ü%41#?;c+d&e.txt", "/double//x.txt", "~x", "new\nline", "a'b\"<c>", "x" * 900)


def test_keys_of_any_sort_are_listed_and_read(store: S3Store) -> None:
    store.page = 2
    store.objects |= {f"docs/{key}": key.encode() for key in KEYS}
    store.objects |= {"docs/": b"", "docs/folder/": b"", "other/x.txt": b"no", "docsx": b"no"}
    names = listed(remote("s3", SECRETS, **store.settings()))
    bodies = set()
    for name in names:
        got = fetched("s3", SECRETS, name, **store.settings())
        assert isinstance(got, Content), (name, got)
        bodies.add(got.body.decode())
    assert bodies == set(KEYS)


def test_a_moved_object_has_the_version_it_had(store: S3Store) -> None:
    store.objects["docs/a/x.txt"] = b"same"
    before = listed(remote("s3", SECRETS, **store.settings()))["a/x.txt"]
    store.objects["docs/b/x.txt"] = store.objects.pop("docs/a/x.txt")
    assert listed(remote("s3", SECRETS, **store.settings())) == {"b/x.txt": before}


def test_rules_leave_folders_out_that_the_store_does_not_know(store: S3Store) -> None:
    store.objects |= {f"docs/{key}": b"x" for key in ("a.txt", "b/c.txt", "b/d/e.txt", "out/x.txt", ".git/x")}
    names = listed(remote("s3", SECRETS, **store.settings(exclude="out/", depth=1)))
    assert set(names) == {"a.txt", "b/c.txt"}


@pytest.mark.parametrize(
    "parts", [[b"."], [b".."], [b"a", b"..", b"b"], [b"~"], [b"~.."], [b"", b"x"], [b"caf\xc3\xa9"]]
)
def test_keys_come_back_from_addresses(parts: list[bytes]) -> None:
    naming = KeyNaming("s3://bucket/docs/", "s3://bucket")
    assert naming.parts(naming.address(parts)) == parts


@pytest.mark.parametrize(
    ("settings", "error", "kind", "said"),
    [
        ({"secret_key": "secret:w"}, "", LoginRefused, "the secret_key is not that of the access_key"),
        ({"access_key": "OTHER"}, "", LoginRefused, "no such access_key"),
        ({"region": "us-east-1"}, "", Unreachable, "Set region=eu-central-1."),
        ({"url": "s3://nobucket/docs"}, "", Unreachable, "no such bucket"),
        ({}, "RequestTimeTooSkewed", Unreachable, "clock"),
        ({}, "SlowDown", Unreachable, "come back later"),
        ({}, "PermanentRedirect", Unreachable, "another region"),
        ({"access_key": "", "secret_key": ""}, "", Unreachable, "does not let the user read it"),
    ],
)
def test_what_a_store_refuses(
    store: S3Store, settings: dict[str, object], error: str, kind: type[Exception], said: str
) -> None:
    store.error = error
    with pytest.raises(kind, match=said):
        listed(remote("s3", SECRETS, **store.settings(**settings)))


def test_a_listing_that_breaks_off_is_none(store: S3Store) -> None:
    store.page, store.cut = 1, True
    store.objects |= {"docs/a": b"1", "docs/b": b"2"}
    with pytest.raises(Unreachable, match="ends in the middle"):
        found(remote("s3", SECRETS, **store.settings()))


def test_a_bucket_that_is_suddenly_empty_is_not_believed(store: S3Store) -> None:
    store.objects["docs/a.txt"] = b"one"
    first = remote("s3", SECRETS, **store.settings())
    found(first)
    store.objects.clear()
    with pytest.raises(Unreachable, match="is empty, and was not before"):
        found(remote("s3", SECRETS, **store.settings()), first.next_cursor)
    assert found(remote("s3", SECRETS, **store.settings())) == []


def test_outcomes_of_an_object(store: S3Store) -> None:
    store.objects["docs/a.txt"] = b"0123456789"
    wire = VisitTrace()
    got = fetched("s3", SECRETS, "a.txt", wire, **store.settings())
    assert isinstance(got, Content)
    assert (got.mime, got.file_name, got.modified_at) == ("text/plain", "a.txt", 1795867200.0)
    assert (wire.requests, wire.decoded) == (1, 10)
    assert fetched("s3", SECRETS, "gone.txt", **store.settings()) == Gone(404)
    assert isinstance(fetched("s3", SECRETS, "a.txt", **store.settings(max_size_bytes=5)), Excluded)
    cut = fetched("s3", SECRETS, "a.txt", **store.settings(max_size_bytes=5, too_big="cut"))
    assert isinstance(cut, Content)
    assert (cut.body, cut.truncated) == (b"01234", True)
    store.error = "InvalidObjectState"
    archived = fetched("s3", SECRETS, "a.txt", **store.settings())
    assert isinstance(archived, Failed)
    assert "archive" in archived.reason
    store.error = "SlowDown"
    assert isinstance(fetched("s3", SECRETS, "a.txt", **store.settings()), Deferred)


def test_where_requests_go() -> None:
    def place(**given: object) -> str:
        return parse_settings(S3Settings, {"url": "s3://papers/docs", **given}).request_url(b"a b")

    assert place() == "https://papers.s3.us-east-1.amazonaws.com/a%20b"
    assert place(region="eu-west-1", addressing="path") == "https://s3.eu-west-1.amazonaws.com/papers/a%20b"
    assert place(endpoint="minio.intra:9000") == "https://minio.intra:9000/papers/a%20b"
    assert place(endpoint="http://10.0.0.1", addressing="virtual") == "http://papers.10.0.0.1/a%20b"
    assert place(url="s3://my.papers") == "https://s3.us-east-1.amazonaws.com/my.papers/a%20b"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"url": "https://bucket"}, "begins with s3://"),
        ({"url": "s3://key@bucket"}, "user name is not written here"),
        ({"access_key": "A"}, "go together"),
        ({"endpoint": "https://minio/path"}, "without a path"),
        ({"owner_grants": True}, "does not say who may read"),
        ({"secret_key": "plain", "access_key": "A"}, "a secret is never written here"),
    ],
)
def test_settings_that_cannot_be(given: dict[str, object], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        parse_settings(S3Settings, {"url": "s3://papers", **given})


def test_quoting_in_the_display_prefix(store: S3Store) -> None:
    source = remote("s3", SECRETS, **store.settings(display_prefix="https://files.example.org/papers"))
    assert source.display(f"s3://papers/docs/{quote('a b.txt')}") == "https://files.example.org/papers/a%20b.txt"


def history(store: S3Store) -> None:
    """Three versions of one object, one of another, one that came back after a deletion, and one that is deleted."""
    store.objects |= {"docs/a b.txt": b"three", "docs/b.txt": b"alone", "docs/back.txt": b"again"}
    store.older = {
        "docs/a b.txt": [("v+2/=", b"two"), ("v1", b"one"), ("null", b"none")],
        "docs/back.txt": [("d1", None), ("v1", b"before")],
        "docs/gone.txt": [("d1", None), ("v1", b"gone")],
    }


FIRST, SECOND = "a%20b.txt/~version=v%2B2%2F%3D", "a%20b.txt/~version=v1"


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ("off", {"a%20b.txt", "b.txt", "back.txt"}),
        (1, {"a%20b.txt", "b.txt", "back.txt", FIRST, "back.txt/~version=v1"}),
        (2, {"a%20b.txt", "b.txt", "back.txt", FIRST, SECOND, "back.txt/~version=v1"}),
        (
            "all",
            {"a%20b.txt", "b.txt", "back.txt", FIRST, SECOND, "a%20b.txt/~version=null", "back.txt/~version=v1"},
        ),
    ],
)
@pytest.mark.parametrize("page", [1, 2, 1_000])
def test_older_versions_are_documents_by_choice(
    store: S3Store, versions: object, expected: set[str], page: int
) -> None:
    history(store)
    store.page = page
    assert set(listed(remote("s3", SECRETS, **store.settings(versions=versions)))) == expected


def test_an_older_version_is_read_and_shown_as_the_store_writes_it(store: S3Store) -> None:
    history(store)
    given = store.settings(versions="all", display_prefix="https://files.example.org/papers", include="*.txt")
    got = fetched("s3", SECRETS, FIRST, **given)
    assert isinstance(got, Content)
    assert (got.body, got.file_name, got.attributes, got.modified_at) == (
        b"two", "a b.txt", {"Version": "v+2/="}, 1795867200.0,
    )  # fmt: skip
    assert store.requests[-1] == "/papers/docs/a%20b.txt?versionId=v%2B2%2F%3D"
    source = remote("s3", SECRETS, **given)
    address, shown = f"s3://papers/docs/{FIRST}", "https://files.example.org/papers/a%20b.txt?versionId=v%2B2%2F%3D"
    assert source.display(address) == shown
    assert source.settings.shown_as(shown) == address
    assert source.gates.follow(address, 0).admitted
    assert not remote("s3", SECRETS, **store.settings(exclude="*.txt")).gates.follow(address, 0).admitted
    assert fetched("s3", SECRETS, "b.txt/~version=none", **given) == Gone(404)


def test_an_edit_makes_a_version_and_moves_nothing(store: S3Store) -> None:
    history(store)
    given = store.settings(versions="all")
    before = listed(remote("s3", SECRETS, **given))
    store.older["docs/b.txt"] = [("v9", b"alone")]
    store.objects["docs/b.txt"] = b"changed"
    after = listed(remote("s3", SECRETS, **given))
    assert after.keys() - before.keys() == {"b.txt/~version=v9"}
    assert after["b.txt/~version=v9"] not in before.values()
    assert after["b.txt"] != before["b.txt"]


def test_a_listing_of_versions_that_breaks_off_is_none(store: S3Store) -> None:
    history(store)
    store.page, store.cut = 1, True
    with pytest.raises(Unreachable, match="ends in the middle"):
        found(remote("s3", SECRETS, **store.settings(versions=3)))


@pytest.mark.parametrize("versions", [0, -1, "some", 10_001])
def test_a_number_of_versions_that_cannot_be(store: S3Store, versions: object) -> None:
    with pytest.raises(BadSetting, match="versions"):
        parse_settings(S3Settings, {"url": "s3://papers", "versions": versions})
