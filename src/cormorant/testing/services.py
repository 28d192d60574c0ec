"""The suite for document services, which runs them in a limited child, as a crawl does."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from cormorant.extract.services.protocol import DocumentService, DocumentVeto, ServiceDocument, ServiceSettings
from cormorant.extract.services.registry import reference_of
from cormorant.extract.services.task import ServiceAnswer, ServiceFault, decode_service_answer, encode_service_task
from cormorant.model.settings.pipeline import ServiceCall
from cormorant.model.settings.source import parse_settings
from cormorant.sandbox import Finished, start_server
from cormorant.sandbox.client import ChildPool
from cormorant.sandbox.limits import Limits

TASK = "serve"
ODD = (
    ServiceDocument(""),
    ServiceDocument("\n" * 1000, "\t"),
    ServiceDocument("a" * 100_000 + " 🐦 ~§漢", attributes={"Empty": "", "Several": ("a", ""), "Number": 1e300}),
    ServiceDocument("word " * 20_000, anchors=("", "here"), language="xx-unknown", address="file:///srv/%00/a"),
)
"""Unusual documents."""


class ServiceSuite:
    """Conformance suite of document services. A subclass gives its service, its parameters, and sample documents.

    `samples` are pairs of a document and its text after processing, or None for a vetoed one.
    """

    service: ClassVar[type[DocumentService[Any]]]
    parameters: ClassVar[Mapping[str, str | Sequence[str]]] = {}
    samples: ClassVar[Sequence[tuple[ServiceDocument, str | None]]]

    @property
    def task(self) -> str:
        """The task of the limited child."""
        return f"cormorant.extract.services.task:service_of {reference_of(self.service)}"

    def test_its_parameters_are_taken(self) -> None:
        """They are settings of its class, each with a description."""
        settings = parse_settings(self.service.Settings, self.parameters)
        assert isinstance(settings, ServiceSettings)
        for name, field in self.service.Settings.model_fields.items():
            assert field.description, f"the parameter {name} has no description"

    def test_samples_come_out_as_they_should(self) -> None:
        """Each sample gets its expected text, or is vetoed."""
        answers = self._answers([each for each, _ in self.samples])
        for (before, wanted), answer in zip(self.samples, answers, strict=True):
            assert not isinstance(answer, ServiceFault), f"the service failed: {answer.reason}"
            found = None if isinstance(answer, DocumentVeto) else answer.text
            assert found == wanted, f"{before.text[:100]!r} became {found!r}"

    def test_samples_come_out_the_same_each_time(self) -> None:
        """Another text each time would be a change at every crawl."""
        documents = [each for each, _ in self.samples]
        assert self._answers(documents) == self._answers(documents)

    def test_what_it_made_it_leaves_alone(self) -> None:
        """A document that is reread from its cached copy passes the service once more."""
        made = [each for each in self._answers([one for one, _ in self.samples]) if isinstance(each, ServiceDocument)]
        assert [getattr(each, "text", "") for each in self._answers(made)] == [each.text for each in made]

    def test_odd_documents_are_answered(self) -> None:
        """Empty and long texts, values of all types and unknown languages must not fail."""
        for before, answer in zip(ODD, self._answers(ODD), strict=True):
            assert not isinstance(answer, ServiceFault), f"it failed at {before.text[:40]!r}: {answer.reason}"

    def _answers(self, documents: Sequence[ServiceDocument]) -> list[ServiceAnswer]:
        server = start_server((), {TASK: self.task})
        try:
            return asyncio.run(self._run(ChildPool(server.addresses), documents))
        finally:
            server.stop()

    async def _run(self, children: ChildPool, documents: Sequence[ServiceDocument]) -> list[ServiceAnswer]:
        given = {name: (each,) if isinstance(each, str) else tuple(each) for name, each in self.parameters.items()}
        seconds = parse_settings(self.service.Settings, given).time_s
        limits = Limits(cpu_s=math.ceil(seconds), wall_s=2 * seconds + 1)
        found: list[ServiceAnswer] = []
        for each in documents:
            answer = await children.run(TASK, *encode_service_task(ServiceCall("", given), each), limits=limits)
            fault = ServiceFault(f"{answer}")
            found.append(decode_service_answer(answer.value, each) if isinstance(answer, Finished) else fault)
        return found
