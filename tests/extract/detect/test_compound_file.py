"""Streams of OLE files, sound and damaged, and the kinds of documents that they prove."""

from __future__ import annotations

import random
import struct

import pytest

from cormorant.extract.detect.compound_file import CompoundFile, Storage, kind_of
from cormorant.extract.errors import Unreadable
from cormorant.extract.ole.compound_writer import Tree, write_compound

DATA = bytes(range(256)) * 50
TREE: Tree = {"WordDocument": DATA, "1Table": b"small" * 9, "empty": b"", "Pool": {"_1": {"Workbook": DATA[:7000]}}}
ENTRY = 128


def directory_of(body: bytes | bytearray) -> int:
    return (int(struct.unpack_from("<I", body, 48)[0]) + 1) * 512


def same(tree: Tree, storage: Storage) -> bool:
    if len(tree) != len(storage.names):
        return False
    for name, value in tree.items():
        inner = storage.storage(name)
        if isinstance(value, bytes):
            if storage.read(name) != value:
                return False
        elif inner is None or not same(value, inner):
            return False
    return True


def test_every_stream_comes_back_as_it_was_written() -> None:
    file = CompoundFile(write_compound(TREE))
    assert same(TREE, file.root)
    assert not file.damaged


def test_names_are_found_without_regard_to_case() -> None:
    root = CompoundFile(write_compound(TREE)).root
    assert root.read("WORDDOCUMENT") == DATA
    assert "worddocument" in root
    assert root.read("nothing") is None
    assert root.read("Pool") is None
    assert root.storage("1Table") is None


def test_a_file_of_many_megabytes_has_a_table_of_tables() -> None:
    big = {"Data": bytes(8_000_000), "tail": b"end"}
    assert same(big, CompoundFile(write_compound(big)).root)


@pytest.mark.parametrize(
    ("tree", "kind"),
    [
        ({"Workbook": b"x", "MBD1": {"WordDocument": b"x"}}, "application/vnd.ms-excel"),
        ({"Book": b"x"}, "application/vnd.ms-excel"),
        ({"WordDocument": b"x", "ObjectPool": {"_1": {"__properties_version1.0": b"x"}}}, "application/msword"),
        ({"PowerPoint Document": b"x"}, "application/vnd.ms-powerpoint"),
        ({"__properties_version1.0": b"x", "__attach": {"WordDocument": b"x"}}, "application/vnd.ms-outlook"),
        ({"EncryptedPackage": b"x", "EncryptionInfo": b"x"}, "application/x-ole-encrypted"),
        ({"anything": b"x", "below": {"Workbook": b"x"}}, ""),
    ],
)
def test_the_root_alone_decides_the_kind(tree: Tree, kind: str) -> None:
    assert kind_of(write_compound(tree)) == kind


@pytest.mark.parametrize("body", [b"", b"PK\x03\x04" + bytes(600), write_compound(TREE)[:400]])
def test_another_file_has_no_kind(body: bytes) -> None:
    assert kind_of(body) == ""
    with pytest.raises(Unreadable):
        CompoundFile(body)


def test_a_file_without_its_last_table_is_read() -> None:
    file = CompoundFile(write_compound(TREE)[:-600])
    assert file.root.read("WordDocument") == DATA
    assert file.damaged


def test_a_chain_that_leads_back_to_itself_ends() -> None:
    body = bytearray(write_compound({"Workbook": DATA}))
    table = (struct.unpack_from("<I", body, 76)[0] + 1) * 512
    struct.pack_into("<I", body, table + 8, 0)
    struct.pack_into("<I", body, directory_of(body) + ENTRY + 120, 1_000_000_000)
    read = CompoundFile(bytes(body)).root.read("Workbook")
    assert read is not None
    assert len(read) <= len(body)


def test_a_folder_that_holds_itself_is_walked_once() -> None:
    body = bytearray(write_compound({"a": {"b": b"x"}}))
    struct.pack_into("<I", body, directory_of(body) + 2 * ENTRY + 72, 1)
    file = CompoundFile(bytes(body))
    assert file.damaged
    assert file.root.names == ["a"]


def test_entries_in_one_long_chain_are_all_found() -> None:
    count = 3_000
    body = bytearray(write_compound({f"s{number}": b"x" for number in range(count)}))
    start = directory_of(body)
    for number in range(1, count + 1):
        following = number + 1 if number < count else 0xFFFFFFFF
        struct.pack_into("<II", body, start + number * ENTRY + 68, 0xFFFFFFFF, following)
    struct.pack_into("<I", body, start + 76, 1)
    file = CompoundFile(bytes(body))
    assert len(file.root.names) == count
    assert not file.damaged


def test_an_entry_that_nothing_leads_to_belongs_to_the_root() -> None:
    body = bytearray(write_compound({"WordDocument": DATA, "1Table": b"x", "other": b"x"}))
    struct.pack_into("<I", body, directory_of(body) + 76, 77)
    assert CompoundFile(bytes(body)).root.read("WordDocument") == DATA


def test_reads_together_have_a_limit() -> None:
    body = write_compound({"Workbook": bytes(4096)})
    root = CompoundFile(body).root
    for _ in range(40_000):
        root.read("Workbook")
    assert root.read("Workbook") == b""
    assert root.file.damaged


def test_mutations_raise_nothing_but_unreadable() -> None:
    sound = write_compound(TREE)
    chance = random.Random(1)
    for _ in range(300):
        body = bytearray(sound)
        for _ in range(chance.randrange(1, 12)):
            body[chance.choice((chance.randrange(600), chance.randrange(len(body))))] = chance.randrange(256)
        try:
            root = CompoundFile(bytes(body[: chance.randrange(1, len(body) + 1)])).root
        except Unreadable:
            continue
        for name in root.names:
            root.read(name)
            root.storage(name)
