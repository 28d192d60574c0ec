from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import rars  # type: ignore[import-untyped]

from cormorant.extract.archives.rar_blocks import sound_length
from cormorant.extract.errors import Protected, Unreadable
from tests.extract.archives.reading import contents, damaged, listed, members, survives

TEXT = b"It was a bright cold day in April. " * 100
FILES = {"a.txt": TEXT, "sub/größe.txt": b"second", "c.txt": TEXT[:77]}
FORMATS = ("rar50", "rar29")


def packed(form: str = "rar50", **options: Any) -> bytes:
    builder = rars.RarBuilder(format=form, **options)
    for name, data in FILES.items():
        builder.add_bytes(data, name, mtime=1_700_000_000)
    return bytes(builder.to_bytes())


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("how", [{}, {"solid": True}, {"store": True}])
def test_the_files_of_an_archive_are_read(form: str, how: dict[str, bool]) -> None:
    body = packed(form, **how)
    assert contents(body, "a.rar") == FILES
    assert listed(body).text == "a.txt\nsub/größe.txt\nc.txt"
    assert listed(body).attributes == {"FileCount": 3, "UnpackedBytes": sum(map(len, FILES.values()))}


def test_members_have_their_date() -> None:
    assert members(packed())[0].modified_at == 1_700_000_000.0


@pytest.mark.parametrize("form", FORMATS)
def test_the_comment_of_an_archive_is_text(form: str) -> None:
    assert listed(packed(form, comment=b"Plans of 1984")).attributes["Description"] == "Plans of 1984"


@pytest.mark.parametrize("form", FORMATS)
def test_encrypted_files_are_named(form: str) -> None:
    body = packed(form, password="secret")
    assert [(each.path, each.body, each.refusal) for each in members(body)] == [
        (name, b"", "it needs a password") for name in FILES
    ]
    assert listed(body).attributes["Protection"] == "password"


@pytest.mark.parametrize("form", ["rar50", "rar30"])
def test_encrypted_names_protect_the_archive(form: str) -> None:
    with pytest.raises(Protected):
        listed(packed(form, password="secret", encrypt_headers=True))


@pytest.mark.parametrize("form", FORMATS)
def test_an_archive_that_is_cut_short_keeps_what_comes_before(form: str) -> None:
    body = packed(form, store=True)
    body = body[: body.find(b"second") + 3]
    made = listed(body)
    assert made.text == "a.txt\nsub/größe.txt"
    assert made.fault == "It is damaged or cut short."
    first, second = members(body)
    assert (first.body, first.refusal) == (TEXT, "")
    assert (second.body, second.refusal) == (b"", "it is damaged")


@pytest.mark.parametrize("form", FORMATS)
def test_a_damaged_file_does_not_take_the_others_with_it(form: str) -> None:
    body = bytearray(packed(form, store=True))
    place = body.find(b"second")
    body[place : place + 6] = b"SECOND"
    assert [each.refusal for each in members(bytes(body))] == ["", "it is damaged", ""]


def test_a_damaged_solid_archive_ends_where_the_damage_is() -> None:
    body = bytearray(packed(solid=True))
    place = body.find("sub/größe.txt".encode())
    body[place - 60] ^= 0xFF
    made = members(bytes(body))
    assert [each.path for each in made] == list(FILES)
    assert [each.refusal for each in made] == ["it is damaged"] * 3


def test_a_part_of_a_split_archive_names_its_files(tmp_path: Path) -> None:
    builder = rars.RarBuilder(store=True, volume_size=3_000)
    builder.add_bytes(TEXT, "a.txt")
    builder.add_bytes(b"whole", "b.txt")
    builder.write_volumes(tmp_path / "a.part1.rar")
    first, last = (file.read_bytes() for file in sorted(tmp_path.iterdir()))
    [member] = members(first)
    missing = (
        "it is split over several files, of which this is one and the others are missing: join them to one archive"
    )
    assert (member.path, member.refusal) == ("a.txt", missing)
    assert contents(last) == {"a.txt": b"", "b.txt": b"whole"}


@pytest.mark.parametrize("form", FORMATS)
def test_the_sound_part_of_an_archive_is_measured(form: str) -> None:
    body = packed(form, store=True)
    inside = body.find(TEXT) + 100
    assert sound_length(body) == (len(body), 0)
    assert sound_length(body[:inside]) == (inside + len(TEXT) - 100, len(TEXT) - 100)
    assert sound_length(body[:inside] + bytes(len(TEXT) - 100) + b"rubbish") == (inside + len(TEXT) - 100, 0)


@pytest.mark.parametrize("body", [b"Rar!\x1a\x07\x01\0", b"Rar!\x1a\x07\0", b"Rar!\x1a\x07\0" + b"\xff" * 100])
def test_nothing_can_be_read_of_an_archive_without_blocks(body: bytes) -> None:
    with suppress(Unreadable):
        assert listed(body).text == ""


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("solid", [False, True])
def test_damaged_archives_are_survived(form: str, solid: bool) -> None:
    assert sum(map(survives, damaged(packed(form, solid=solid), 300))) > 20
