"""Places that are given to a source of files, and the kinds of sources that read them."""

from __future__ import annotations

import pytest

from cormorant.model.settings.source import parse_settings
from cormorant.plugins import source_kind
from cormorant.sources.files.places import read_by_url, see_place


@pytest.mark.parametrize(
    ("url", "kind", "read"),
    [
        ("ssh://host/srv", "sftp", "sftp://host/srv"),
        (" SCP://host/srv", "sftp", "sftp://host/srv"),
        ("sftp://host/srv", "sftp", "sftp://host/srv"),
        ("cifs://server/share/a", "smb", "smb://server/share/a"),
        (r"\\server\share", "smb", r"\\server\share"),
        ("dav://cloud.example/dav", "webdav", "http://cloud.example/dav"),
        ("webdav://cloud.example/dav", "webdav", "http://cloud.example/dav"),
        ("davs://cloud.example/dav", "webdav", "https://cloud.example/dav"),
        ("ftps://host/pub", "ftp", "ftps://host/pub"),
    ],
)
def test_a_url_of_a_server_is_read_by_its_kind(url: str, kind: str, read: str) -> None:
    found, given = read_by_url({"url": url, "user": "ada", "password": "secret:p"})
    assert (found, given["url"]) == (kind, read)
    parse_settings(source_kind(kind).settings, given | {"network": "private"})


def test_a_drive_of_windows_is_a_path_that_is_explained() -> None:
    assert read_by_url({"url": r"C:\docs"}) == ("files", {"path": r"C:\docs"})
    assert "kind smb" in see_place(r"C:\docs")
