from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from cormorant.base.errors import ConflictError, DataFolderError
from cormorant.store.blobs.pack_folder import PackFolder
from cormorant.store.blobs.pack_format import EntryHeader, pack_path
from cormorant.store.blobs.record import encode
from cormorant.store.blobs.verify import walk
from cormorant.store.blobs.writer import PackWriter
from tests.clocks import Hands
from tests.store.blobs.pages import MOMENT, page
from tests.store.blobs.test_verify import kept, spoil


def test_packs_as_files(tmp_path: Path) -> None:
    rows = kept(tmp_path)
    folder, pack = PackFolder(tmp_path), rows[0][1].pack
    data = pack_path(tmp_path, pack).read_bytes()
    assert folder.sizes() == {pack: len(data)}
    assert b"".join(folder.chunks(pack, 1234)) == data[:1234]
    assert folder.begins_with(pack, 1234, hashlib.sha256(data[:1234]).digest())
    assert not folder.begins_with(pack, 1235, hashlib.sha256(data[:1234]).digest())
    assert not folder.begins_with(pack + 1, 0, hashlib.sha256().digest())
    with pytest.raises(DataFolderError, match="end before they should"):
        list(folder.chunks(pack, len(data) + 1))
    assert PackFolder(tmp_path / "nowhere").sizes() == {}


def test_a_pack_comes_in_one_step(tmp_path: Path) -> None:
    rows = kept(tmp_path)
    pack = rows[0][1].pack
    data = pack_path(tmp_path, pack).read_bytes()
    there = PackFolder(tmp_path / "there")
    there.stage(pack, [data[:100], data[100:]])
    assert there.sizes() == {}
    assert there.strays() == there.left_by_us() == [pack_path(tmp_path / "there", pack).with_suffix(".part")]
    there.install(pack)
    assert pack_path(tmp_path / "there", pack).read_bytes() == data
    assert there.strays() == []
    (there.directory / "packs" / "README").touch()
    assert (len(there.strays()), there.left_by_us()) == (1, [])


def test_a_pack_that_is_being_written_stays(tmp_path: Path) -> None:
    writer = PackWriter(tmp_path, Hands(MOMENT))
    (place,) = writer.append([(1, encode(page(1)))])
    folder = PackFolder(tmp_path)
    assert not folder.remove(place.pack)
    writer.close()
    assert folder.remove(place.pack)
    assert folder.sizes() == {}
    assert folder.remove(place.pack), "gone is gone"


def test_who_removes_packs_is_alone(tmp_path: Path) -> None:
    folder = PackFolder(tmp_path)
    for first, then in ((False, True), (True, False), (True, True)):
        with folder.held(alone=first), pytest.raises(ConflictError, match="backed up"), folder.held(alone=then):
            pass
    with folder.held(alone=False), folder.held(alone=False):
        pass
    with pytest.raises(BlockingIOError), folder.held(alone=True):
        raise BlockingIOError("of the block itself")


def test_versions_of_a_document(tmp_path: Path) -> None:
    first = dict(kept(tmp_path))
    writer = PackWriter(tmp_path, Hands(MOMENT + 60))
    (newer,) = writer.append([(5, encode(page(500)))])
    writer.close()
    found = PackFolder(tmp_path).versions(5)
    assert [(each.place, each.kept_at) for each in found] == [(first[5], MOMENT), (newer, MOMENT + 60)]
    spoil(tmp_path, first[3], 0)
    assert [each.place for each in PackFolder(tmp_path).versions(5)] == [first[5], newer], "the one before is damaged"


def test_heads_are_found_without_their_payloads(tmp_path: Path) -> None:
    rows = kept(tmp_path)
    pack = rows[0][1].pack
    found = [(each.resource, each.place) for each in walk(tmp_path, pack) if isinstance(each, EntryHeader)]
    assert found == rows
    os.truncate(pack_path(tmp_path, pack), rows[-1][1].offset + 50)
    assert [each.place for each in walk(tmp_path, pack) if isinstance(each, EntryHeader)] == [
        place for _, place in rows[:-1]
    ]
    assert list(walk(tmp_path, pack + 1)) == []
