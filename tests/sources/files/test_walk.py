"""The walk: every name, every depth, every kind of entry, and folders that change or vanish under it."""

from __future__ import annotations

import errno
import os
import socket
import tracemalloc
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Role
from cormorant.sources.files import walk as folder_walk
from cormorant.sources.files.file_url import Naming
from cormorant.sources.files.openat import open_folder, open_root
from cormorant.sources.files.permissions import Names
from cormorant.sources.files.source import BATCH, FilesSource
from cormorant.sources.files.walk import KEPT_OPEN, FolderWalk
from cormorant.sources.trees.filters import TreeGates
from tests.sources.files.listing import as_nobody, chain, content, descriptors, found, listed, source


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, errors="surrogateescape")


@contextmanager
def walking(place: FilesSource) -> Iterator[FolderWalk]:
    """A walk that can be stopped between any two files."""
    root = open_root(place.settings.root)
    naming = Naming(place.settings.root, "")
    try:
        yield FolderWalk(root, naming, TreeGates(place.settings, naming), Names())
    finally:
        os.close(root)


def met(walk: FolderWalk) -> Iterator[DiscoveredUrl]:
    """The files of a walk."""
    return (each for each in walk.files() if each is not None)


def test_files_are_yielded_and_folders_are_not(folder: Path) -> None:
    write(folder, "a.txt", "b/c.txt", "b/d/e.txt")
    (folder / "empty").mkdir()
    place = source(folder)
    by_address = {each.address: each for each in found(place)}
    root = f"file://{folder}/"
    assert set(by_address) == {root + "a.txt", root + "b/c.txt", root + "b/d/e.txt"}
    deepest = by_address[root + "b/d/e.txt"]
    assert (deepest.depth, deepest.how, deepest.role, deepest.site) == (
        2,
        DiscoveredBy.LISTING,
        Role.DOCUMENT,
        f"file:{folder}",
    )
    assert place.unlisted == []


def test_the_validator_is_size_time_and_inode(folder: Path) -> None:
    write(folder, "a")
    status = (folder / "a").stat()
    assert listed(source(folder)) == {"a": f"1-{status.st_mtime_ns}-{status.st_ino}"}


@pytest.mark.parametrize(
    "settings", [{}, {"owner_grants": True}, {"symlinks": True}, {"symlinks": True, "owner_grants": True}]
)
def test_a_file_read_has_the_version_it_is_listed_with(folder: Path, settings: dict[str, object]) -> None:
    write(folder, "a/b/c", "d")
    (folder / ".store").mkdir(mode=0o711)
    write(folder, ".store/x/y")
    (folder / "to-file").symlink_to("a/b/c")
    (folder / "a" / "to-folder").symlink_to(folder / ".store")
    place = source(folder, **settings)
    versions = listed(place)
    assert len(versions) == (4 if "symlinks" in settings else 2)
    assert {name: content(place, name).validator for name in versions} == versions


NAMES = [
    b"plain", b"with space", b"new\nline", b"tab\t\r", b"%41%2F%2e", b"..%2f", b"...", b"\\back", b"C:", b"C|",
    b"?#&;=@", b"\xff\xfe", b"caf\xe9", "ü".encode(), unicodedata.normalize("NFD", "ü").encode(), b"UPPER", b"upper",
    b"CON", b"-rf", b"a" * 255, b"\xf0" * 255, "\u202egnp.exe".encode(), b"~", b"{}`^\"<>",
]  # fmt: skip


def test_names_in_any_bytes_survive(folder: Path) -> None:
    for name in NAMES:
        inner = folder / os.fsdecode(b"in-" + name[:250])
        inner.mkdir()
        for path in (folder / os.fsdecode(name), inner / "file"):
            path.write_bytes(name)
    place = source(folder, hidden=True)
    addresses = [each.address for each in found(place)]
    assert len(set(addresses)) == 2 * len(NAMES)
    bodies = sorted(content(place, address.removeprefix(f"file://{folder}/")).body for address in addresses)
    assert bodies == sorted(NAMES * 2)


def test_hidden_files_and_folders_by_choice(folder: Path) -> None:
    write(folder, ".x", ".git/y", "a/.z", "b")
    assert set(listed(source(folder))) == {"b"}
    assert set(listed(source(folder, hidden=True))) == {".x", ".git/y", "a/.z", "b"}


@pytest.mark.parametrize(("depth", "names"), [("0", {"a"}), ("1", {"a", "b/c"}), ("2", {"a", "b/c", "b/d/e"})])
def test_depth_is_levels_of_folders(folder: Path, depth: str, names: set[str]) -> None:
    write(folder, "a", "b/c", "b/d/e")
    assert set(listed(source(folder, depth=depth))) == names


def test_excluded_folders_are_not_entered_and_excluded_files_are_left_to_the_gate(folder: Path) -> None:
    write(folder, "a.tmp", "b.txt", "drafts/x", "in/node_modules/deep/y")
    place = source(folder, exclude=["drafts/**", "node_modules", "*.tmp"])
    assert set(listed(place)) == {"a.tmp", "b.txt"}
    assert not place.gates.follow(f"file://{folder}/a.tmp", 0).admitted


def test_only_regular_files_are_yielded(folder: Path) -> None:
    write(folder, "a")
    os.mkfifo(folder / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(folder / "socket"))
        assert set(listed(source(folder))) == {"a"}
        assert set(listed(source(folder, symlinks=True))) == {"a"}


def test_hard_links_are_two_documents(folder: Path) -> None:
    write(folder, "a")
    (folder / "b").hardlink_to(folder / "a")
    assert set(listed(source(folder))) == {"a", "b"}


def test_symbolic_links_are_left_alone_unless_asked_for(folder: Path) -> None:
    write(folder, "a/b")
    (folder / "file").symlink_to("a/b")
    (folder / "folder").symlink_to("a")
    assert set(listed(source(folder))) == {"a/b"}


def test_symbolic_links_are_followed_inside_the_folder_only(folder: Path) -> None:
    secret = folder.parent / "secret"
    write(secret, "s")
    write(folder, "a/b", ".hidden/v3/c")
    for name, target in {
        "relative": "a/b", "absolute": str(folder / "a" / "b"), "up-and-down": "a/../a/./b", "to-hidden": ".hidden/v3",
        "a/upwards": "../.hidden", "chain": "relative", "out": "../secret/s", "out-absolute": str(secret),
        "out-by-twice": "a/../../secret", "etc": "/etc/hostname", "broken": "nowhere", "circle-1": "circle-2",
        "circle-2": "circle-1", "beside": str(folder) + "x",
    }.items():  # fmt: skip
        (folder / name).symlink_to(target)
    place = source(folder, symlinks=True)
    names = set(listed(place))
    real = {"a/b", "relative", "absolute", "up-and-down", "chain"}
    assert real <= names
    # The same folder is reached twice, by `to-hidden` and by way of `a/upwards`; it is entered once.
    assert names - real in ({"to-hidden/c"}, {"a/upwards/v3/c"})
    assert place.unlisted == []
    assert all(content(place, name).body in (b"a/b", b".hidden/v3/c") for name in names)


def test_a_link_that_leads_nowhere_does_not_stop_the_listing(shared: Path) -> None:
    write(shared, "a", "closed/b", "z/c")
    (shared / "closed").chmod(0o700)
    (shared / "long").symlink_to("b" * 300)
    (shared / "z" / "unreadable").symlink_to("../closed/b")
    place = source(shared, symlinks=True)
    with as_nobody():
        assert set(listed(place)) == {"a", "z/c"}
    assert sorted(place.unlisted) == [f"file://{shared}/closed/", f"file://{shared}/z/unreadable"]
    assert set(listed(place)) == {"a", "closed/b", "z/c", "z/unreadable"}
    assert place.unlisted == []


def test_loops_are_visited_once(folder: Path) -> None:
    write(folder, "a/b/c")
    (folder / "a" / "b" / "self").symlink_to(".")
    (folder / "a" / "b" / "top").symlink_to(folder)
    (folder / "a" / "again").symlink_to("../a")
    assert set(listed(source(folder, symlinks=True))) == {"a/b/c"}


def test_links_obey_depth_and_rules(folder: Path) -> None:
    write(folder, ".s/x/y")
    (folder / "link").symlink_to(".s")
    assert set(listed(source(folder, symlinks=True))) == {"link/x/y"}
    assert set(listed(source(folder, symlinks=True, depth="1"))) == set()
    assert set(listed(source(folder, symlinks=True, exclude="link/"))) == set()


def test_a_folder_that_may_not_be_read_leaves_its_part_open(shared: Path) -> None:
    write(shared, "a", "closed/b", "names-only/c", "open/d")
    (shared / "closed").chmod(0o700)
    (shared / "names-only").chmod(0o744)
    place = source(shared)
    with as_nobody():
        names = set(listed(place))
    assert names == {"a", "open/d"}
    assert sorted(place.unlisted) == [f"file://{shared}/closed/", f"file://{shared}/names-only/"]
    assert set(listed(place)) == {"a", "closed/b", "names-only/c", "open/d"}
    assert place.unlisted == []


def test_what_may_not_be_entered_is_told_from_what_cannot_be_read(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who may read is not known behind a closed door; a disk that fails says nothing about that."""
    write(shared, "broken/a", "closed/b", "names-only/c")
    (shared / "link").symlink_to("closed/b")
    (shared / "closed").chmod(0o700)
    (shared / "names-only").chmod(0o744)

    def opening(name: bytes, parent: int) -> int:
        if name == b"broken":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return open_folder(name, parent)

    monkeypatch.setattr(folder_walk, "open_folder", opening)
    unlisted = [f"file://{shared}/{name}" for name in ("broken/", "closed/", "link", "names-only/")]
    for owner_grants in (True, False):
        place = source(shared, symlinks=True, owner_grants=owner_grants)
        with as_nobody():
            assert not listed(place)
        assert sorted(place.unlisted) == unlisted
        assert sorted(place.closed) == (unlisted[1:] if owner_grants else [])


def test_folders_and_files_that_vanish_in_between_are_no_fault(folder: Path) -> None:
    write(folder, *(f"{name}/{number}" for name in "abc" for number in range(3)))
    place = source(folder)
    with walking(place) as walk:
        files = met(walk)
        first = next(files)
        for name in "abc":
            (folder / name).rename(folder.parent / name)
        rest = list(files)
        assert {each.address.rsplit("/", 2)[1] for each in rest} <= {first.address.rsplit("/", 2)[1]}
        assert walk.unlisted == []


@pytest.mark.parametrize("code", [errno.ENOENT, errno.ENOTDIR, errno.ELOOP])
def test_a_folder_that_still_stands_is_not_gone_because_opening_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    write(folder, "a", "mount/b")
    (folder / "file").touch()

    def opening(name: bytes, parent: int) -> int:
        if name == b"mount":
            raise OSError(code, os.strerror(code))
        return open_folder(name, parent)

    monkeypatch.setattr(folder_walk, "open_folder", opening)
    place = source(folder)
    assert set(listed(place)) == {"a", "file"}
    assert place.unlisted == [f"file://{folder}/mount/"]


def test_a_folder_swapped_for_a_link_is_not_entered(folder: Path) -> None:
    write(folder.parent / "secret", "s")
    write(folder, "a/x", "b/x")
    with walking(source(folder)) as walk:
        files = met(walk)
        first = next(files).address.rsplit("/", 2)[1]
        other = "b" if first == "a" else "a"
        (folder / other).rename(folder.parent / "moved")
        (folder / other).symlink_to(folder.parent / "secret")
        assert list(files) == []


LEVELS = 1_000


@pytest.mark.parametrize("settings", [{}, {"symlinks": True}, {"owner_grants": True}])
def test_a_deep_tree_is_walked_with_few_folders_open(folder: Path, settings: dict[str, object]) -> None:
    with chain(folder, LEVELS), walking(source(folder, **settings)) as walk:
        before, most, depths = descriptors(), 0, []
        for each in met(walk):
            depths.append(each.depth)
            most = max(most, descriptors() - before)
    assert sorted(depths) == list(range(1, LEVELS + 1))
    assert most <= KEPT_OPEN + 3
    assert walk.unlisted == []
    assert descriptors() <= before + 1


@pytest.mark.slow
@pytest.mark.long
def test_a_tree_deeper_than_any_path(folder: Path) -> None:
    with chain(folder, 4_000):
        assert len(found(source(folder))) == 4_000


def test_a_folder_replaced_above_the_walk_leaves_its_part_open(folder: Path) -> None:
    levels = KEPT_OPEN + 20
    with chain(folder, levels), walking(source(folder)) as walk:
        files = met(walk)
        while next(files).depth < levels:
            pass
        (folder / "down").rename(folder.parent / "away")
        (folder / "down" / "down").mkdir(parents=True)
        # Folders that are no longer open lie elsewhere now; those still open are walked on.
        list(files)
        assert all(part.startswith(f"file://{folder}/down/") for part in walk.unlisted)
        (folder / "down" / "down").rmdir()
        (folder / "down").rmdir()
        (folder.parent / "away").rename(folder / "down")


@pytest.mark.slow
@pytest.mark.long
def test_memory_stays_flat_however_many_files_there_are(folder: Path) -> None:
    at = os.open(folder, os.O_RDONLY)
    for number in range(100_000):
        os.close(os.open(f"file-{number}", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    count = 0
    tracemalloc.start()
    try:
        for batch in source(folder).discover(""):
            count += len(batch)
            assert len(batch) <= BATCH
            assert all(isinstance(each, DiscoveredUrl) for each in batch)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 100_000
    assert peak < 3_000_000
