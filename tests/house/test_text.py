"""What the project's text may not contain: hosts packages are fetched from, and where somebody keeps the checkout."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.house.reading import ROOT, Finding, files, report

SUFFIXES = (
    ".py", ".md", ".toml", ".txt", ".sh", ".html", ".css", ".js", ".json", ".yaml", ".yml", ".cfg", ".ini", ".conf",
    ".service",
)  # fmt: skip
FOLDERS = ("src", "tests", "bench", "deploy", "docs", "news", "requirements", "scripts")
OTHERS = ("Makefile", "deploy/Containerfile", ".ci/run", ".gitignore", ".pre-commit-config.yaml")

# Registries are a matter of each installation's settings. Written in parts, or this file would name them too.
DENIED = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("crates", "io"), ("golang", "org"),
        ("maven", "org"), ("maven", "apache", "org"), ("deb", "debian", "org"), ("unpkg", "com"), ("jsdelivr", "net"),
    )
)  # fmt: skip
HOST_IN_LOCK = re.compile(r"://|^\s*(-i|-f|--index-url|--extra-index-url|--find-links|--trusted-host)\b")


def denied(texts: Mapping[str, str], words: Iterable[str]) -> list[Finding]:
    """Lines that contain one of the words."""
    pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(word)}(?![\w-])" for word in words))
    return [
        Finding(path, number, f"{match.group()!r} does not belong here")
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if (match := pattern.search(line))
    ]


def loose_locks(locks: Mapping[str, str]) -> list[Finding]:
    """Lines of lock files that name a host, or a version without a checksum."""
    found = []
    for path, text in locks.items():
        for number, line in enumerate(text.splitlines(), 1):
            if HOST_IN_LOCK.search(line):
                found.append(Finding(path, number, "a lock names no host"))
            if re.match(r"[A-Za-z0-9]", line) and ("==" not in line or not line.endswith("\\")):
                found.append(Finding(path, number, "a lock pins a version by its checksums"))
    return found


def loose_npm(lock: str) -> list[str]:
    """Packages of an npm lock that say from which host they come, or have no checksum."""
    packages: dict[str, dict[str, object]] = json.loads(lock)["packages"]
    return [name for name, said in packages.items() if name and ("resolved" in said or "integrity" not in said)]


def _project_text() -> dict[str, str]:
    paths = [*files(*FOLDERS, suffixes=SUFFIXES), *(path for path in ROOT.iterdir() if path.suffix in SUFFIXES)]
    paths += [ROOT / name for name in OTHERS if (ROOT / name).exists()]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in paths}


def test_project_text() -> None:
    found = denied(_project_text(), (*DENIED, str(ROOT)))
    assert not found, report(found)


def test_locks() -> None:
    locks = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "requirements").glob("*.txt")}
    assert {"setup.txt", "run.txt", "dev.txt", "bench.txt", "pages.txt"} <= locks.keys()
    found = loose_locks(locks)
    assert not found, report(found)


def test_npm_lock() -> None:
    assert not loose_npm((ROOT / "requirements" / "pages" / "package-lock.json").read_text(encoding="utf-8"))


def test_denied_words_are_found() -> None:
    texts = {"a.md": "fine\nsee https://files." + DENIED[1] + "/x\n", "b.py": f"HOME = '{Path('/srv/x')}/y'\n"}
    assert [str(finding)[:7] for finding in denied(texts, (*DENIED, "/srv/x"))] == ["a.md:2:", "b.py:1:"]
    assert not denied({"a.md": "my" + DENIED[1]}, DENIED)


def test_loose_npm_locks_are_found() -> None:
    packages = {"": {}, "a": {"integrity": "x"}, "b": {"integrity": "x", "resolved": "y"}, "c": {"version": "1"}}
    assert loose_npm(json.dumps({"packages": packages})) == ["b", "c"]


def test_loose_locks_are_found() -> None:
    for line in ("--index-url https://x", "rich @ https://x/y.whl \\", "rich>=14 \\", "rich==14.0"):
        assert loose_locks({"run.txt": line}), line
    assert not loose_locks({"run.txt": "# made by make lock\nrich==14.0 \\\n    --hash=sha256:00\n    # via typer\n"})
