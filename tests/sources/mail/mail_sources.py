"""Mail sources as tests make them: with a way out to loopback, and one secret."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from cormorant.base.clock import Clock, SystemClock
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import DiscoveredUrl
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.resolver import Resolver
from cormorant.plugins import Tools, make_source
from cormorant.sources.mail.source import MailSource
from cormorant.testing.sources import resource_of

MADE: list[MailSource] = []
"""Sources whose connections are closed when the test ends."""


class OneSecret:
    """Secrets of which there is one."""

    def __init__(self, value: str) -> None:
        self.value = value

    def reveal(self, name: str) -> str:
        """Return it."""
        return self.value

    def seal(self, data: bytes) -> bytes:
        """Nothing is sealed here."""
        return data

    def unseal(self, data: bytes) -> bytes | None:
        """Nothing is sealed here."""
        return data


def mail_source(settings: dict[str, object], password: str = "right", clock: Clock | None = None) -> MailSource:
    """Make a source."""
    told = clock or SystemClock()
    tools = Tools(None, told, OneSecret(password), 0, None, lambda: Egress(told, frozenset(), Resolver(told)))
    if "url" in settings:
        settings = {"user": "ada", "password": "secret:mail"} | settings
    made = cast("MailSource", make_source("mail", 3, settings, tools))
    MADE.append(made)
    return made


def named(source: MailSource, cursor: str = "") -> list[DiscoveredUrl]:
    """Return what a source names."""
    return [cast("DiscoveredUrl", each) for batch in source.discover(cursor) for each in batch]


def fetched(source: MailSource, found: DiscoveredUrl | str, trace: VisitTrace | None = None) -> Content | Outcome:
    """Visit one document."""
    if isinstance(found, str):
        found = DiscoveredUrl(found, "mail://3")
    return asyncio.run(source.fetch(resource_of(found, source), trace or VisitTrace()))


def message(name: str, text: str = "", *fields: str) -> bytes:
    """Return a message with a Message-ID of that name."""
    head: Sequence[str] = (
        "From: Ada <ada@example.org>", "To: ben@example.org", f"Message-ID: <{name}@example.org>", f"Subject: {name}",
        "Date: Thu, 12 Nov 2026 09:30:04 +0000", *fields,
    )  # fmt: skip
    return ("\r\n".join((*head, "", text or f"This is {name}.")) + "\r\n").encode()
