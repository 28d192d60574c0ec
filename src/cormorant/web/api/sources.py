"""REST routes of sources, like `cormorant source`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from cormorant.base.errors import ConflictError, UsageError
from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.records.kinds import Kinds, SourceKindRecord
from cormorant.operate.records.sources import (
    DeletedSource,
    Judged,
    KeptSource,
    SourcePreview,
    SourceRecord,
    SourceScript,
    SourcesRecord,
)
from cormorant.operate.runs import schedules
from cormorant.operate.sources import fetch_test, impact_counts, impact_preview, kinds, sources
from cormorant.operate.sources.change_script import change_script
from cormorant.plugins import SERVICES, source_kind
from cormorant.web.api import requests
from cormorant.web.api.routing import Json, as_lines, in_lines, order, route

Name = Annotated[str, Path(examples=["docs"])]


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""
    _add_looks(router, house)
    _add_changes(router, house)
    _add_trials(router, house)


def _add_looks(router: APIRouter, house: Installation) -> None:
    @route(router, "/sources", Scope.OPERATE, SourcesRecord, SourceRecord)
    def list_sources(request: Request) -> Response:
        """List the sources."""
        found = [sources.as_record(house, row) for row in sources.every(house)]
        return in_lines(found) if as_lines(request) else Json({"sources": found})

    @route(router, "/sources/services", Scope.OPERATE, Kinds, SourceKindRecord)
    def list_services(request: Request) -> Response:
        """List the document services and the parameters of each."""
        found = [
            each | {"settings": kinds.settings_of(SERVICES.get(each["kind"]).Settings)} for each in kinds.of_services()
        ]
        return in_lines(found) if as_lines(request) else Json({"kinds": found})

    @route(router, "/sources/kinds", Scope.OPERATE, Kinds, SourceKindRecord)
    def list_kinds(request: Request) -> Response:
        """List the kinds of sources and the settings of each."""
        found = [
            each | {"settings": kinds.settings_of(source_kind(each["kind"]).settings)} for each in kinds.of_sources()
        ]
        return in_lines(found) if as_lines(request) else Json({"kinds": found})

    @route(router, "/sources/{name}", Scope.OPERATE, SourceRecord)
    def show_source(
        name: Name,
        effective: Annotated[bool, Query(description="Every setting and the origin of its value.")] = False,
    ) -> Response:
        """Show a source and its settings."""
        return Json(sources.as_record(house, sources.named(house, name), effective=effective))

    @route(router, "/sources/{name}/script", Scope.OPERATE, SourceScript)
    def show_script(name: Name) -> Response:
        """Show the statements that have a database note its changes in a log table. Nothing is run."""
        return Json(change_script(house, name))


def _add_changes(router: APIRouter, house: Installation) -> None:
    @order(router, "POST", "/sources", Scope.ADMIN, KeptSource, 201)
    def add_source(said: requests.NewSource) -> Response:
        """Add a source. `POST /runs` has it crawled."""
        return Json(_kept(house, sources.add(house, said.kind, said.name, said.settings).name), 201)

    @order(router, "PATCH", "/sources/{name}", Scope.ADMIN, KeptSource | SourcePreview)
    def edit_source(name: Name, said: requests.EditSource) -> Response:
        """Change settings of a source for the next crawl. Refused (409) if documents would leave, unless `yes`.

        With `preview` nothing is changed, and the answer is the effect.
        """
        effect = impact_preview.preview(house, name, said.settings)
        if said.preview:
            return Json(effect)
        going = impact_counts.going([effect])
        if going and not said.yes:
            raise ConflictError(
                f"{going:,} documents would leave the index. Send `yes`: true to agree, `preview` to see the whole "
                "effect.",
                **impact_counts.of_edits([effect]),
            )
        kept = _kept(house, sources.edit(house, name, said.settings, impact_preview.agreed(effect)).name)
        return Json(kept | ({"recrawl": effect["recrawl"]} if effect["recrawl"] else {}))

    @order(router, "DELETE", "/sources/{name}", Scope.ADMIN, DeletedSource)
    def delete_source(
        name: Name, yes: Annotated[bool, Query(description="Agree that documents leave the index.")] = False
    ) -> Response:
        """Delete a source with all its data. Refused (409) if documents would leave, unless `yes`."""
        going = sources.as_record(house, sources.named(house, name))["documents"]
        planned = schedules.naming(house, name)
        if going and not yes:
            raise ConflictError(
                f"{going:,} documents would leave the index. `?yes=true` agrees to it.",
                **impact_counts.of_deletion(house, name),
            )
        left = sources.delete(house, name)
        return Json({"source": name, "deleted": True, "documents": left, "schedules": planned})


def _kept(house: Installation, name: str) -> dict[str, Any]:
    """The record of a stored source, with the problem that prevents its crawl, if any."""
    row = sources.named(house, name)
    doubt = sources.doubt(row)
    return sources.as_record(house, row) | ({"problem": doubt.as_problem()} if doubt else {})


def _add_trials(router: APIRouter, house: Installation) -> None:
    @order(router, "POST", "/sources/{name}/test", Scope.OPERATE, Judged)
    def test_source(name: Name, said: requests.Trial) -> Response:
        """Judge an address by the rules of a source and known facts. Nothing is fetched or stored."""
        if not said.no_fetch:
            raise UsageError(
                "Only the command `cormorant source test` fetches for a test. Send `no_fetch`: true to judge the "
                "address by the known facts."
            )
        record: dict[str, Any] = {**fetch_test.judge(house, name, said.address, here=False)}
        del record["exit_code"]
        return Json(record | {"doubts": sources.doubts(sources.named(house, name))})
