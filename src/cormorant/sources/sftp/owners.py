"""Names of the owners of files, learnt from the lines that `ls -l` would print (section 7 of the draft)."""

from __future__ import annotations

import re
from typing import Final

from cormorant.sources.sftp.packets import FileAttributes, NamedFile

_LINE: Final = re.compile(
    rb"\S{10,11} +\S+ +(?P<user>[^\s:]{1,64}) +(?P<group>[^\s:]{1,64}) +(?P<size>\d{1,20}) +\S+ +"
)
"""Mode, links, owner, group, size, date; a name with a blank in it does not match, and its number stands for it."""


class OwnerNames:
    """Names of users and groups of one server, by their numbers."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], str] = {}

    def learn(self, found: NamedFile) -> None:
        """Take the names from one line of a listing, where its size shows that it was read rightly."""
        said = found.attributes
        if said.uid is None or said.gid is None or self.knows(said):
            return
        line = _LINE.match(found.line)
        if line is None or int(line["size"]) != said.size:
            return
        self._known.setdefault(("user", said.uid), line["user"].decode("utf-8", "replace"))
        self._known.setdefault(("group", said.gid), line["group"].decode("utf-8", "replace"))

    def knows(self, said: FileAttributes) -> bool:
        """Return whether the names of the owner and the group are known."""
        return ("user", said.uid) in self._known and ("group", said.gid) in self._known

    def principal(self, sort: str, number: int) -> str:
        """Return `user:ada` or `group:staff`; a number without a name stands for itself."""
        return f"{sort}:{self._known.get((sort, number), number)}"
