"""Reading a file: what it says, what ends as which outcome, and files that change or are swapped meanwhile."""

from __future__ import annotations

import errno
import os
import resource as limits
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cormorant.model.acl import ACL, NOBODY, PUBLIC
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone
from cormorant.sources.files import read
from cormorant.sources.files.read import CHANGED
from tests.sources.files.listing import as_nobody, chain, content, descriptors, fetched, found, listed, source


def test_what_is_known_of_a_file(folder: Path) -> None:
    (folder / "in").mkdir()
    path = folder / "in" / "Übersicht 1.PDF"
    path.write_bytes(b"%PDF-1.7")
    os.utime(path, ns=(1_700_000_000_000_000_001, 1_700_000_000_500_000_000))
    place, wire = source(folder), VisitTrace()
    address = found(place)[0].address
    got = fetched(place, address.removeprefix(f"file://{folder}/"), wire)
    assert got == Content(
        address, b"%PDF-1.7", "application/pdf", validator=listed(place)["in/%C3%9Cbersicht%201.PDF"],
        modified_at=1_700_000_000.5, directives=("nofollow",), file_name="Übersicht 1.PDF",
    )  # fmt: skip
    assert (wire.requests, wire.received, wire.decoded) == (0, 8, 8)


@pytest.mark.parametrize(
    ("name", "mime"),
    [("a.html", "text/html"), ("a.PDF", "application/pdf"), ("README", ""), ("a.unknown", ""), (".txt", "")],
)
def test_the_type_is_only_guessed_by_the_name(folder: Path, name: str, mime: str) -> None:
    (folder / name).write_bytes(b"x")
    assert content(source(folder, hidden=True), name).mime == mime


def test_links_are_followed_by_choice(folder: Path) -> None:
    (folder / "a").touch()
    assert content(source(folder), "a").directives == ("nofollow",)
    assert content(source(folder, follow_links=True), "a").directives == ()


def test_a_vanished_file_is_gone(folder: Path) -> None:
    (folder / "other").touch()
    (folder / "file").touch()
    place = source(folder)
    assert fetched(place, "a") == Gone(404)
    assert fetched(place, "no/such/a") == Gone(404)
    assert fetched(place, "file/a") == Gone(404)


def test_nothing_is_gone_while_the_folder_is_away(folder: Path) -> None:
    (folder / "a").touch()
    place = source(folder)
    content(place, "a")
    folder.rename(folder.parent / "away")
    changes: list[Callable[[], object]] = [lambda: None, folder.mkdir, (folder / "other").touch]
    for change in changes:
        change()
        for asked in (place, source(folder)):
            if asked is place or not (folder / "other").exists():
                got = fetched(asked, "a")
                assert isinstance(got, Deferred)
                assert (got.status, got.whole_site) == (905, True)
                assert got.reason.endswith(".")


@pytest.mark.parametrize(("fault", "status"), [(errno.EINVAL, 958), (errno.EMFILE, 904)])
def test_what_the_system_says_beside_has_a_status_too(fault: int, status: int) -> None:
    got = read._fault(OSError(fault, os.strerror(fault)), -1, None)
    assert isinstance(got, Failed | Deferred)
    assert got.status == status


def test_an_unreadable_file_has_failed(shared: Path) -> None:
    (shared / "a").touch(mode=0o600)
    (shared / "closed").mkdir(mode=0o700)
    (shared / "closed" / "b").touch()
    place = source(shared)
    with as_nobody():
        for name in ("a", "closed/b"):
            got = fetched(place, name)
            assert isinstance(got, Failed)
            assert got.status == 403


def test_what_may_not_be_read_is_nobodys_where_its_owner_grants(shared: Path) -> None:
    """Its rights may have been taken away on the way, where the account cannot look."""
    (shared / "a").touch(mode=0o600)
    (shared / "closed").mkdir(mode=0o700)
    (shared / "closed" / "b").touch()
    for settings, acl in (({"owner_grants": True}, NOBODY), (dict[str, object](), None)):
        place = source(shared, **settings)
        with as_nobody():
            assert [getattr(fetched(place, name), "acl", PUBLIC) for name in ("a", "closed/b")] == [acl, acl]
        assert getattr(fetched(place, "none"), "acl", None) is None, "it is gone"


def test_whom_the_source_denies_no_owner_lets_in(folder: Path) -> None:
    (folder / "a").touch(mode=0o600)
    granted = content(source(folder, owner_grants=True), "a").acl
    assert granted is not None
    denied = content(source(folder, owner_grants=True, denies=["user:bob"]), "a").acl
    assert denied == ACL.of(granted.grants, [*granted.denies, "user:bob"])
    assert content(source(folder, denies=["user:bob"]), "a").acl is None


def test_a_file_below_folders_that_can_be_passed_but_not_listed_is_read(shared: Path) -> None:
    (shared / "in").mkdir(mode=0o711)
    (shared / "in" / "a").write_bytes(b"x")
    with as_nobody():
        assert content(source(shared), "in/a").body == b"x"


@pytest.mark.parametrize(
    ("make", "status", "rule"),
    [
        (lambda path: path.mkdir(), 951, "folders are collections"),
        (os.mkfifo, 962, "only regular files"),
        (lambda path: path.symlink_to("/etc/hostname"), 964, "symlinks = false"),
    ],
)
def test_what_is_no_regular_file_is_excluded(
    folder: Path, make: Callable[[Path], None], status: int, rule: str
) -> None:
    make(folder / "a")
    got = fetched(source(folder), "a")
    assert isinstance(got, Excluded)
    assert (got.status, got.ruling.status, got.ruling.rule) == (status, status, rule)


def test_a_device_is_not_opened(folder: Path) -> None:
    try:
        os.mknod(folder / "a", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")
    got = fetched(source(folder), "a")
    assert isinstance(got, Excluded)
    assert got.status == 962


def test_a_folder_on_the_way_swapped_for_a_link_is_not_followed(folder: Path) -> None:
    secret = folder.parent / "secret"
    secret.mkdir()
    (secret / "a").write_bytes(b"secret")
    (folder / "in").symlink_to(secret)
    for place in (source(folder), source(folder, symlinks=True)):
        got = fetched(place, "in/a")
        assert isinstance(got, Excluded)
        assert got.status == 964


@pytest.mark.parametrize("symlinks", [False, True])
def test_a_file_swapped_between_listing_and_opening_never_shows_what_is_outside(folder: Path, symlinks: bool) -> None:
    secret = folder.parent / "secret"
    secret.write_bytes(b"secret")
    (folder / "other").touch()
    (folder / "a").write_bytes(b"public")
    place = source(folder, symlinks=symlinks)
    reader = place._reader

    def swap() -> None:
        (folder / "new").write_bytes(b"public")
        (folder / "new").replace(folder / "a")
        (folder / "new").symlink_to(secret)
        (folder / "new").replace(folder / "a")

    kinds = set()
    with repeated(swap):
        for _ in range(3_000):
            got = reader.read(f"file://{folder}/a").outcome
            kinds.add(type(got))
            assert not isinstance(got, Content) or got.body == b"public"
    assert Content in kinds
    assert kinds <= {Content, Excluded}


@contextmanager
def repeated(action: Callable[[], None]) -> Iterator[None]:
    """Do something over and over in another thread."""
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            action()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


WRITER = "import os, sys\nfd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)\nwhile True: os.write(fd, b'y')"


def test_a_log_that_grows_is_taken_as_of_the_read_and_read_again_next_time(folder: Path) -> None:
    path = folder / "a.log"
    path.write_bytes(b"x" * 9_000_000)
    place = source(folder, max_size_bytes="64MiB")
    steady = content(place, "a.log")
    assert (steady.status_line, steady.validator) == ("", listed(place)["a.log"])
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) as writer:
        try:
            while path.stat().st_size == 9_000_000:
                pass
            seen = [content(place, "a.log") for _ in range(10)]
        finally:
            writer.kill()
    changed = [each for each in seen if each.status_line == CHANGED]
    assert changed, "ten reads of nine megabytes meet a change"
    assert all(each.body.startswith(b"xxx") for each in seen)
    assert listed(place)["a.log"] not in {each.validator for each in changed}


def test_too_big_is_dropped_or_cut(folder: Path) -> None:
    (folder / "a").write_bytes(b"0123456789")
    exact, wire = content(source(folder, max_size_bytes=10), "a"), VisitTrace()
    assert (exact.body, exact.truncated) == (b"0123456789", False)
    got = fetched(source(folder, max_size_bytes=9), "a", wire)
    assert isinstance(got, Excluded)
    assert (got.status, got.ruling.rule, wire.received) == (960, "max_size_bytes = 9", 0)
    cut = content(source(folder, max_size_bytes=9, too_big="cut"), "a")
    assert (cut.body, cut.truncated) == (b"012345678", True)


def test_a_terabyte_of_nothing_costs_nothing(folder: Path) -> None:
    with (folder / "a").open("wb") as file:
        try:
            file.truncate(1 << 40)
        except OSError:
            pytest.skip("this file system has no files of that size")
    got = fetched(source(folder), "a")
    assert isinstance(got, Excluded)
    assert got.status == 960
    assert len(content(source(folder, too_big="cut", max_size_bytes=1000), "a").body) == 1000


def test_a_type_that_is_not_taken_is_not_read(folder: Path) -> None:
    (folder / "a.mp4").write_bytes(b"x")
    (folder / "a").write_bytes(b"x")
    place, wire = source(folder, types=["text/*"]), VisitTrace()
    got = fetched(place, "a.mp4", wire)
    assert isinstance(got, Excluded)
    assert (got.status, got.ruling.rule, wire.received) == (962, "types = text/*", 0)
    assert content(place, "a").mime == "", "what the name does not tell is sniffed first"


@pytest.mark.parametrize("name", ["", "a/", "../a", "a//b", "a?b", "a%2Fb", "a%00"])
def test_an_address_that_is_none_has_failed(folder: Path, name: str) -> None:
    (folder / "a").touch()
    got = fetched(source(folder), name)
    assert isinstance(got, Failed)
    assert got.status == 400


def test_a_name_that_no_file_system_takes_is_too_long(folder: Path) -> None:
    (folder / "b").touch()
    got = fetched(source(folder), "a" * 300)
    assert isinstance(got, Excluded)
    assert (got.status, got.ruling.rule) == (414, "no file system takes such a name")


def test_a_file_deeper_than_any_path_is_read(folder: Path) -> None:
    with chain(folder, 1_500):
        assert content(source(folder), "down/" * 1_499 + "side/file").body == b""


def test_too_few_descriptors_are_a_matter_of_waiting(folder: Path) -> None:
    (folder / "a").touch()
    place = source(folder)
    content(place, "a")
    lowest = os.dup(0)
    os.close(lowest)
    soft, hard = limits.getrlimit(limits.RLIMIT_NOFILE)
    # One more descriptor is enough for the root, not for what comes after it.
    limits.setrlimit(limits.RLIMIT_NOFILE, (lowest + 1, hard))
    try:
        got = place._reader.read(f"file://{folder}/a").outcome
    finally:
        limits.setrlimit(limits.RLIMIT_NOFILE, (soft, hard))
    assert isinstance(got, Deferred)


def test_no_descriptor_is_left_behind(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "in" / "a").touch()
    (folder / "link").symlink_to("in/../in/a")
    os.mkfifo(folder / "fifo")
    place = source(folder, symlinks=True, owner_grants=True)
    before = descriptors()
    for name in ("in/a", "link", "fifo", "missing", "in/a/b", "in"):
        place._reader.read(f"file://{folder}/{name}")
    assert descriptors() == before
