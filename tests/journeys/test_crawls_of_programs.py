"""A program passes the suite of whole crawls, as a listing and as a feed."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.programs import FeedProgramPlace, ProgramPlace
from tests.places.variants import VariantSuite


class TestProgram(ProgramPlace, CrawlSuite):
    """A program that lists everything."""


class TestFeed(FeedProgramPlace, VariantSuite):
    """A program that names changes since its cursor."""
