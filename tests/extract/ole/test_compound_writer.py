"""OLE files made of a part of another one."""

from __future__ import annotations

from cormorant.extract.detect.compound_file import CompoundFile, kind_of
from cormorant.extract.ole.compound_writer import MAX_COPY_DEPTH, Tree, copy_storage, write_compound

CLASS_ID = bytes(range(16))


def test_a_copied_storage_is_a_file_of_its_own() -> None:
    outer = CompoundFile(write_compound({"Pool": {"_1": {"Workbook": b"cells" * 2000, "more": {"x": b"y"}}}})).root
    pool = outer.storage("Pool")
    assert pool is not None
    inner = pool.storage("_1")
    assert inner is not None
    body = copy_storage(inner)
    assert kind_of(body) == "application/vnd.ms-excel"
    copied = CompoundFile(body).root
    assert copied.read("Workbook") == b"cells" * 2000
    more = copied.storage("more")
    assert more is not None
    assert more.read("x") == b"y"


def test_the_class_of_the_program_is_kept() -> None:
    assert CompoundFile(write_compound({"a": b"b"}, CLASS_ID)).root.class_id == CLASS_ID


def test_storages_within_storages_end_at_the_limit() -> None:
    tree: Tree = {"x": b"deepest"}
    for _ in range(MAX_COPY_DEPTH * 2):
        tree = {"s": tree}
    body = copy_storage(CompoundFile(write_compound(tree)).root)
    depth = 0
    storage = CompoundFile(body).root.storage("s")
    while storage is not None:
        depth += 1
        storage = storage.storage("s")
    assert depth == MAX_COPY_DEPTH
