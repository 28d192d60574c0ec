"""Tell a folder of this machine from the places that are of another kind of source, or have to be mounted first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cormorant.model.url import origin_of, try_canonical

_KINDS: Final = {
    "smb": ("smb", "smb://server/share/folder"),
    "cifs": ("smb", "smb://server/share/folder"),
    "sftp": ("sftp", "sftp://host/srv/docs"),
    "ssh": ("sftp", "sftp://host/srv/docs"),
    "scp": ("sftp", "sftp://host/srv/docs"),
    "ftp": ("ftp", "ftp://host/pub"),
    "ftps": ("ftp", "ftps://host/pub"),
    "s3": ("s3", "s3://bucket/folder"),
    "dav": ("webdav", "https://cloud.example.org/dav"),
    "davs": ("webdav", "https://cloud.example.org/dav"),
    "webdav": ("webdav", "https://cloud.example.org/dav"),
}
"""The kind of source that reads a place of this scheme, and how its `url` is written."""
_WRITTEN: Final = {
    "cifs": "smb", "ssh": "sftp", "scp": "sftp", "dav": "http", "webdav": "http", "davs": "https",
}  # fmt: skip
"""The scheme by which a kind of source knows a place of another one."""
_MOUNTED: Final = {
    "nfs": "sudo mount -t nfs server:/share /mnt/share",
    "gs": "rclone mount gs:bucket /mnt/share",
}
"""How a place of another scheme is commonly mounted."""
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://|\\\\)")
_OF_WINDOWS: Final = re.compile(r"\\\\|[A-Za-z]:[\\/]")


def see_place(text: str, then: str = "--set path=/mnt/share") -> str:
    """Say what to do about a place that is no folder of this machine, in one sentence; "" for what may be one.

    `then` is the next step once the share is mounted at /mnt/share.
    """
    bare = text.strip()
    scheme = found.group(1).lower() if (found := _SCHEME.match(bare)) else ""
    if scheme in ("http", "https"):
        return "a web address is crawled by a source of kind web, like `cormorant source add web NAME --set start=...`."
    if scheme and scheme != "file":
        return _read_by(scheme) if scheme in _KINDS else _mounted(_MOUNTED.get(scheme, _MOUNTED["nfs"]), then)
    if _OF_WINDOWS.match(bare) or (scheme and _is_far(bare)):
        return _read_by("smb")
    return ""


def read_by_url(given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the kind of source that reads the place which a files source names by `url`, and the settings for it.

    A `file:` URL is a folder of this machine, so the kind stays `files`, and the URL is its `path`.
    """
    url = given.get("url")
    url = url[0] if isinstance(url, Sequence) and not isinstance(url, str) and len(url) == 1 else url
    if not isinstance(url, str) or "path" in given:
        return "files", dict(given)
    scheme = found.group(1).lower() if (found := _SCHEME.match(url.strip())) else ""
    if scheme in _KINDS:
        written = _WRITTEN.get(scheme, scheme) + url.strip()[len(scheme) :]
        return _KINDS[scheme][0], dict(given) | {"url": written}
    if url.strip().startswith("\\\\"):
        return "smb", dict(given)
    return "files", {name: value for name, value in given.items() if name != "url"} | {"path": url}


def _read_by(scheme: str) -> str:
    kind, url = _KINDS[scheme]
    return f"such a place is read by a source of kind {kind}, like `cormorant source add {kind} NAME --set url={url}`."


def _mounted(how: str, then: str) -> str:
    return f"a share is mounted first, and the folder it is mounted at is named, like `{how}` and then {then}."


def _is_far(address: str) -> bool:
    """Return whether a `file:` URL is on another machine."""
    known = try_canonical(address)
    return known is not None and origin_of(known).host != ""
