"""Gates of a source that lists folders, which decide whether a file may be crawled.

By its address alone, and by its type once that is known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cormorant.model.content import Content, Extraction
from cormorant.model.member import outermost
from cormorant.model.resource import Resource
from cormorant.model.ruling import ADMITTED, Gate, Ruling
from cormorant.model.status import Status
from cormorant.model.url import MAX_ADDRESS
from cormorant.sources.rules import Facts
from cormorant.sources.trees.globs import compile_patterns
from cormorant.sources.trees.settings import TreeSettings
from cormorant.sources.trees.tree_urls import TreeNaming

_TOO_LONG = Ruling(False, Gate.ADDRESS, f"an address has at most {MAX_ADDRESS} characters", Status.ADDRESS_TOO_LONG)
_OUTSIDE = Ruling(False, Gate.BOUNDARY, "files of the folder", Status.OUTSIDE_BOUNDARY)
_SPELLED = Ruling(False, Gate.BOUNDARY, "another spelling of a file's address", Status.OUTSIDE_BOUNDARY)
_HIDDEN = Ruling(False, Gate.BOUNDARY, "hidden = false", Status.OUTSIDE_BOUNDARY)
_LISTED = Ruling(True, Gate.BOUNDARY, "folders are listed")
_NO_SITEMAP = Ruling(False, Gate.BOUNDARY, "no sitemaps: a folder is listed", Status.OUTSIDE_BOUNDARY)


class TreeGates:
    """The rulings of a source that lists folders."""

    def __init__(self, settings: TreeSettings, naming: TreeNaming) -> None:
        self.settings = settings
        self._naming = naming
        self._patterns = compile_patterns(settings.include, settings.exclude)
        self._too_deep = Ruling(False, Gate.DEPTH, f"depth = {settings.depth}", Status.TOO_DEEP)
        types = ", ".join(settings.types)
        self._other_type = Ruling(False, Gate.TYPE, f"types = {types}", Status.TYPE_EXCLUDED)

    def follow(self, address: str, depth: int) -> Ruling:  # noqa: ARG002 - levels are counted in the address
        """Return the ruling on whether a URL may be visited.

        Below the folder, not hidden, not too deep, inside the patterns; of what lies in a file, that of the file.
        """
        if len(address) > MAX_ADDRESS:
            return _TOO_LONG
        address = outermost(address)
        parts = self._naming.parts(address)
        if parts is None:
            return _OUTSIDE
        if self._naming.address(parts) != address:
            return _SPELLED
        if not self.settings.hidden and any(part.startswith(b".") for part in parts):
            return _HIDDEN
        if self.settings.levels is not None and len(parts) - 1 > self.settings.levels:
            return self._too_deep
        return self._patterns.ruling(b"/".join(parts))

    def consult(self, address: str, depth: int) -> Ruling:  # noqa: ARG002 - whatever it is
        """No sitemap is read: a folder is listed."""
        return _NO_SITEMAP

    def rulings(self, address: str, depth: int) -> list[Ruling]:
        """The one ruling: what a file is excluded by is looked for in one pass over its path."""
        return [self.follow(address, depth)]

    def find(self, address: str, facts: Facts | None) -> Ruling | None:  # noqa: ARG002 - the path was judged before
        """Return the ruling on whether a file that was read before may be found. When it is of the types to take."""
        if facts is None:
            return None if self.settings.types else ADMITTED
        return self.of_type(facts.mime) or ADMITTED

    def met(self, rules: Collection[str], addresses: Sequence[str]) -> set[str]:
        """Return those of the rules that decide about any of the files."""
        found = set[str]()
        for address in addresses:
            found.add(self.follow(address, 0).rule)
        return found.intersection(rules)

    def visit(self, resource: Resource, facts: Mapping[str, bytes]) -> Ruling:  # noqa: ARG002 - no facts are needed
        """The same once more, since settings may have changed."""
        return self.follow(resource.address, resource.depth)

    def read(self, content: Content) -> Ruling:
        """Return the ruling on whether the file may be read.

        Not when its type, sniffed by now, is none of those to take.
        """
        return self.of_type(content.mime) or ADMITTED

    def index(self, content: Content, extraction: Extraction) -> Ruling:  # noqa: ARG002 - what was read is taken
        """Return the ruling on whether the extracted document may be delivered. Always."""
        return ADMITTED

    def of_type(self, mime: str) -> Ruling | None:
        """Return the refusal of a MIME type; None when it is taken, or not known."""
        types = self.settings.types
        if not types or not mime or mime in types or mime.partition("/")[0] + "/*" in types or "*/*" in types:
            return None
        return self._other_type

    def leaves_out(self, parts: Sequence[bytes]) -> bool:
        """Say whether everything below a folder is excluded, so that it need not be listed."""
        return self.left_out(parts) is not None

    def left_out(self, parts: Sequence[bytes]) -> Ruling | None:
        """Return the rule that excludes everything below a folder; None without one."""
        return self._patterns.leaves_out(b"/".join(parts)) if parts else None

    def enter(self, parts: Sequence[bytes]) -> Ruling:
        """Return the ruling on whether a folder is listed: not hidden, not too deep, nor left out as a whole."""
        if not self.settings.hidden and any(part.startswith(b".") for part in parts):
            return _HIDDEN
        if self.settings.levels is not None and len(parts) > self.settings.levels:
            return self._too_deep
        return self.left_out(parts) or _LISTED
