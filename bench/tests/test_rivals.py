"""Check the report about other crawlers on observations that are small enough to check by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import rivals
from bench.corpus import Corpus
from bench.crawlers import Observation, PhaseFailed
from bench.judge import Verdict
from bench.measure import Peak, Usage
from bench.peers import Beside, Crawlee, HtDig, Seen, Wget, _seen
from bench.plot import Bar, Panel, drawn
from bench.programs import NoProgram, missed, program, providers

_SVG = "{http://www.w3.org/2000/svg}"


def crawl(name: str, pages: int, cpu_s: float) -> Observation:
    usage = Usage(cpu_s, 0.0, 0.0, cpu_s * 2, Peak({"x": 1_000}), 0, 1, 0, 0, timed_out=False)
    return Observation(name, usage, Verdict(known=100, pages=pages))


WHOLE = {"plain": [crawl("plain", 100, 0.2)], "scrapy": [crawl("scrapy", 90, 2.0)]}


def found() -> Beside:
    plain = [crawl("p", 100, cpu_s) for cpu_s in (0.4, 0.5, 1.0)]
    ours = {"plain": plain, "indexed": [crawl("i", 100, 1.0)]}
    seen = [
        Seen(Wget(), "1.99", crawl("wget2", 100, 0.1), crawl("wget2-again", 100, 0.05)),
        Seen(Crawlee(), "1.0", crawl("crawlee", 50, 5.0)),
        Seen(HtDig(), reason="there is no htdig"),
    ]
    return Beside(Corpus((), 80), ours, seen)


def test_each_is_set_beside_ours_of_the_same_pages() -> None:
    reported = {line.label: line for line in rivals.lines(found(), WHOLE) if line.kind == "A first crawl"}
    ours = {label: line.ours for label, line in reported.items()}
    assert ours == {"Scrapy": 500.0, "wget2 1.99": 500.0, "Crawlee 1.0": 200.0}
    text = "\n".join(rivals.section(found(), WHOLE, "x.svg"))
    assert "| Crawlee 1.0 | 50 | 10.0 | 200.0 | 20.0 x | 5.00 | 10.0 | 1 | 50.00% | 0 | less: text to one file" in text
    assert "| wget2 1.99 | 100 | 2,000.0 | - | - |" in text, "there is no second crawl of ours to compare with"
    assert "- ht://Dig: there is no htdig" in text


def test_the_drawing_says_what_the_table_says(tmp_path: Path) -> None:
    file = tmp_path / "x.svg"
    rivals.draw(file, found(), WHOLE)
    text = [each.text for each in ElementTree.parse(file).iter(f"{_SVG}text")]
    assert {"Scrapy, 100 pages", "Cormorant, indexed, 100 pages", "Crawlee 1.0, 100 pages", "2,000"} <= set(text)
    assert "prefers-color-scheme: dark" in file.read_text("utf-8")


def test_bars_are_as_long_as_their_figures() -> None:
    one = Panel("one", (Bar("a", 200, own=True), Bar("b & <c>", 50)))
    panels = [one, Panel("two", (Bar("d", 1.0),)), Panel("none", ())]
    root = ElementTree.fromstring(drawn("t", panels))
    longest, quarter, alone = (float(each.attrib["width"]) for each in root.iter(f"{_SVG}rect"))
    assert longest == alone == pytest.approx(4 * quarter)
    assert [each.attrib["class"] for each in root.iter(f"{_SVG}rect")] == ["own", "other", "other"]
    bottom = max(float(each.attrib["y"]) + 16 for each in root.iter(f"{_SVG}rect"))
    assert bottom < float(root.attrib["viewBox"].split()[3])


@pytest.mark.parametrize(
    ("soname", "package"),
    [
        ("libgpgme.so.11", "libgpgme11"), ("libnghttp2.so.14", "libnghttp2-14"), ("libpcre2-8.so.0", "libpcre2-8-0"),
        ("libz.so.1", "zlib1g"), ("libstdc++.so.6", "libstdc++6"), ("libdb-5.3.so", "libdb5.3"),
    ],
)  # fmt: skip
def test_a_library_is_looked_for_in_the_package_named_after_it(soname: str, package: str) -> None:
    assert package in list(providers(soname))


def test_a_program_is_taken_from_the_path_and_needs_nothing_more() -> None:
    found = program("sh", "dash")
    assert missed(Path(found.path), found.environment) == []
    assert program("ldconfig", "libc-bin").version("--version")


def test_one_that_cannot_be_had_is_a_line_with_the_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("bench.debian.TREES", tmp_path)
    monkeypatch.setattr("bench.debian.DEBS", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoProgram, match="no htdig on the PATH"):
        program("htdig", "htdig")
    seen = _seen(HtDig(), Corpus((), 80), lambda crawl: crawl)
    assert (seen.first, "htdig" in seen.reason) == (None, True)


def test_crawlee_is_had_or_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(PhaseFailed, match="crawlee is not installed"):
        Crawlee().prepare()
