"""Patterns on paths: what they match, which folders need not be entered, and what is said about a bad one."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from cormorant.base.errors import BadRule
from cormorant.model.ruling import Gate, Ruling
from cormorant.sources.rules.globs import compile_patterns


def matches(pattern: str, path: str | bytes) -> bool:
    given_path = path if isinstance(path, bytes) else path.encode()
    return not compile_patterns([], [pattern]).ruling(given_path).admitted


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("*.tmp", ["a.tmp", "x/y/a.TMP", "x.tmp/y", ".tmp"], ["a.tmpx", "atmp"]),
        (
            "node_modules",
            ["node_modules/x", "a/node_modules/b/c", "node_modules"],
            ["node_modules2/x", "my_node_modules"],
        ),
        ("drafts/**", ["drafts/a", "drafts/a/b"], ["drafts", "x/drafts/a", "draftsx/a"]),
        ("drafts/", ["drafts/a", "x/drafts/a/b"], ["drafts", "x/drafts"]),
        ("/index.html", ["index.html"], ["a/index.html"]),
        ("a/*.txt", ["a/x.txt"], ["a/b/x.txt", "b/a/x.txt"]),
        ("a/**/x", ["a/x", "a/b/x", "a/b/c/x/y"], ["x", "ab/x", "a/bx"]),
        ("**/x/y", ["x/y", "a/b/x/y"], ["ax/y"]),
        ("**", ["a", "a/b"], []),
        ("a?c", ["abc", "aÄc", b"a\xffc", "x/aBc"], ["ac", "abbc", "a/c"]),
        ("[a-c]x", ["ax", "Cx"], ["dx", "x"]),
        ("[!a-c]x", ["dx"], ["ax", "x", "/x"]),
        ("[]]x", ["]x"], ["[x"]),
        ("v1.(final)+", ["v1.(final)+"], ["v1x(final)", "v1.final"]),
        ("a:b", ["a:b"], ["ab"]),
        ("Über*", ["ÜBERSICHT", unicodedata.normalize("NFD", "Übersicht")], ["Ubersicht"]),
        (unicodedata.normalize("NFD", "Ü.txt"), ["Ü.txt"], ["U.txt"]),
        ("*.dat", [b"\xff\xfe.dat", b"caf\xe9.dat"], [b"\xff.dat2"]),
        ("ext:pdf", ["a/b.PDF"], ["a.pdf/b", "pdf"]),
        ("ext:pdf,tar.gz", ["b.tar.gz"], ["b.gz"]),
        ("path:/a/*.txt", ["a/x.txt"], ["b/a/x.txt"]),
        ("prefix:a/b", ["a/b", "a/bc/d", "A/B/c"], ["x/a/b"]),
        ("prefix:/a/", ["a/b"], ["a"]),
        ("contains:draft", ["my-DRAFTS/x", "a/draft"], ["dra/ft"]),
        ("ends:~", ["a~", "x/b~"], ["a~b"]),
        (r"regex:^/\d{4}/", ["2024/x"], ["x/2024/y", "24/x"]),
        ("regex:Draft", ["a/Draft"], ["a/draft"]),
        ("any", ["a"], []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_pattern_matches(pattern: str, inside: list[str | bytes], outside: list[str | bytes]) -> None:
    assert [path for path in inside if not matches(pattern, path)] == []
    assert [path for path in outside if matches(pattern, path)] == []


def test_one_include_rule_is_enough_and_exclusion_wins() -> None:
    patterns = compile_patterns(["*.pdf", "ext:docx", "handbook/**"], ["drafts/**", "*.tmp"])
    assert patterns.ruling(b"a.pdf") == Ruling(True, Gate.BOUNDARY, "include *.pdf")
    assert patterns.ruling(b"handbook/a").rule == "include handbook/**"
    assert patterns.ruling(b"drafts/a.pdf") == Ruling(False, Gate.BOUNDARY, "exclude drafts/**", 964, by_exclusion=True)
    assert patterns.ruling(b"a.txt") == Ruling(False, Gate.BOUNDARY, "include *.pdf, ext:docx, handbook/**", 964)


def test_without_rules_every_file_is_taken() -> None:
    assert compile_patterns([], []).ruling(b"a") == Ruling(True, Gate.BOUNDARY, "every file of the folder")


@pytest.mark.parametrize(
    ("pattern", "left_out", "entered"),
    [
        ("drafts/**", [b"drafts", b"drafts/x"], [b"x/drafts"]),
        ("drafts/", [b"drafts", b"x/drafts"], [b"draftsx"]),
        ("node_modules", [b"node_modules", b"a/node_modules", b"a/node_modules/b"], [b"modules"]),
        ("a/*", [b"a"], [b"b"]),
        ("*.tmp", [b"x.tmp"], [b"x"]),
        ("a/*.txt", [b"a/x.txt"], [b"a", b"a/b"]),
        ("a/?", [b"a/b"], [b"a"]),
        ("**/*.bak", [b"x.bak"], [b"x"]),
        ("contains:/cache/", [b"cache", b"a/cache/b"], [b"cached"]),
        ("prefix:a/b", [b"a/b", b"a/bc"], [b"a", b"x"]),
        ("ext:pdf", [], [b"x.pdf"]),
        ("ends:/", [], [b"x"]),
        ("regex:x", [], [b"x"]),
        ("any", [b"x"], []),
    ],
)  # fmt: skip
def test_folders_that_need_not_be_entered(pattern: str, left_out: list[bytes], entered: list[bytes]) -> None:
    patterns = compile_patterns([], [pattern])
    assert [folder for folder in left_out if patterns.leaves_out(folder) is None] == []
    assert [folder for folder in entered if patterns.leaves_out(folder) is not None] == []


GLOBS = st.lists(st.sampled_from(["a", "b", "*", "?", "**", "/", "**/", "[ab]", "[!a]"]), min_size=1, max_size=6).map(
    "".join
)
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "ba", "c"]), min_size=1, max_size=4)


@given(GLOBS.filter(lambda glob: glob.strip("/")), PATHS, PATHS)
def test_nothing_below_a_folder_that_is_left_out_is_taken(glob: str, folder: list[str], below: list[str]) -> None:
    patterns = compile_patterns([], [glob])
    if patterns.leaves_out("/".join(folder).encode()) is not None:
        assert not patterns.ruling("/".join([*folder, *below]).encode()).admitted


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("host:a.org", "'host' looks at hosts"),
        ("prefx:a/", "Did you mean 'prefix:a/'?"),
        ("ext:", "'ext' needs a value"),
        ("/", "nothing in it but slashes"),
        ("a[b", "cannot be read at '[b'"),
        ("a[z-a]", "cannot be read at"),
        ("regex:(", "cannot be read at '('"),
        ("path:" + "a" * 2000, "longer than 1000 characters"),
    ],
)
def test_a_bad_pattern_is_shown_with_its_place(rule: str, said: str) -> None:
    with pytest.raises(BadRule) as raised:
        compile_patterns([rule], [])
    assert said in raised.value.sentence


@given(st.text(max_size=20))
def test_any_text_is_a_pattern_or_a_sentence(text: str) -> None:
    said = []
    for kind in ("", "path:", "prefix:", "contains:", "ends:", "ext:"):
        try:
            compile_patterns([kind + text], [text]).ruling(text.encode("utf-8", "replace"))
        except BadRule as error:
            said.append(error.sentence)
    assert all(sentence.endswith((".", "?")) for sentence in said)
