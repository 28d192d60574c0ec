"""Does the doctor look at every disk that an installation writes to?"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.processes import web
from cormorant.app.settings import InstallationSettings
from cormorant.operate.installation import Installation
from cormorant.operate.sources import sources
from cormorant.operate.storage import check
from cormorant.operate.system import doctor
from cormorant.operate.system.doctor import at_work, examine
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.db import heartbeats

OTHER_DISK = Path("/dev/shm")


def disks(folder: Path, cache: Path) -> list[str]:
    return [each.check for each in examine(folder, cache, None, None) if each.check.startswith("disk")]


def test_one_disk_is_looked_at_once(tmp_path: Path) -> None:
    assert disks(tmp_path, tmp_path / "not" / "yet" / "there") == ["disk"]


def test_the_disk_of_the_kept_copies_is_looked_at(tmp_path: Path) -> None:
    if not OTHER_DISK.exists() or OTHER_DISK.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("this machine has no other disk")
    assert disks(tmp_path, OTHER_DISK / "copies") == ["disk", "disk of kept copies"]


LOOKED_AT = {
    "python", "sqlite", "extra: postgres", "disk", "file system", "writable", "memory", "open files", "clock",
    "converters: landlock", "converters: seccomp", "data folder", "database", "index", "kept copies", "names",
    "processes", "port",
}  # fmt: skip


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        yield made


def test_everything_is_looked_at_and_what_is_not_well_says_what_to_do(house: Installation) -> None:
    sources.add(house, "web", "near", {"start": ["http://127.0.0.1:9/", "http://a.localhost:9/"]})
    more = [
        at_work(house, "resting"),
        web.port_free(BuildPlan(house.folder, InstallationSettings(listen="127.0.0.1:0")), busy=False),
    ]
    found = {each.check: each for each in examine(house.folder, house.folder / "cache", house, None, more)}
    assert set(found) >= LOOKED_AT
    assert not [each for each in found.values() if each.ok is False]
    assert all(each.said for each in found.values())
    assert all(each.mend for each in found.values() if each.ok is not True)


def test_names_that_do_not_resolve_are_named(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    def lookup(host: bytes, *_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "no")

    sources.add(house, "web", "far", {"start": ["https://wiki.example/", "https://127.0.0.1/"]})
    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    (found,) = doctor._names(house)
    assert (found.ok, found.said) == (None, "1 of 2 do not resolve: wiki.example (there is no such name)")
    assert "getent hosts" in found.mend


def test_processes_at_work(house: Installation) -> None:
    assert at_work(house, "abc").said == "no process works on this folder"
    silent = at_work(house, None)
    assert (silent.ok, "logs/" in silent.mend) == (None, True)
    with house.store.begin() as tx:
        heartbeats.say(tx, "retriever-1@abc", "retriever", 0.0)
    assert at_work(house, None).said.startswith("retriever-1@abc on ")
    assert at_work(house, "abc").said == "no process works on this folder", "it was killed a moment ago"
    assert "others: retriever-1@abc" in at_work(house, "another").said


def test_the_port(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        plan = BuildPlan(tmp_path, InstallationSettings(listen=f"127.0.0.1:{other.getsockname()[1]}"))
        assert web.port_free(plan, busy=True).ok is True
        taken = web.port_free(plan, busy=False)
        assert (taken.ok, "in use by another program" in taken.said) == (None, True)
    assert web.port_free(plan, busy=False).ok is True
    for listen in ("192.0.2.1:80", "127.0.0.1:http"):
        assert web.port_free(BuildPlan(tmp_path, InstallationSettings(listen=listen)), busy=False).ok is False


def test_a_copy_that_cannot_be_read_is_told_of(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor._copies(house).said == "none yet"
    monkeypatch.setattr(check, "newest_copy", lambda _: BlobPlace(1, 0, 100))
    found = doctor._copies(house)
    assert (found.ok, "crawl --force" in found.mend) == (False, True)
