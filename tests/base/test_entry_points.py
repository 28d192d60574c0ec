"""Entries that packages announce: found without being loaded, refused with a sentence, looked for again if missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cormorant.base.entry_points import BuiltInKinds, KindRegistry, announced, imported
from cormorant.base.errors import NotFoundError, PluginUnusable
from tests.journeys.plugins import announce

GROUP = "cormorant.toys"
ENDS = "raise SystemExit(3)\n"
ODD = "raise ValueError('two\\nlines \\x1b[31m')\n"


def adopt(name: str, found: object) -> str:
    if not isinstance(found, str):
        raise TypeError("it is no text")
    return f"{name}: {found}"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.fixture
def toys() -> KindRegistry[str]:
    return KindRegistry("toy", GROUP, {"ball": "ours"}, adopt)


def test_what_is_announced_is_named_with_its_package(site: Path, toys: KindRegistry[str]) -> None:
    announce(site, "kites", GROUP, {"kite": "kites_of_test:KITE"}, kites_of_test="KITE = 'flies'\n")
    (entry,) = announced(GROUP)
    assert (entry.name, entry.package, entry.reference) == ("kite", "kites 1.0", "kites_of_test:KITE")
    assert toys.get("kite") == "kite: flies"
    assert toys.every() == {"ball": "ours", "kite": "kite: flies"}
    assert (toys.package("kite"), toys.package("ball"), toys.package("none")) == ("kites 1.0", "", "")


@pytest.mark.parametrize(
    ("names", "module", "said"),
    [
        (("ball",), "A = 'a'\n", "has the name of a built-in toy"),
        (("Big Name",), "A = 'a'\n", "a name has small letters"),
        (("kite",), "A = 1\n", "is no kind of toy: it is no text."),
        (("kite",), "B = 1\n", "has no attribute 'A'."),
        (("kite",), ENDS, "SystemExit: 3."),
        (("kite",), ODD, "ValueError: two lines [31m."),
    ],
)
def test_what_cannot_be_used_is_refused(
    site: Path, toys: KindRegistry[str], names: tuple[str, ...], module: str, said: str, request: pytest.FixtureRequest
) -> None:
    own = f"module_{abs(hash(request.node.name))}"
    announce(site, "bad", GROUP, dict.fromkeys(names, f"{own}:A"), **{own: module})
    ((entry, error),) = toys.looked_at()
    assert error is not None
    assert said in error.sentence
    assert "'" + entry.name + "' of the package bad 1.0" in error.sentence
    assert toys.every() == {"ball": "ours"}
    assert toys.get("ball") == "ours"


def test_one_name_of_two_packages_is_refused(site: Path, toys: KindRegistry[str]) -> None:
    for package in ("first", "second"):
        own = f"{package}_of_test"
        announce(site, package, GROUP, {"kite": f"{own}:A"}, **{own: "A = 'a'\n"})
    with pytest.raises(PluginUnusable, match="Uninstall one of the packages"):
        toys.get("kite")


def test_a_package_that_comes_later_is_found(site: Path, toys: KindRegistry[str]) -> None:
    with pytest.raises(NotFoundError, match="There is: ball"):
        toys.get("late")
    announce(site, "late", GROUP, {"late": "late_of_test:A"}, late_of_test="A = 'at last'\n")
    assert toys.get("late") == "late: at last"


def test_what_is_imported_is_told_in_a_sentence() -> None:
    assert imported("os.path:join") is not None
    for reference in ("no_such_module:x", "os.path:no_such", "", ":", "os.path:join.x"):
        with pytest.raises(PluginUnusable):
            imported(reference)


def test_a_kind_of_the_product_is_imported_when_it_is_asked_for(site: Path) -> None:
    (site / "tops_of_test.py").write_text("TOP = 'spins'\n")
    kinds = BuiltInKinds({"top": "tops_of_test:TOP", "made": lambda: "by hand", "lost": "tops_of_test:LOST"}, adopt)
    assert (list(kinds), len(kinds), "top" in kinds, "kite" in kinds) == (["top", "made", "lost"], 3, True, False)
    assert "tops_of_test" not in sys.modules
    assert (kinds["top"], kinds["made"]) == ("top: spins", "made: by hand")
    with pytest.raises(PluginUnusable, match="LOST"):
        kinds["lost"]


def test_a_command_imports_the_kinds_that_it_uses() -> None:
    """A search imports none; each took it some twenty milliseconds."""
    code = (
        "import sys, cormorant.plugins, cormorant.operate.search.search\n"
        "print([name for name in sys.modules if name.startswith('cormorant.sources.') and name.endswith('.source')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_built_in_kind_that_cannot_be_imported_spoils_no_other(caplog: pytest.LogCaptureFixture) -> None:
    built_in = BuiltInKinds({"ball": "no_such_module_of_test:A", "version": "platform:__version__"}, adopt)
    kinds = KindRegistry("toy", GROUP, built_in, adopt)
    assert kinds.every().keys() == {"version"}
    assert [record.__dict__["kind"] for record in caplog.records] == ["ball"]
    with pytest.raises(PluginUnusable):
        kinds.get("ball")
