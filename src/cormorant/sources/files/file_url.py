"""URL of a file. Its path's bytes, percent-encoded, so that any name survives the way there and back."""

from __future__ import annotations

from cormorant.sources.trees.tree_urls import TreeNaming, quoted


class Naming(TreeNaming):
    """Addresses of the files below a folder of this machine, by its path in the bytes of the file system."""

    def __init__(self, root: bytes, display_prefix: str) -> None:
        self.folder = root
        path = quoted(root)
        super().__init__("file://" + path.rstrip("/") + "/", "file:" + path, display_prefix)
