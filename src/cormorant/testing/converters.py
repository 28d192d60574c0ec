"""The suite for converters, which runs them in a limited child, as a crawl does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from cormorant.extract.detect.format import Format
from cormorant.extract.detect.formats import check_format
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.job import ConversionFault, decode_result, encode_task
from cormorant.model.content import Extraction
from cormorant.sandbox import Answer, Finished, Killed, start_server
from cormorant.sandbox.client import ChildPool
from cormorant.sandbox.limits import Limits

TASK = "convert"
DAMAGE = (b"\0" * 100, b"\xff\xfe" * 50, bytes(range(256)) * 20, "§Ω漢".encode("utf-16"), b"<" * 10_000, b"\n" * 10_000)
"""Bytes that are hardly of any format."""


class ConverterSuite:
    """Conformance suite of converters. A subclass gives its format, and samples with words that each contains."""

    format: ClassVar[Format]
    samples: ClassVar[Sequence[tuple[bytes, str]]]

    @property
    def task(self) -> str:
        """The task of the limited child."""
        return f"cormorant.extract.plugin_converter:task_of {self.format.converter}"

    def check_format(self) -> None:
        """Check whether the format can be added."""
        check_format(self.format)

    def test_the_format_can_be_added(self) -> None:
        """Its media types are unique, its extensions and signatures are well-formed."""
        self.check_format()

    def test_samples_are_recognised(self) -> None:
        """A file with its extension is of its type: the package has to be installed for that (`pip install -e .`)."""
        for body, _ in self.samples:
            for extension in self.format.extensions:
                mime = sniff("", body, f"a.{extension}")
                assert mime in self.format.media_types, f"a file *.{extension} is taken for {mime}; is it installed?"

    def test_samples_are_read(self) -> None:
        """The text of each sample contains its declared words."""
        for answer, (_, words) in zip(self._answers([body for body, _ in self.samples]), self.samples, strict=True):
            said = self._said(answer)
            assert isinstance(said, Extraction), f"a sample cannot be read: {said}"
            assert words in said.text, f"{words!r} is not in {said.text[:500]!r}"
            assert said.title, "a document has a title, or its name stands for one"

    def test_samples_say_the_same_each_time(self) -> None:
        """A text that differs each time would be a change at every crawl."""
        bodies = [body for body, _ in self.samples]
        assert self._texts(bodies) == self._texts(bodies)

    def test_what_is_damaged_is_answered(self) -> None:
        """Any bytes get an answer; the child that reads them is not killed, and reaches no time limit."""
        bodies = [body[: len(body) * part // 4] for body, _ in self.samples for part in (1, 2, 3)]
        bodies += [body[:20] + junk + body[20:] for body, _ in self.samples for junk in DAMAGE[:2]]
        for body, answer in zip([*bodies, *DAMAGE], self._answers([*bodies, *DAMAGE]), strict=True):
            assert not isinstance(answer, Killed), f"the child was killed over {body[:60]!r}: {answer}"

    def _texts(self, bodies: Sequence[bytes]) -> list[object]:
        return [getattr(self._said(answer), "text", None) for answer in self._answers(bodies)]

    @staticmethod
    def _said(answer: Answer) -> Extraction | ConversionFault | Answer:
        return decode_result(answer.value) if isinstance(answer, Finished) else answer

    def _answers(self, bodies: Sequence[bytes]) -> list[Answer]:
        server = start_server((), {TASK: self.task})
        try:
            return asyncio.run(self._run(ChildPool(server.addresses, self.format.limits or Limits()), bodies))
        finally:
            server.stop()

    async def _run(self, children: ChildPool, bodies: Sequence[bytes]) -> list[Answer]:
        mime = self.format.media_types[0]
        name = f"sample.{self.format.extensions[0]}" if self.format.extensions else "sample"
        payloads = [encode_task(mime, body, address=f"file:///srv/{name}", file_name=name) for body in bodies]
        return [await children.run(TASK, *payload) for payload in payloads]
