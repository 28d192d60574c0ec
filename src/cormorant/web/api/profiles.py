"""REST routes of sets of parameters, like `cormorant parameters`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from cormorant.base.errors import ConflictError
from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.records.parameters import DeletedParameters, ParameterSet, ParameterSets, ParametersPreview
from cormorant.operate.records.sources import SourcePreview
from cormorant.operate.sources import impact_counts, impact_preview, profiles
from cormorant.web.api import requests
from cormorant.web.api.routing import Json, as_lines, in_lines, order, route

Name = Annotated[str, Path(examples=["system"])]


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""
    _add_looks(router, house)
    _add_changes(router, house)


def _add_looks(router: APIRouter, house: Installation) -> None:
    @route(router, "/parameters", Scope.OPERATE, ParameterSets, ParameterSet)
    def list_parameters(request: Request) -> Response:
        """List the sets of parameters, with the sources that use each."""
        found = profiles.listed(house)
        return in_lines(found) if as_lines(request) else Json({"parameters": found})

    @route(router, "/parameters/{name}", Scope.OPERATE, ParameterSet)
    def show_parameters(name: Name) -> Response:
        """Show a set of parameters."""
        return Json(profiles.show(house, name))


def _add_changes(router: APIRouter, house: Installation) -> None:
    @order(router, "POST", "/parameters", Scope.ADMIN, ParameterSet, 201)
    def add_parameters(said: requests.NewParameters) -> Response:
        """Add a set of parameters. A source uses it by its setting `parameters`."""
        return Json(profiles.add(house, said.parameters, said.settings), 201)

    @order(router, "POST", "/parameters/{name}/preview", Scope.ADMIN, ParametersPreview)
    def preview_parameters(name: Name, said: requests.Edit) -> Response:
        """Preview the effect of an edit on each source that uses the set, and change nothing."""
        return Json({"parameters": name, "sources": _effects(house, name, said)})

    @order(router, "PATCH", "/parameters/{name}", Scope.ADMIN, ParameterSet)
    def edit_parameters(name: Name, said: requests.EditParameters) -> Response:
        """Change settings of a set; its sources follow. Refused (409) if documents would leave, unless `agreed`."""
        effects = _effects(house, name, said)
        going = impact_counts.going(effects)
        if going and not said.agreed:
            raise ConflictError(
                f"{going:,} documents would leave the index. `/parameters/NAME/preview` lists them; send `agreed`: "
                "true to agree.",
                **impact_counts.of_edits(effects),
            )
        return Json(
            profiles.edit(house, name, said.settings, {each["source"]: impact_preview.agreed(each) for each in effects})
        )

    @order(router, "DELETE", "/parameters/{name}", Scope.ADMIN, DeletedParameters)
    def delete_parameters(
        name: Name, used: Annotated[bool, Query(description="Delete the set although sources use it.")] = False
    ) -> Response:
        """Delete a set of parameters. Refused (409) if sources use it, unless `used`."""
        return Json(profiles.delete(house, name, used=used))


def _effects(house: Installation, name: str, said: requests.Edit) -> list[SourcePreview]:
    """Return the effect of an edit of a set on each source."""
    changed = profiles.edited(house, name, said.settings)
    return [impact_preview.of_whole(house, source, whole) for source, whole in changed.items()]
