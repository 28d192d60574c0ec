"""Tell a folder of this machine from the places that have to be mounted first, or are of another kind of source."""

from __future__ import annotations

import re
from typing import Final

from cormorant.model.url import origin_of, try_canonical

_MOUNTED: Final = {
    "smb": "sudo mount -t cifs //server/share /mnt/share",
    "cifs": "sudo mount -t cifs //server/share /mnt/share",
    "nfs": "sudo mount -t nfs server:/share /mnt/share",
    "sftp": "sshfs server:/share /mnt/share",
    "ssh": "sshfs server:/share /mnt/share",
    "scp": "sshfs server:/share /mnt/share",
    "ftp": "rclone mount ftp:share /mnt/share",
    "ftps": "rclone mount ftp:share /mnt/share",
    "s3": "rclone mount s3:bucket /mnt/share",
    "gs": "rclone mount gs:bucket /mnt/share",
    "dav": "sudo mount -t davfs https://server/share /mnt/share",
    "davs": "sudo mount -t davfs https://server/share /mnt/share",
    "webdav": "sudo mount -t davfs https://server/share /mnt/share",
}
"""How a place of this scheme is commonly mounted."""
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
        return _mounted(_MOUNTED.get(scheme, _MOUNTED["smb"]), then)
    if _OF_WINDOWS.match(bare) or (scheme and _is_far(bare)):
        return _mounted(_MOUNTED["smb"], then)
    return ""


def _mounted(how: str, then: str) -> str:
    return f"a share is mounted first, and the folder it is mounted at is named, like `{how}` and then {then}."


def _is_far(address: str) -> bool:
    """Return whether a `file:` URL is on another machine."""
    known = try_canonical(address)
    return known is not None and origin_of(known).host != ""
