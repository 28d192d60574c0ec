"""Conformance suites for the tests of sources, converters, services and receivers.

    class TestTickets(SourceSuite):          in a test module of the package that adds the kind
        def make(self):
            return TicketSource(1, TicketSettings(path=...), tools())

The suites are plain classes whose methods pytest collects; nothing here imports pytest.
"""

from __future__ import annotations

from cormorant.testing.commands import Commands
from cormorant.testing.converters import ConverterSuite
from cormorant.testing.crawls import CrawlSuite
from cormorant.testing.means import tools
from cormorant.testing.places import CrawlPlace
from cormorant.testing.program import ProgramSuite
from cormorant.testing.receivers import ReceiverSuite
from cormorant.testing.services import ServiceSuite
from cormorant.testing.sources import SourceSuite

__all__ = [
    "Commands",
    "ConverterSuite",
    "CrawlPlace",
    "CrawlSuite",
    "ProgramSuite",
    "ReceiverSuite",
    "ServiceSuite",
    "SourceSuite",
    "tools",
]
