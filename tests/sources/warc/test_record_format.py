"""ARC files: the older format of archives."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cormorant.model.content import Content
from cormorant.sources.warc.record_format import ARC
from tests.sources.warc.archives import bodies, fetched, listed, source
from tests.sources.warc.written import arc, arc_file, zipped

A, B = "https://site.example/a.html", "https://site.example/b"
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n"

FORMS: dict[str, Callable[..., bytes]] = {
    "a.arc": lambda *records: b"".join(records),
    "A.ARC.GZ": zipped,
    "whole.arc.gz": lambda *records: gzip.compress(b"".join(records)),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(tmp_path: Path, name: str) -> None:
    records = arc_file(
        arc("dns:site.example", b"20260102030405\nsite.example. 589 IN A 192.0.2.1\n", "text/dns"),
        arc(A, HTTP + b"one" * 30_000),
        arc("https://site.example/gone", b"HTTP/1.0 404 Not Found\r\n\r\ngone"),
        arc("ftp://site.example/r.txt", b"resource", "text/plain"),
        arc(f"{B}?q=an albatross 7", HTTP + b"two"),
        arc("https://site.example/bare", b"<p>old</p>", "text/html"),
    )
    (tmp_path / name).write_bytes(FORMS[name](*records))
    made = source(tmp_path)
    assert bodies(made) == {
        A: b"one" * 30_000, "ftp://site.example/r.txt": b"resource", f"{B}?q=an%20albatross%207": b"two",
        "https://site.example/bare": b"<p>old</p>",
    }  # fmt: skip
    assert made.unlisted == []
    found = listed(made)
    got = {key: fetched(made, each) for key, each in found.items()}
    http, bare = got[A], got["https://site.example/bare"]
    assert isinstance(http, Content)
    assert isinstance(bare, Content)
    assert (http.mime, http.charset, http.at) == ("text/plain", "iso-8859-1", 1767323045.0)
    assert (bare.mime, bare.status_line, bare.at) == ("text/html", "", 1767323045.0)
    sought = fetched(made, found[A]._replace(validator=""))
    assert isinstance(sought, Content)
    assert sought.body == b"one" * 30_000


def test_the_newest_of_both_formats_counts(tmp_path: Path) -> None:
    (tmp_path / "a.arc").write_bytes(b"".join(arc_file(arc(A, HTTP + b"old", moment="20010101000000"))))
    (tmp_path / "b.arc.gz").write_bytes(zipped(*arc_file(arc(A, HTTP + b"new", moment="202501010000"))))
    every = source(tmp_path, captures="all")
    assert bodies(source(tmp_path)) == {A: b"new"}
    assert set(bodies(every)) == {f"2001-01-01T00:00:00Z {A}", f"2025-01-01T00:00:00Z {A}"}


@pytest.mark.parametrize("name", ["a.arc", "a.arc.gz"])
@pytest.mark.parametrize("length", [b"-1", b"abc", b"5", b"9999"])
def test_a_broken_record_costs_itself_alone(tmp_path: Path, name: str, length: bytes) -> None:
    good, bad = arc(A, HTTP + b"one"), arc("https://site.example/bad", HTTP + b"bad")
    size = str(len(HTTP + b"bad")).encode()
    broken = bad.replace(b"text/html " + size, b"text/html " + length)
    records = arc_file(good, broken, arc(B, HTTP + b"two"), arc(f"{B}2", HTTP + b"three"))
    (tmp_path / name).write_bytes(FORMS["A.ARC.GZ" if name.endswith("gz") else "a.arc"](*records))
    made = source(tmp_path)
    got = bodies(made)
    assert got[A] == b"one"
    if (name, length) != ("a.arc", b"9999"):
        assert (got[B], got[f"{B}2"]) == (b"two", b"three")
        assert made.unlisted == ["warc://3/"]


@pytest.mark.parametrize(
    "data",
    [
        b"", b"nonsense\n" * 1000, b"a:" + b" 1.1.1.1 20260102030405" * 40_000, b"a: 1 202601020304 x 99999999999999\n",
        b"filedesc://a 0 20260102030405 text/plain 5\n", b"\n" * 3_000_000, b"a:b 1.1.1.1 20260102030405 x 1" * 9_000,
        (b"a:" + b" 1.1.1.1 20260102030405 x" * 100 + b"\n") * 400,
    ],
)  # fmt: skip
def test_hostile_files_cost_themselves_alone(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.arc").write_bytes(data)
    (tmp_path / "good.arc").write_bytes(b"".join(arc_file(arc(A, HTTP + b"good"))))
    assert bodies(source(tmp_path))[A] == b"good"


@pytest.mark.parametrize("end", [b" x", b"  ", b"x" * 230 + b" 5"])
def test_the_search_for_a_line_takes_no_time_that_grows_faster_than_it(end: bytes) -> None:
    hostile = b"\na:" + b" 123456789012" * 230 + end + b"\n"
    began = time.process_time()
    assert ARC.marks.next.search(hostile * 1_200) is None
    assert time.process_time() - began < 2.0
    found = ARC.marks.next.search(hostile + arc(A, b""))
    assert found is not None
    assert found.start() == len(hostile) - 1
