"""Which media types have another reader than at the newest start?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from cormorant.extract.detect import reader_versions as versions
from cormorant.extract.detect.built_in import BUILT_IN
from cormorant.extract.detect.reader_versions import UNKEPT, ReaderChanges, changes, reader_versions
from cormorant.extract.detect.tika_types import TikaTypes


def test_every_built_in_format_and_text_has_a_version() -> None:
    now = reader_versions(None)
    declared = {mime: str(each.version) for each in BUILT_IN for mime in each.media_types}
    assert {mime: now[mime] for mime in declared} == declared
    assert now["text/html"] == "1"
    assert "application/onenote" not in now


def test_a_raised_number_changes_the_types_of_its_format_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = reader_versions(None)
    raised = tuple(replace(each, version=99) if each.label == "Rich Text" else each for each in BUILT_IN)
    monkeypatch.setattr(versions, "BUILT_IN", raised)
    assert changes(before, reader_versions(None)) == ReaderChanges(("application/rtf",), ())


def test_a_first_start_has_nothing_to_read_again() -> None:
    assert changes({}, {"application/pdf": "2", "text/x-ours": "ours 1.0"}) == ReaderChanges((), ())


def test_an_upgraded_store_was_read_by_the_first_versions() -> None:
    unkept = {UNKEPT: "1"}
    assert changes(unkept, {"application/pdf": "1", "text/x-ours": "ours 1.0"}) == ReaderChanges((), ())
    newer = ("application/pdf",)
    assert changes(unkept, {"application/pdf": "2", "text/x-ours": "ours 1.0"}) == ReaderChanges(newer, newer)


def test_a_package_counts_by_its_version_and_what_is_new_is_gained() -> None:
    before = {"text/x-ours": "ours 1.0"}
    assert changes(before, {"text/x-ours": "ours 1.1"}) == ReaderChanges(("text/x-ours",), ())
    assert changes(before, before | {"text/x-more": "ours 1.0"}) == ReaderChanges(("text/x-more",), ("text/x-more",))
    assert changes(before | {"text/x-gone": "gone 1"}, before) == ReaderChanges((), ()), "they keep their texts"


def test_tika_reads_its_types_and_families() -> None:
    now = reader_versions(TikaTypes("default, audio/*, application/pdf"))
    assert now["application/pdf"] == now["application/onenote"] == now["audio/*"] == "Apache Tika"
    assert now["application/rtf"].isdecimal()
    assert changes(reader_versions(None), now).gained.count("audio/*") == 1
    assert "application/pdf" not in changes(reader_versions(None), now).gained
    assert "application/pdf" in changes(reader_versions(None), now).types
