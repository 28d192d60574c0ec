"""A host whose pages are written down in the test: `says` has what it answers to each path, and 404 to all others."""

from __future__ import annotations

from tests.threaded import Said, Server


class Host(Server):
    """A web server of its own port, which makes it a site of its own."""

    def __init__(self) -> None:
        super().__init__(lambda asked: self.says.get(asked.path, Said(404)))
        self.says: dict[str, Said] = {}

    def page(self, *links: str) -> Said:
        """A page that leads to these."""
        return Said(body="".join(f'<a href="{link}">{link}</a>' for link in links) + "<p>words</p>")
