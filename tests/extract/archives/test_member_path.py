from __future__ import annotations

import pytest

from cormorant.extract.archives.member_path import MAX_CHARACTERS, DistinctPaths, harmless_path, is_noise


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("plans/budget.txt", "plans/budget.txt"),
        ("..\\..\\Windows\\a.txt", "Windows/a.txt"),
        ("/etc/passwd", "etc/passwd"),
        ("\\\\server\\share\\a.txt", "server/share/a.txt"),
        ("C:/plans/a.txt", "C/plans/a.txt"),
        ("c:a.txt", "c:a.txt"),
        ("./a//b/./c", "a/b/c"),
        ("a/../../b", "a/b"),
        ("evil\0.txt", "evil_.txt"),
        ("a\nb\x1b[31m.txt", "a_b_[31m.txt"),
        ("exe\u202etxt.doc", "exe_txt.doc"),
        ("half\ud800.txt", "half_.txt"),
        ("Größe 1/Übersicht.txt", "Größe 1/Übersicht.txt"),
        (" spaces / in .txt ", "spaces/in .txt"),
        ("..", ""),
        ("", ""),
    ],
)
def test_a_path_is_harmless_and_readable(name: str, path: str) -> None:
    assert harmless_path(name) == path


def test_a_long_name_keeps_its_extension() -> None:
    assert harmless_path("x" * 1000 + ".docx") == "x" * 250 + ".docx"


def test_a_deep_path_keeps_its_end() -> None:
    made = harmless_path("/".join(f"folder{number}" for number in range(1000)))
    assert len(made) <= MAX_CHARACTERS
    assert made.startswith("folder")


def test_distinct_paths_never_meet() -> None:
    paths = DistinctPaths()
    made = [
        paths.distinct(each) for each in ("a.txt", "a (2).txt", "a.txt", "a.txt", ".profile", ".profile", "x/b", "x/b")
    ]
    assert made == ["a.txt", "a (2).txt", "a (3).txt", "a (4).txt", ".profile", ".profile (2)", "x/b", "x/b (2)"]


def test_many_equal_names_take_no_quadratic_time() -> None:
    paths = DistinctPaths()
    assert len({paths.distinct("a.txt") for _ in range(50_000)}) == 50_000


def test_noise_is_known_by_its_name() -> None:
    assert is_noise("a/__MACOSX/b.txt")
    assert not is_noise("a/_MACOSX.txt")
