"""Archives of any kind: the listing, the members, the limits."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from cormorant.extract.archives import archive as archives
from cormorant.extract.errors import Unreadable
from tests.extract.archives.reading import contents, listed, members


def zipped(files: dict[str, bytes], comment: bytes = b"") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        target.comment = comment
        for name, data in files.items():
            target.writestr(zipfile.ZipInfo(name, (2026, 3, 14, 9, 30, 0)), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def test_the_text_of_an_archive_is_the_list_of_its_members() -> None:
    made = listed(zipped({"plans/budget.txt": b"12345", "letter.txt": b"abc"}), "papers.zip")
    assert made.text == "plans/budget.txt\nletter.txt"
    assert made.title == "papers.zip"
    assert made.attributes == {"FileCount": 2, "UnpackedBytes": 8}
    assert not made.truncated
    assert not made.fault


def test_the_comment_of_an_archive_is_text_and_description() -> None:
    made = listed(zipped({"a.txt": b"a"}, "Pläne für März".encode()))
    assert made.text == "Pläne für März\n\na.txt"
    assert made.attributes["Description"] == "Pläne für März"


def test_members_come_with_bytes_and_date() -> None:
    [member] = members(zipped({"a/b.txt": b"text"}))
    assert (member.path, member.body, member.modified_at, member.refusal) == ("a/b.txt", b"text", 1773480600.0, "")


def test_what_systems_keep_for_themselves_is_left_out() -> None:
    noise = ("__MACOSX/._a.txt", "x/.DS_Store", "Thumbs.db", "a/._b.txt", "desktop.ini")
    body = zipped({**dict.fromkeys(noise, b"x"), "a.txt": b"a"})
    assert contents(body) == {"a.txt": b"a"}
    assert listed(body).text == "a.txt"


def test_members_of_one_name_become_distinct() -> None:
    body = zipped({"a/b.txt": b"1", "a/c.txt": b"2", "a/d.txt": b"3"})
    for name in (b"a/c.txt", b"a/d.txt"):
        body = body.replace(name, b"a/b.txt")
    assert contents(body) == {"a/b.txt": b"1", "a/b (2).txt": b"2", "a/b (3).txt": b"3"}


def test_names_that_lead_out_of_the_archive_are_made_harmless() -> None:
    made = contents(zipped({"../../etc/passwd": b"1", "/root/x": b"2", "C:\\Windows\\y": b"3"}))
    assert made == {"etc/passwd": b"1", "root/x": b"2", "C/Windows/y": b"3"}


def test_a_member_that_is_too_large_is_named_and_not_unpacked() -> None:
    made = members(zipped({"zeros": bytes(64 * 1024 * 1024 + 1), "a.txt": b"a"}))
    assert [(each.path, each.body, each.refusal) for each in made] == [
        ("zeros", b"", "larger than 64 MiB"),
        ("a.txt", b"a", ""),
    ]


def test_a_header_that_lies_about_the_size_does_not_help() -> None:
    body = zipped({"zeros": bytes(64 * 1024 * 1024 + 1)})
    body = body.replace((64 * 1024 * 1024 + 1).to_bytes(4, "little"), (5).to_bytes(4, "little"))
    [member] = members(body)
    assert (member.body, member.refusal) == (b"", "larger than 64 MiB")


def test_all_members_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ALL_BYTES", 150)
    made = members(zipped({"a": bytes(100), "b": bytes(100), "c": bytes(40), "d": b"x" * 20}))
    refused = "the archive unpacks to more than 2 GiB"
    assert [(each.path, len(each.body), each.refusal) for each in made] == [
        ("a", 100, ""), ("b", 0, refused), ("c", 40, ""), ("d", 0, refused),
    ]  # fmt: skip


def test_more_members_than_are_kept_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    body = zipped({f"{number}.txt": b"" for number in range(5)})
    made = listed(body)
    assert made.text == "0.txt\n1.txt\n2.txt"
    assert made.truncated
    assert made.fault == "It has more than 3 files."
    assert len(members(body)) == 3


def test_members_can_be_had_from_a_number_on() -> None:
    body = zipped({"a": b"1", "b": b"2", ".DS_Store": b"", "c": b"3"})
    assert [each.path for each in members(body, start=1)] == ["b", "c"]
    assert members(body, start=3) == []


@pytest.mark.parametrize("body", [b"", b"plain text that is no archive", bytes(2000), b"\x1f\x8b"])
def test_what_is_no_archive_cannot_be_read(body: bytes) -> None:
    with pytest.raises(Unreadable):
        listed(body)
    with pytest.raises(Unreadable):
        members(body)


def test_an_archive_behind_a_program_is_found() -> None:
    assert contents(b"MZ" + bytes(1000) + zipped({"a.txt": b"a"})) == {"a.txt": b"a"}


def test_an_empty_archive_has_no_text() -> None:
    made = listed(zipped({}))
    assert made.text == ""
    assert made.attributes["FileCount"] == 0


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    members(zipped({"a/b.txt": b"x", "../c.txt": b"y"}))
    assert not list(tmp_path.iterdir())
