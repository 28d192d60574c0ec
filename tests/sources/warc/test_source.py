"""Web archives as sources: captures, revisits, damages, packages."""

from __future__ import annotations

import gzip
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.errors import BadSetting, Unreachable
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Excluded, Gone
from cormorant.model.settings.source import parse_settings
from cormorant.plugins import Source
from cormorant.sources.warc.settings import ArchiveSettings
from cormorant.sources.warc.source import ArchiveSource
from cormorant.testing import SourceSuite
from tests.sources.warc.archives import bodies, fetched, listed, source
from tests.sources.warc.written import record, response, zipped

A, B = "https://site.example/a.txt", "https://site.example/b%20c"
OLD, NEW = "2025-01-01T00:00:00Z", "2026-02-02T00:00:00Z"
SAMPLES = Path(os.environ.get("CORMORANT_SUITES", "/nowhere")) / "warc-samples"


FORMS: dict[str, Callable[..., bytes]] = {
    "plain.warc": lambda *records: b"".join(records),
    "members.warc.gz": zipped,
    "whole.warc.gz": lambda *records: gzip.compress(b"".join(records)),
    "padded.warc.gz": lambda *records: b"".join(gzip.compress(each) + b"\0" * 700 for each in records),
    "blocks.warc.gz": lambda *records: b"".join(
        gzip.compress(b"".join(records)[at : at + 200]) for at in range(0, sum(map(len, records)), 200)
    ),
}


class TestArchives(SourceSuite):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.path = tmp_path
        (tmp_path / "below").mkdir()
        (tmp_path / "one.warc.gz").write_bytes(zipped(response(A, b"one"), response(B, b"two")))
        (tmp_path / "below" / "two.warc").write_bytes(response("file:///srv/\u00fc.txt", b"three"))

    def make(self) -> Source:
        return source(self.path)


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_archives(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    records = [
        record("warcinfo", "", b"software: x"),
        record("request", A, b"GET / HTTP/1.1\r\n\r\n"),
        response(A, b"one" * 300),
        record("metadata", A, b"fetchTimeMs: 1"),
        response(B, b"", status=404),
        record("resource", "file:///srv/r.txt", b"resource"),
        response("<https://SITE.example:443/b c>", b"two"),
        record("resource", "metadata://gnu.org/log", b"a note of the crawler's own"),
    ]
    path.write_bytes(FORMS[name](*records))
    made = source(path)
    assert bodies(made) == {A: b"one" * 300, B: b"two", "file:///srv/r.txt": b"resource"}
    assert made.unlisted == []
    shown = {each.display for each in listed(made).values()}
    assert shown == {A, B, "file:///srv/r.txt"}
    bare = {key: fetched(made, each._replace(validator="")) for key, each in listed(made).items()}
    assert {key: each.body for key, each in bare.items() if isinstance(each, Content)} == bodies(made)


def test_http_headers_count(tmp_path: Path) -> None:
    head = (
        "Content-Type: Text/HTML; charset=ISO-8859-1\r\nContent-Language: de-AT, en\r\nX-Robots-Tag: noarchive\r\n"
        "Last-Modified: Tue, 06 Jan 2026 10:00:00 GMT\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n"
        "Set-Cookie: session=secret\r\nContent-Disposition: attachment; filename=n.html\r\n"
    )
    body = gzip.compress("grün".encode("latin-1"), mtime=0)
    chunks = b"5;x=y\r\n" + body[:5] + b"\r\n" + b"%x\r\n" % (len(body) - 5) + body[5:] + b"\r\n0\r\n\r\n"
    (tmp_path / "a.warc").write_bytes(response(A, chunks, NEW, head))
    made = source(tmp_path)
    got = fetched(made, listed(made)[A])
    assert isinstance(got, Content)
    assert (got.body, got.mime, got.charset, got.language) == (b"gr\xfcn", "text/html", "iso-8859-1", "de-at")
    assert (got.modified_at, got.at, got.given_name) == (1767693600.0, 1769990400.0, "n.html")
    assert (got.address, got.status_line, got.directives) == (A, "HTTP/1.1 200 OK", ("noarchive",))
    assert b"secret" not in got.header_block
    assert b"Content-Type: Text/HTML" in got.header_block


def test_the_newest_capture_with_content_counts(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(zipped(response(A, b"new", NEW), response(B, b"b")))
    (tmp_path / "b.warc.gz").write_bytes(zipped(response(A, b"old", OLD), response(A, b"", "2026-03-03", status=404)))
    assert bodies(source(tmp_path)) == {A: b"new", B: b"b"}
    every = source(tmp_path, captures="all", display_prefix="https://replay.example/web/")
    assert bodies(every) == {f"{NEW} {A}": b"new", f"{OLD} {A}": b"old", f"2026-01-02T03:04:05Z {B}": b"b"}
    assert listed(every)[f"{OLD} {A}"].display == f"https://replay.example/web/20250101000000/{A}"


def test_a_new_capture_is_another_version_and_an_unchanged_archive_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(zipped(response(A, b"old", OLD), response(B, b"b")))
    before = listed(source(tmp_path))
    with (tmp_path / "a.warc.gz").open("ab") as file:
        file.write(zipped(response(A, b"new", NEW)))
    after = listed(source(tmp_path))
    assert before[B] == after[B]
    assert before[A].validator != after[A].validator
    assert before[A].address == after[A].address


def test_revisits_have_the_content_of_another_record(tmp_path: Path) -> None:
    refers = {"WARC_Refers_To_Target_URI": A, "WARC_Refers_To_Date": OLD}
    (tmp_path / "a.warc.gz").write_bytes(zipped(response(A, b"content", OLD), response(A, b"later", NEW)))
    (tmp_path / "b.warc.gz").write_bytes(
        zipped(
            record("revisit", B, b"HTTP/1.1 200 OK\r\n\r\n", NEW, **refers),
            record("revisit", A, b"HTTP/1.1 200 OK\r\n\r\n", "2027-01-01T00:00:00Z", **refers),
            record("revisit", "https://lost.example/", b"", NEW),
        )
    )
    made = source(tmp_path)
    assert bodies(made) == {A: b"later", B: b"content"}
    bare = fetched(made, listed(made)[B]._replace(validator=""))
    assert isinstance(bare, Content)
    assert bare.body == b"content"


def test_damages_are_survived_and_delete_nothing(tmp_path: Path) -> None:
    whole = [gzip.compress(response(f"https://site.example/{n}", b"x" * 50)) for n in range(6)]
    broken = bytearray(b"".join(whole))
    broken[len(whole[0]) + 30] ^= 0xFF
    broken[len(whole[0]) + len(whole[1]) + len(whole[2])] = 0
    (tmp_path / "a.warc.gz").write_bytes(broken)
    made = source(tmp_path)
    found = listed(made)
    assert {"https://site.example/0", "https://site.example/2", "https://site.example/5"} <= set(found)
    assert "https://site.example/1" not in found
    assert made.unlisted == ["warc://3/"]
    assert made.unlisted_reason == f"{tmp_path}/a.warc.gz has 2 damaged places; the rest was read."
    lost = found["https://site.example/0"]._replace(address="warc://3/https%3A%2F%2Fsite.example%2F1", validator="")
    assert isinstance(fetched(made, lost), Deferred), "nobody knows whether it is still there"


def test_a_record_that_is_shorter_than_it_says_costs_none_behind_it(tmp_path: Path) -> None:
    short = response(A, b"short").replace(b"Content-Length: 84", b"Content-Length: 94", 1)
    assert b"Content-Length: 94" in short
    (tmp_path / "a.warc.gz").write_bytes(zipped(short, response(B, b"two")))
    made = source(tmp_path)
    assert bodies(made)[B] == b"two"
    assert made.unlisted == ["warc://3/"]


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_an_archive_that_ends_within_a_record(tmp_path: Path, name: str) -> None:
    last = response(B, bytes(range(256)) * 40)
    data = zipped(response(A, b"one"), last) if name.endswith("gz") else response(A, b"one") + last
    (tmp_path / name).write_bytes(data[:-90])
    made = source(tmp_path)
    found = listed(made)
    assert set(found) == {A, B}
    assert made.unlisted == []
    got = fetched(made, found[B])
    assert isinstance(got, Content)
    assert got.truncated
    assert 0 < len(got.body) <= 256 * 40


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\0" * 5000, b"nonsense" * 1000, b"\x1f\x8b\x08" * 500, b"WARC/1.1\r\n" + b"x" * 200_000,
        b"WARC/1.1\r\n" + b"a: b\r\n" * 5000, b"WARC/1.1\r\nContent-Length: 99999999999999999\r\n\r\nx",
        b"WARC/1.1\r\nContent-Length: -5\r\n\r\nx", b"WARC/1.1\r\nContent-Length: 1e9\r\n\r\nx",
        gzip.compress(b"\0" * (1 << 26)), gzip.compress(b"WARC/1.1\r\nContent-Length: 3\r\n\r\n" + b"\n" * (1 << 24)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.wacz"])
def test_hostile_archives_cost_themselves_alone(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.warc").write_bytes(response(A, b"good"))
    tracemalloc.start()
    try:
        assert bodies(source(tmp_path)) == {A: b"good"}
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_archives_in_a_wacz(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.wacz", "w", method) as package:
        package.writestr("datapackage.json", "{}")
        package.writestr("archive/one.warc.gz", zipped(response(A, b"one"), response(B, b"two" * 9)))
        package.writestr("archive/../../two.warc", response("https://site.example/", b"three"))
    assert bodies(source(tmp_path)) == {A: b"one", B: b"two" * 9, "https://site.example/": b"three"}


def test_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    with (tmp_path / "a.warc.gz").open("wb") as file:
        for number in range(20_000):
            file.write(gzip.compress(response(f"https://site.example/{number}", b"text"), 1))
        file.write(gzip.compress(response("https://site.example/large", b"x" * (100 << 20)), 1))
    tracemalloc.start()
    try:
        assert sum(len(batch) for batch in source(tmp_path).discover("")) == 20_001
        assert tracemalloc.get_traced_memory()[1] < 6 << 20
    finally:
        tracemalloc.stop()


def test_sizes(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(response(A, b"x" * 3000) + record("resource", B, b"y" * 5_000_000))
    dropped = source(tmp_path, max_size_bytes=2000)
    assert all(isinstance(each, Excluded) for each in bodies(dropped).values())
    assert bodies(source(tmp_path, max_size_bytes=2000, too_big="cut")) == {A: b"x" * 2000, B: b"y" * 2000}


def test_patterns_and_levels(tmp_path: Path) -> None:
    for name in ("a.warc", "b.warc", "sub/c.warc", "sub/deep/d.warc", ".hidden/e.warc", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(response(f"https://site.example/{name}", b"x"))
    (tmp_path / "link.warc").symlink_to(tmp_path / ".hidden" / "e.warc")

    def names(**more: Any) -> set[str]:
        return {key.rpartition("/")[2] for key in listed(source(tmp_path, **more))}

    assert names() == {"a.warc", "b.warc", "c.warc", "d.warc"}
    assert names(exclude=["deep"]) == {"a.warc", "b.warc", "c.warc"}
    assert names(include=["a.*", "sub/**"], depth=1) == {"a.warc", "c.warc"}
    assert names(depth=0) == {"a.warc", "b.warc"}


def test_a_place_that_is_away_or_empty_deletes_nothing(tmp_path: Path) -> None:
    archive = tmp_path / "place" / "a.warc"
    archive.parent.mkdir()
    archive.write_bytes(response(A, b"x"))
    made = source(archive.parent)
    found = listed(made)
    archive.rename(tmp_path / "b.warc")
    with pytest.raises(Unreachable, match="has no captures, and had some before"):
        listed(source(archive.parent), made.next_cursor)
    assert listed(source(archive.parent)) == {}, "with --force nothing is remembered"
    assert isinstance(fetched(made, found[A]), Gone)
    archive.parent.rmdir()
    with pytest.raises(Unreachable, match="is not there"):
        listed(source(archive.parent), made.next_cursor)
    assert isinstance(fetched(made, found[A]), Deferred)


def test_an_archive_that_was_packed_again_is_read_where_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(zipped(response(A, b"one"), response(B, b"two")))
    made = source(tmp_path)
    found = listed(made)
    path.write_bytes(zipped(response(B, b"two"), response(A, b"one")))
    got = fetched(made, found[A])
    assert isinstance(got, Content)
    assert got.body == b"one"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"path": "https://a.example/a.warc"}, "Download them first"),
        ({"path": "/srv", "display_prefix": "javascript:x"}, "replay.example"),
        ({"path": "/srv", "include": ["a/"], "captures": "some"}, "newest"),
    ],
)
def test_settings_that_make_no_source(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        parse_settings(ArchiveSettings, given)


def test_a_file_of_another_name_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(BadSetting, match="is no archive by its name"):
        ArchiveSource.look(parse_settings(ArchiveSettings, {"path": str(tmp_path / "a.txt")}))


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="CORMORANT_SUITES does not name a folder with warc-samples")
def test_samples_of_other_writers() -> None:
    expected = {
        "cc.warc.gz": {"http://commoncrawl.org/": 20_289},
        "20130729-heritrix-original.warc.gz": {"http://www.bl.uk/": 68_639},
        "example-iana.org-chunked.warc": {"http://www.iana.org/": 7_223},
        "example-wrong-chunks.warc.gz": {"http://example.com/": 1_270},
        "example-bad-non-chunked.warc.gz": {"http://example.com/": 1_270},
        "example-wget-bad-target-uri.warc.gz": {"http://example.com/": 1_270},
        "example.arc.gz": {"http://example.com/": 1_270},
        "bad.arc": {"http://example.com/": 1},
    }
    for name, sizes in expected.items():
        (path,) = SAMPLES.rglob(name)
        got = bodies(source(path))
        assert {key: len(each) for key, each in got.items() if isinstance(each, bytes)} == sizes, name
