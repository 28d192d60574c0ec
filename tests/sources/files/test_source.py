"""The source as the crawl sees it: batches, cursors, and a folder that is not what it was."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cormorant.base.errors import BadSetting, Unreachable
from cormorant.model.content import Content
from cormorant.model.resource import Role
from cormorant.sources.files import FilesSource
from cormorant.sources.files.openat import Identity
from cormorant.sources.files.source import BATCH, look
from cormorant.sources.protocol import Discovery
from tests.sources.files.listing import as_nobody, descriptors, listed, source


def cursor_of(place: FilesSource) -> str:
    """The cursor of a listing."""
    listed(place)
    return place.next_cursor


def refused(place: FilesSource, cursor: str) -> str:
    """The sentence with which a listing fails. Nothing is to be remembered of it."""
    with pytest.raises(Unreachable) as raised:
        listed(place, cursor)
    assert place.next_cursor == ""
    return raised.value.sentence


def test_it_is_a_source(folder: Path) -> None:
    place = source(folder)
    assert (place.kind, place.discovery, place.number) == ("files", Discovery.LISTING, 1)
    assert (place.pace("x", {}).delay_s, place.pace("x", {}).parallel) == (0, 4)
    assert place.fact(Content("file:///a", b"", ""), Role.DOCUMENT) is None


def test_the_server_of_a_mounted_share_is_spared(tmp_path: Path) -> None:
    asked = source(tmp_path, delay_s=0.5, per_host=2).pace("x", {})
    assert (asked.delay_s, asked.parallel, asked.rule) == (0.5, 2, "delay_s 0.5")
    assert source(tmp_path, variable_delay=["Mon-Sun 00-24 3"]).pace("x", {}).delay_s == 3


def test_batches_are_of_a_thousand(folder: Path) -> None:
    for number in range(BATCH + 5):
        (folder / str(number)).touch()
    assert [len(batch) for batch in source(folder).discover("")] == [BATCH, 5]


def test_a_long_way_without_a_file_is_not_silent(folder: Path) -> None:
    for number in range(BATCH + 5):
        (folder / str(number)).mkdir()
    assert [len(batch) for batch in source(folder).discover("")] == [0, 0]


def test_an_empty_folder_yields_nothing_and_is_no_fault(folder: Path) -> None:
    place = source(folder)
    assert list(place.discover("")) == [[]]
    assert list(place.discover(place.next_cursor)) == [[]]


def test_the_cursor_tells_which_folder_it_was(folder: Path) -> None:
    place = source(folder)
    assert json.loads(cursor_of(place)) == {
        "path": f"file://{folder}/",
        "folder": [folder.stat().st_dev, folder.stat().st_ino, os.statvfs(folder).f_fsid],
        "empty": True,
    }
    (folder / "a").touch()
    assert listed(place, cursor_of(place)).keys() == {"a"}


def test_a_missing_folder_is_unreachable(folder: Path) -> None:
    place = source(folder)
    cursor = cursor_of(place)
    folder.rmdir()
    assert "is not there. Mount it" in refused(place, cursor)
    assert "is not there. Mount it" in refused(place, "")


def test_a_look_says_what_a_listing_would_meet(folder: Path) -> None:
    before = descriptors()
    look(source(folder).settings)
    (folder / "a").touch()
    with pytest.raises(BadSetting, match="is a file"):
        look(source(folder / "a").settings)
    with pytest.raises(Unreachable, match="is not there"):
        look(source(folder / "b").settings)
    assert descriptors() == before


def test_a_look_into_a_folder_of_somebody_else(shared: Path) -> None:
    (shared / "closed").mkdir(mode=0o700)
    with as_nobody(), pytest.raises(Unreachable, match="may not be read"):
        look(source(shared / "closed").settings)


def test_a_file_is_no_folder(folder: Path) -> None:
    (folder / "a").touch()
    assert "is not a folder" in refused(source(folder / "a"), "")


def test_a_folder_that_may_not_be_read_is_unreachable(shared: Path) -> None:
    closed = shared / "closed"
    closed.mkdir(mode=0o700)
    with as_nobody():
        assert "may not be read" in refused(source(closed), "")
    closed.chmod(0o744)
    (closed / "a").touch()
    with as_nobody():
        assert "could not be listed to the end" in refused(source(closed), "")


def test_a_folder_that_lost_everything_is_unreachable_until_a_person_says_so(folder: Path) -> None:
    place = source(folder)
    (folder / "a").touch()
    cursor = cursor_of(place)
    (folder / "a").unlink()
    said = refused(place, cursor)
    assert "is empty, and was not before. Mount its contents" in said
    assert "crawl with --force" in said
    assert listed(place) == {}


def test_empty_folders_below_are_as_empty(folder: Path) -> None:
    place = source(folder)
    (folder / "mount").mkdir()
    (folder / "mount" / "a").touch()
    cursor = cursor_of(place)
    (folder / "mount" / "a").unlink()
    (folder / "b").touch()
    assert listed(place, cursor).keys() == {"b"}


def test_rules_that_leave_everything_out_are_no_fault(folder: Path) -> None:
    (folder / "drafts").mkdir()
    (folder / "drafts" / "a").touch()
    cursor = cursor_of(source(folder))
    assert listed(source(folder, exclude="drafts/**"), cursor) == {}


def test_a_replaced_folder_is_unreachable(folder: Path) -> None:
    place = source(folder)
    (folder / "a").touch()
    cursor = cursor_of(place)
    folder.rename(folder.parent / "away")
    folder.mkdir()
    (folder / "b").touch()
    assert "is another one than before" in refused(place, cursor)
    assert listed(place).keys() == {"b"}


def test_a_folder_replaced_during_the_listing_is_noticed_at_its_end(folder: Path) -> None:
    for number in range(BATCH + 1):
        (folder / str(number)).touch()
    place = source(folder)
    batches = place.discover("")
    next(batches)
    folder.rename(folder.parent / "away")
    folder.mkdir()
    with pytest.raises(Unreachable, match="is another one than before"):
        list(batches)
    assert place.next_cursor == ""


def test_another_path_begins_anew(folder: Path) -> None:
    (folder / "a").touch()
    other = folder.parent / "other"
    other.mkdir()
    assert listed(source(other), cursor_of(source(folder))) == {}


def test_a_listing_that_is_given_up_leaves_nothing_open(folder: Path) -> None:
    for number in range(BATCH + 1):
        (folder / str(number)).touch()
    before = descriptors()
    batches = source(folder).discover("")
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert descriptors() == before


@pytest.mark.parametrize(
    ("now", "same"),
    [
        (Identity(1, 2, 3), True),
        (Identity(1, 2, 4), True),
        (Identity(9, 2, 3), True),
        (Identity(9, 2, 4), False),
        (Identity(1, 3, 3), False),
    ],
)
def test_a_folder_is_known_again_when_devices_are_numbered_anew(now: Identity, same: bool) -> None:
    assert Identity(1, 2, 3).is_same(now) is same
    assert not Identity(1, 2, 0).is_same(Identity(9, 2, 0))


def test_what_readers_see(folder: Path) -> None:
    place = source(folder, display_prefix="https://intra/docs/")
    assert place.display(f"file://{folder}/a%20b/c.pdf") == "https://intra/docs/a%20b/c.pdf"
