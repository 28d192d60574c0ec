"""A bucket passes the suite of whole crawls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from cormorant.testing import CrawlSuite
from cormorant.testing.crawls import Commands
from tests.sources.s3.s3_server import BUCKET, SECRET_KEY, s3_store


class TestS3(CrawlSuite):
    """Objects of a store."""

    kind = "s3"

    @pytest.fixture(autouse=True)
    def server(self) -> Iterator[None]:
        """Run a store whose listings have several pages."""
        with s3_store() as self.store:
            self.store.page = 7
            yield

    def made(self) -> None:
        """It is empty already."""

    def prepare(self, commands: Commands) -> None:
        """Keep the secret key."""
        commands.run("secret", "add", "k", given=SECRET_KEY)

    def settings(self) -> Mapping[str, object]:
        """Name the bucket."""
        return self.store.settings()

    def put(self, name: str, word: str) -> None:
        """Put an object."""
        self.store.objects[f"docs/{name}.txt"] = f"The text has {word}.".encode()

    def remove(self, name: str) -> None:
        """Delete an object."""
        del self.store.objects[f"docs/{name}.txt"]

    def url(self, name: str) -> str:
        """Return its address."""
        return f"s3://{BUCKET}/docs/{name}.txt"

    def take_away(self) -> None:
        """Have the store ask for less."""
        self.store.error = "SlowDown"

    def bring_back(self) -> None:
        """Have it answer again."""
        self.store.error = ""
