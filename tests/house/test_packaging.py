"""Whoever installs the wheel gets the product and nothing else; whoever builds the source archive, the same wheel."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable
from email.parser import Parser
from email.policy import compat32
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house.reading import PACKAGE, ROOT, text_of
from tests.house.test_licences import installed, locked

LOCK = "requirements/run.txt"
ABOUT = re.compile(r"cormorant-[^/]+\.dist-info/.+")
CACHED = re.compile(r"(^|/)(__pycache__|\.(venv|git|mypy_cache|ruff_cache|pytest_cache|hypothesis))(/|$)|\.pyc$")


class Built(NamedTuple):
    """What `make dist` builds."""

    wheel: Path
    archive: Path


def build(source: Path, target: Path, *kinds: str) -> None:
    """Build with the back end that is installed, so that nothing is fetched."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(target)]
    for kind in kinds:
        command += ["-t", kind]
    subprocess.run(command, cwd=source, check=True, capture_output=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder, "sdist", "wheel")
    return Built(next(folder.glob("*.whl")), next(folder.glob("*.tar.gz")))


def differing(present: Iterable[str], shipped: Iterable[str]) -> list[str]:
    """Files of the package that the wheel does not have, and files of the wheel that are neither of it nor about it."""
    ours = {name for name in shipped if not ABOUT.fullmatch(name)}
    return sorted(set(present) ^ ours)


@pytest.mark.slow
def test_wheel(built: Built) -> None:
    top = ROOT / PACKAGE
    present = (
        path.relative_to(top.parent).as_posix() for path in top.rglob("*") if path.is_file() and path.suffix != ".pyc"
    )
    with zipfile.ZipFile(built.wheel) as wheel:
        assert not differing(present, wheel.namelist())


@pytest.mark.slow
def test_the_source_archive_builds_the_same_wheel(built: Built, tmp_path: Path) -> None:
    with tarfile.open(built.archive) as archive:
        names = archive.getnames()
    shutil.unpack_archive(built.archive, tmp_path)  # Python 3.11.2, which Debian has, knows no filter
    assert not [name for name in names if CACHED.search(name)]
    (source,) = tmp_path.iterdir()
    build(source, tmp_path, "wheel")
    (again,) = tmp_path.glob("*.whl")
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (built.wheel, again)}
    assert len(digests) == 1


@pytest.mark.slow
def test_what_the_wheel_says_of_itself(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
        said = Parser(policy=compat32).parsestr(wheel.read(name).decode())
        (scripts,) = (each for each in wheel.namelist() if each.endswith("entry_points.txt"))
        assert "cormorant = cormorant.cli:main" in wheel.read(scripts).decode()
    assert said["License-Expression"] == "Apache-2.0"
    assert {"LICENSE", "NOTICE"} == set(said.get_all("License-File", []))
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_payload() == text_of("README.md")


def bare_environment(folder: Path) -> Path:
    """A new environment that sees the locked packages and no other; returns its Python.

    They are those installed here, by links: what only tests or tools need is not there to be imported by mistake. What
    they say of themselves is copied, since uv passes links over.
    """
    subprocess.run(
        [sys.executable, "-m", "uv", "venv", "--quiet", "--offline", "--python", sys.executable, str(folder / "venv")],
        check=True,
    )
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    for package in filter(installed, locked(text_of(LOCK))):
        for file in metadata.files(package) or ():
            link = site / file.parts[0]
            there = Path(str(metadata.distribution(package).locate_file(file.parts[0])))
            if link.exists() or file.parts[0] in ("..", "__pycache__"):
                continue
            if link.suffix == ".dist-info":
                shutil.copytree(there, link)
            else:
                link.symlink_to(there)
    return folder / "venv" / "bin" / "python"


@pytest.mark.slow
def test_the_wheel_works_in_an_environment_of_its_own(built: Built, tmp_path: Path) -> None:
    python = bare_environment(tmp_path)
    uv = [sys.executable, "-m", "uv", "pip"]
    there = ["--quiet", "--python", str(python)]
    subprocess.run([*uv, "install", *there, "--offline", "--no-deps", str(built.wheel)], check=True)
    done = subprocess.run([*uv, "check", *there], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    given = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    place = {"cwd": tmp_path, "env": {**given, "CORMORANT_DATA": str(tmp_path / "data")}}
    command = str(python.with_name("cormorant"))
    for words in (["quickstart", "--no-serve"], ["doctor"], ["store", "check"]):
        done = subprocess.run([command, *words], capture_output=True, text=True, check=False, **place)  # type: ignore[call-overload]
        assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    said = subprocess.check_output([command, "search", "ferry timetable", "--json"], text=True, **place)  # type: ignore[call-overload]
    assert json.loads(said.splitlines()[0])["title"]
    home = subprocess.check_output(
        [python, "-c", "import cormorant; print(cormorant.__file__)"], text=True, cwd=tmp_path
    )
    assert Path(home).is_relative_to(tmp_path / "venv")


def test_no_requirement_is_named_twice() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    names = [re.split(r"[^\w.-]", each, maxsplit=1)[0] for each in project["dependencies"]]
    assert len(names) == len(set(names))


def test_a_file_left_out_or_too_many_is_found() -> None:
    here = ["cormorant/a.py", "cormorant/portal/page.html"]
    about = "cormorant-0.1.0.dist-info/METADATA"
    assert differing(here, [here[0], about]) == [here[1]]
    assert differing(here, [*here, about, "tests/a.py"]) == ["tests/a.py"]


@pytest.mark.parametrize("name", ["x/src/cormorant/__pycache__/a.pyc", "x/.venv/bin/python", "x/tests/.mypy_cache/a"])
def test_a_cache_is_found(name: str) -> None:
    assert CACHED.search(name)
