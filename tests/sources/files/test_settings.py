"""What may be typed for a files source, and what is said about the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.base.errors import BadRule, BadSetting
from cormorant.model.settings.source import parse_settings
from cormorant.sources.files import FilesSettings


def settings(**given: object) -> FilesSettings:
    return parse_settings(FilesSettings, {"path": "/srv/docs", **given})


def test_defaults_are_those_of_the_manual() -> None:
    plain = settings()
    assert plain.model_dump(include=set(FilesSettings.__annotations__)) == {
        "path": "/srv/docs", "include": (), "exclude": (), "depth": "unlimited", "hidden": False, "symlinks": False,
        "display_prefix": "", "owner_grants": False, "hash_audit": 0.0,
        "max_size_bytes": 10_000_000, "too_big": "drop", "types": (),
        "follow_links": False, "watch": False,
    }  # fmt: skip
    assert plain.levels is None


def test_every_setting_describes_itself() -> None:
    assert all(field.description for field in FilesSettings.model_fields.values())


def test_values_as_typed() -> None:
    typed = settings(
        depth="2",
        hidden="true",
        include="*.pdf",
        exclude=["a/**", "b"],
        max_size_bytes="20MB",
        types="Text/*",
        too_big="cut",
    )
    assert typed.levels == 2
    assert typed.hidden
    assert typed.include == ("*.pdf",)
    assert typed.exclude == ("a/**", "b")
    assert typed.max_size_bytes == 20_000_000
    assert typed.types == ("text/*",)


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/srv/docs/", b"/srv/docs"),
        ("/srv/../docs//x", b"/docs/x"),
        ("/", b"/"),
        ("/srv/Ä", "/srv/Ä".encode()),
        ("file:///srv/d%FFcs/", b"/srv/d\xffcs"),
        ("file:///srv/a%20b", b"/srv/a b"),
    ],
)
def test_the_folder_is_kept_as_bytes(path: str, root: bytes) -> None:
    assert settings(path=path).root == root


def test_a_relative_folder_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert settings(path="docs").path == str(tmp_path / "docs")
    assert settings(path="~/docs").path == str(tmp_path / "docs")


@pytest.mark.parametrize(
    ("prefix", "kept"),
    [
        ("https://Intra/docs/", "https://intra/docs"),
        ("https://intra", "https://intra"),
        ("", ""),
        ("file:///q", "file:///q"),
        ("file:///", "file://"),
        ("smb://files/q", "smb://files/q"),
        ("file://server/share/", "file://server/share"),
        ("file://SERVER/Share/a b", "file://server/Share/a%20b"),
        ("\\\\server\\share", "file://server/share"),
        ("\\\\server\\share\\folder\\", "file://server/share/folder"),
        ("//server/share", "file://server/share"),
        ("\\\\server\\share$\\a%20b c?d#e", "file://server/share$/a%2520b%20c%3Fd%23e"),
        ("file:////server/share/a%20b", "file://server/share/a%20b"),
        ("file://///server/share", "file://server/share"),
        ("\\\\192.0.2.7\\Ä", "file://192.0.2.7/%C3%84"),
    ],
)
def test_the_display_prefix_is_canonical(prefix: str, kept: str) -> None:
    assert settings(display_prefix=prefix).display_prefix == kept


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("path", "", "'path' is needed"),
        ("path", "a\0b", "NUL"),
        ("depth", "-1", "'depth' cannot be '-1'"),
        ("depth", "all", "'depth' cannot be 'all'"),
        ("display_prefix", "intra/docs", "Write it in full"),
        ("display_prefix", "https://intra/?path=", "cannot be continued"),
        ("display_prefix", "javascript:alert(1)//", "readers cannot follow javascript:"),
        ("display_prefix", "data:text/html,", "readers cannot follow data:"),
        ("display_prefix", "Q:\\docs", "'Q:\\docs': a drive letter means another folder"),
        ("display_prefix", "\\\\", "names no server"),
        ("display_prefix", "\\\\ser ver\\share", "\\\\ser ver\\share names no server. Write a share like"),
        ("display_prefix", "\\\\?\\C:\\docs", "names no server"),
        ("max_size_bytes", "0", "greater than or equal to 1"),
        ("max_size_bytes", "1GB", "less than or equal to 67108864"),
        ("types", "pdf", "'pdf' is not a MIME type"),
        ("too_big", "keep", "'drop' or 'cut'"),
        ("symlink", "true", "Did you mean 'symlinks'?"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(name: str, value: str, said: str) -> None:
    with pytest.raises(BadSetting) as raised:
        settings(**{name: value})
    assert said in raised.value.sentence


@pytest.mark.parametrize("prefix", ["file://server/share", "file://", "https://intra/docs"])
def test_a_prefix_that_was_kept_is_read_as_it_is(prefix: str) -> None:
    assert settings(display_prefix=prefix).display_prefix == prefix


@pytest.mark.parametrize(
    ("path", "how"),
    [
        ("smb://server/share", "mount -t cifs //server/share /mnt/share"),
        ("SMB://user:secret@server/share", "mount -t cifs"),
        ("nfs://server/share", "mount -t nfs server:/share"),
        ("ftp://server/share", "rclone mount ftp:"),
        ("sftp://server/share", "sshfs server:/share"),
        ("s3://bucket/key", "rclone mount s3:"),
        ("davs://server/share", "mount -t davfs"),
        ("gopher://server", "mount -t cifs"),
        ("\\\\server\\share", "mount -t cifs"),
        ("C:\\docs", "mount -t cifs"),
        ("file://server/share", "mount -t cifs"),
    ],
)
def test_a_place_elsewhere_is_mounted_first(path: str, how: str) -> None:
    with pytest.raises(BadSetting, match="a share is mounted first") as raised:
        settings(path=path)
    assert how in raised.value.sentence
    assert "--set path=/mnt/share" in raised.value.sentence
    assert "secret" not in raised.value.sentence


@pytest.mark.parametrize("path", ["https://example.org/docs", "http://a/"])
def test_a_web_address_is_of_another_kind(path: str) -> None:
    with pytest.raises(BadSetting, match="by a source of kind web, like `cormorant source add web"):
        settings(path=path)


@pytest.mark.parametrize("path", ["/srv/a:b", "/srv/smb:", "a:b/c", "file:///srv/docs", "//srv/docs"])
def test_a_folder_with_a_strange_name_is_a_folder(path: str) -> None:
    assert settings(path=path).path


@pytest.mark.parametrize("name", ["include", "exclude"])
def test_a_bad_rule_is_found_where_it_is_typed(name: str) -> None:
    with pytest.raises(BadRule, match="looks at hosts"):
        settings(**{name: "host:example.org"})
