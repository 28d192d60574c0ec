"""Commands that a person can copy as they stand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cormorant.cli.invocation import copyable
from cormorant.cli.options import GlobalOptions


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a program in it, which is not on the path."""
    program = tmp_path / ".venv" / "bin" / "cormorant"
    program.parent.mkdir(parents=True)
    program.touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CORMORANT_DATA", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return program


def test_a_program_beside_the_path_is_named_by_its_own(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/cormorant"])
    assert copyable(GlobalOptions(data="sample-data"), "serve") == ".venv/bin/cormorant --data sample-data serve"
    monkeypatch.setattr(sys, "argv", [str(here)])
    assert copyable(GlobalOptions(), "serve") == ".venv/bin/cormorant serve"
    monkeypatch.chdir("/")
    assert copyable(GlobalOptions(), "serve") == f"{here} serve"


def test_a_program_on_the_path_is_named_by_its_name(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{here.parent}:/usr/bin")
    monkeypatch.setattr(sys, "argv", [str(here)])
    assert copyable(GlobalOptions(config="a b.toml"), "search", "it's") == (
        "cormorant --config 'a b.toml' search 'it'\"'\"'s'"
    )


def test_another_program_on_the_path_is_not_meant(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other" / "cormorant"
    other.parent.mkdir()
    other.touch(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    monkeypatch.setattr(sys, "argv", [str(here)])
    assert copyable(GlobalOptions(), "serve") == ".venv/bin/cormorant serve"


def test_the_folder_of_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORMORANT_DATA", "/srv/search data")
    monkeypatch.setattr(sys, "argv", ["cormorant"])
    assert copyable(GlobalOptions(), "serve") == "cormorant --data '/srv/search data' serve"
    assert copyable(GlobalOptions(data="here"), "serve") == "cormorant --data here serve"


def test_a_module_is_run_by_its_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/lib/cormorant/__main__.py"])
    monkeypatch.setattr(sys, "executable", "/opt/python")
    assert copyable(GlobalOptions(), "serve") == "/opt/python -m cormorant serve"


def test_a_program_that_embeds_it_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/pytest"])
    assert copyable(GlobalOptions(), "serve") == "cormorant serve"
