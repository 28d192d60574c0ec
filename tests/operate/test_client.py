"""The Python interface: the example of its documentation, on a real server."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

from tests.cli.world import Site, serving, small_site
from tests.clocks import HANG_S

EXAMPLE = """
    from cormorant import Cormorant

    with Cormorant.open({folder!r}) as c:
        if "docs" not in c.sources:
            c.sources.add("web", "docs", start=[{start!r}])
        report = c.crawl("docs")
        for hit in c.search("quixotic ferry"):
            print(hit.title, hit.url)
"""


def python(code: str) -> str:
    """Run Python in a process of its own; what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example(tmp_path: Path) -> None:
    with serving(small_site()) as site:
        example = EXAMPLE.format(folder=str(tmp_path / "data"), start=site.address)
        for said in (python(example), python(example)):
            assert said.splitlines()[0] == f"Ferry timetable {site.address}ferries", "the source exists the second time"


MORE = """
    from cormorant import Cormorant
    from cormorant.base.errors import BadSetting, ConflictError, NotFoundError

    with Cormorant.open({folder!r}) as c:
        c.sources.add("web", "docs", start=[{start!r}], depth=1)
        assert [each["source"] for each in c.sources] == ["docs"]
        for wrong, call in (
            (ConflictError, lambda: c.sources.add("web", "docs", start=[{start!r}])),
            (BadSetting, lambda: c.sources.add("web", "more", strat=[{start!r}])),
            (NotFoundError, lambda: c.crawl("nope")),
            (NotFoundError, lambda: c.search("x", source="nope")),
            (NotFoundError, lambda: c.search("x", source="")),
        ):
            try:
                call()
            except wrong:
                continue
            raise AssertionError(wrong)
        report = c.crawl("docs")
        assert (report.state, report.exit_code, report.source) == ("finished", 0, "docs"), report
        assert report.fetched >= 3
        assert not hasattr(report, "fetchd")
        hits = c.search("harbour", limit=1)
        assert (len(hits), hits.total > 1, hits.query) == (1, True, "harbour")
        found = [hit.title for hit in c.search("*", sort="title")]
        assert found == sorted(found)
        assert c.explain({start!r} + "tides")[0]["verdict"] == "indexed"
        again = c.crawl("docs", force=True)
        assert (again.run, again.new) == (2, 0)
        assert c.sources.edit("docs", depth=0)["settings"]["depth"] == 0
        assert c.sources.delete("docs") >= 3
        assert not c.search("harbour")
"""


def test_all_the_rest(tmp_path: Path) -> None:
    site: Site
    with serving(small_site()) as site:
        python(MORE.format(folder=str(tmp_path / "data"), start=site.address))


def test_the_root_costs_nothing() -> None:
    said = python("import sys, cormorant; print([name for name in sys.modules if name.startswith('cormorant')])")
    assert said.strip() == "['cormorant']"
