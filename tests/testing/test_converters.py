"""Built-in converters, and the example of one, by the suite that packages use."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from cormorant.extract.detect.format import Format
from cormorant.extract.detect.formats import FORMATS, check_format
from cormorant.testing import ConverterSuite
from tests.journeys.plugins import EXAMPLES, install

PO = b'msgid ""\nmsgstr ""\n"Project-Id-Version: Lighthouse\\n"\n\nmsgid "lamp"\nmsgstr "Lampe"\n'


class TestExample(ConverterSuite):
    samples = ((PO, "Lampe"), (PO.replace(b"\n", b"\r\n"), "lamp"))

    @pytest.fixture(autouse=True)
    def installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        install(EXAMPLES / "po-converter", tmp_path / "site")
        monkeypatch.syspath_prepend(tmp_path / "site")
        for name, value in (("_by_mime", None), ("_by_extension", {}), ("_signatures", ())):
            monkeypatch.setattr(FORMATS, name, value)
        monkeypatch.setattr(type(self), "format", import_module("cormorant_po").FORMAT, raising=False)


class BuiltIn(ConverterSuite):
    """A format that is built in cannot be added, and is read by the task of all of them."""

    task = "cormorant.extract.convert:convert"

    def check_format(self) -> None:
        with pytest.raises(ValueError, match="has a built-in converter"):
            check_format(self.format)


class TestMarkdown(BuiltIn):
    format = Format("Markdown", ("text/markdown",), "none:none", ("md",))
    samples = ((b"# Harbour\n\nThe *mole* is out.", "mole"),)


class TestCSV(BuiltIn):
    format = Format("Table", ("text/csv",), "none:none", ("csv",))
    samples = ((b"a;b\nharbour;mole\n", "harbour, mole"),)


class TestJSON(BuiltIn):
    format = Format("JSON", ("application/json",), "none:none", ("json",))
    samples = ((rb'{"harbour": "M\u00f6we"}', "Möwe"),)


class TestXML(BuiltIn):
    format = Format("XML", ("text/xml",), "none:none", ("xml",))
    samples = ((b"<?xml version='1.0'?><a><title>Harbour</title><b>mole</b></a>", "mole"),)
