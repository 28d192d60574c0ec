"""Mailboxes on disk pass the suite of whole crawls."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.mailboxes import MaildirPlace, MboxPlace
from tests.places.variants import VariantSuite


class TestMbox(MboxPlace, VariantSuite):
    """Messages of one file, which is written again by each edit."""


class TestMaildir(MaildirPlace, CrawlSuite):
    """Messages of a Maildir, some of them with flags."""
