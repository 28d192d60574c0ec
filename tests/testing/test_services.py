"""Built-in document services, and the example of one, by the suite that packages use."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import MappingProxyType

import pytest

from cormorant.extract.services.attribute_patterns import ExtractAttributes
from cormorant.extract.services.redaction import Redact
from cormorant.plugins import ServiceDocument
from cormorant.testing import ServiceSuite
from tests.journeys.plugins import EXAMPLES, install


class TestRedact(ServiceSuite):
    service = Redact
    parameters = MappingProxyType({"pattern": [r"K-\d+"]})
    samples = ((ServiceDocument("of ada@example.org, K-17"), "of [removed], [removed]"),)


class TestExtractAttributes(ServiceSuite):
    service = ExtractAttributes
    parameters = MappingProxyType({"pattern": r"Case=K-\d+"})
    samples = ((ServiceDocument("case K-17"), "case K-17"),)


class TestExample(ServiceSuite):
    samples = (
        (ServiceDocument("DRAFT\nof a report"), None),
        (ServiceDocument("A report\nApproved by: Ada"), "A report\nApproved by: Ada"),
    )

    @pytest.fixture(autouse=True)
    def installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        install(EXAMPLES / "stamp-service", tmp_path / "site")
        monkeypatch.syspath_prepend(tmp_path / "site")
        monkeypatch.setattr(type(self), "service", import_module("cormorant_stamps").Stamps, raising=False)
