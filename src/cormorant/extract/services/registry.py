"""All document services: those that are built in, and those that packages add to `cormorant.services`.

summary = "cormorant_summary:Summary"      the entry point names a subclass of DocumentService
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from cormorant.base.entry_points import KindRegistry
from cormorant.base.errors import BadSetting, CormorantError
from cormorant.extract.services.attribute_patterns import ExtractAttributes
from cormorant.extract.services.protocol import DocumentService, ServiceSettings
from cormorant.extract.services.redaction import Redact
from cormorant.model.settings.pipeline import ServiceCall, service_call
from cormorant.model.settings.source import parse_settings

GROUP: Final = "cormorant.services"
BUILT_IN: Final[Mapping[str, type[DocumentService[Any]]]] = {
    "extract-attributes": ExtractAttributes,
    "redact": Redact,
}


def _service_of(_name: str, found: object) -> type[DocumentService[Any]]:
    """Take what an entry point names for a service. Raises TypeError for what is none."""
    if not isinstance(found, type) or not issubclass(found, DocumentService):
        raise TypeError("it is no subclass of DocumentService")
    if not issubclass(found.Settings, ServiceSettings):
        raise TypeError("its Settings are no subclass of ServiceSettings")
    return found


SERVICES: Final = KindRegistry("document service", GROUP, BUILT_IN, _service_of)


def reference_of(service: type[DocumentService[Any]]) -> str:
    """Return where the code of a service is (`module:class`), as a fork server imports it."""
    return f"{service.__module__}:{service.__qualname__}"


class ServiceStep(NamedTuple):
    """One service of a source with its parameters. `service` is one that is made already, None for one of a package.

    `fault` says why it cannot be used, "" for nothing; then it fails at every document.
    """

    call: ServiceCall
    service: DocumentService[Any] | None
    settings: ServiceSettings
    withholds: bool = False
    fault: str = ""


@lru_cache(64)
def steps_of(lines: tuple[str, ...]) -> tuple[ServiceStep, ...]:
    """Return the services of a source, which were looked at when they were set.

    Never raises for a problem that arose since.
    """
    return tuple(map(_step, lines))


def _step(line: str) -> ServiceStep:
    call = service_call(line)
    try:
        service, settings = made(call)
    except CormorantError as error:  # a package was uninstalled, or takes other parameters than it did
        return ServiceStep(call, None, ServiceSettings(), withholds=True, fault=error.sentence)
    return ServiceStep(call, service if call.name in BUILT_IN else None, settings, service.withholds)


def made(call: ServiceCall) -> tuple[DocumentService[Any], ServiceSettings]:
    """Make a service. Raises NotFoundError and PluginUnusable for the service, BadSetting for its parameters."""
    service = SERVICES.get(call.name)
    try:
        settings = parse_settings(service.Settings, call.parameters)
    except BadSetting as error:
        raise BadSetting(f"The service {call.name!r}: {error.sentence}") from None
    return service(settings), settings


def check_services(lines: Sequence[str]) -> None:
    """See whether these services can be used. Raises BadSetting for one that is not there or takes other parameters."""
    for line in lines:
        try:
            made(service_call(line))
        except CormorantError as error:
            raise BadSetting(f"The setting 'services' cannot be {line[:200]!r}: {error.sentence}") from None
