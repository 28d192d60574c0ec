"""Any name goes into an address and comes back."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from cormorant.model.url import canonical, origin_of
from cormorant.sources.files.file_url import Naming
from cormorant.sources.trees.tree_urls import readable

NAMES = (
    st.binary(min_size=1, max_size=40)
    .filter(lambda name: b"/" not in name and b"\0" not in name)
    .filter(lambda name: name not in (b".", b".."))
)


@given(st.lists(NAMES, min_size=1, max_size=4), st.lists(NAMES, max_size=2))
@example([b"%2e%2e"], [])
@example([b"%2F", b"\\", b"C|"], [])
@example([b"?", b"#", b"a\nb\tc\r"], [])
@example([b"..."], [b"C:"])
@example([b" leading and trailing "], [])
def test_names_survive_the_way_there_and_back(parts: list[bytes], root: list[bytes]) -> None:
    naming = Naming(b"/" + b"/".join(root), "https://intra/docs")
    address = naming.address(parts)
    assert naming.parts(address) == parts
    assert canonical(address) == address
    assert origin_of(address) == ("file", "", 0)
    shown = naming.display(address)
    assert shown.startswith("https://intra/docs/")
    assert canonical(shown) == shown
    assert naming.access(shown) == address


@given(st.lists(st.lists(NAMES, min_size=1, max_size=3), min_size=2, max_size=6, unique_by=tuple))
def test_two_files_never_share_an_address_nor_a_display_address(files: list[list[bytes]]) -> None:
    naming = Naming(b"/srv", "https://intra")
    assert len({naming.address(parts) for parts in files}) == len(files)
    assert len({naming.display(naming.address(parts)) for parts in files}) == len(files)


@pytest.mark.parametrize(
    "address",
    [
        "file:///srv/docs", "file:///srv/docs/", "file:///srv/docsx/a", "file:///srv/docs//a", "file:///srv/docs/a/",
        "file:///srv/docs/%2E%2E/a", "file:///srv/docs/./a", "file:///srv/docs/a%2Fb", "file:///srv/docs/a%00",
        "file:///srv/docs/a?b", "file:///srv/docs/a#b", "https://a.org/srv/docs/a", "file://host/srv/docs/a",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_file_below(address: str) -> None:
    assert Naming(b"/srv/docs", "").parts(address) is None


def test_the_root_of_the_file_system_can_be_the_folder() -> None:
    naming = Naming(b"/", "")
    assert naming.address([b"etc", b"x"]) == "file:///etc/x"
    assert naming.parts("file:///etc/x") == [b"etc", b"x"]
    assert naming.site == "file:/"


def test_without_a_prefix_the_address_is_shown() -> None:
    assert Naming(b"/srv", "").display("file:///srv/a%20b") == "file:///srv/a%20b"
    assert Naming(b"/srv", "https://i").display("https://elsewhere/x") == "https://elsewhere/x"


def test_the_site_is_the_folder() -> None:
    assert Naming(b"/srv/d\xffcs a", "").site == "file:/srv/d%FFcs%20a"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"report.pdf", "report.pdf"), ("Übersicht 2.pdf".encode(), "Übersicht 2.pdf"),
        (b"caf\xe9", "caf\\xe9"), (b"a\nb", "a\\nb"), ("gpj\u202egp.exe".encode(), "gpj\\u202egp.exe"),
        (b"\x1b[2J", "\\x1b[2J"),
    ],
)  # fmt: skip
def test_names_are_shown_escaped(name: bytes, text: str) -> None:
    assert readable(name) == text


@pytest.mark.parametrize("shown", ["https://i/x", "https://i/docsx/a", "https://i/docs/", "https://i/docs/a?b", ""])
def test_what_is_shown_as_no_file_has_no_address(shown: str) -> None:
    assert Naming(b"/srv", "https://i/docs").access(shown) is None
    assert Naming(b"/srv", "").access(shown) is None
