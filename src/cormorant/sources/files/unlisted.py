"""Why a file below the folder of a source is named by none of its listings.

A listing neither names hidden files and links nor looks into folders that a rule leaves out, so nothing was kept of
them that could be looked up.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.sources.files.source import FilesSource
from cormorant.sources.kind import OWNER, Unlisted
from cormorant.sources.protocol import Source
from cormorant.sources.trees import absence


def unlisted(source: Source, address: str) -> Unlisted | None:
    """Return what decided about a file, or why it may be missing; None for what is not below the folder."""
    if not isinstance(source, FilesSource) or not address.startswith("file:"):
        return None
    path, root = unquote_to_bytes(address.removeprefix("file://")), source.settings.root.rstrip(b"/")
    if not (path + b"/").startswith(root + b"/"):
        return None
    parts = [part for part in path[len(root) + 1 :].split(b"/") if part]
    is_folder = path.endswith(b"/") or os.path.isdir(path)  # noqa: PTH112 - bytes, which a name need not be text for
    ruling = source.gates.enter(parts) if is_folder else source.gates.follow(address, 0)
    if ruling.admitted and not source.settings.symlinks and (link := _link(root, parts)):
        rule = f"symlinks = false, and {os.fsdecode(link)} is a symbolic link"
        ruling = Ruling(False, Gate.BOUNDARY, rule, Status.OUTSIDE_BOUNDARY)
    if ruling.admitted and not os.path.lexists(path):
        gone_folder = source.gates.left_out(parts)
        return absence.of_folder(gone_folder) if gone_folder else Unlisted(ruling, *not_there(path))
    if is_folder:
        return absence.of_folder(ruling)
    return Unlisted(ruling, *not_there(path)) if ruling.admitted else Unlisted(ruling)


def _link(root: bytes, parts: Sequence[bytes]) -> bytes | None:
    """The first symbolic link on the way from a folder to a file below it."""
    at = root
    for part in parts:
        at += b"/" + part
        if os.path.islink(at):  # noqa: PTH114 - bytes, which a name need not be text for
            return at
    return None


def not_there(path: bytes) -> tuple[str, str]:
    """Why a listing does not name a file that the settings admit, and what to do."""
    try:
        os.lstat(path)
    except PermissionError:
        return (
            "It lies in a folder that Cormorant may not enter.",
            "Give the crawler's account access to it, or exclude it.",
        )
    except OSError:
        return "There is no such file.", "Check its spelling."
    if not os.path.isfile(path):  # noqa: PTH113 - bytes, which a name need not be text for
        return "It is no regular file.", "Nothing to do."
    return (
        "Its settings admit it: it was added after the last crawl, or its folder could not be listed.",
        f"Run `cormorant crawl {OWNER}`; the report names folders that could not be listed.",
    )
