"""REST routes of search attributes and lists of their values, like `cormorant attribute` and `cormorant lov`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.records.search import (
    AttributeImpact,
    AttributeRecord,
    AttributesRecord,
    DeletedAttribute,
    DeletedValues,
    EditedAttribute,
    ImportedValues,
    ValueLists,
    ValueRecord,
)
from cormorant.operate.search import attributes, value_lists
from cormorant.operate.search.attributes import AttributeEdit
from cormorant.web.api import requests
from cormorant.web.api.routing import Json, as_lines, in_lines, order, route

Name = Annotated[str, Path(examples=["Author"])]
OfSource = Annotated[str | None, Query(description="Of the list of this source; default: see the operation.")]


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""
    _add_attributes(router, house)
    _add_lists(router, house)


def _add_attributes(router: APIRouter, house: Installation) -> None:
    @route(router, "/attributes", Scope.OPERATE, AttributesRecord, AttributeRecord)
    def list_attributes(request: Request) -> Response:
        """List the search attributes with their types."""
        found = attributes.listed(house)
        return in_lines(found) if as_lines(request) else Json({"attributes": found})

    @route(router, "/attributes/impact", Scope.OPERATE, AttributeImpact)
    def show_attribute_impact() -> Response:
        """Return the effect on the next crawls if an attribute gets another type or is deleted."""
        return Json(attributes.impact(house))

    @route(router, "/attributes/{name}", Scope.OPERATE, AttributeRecord)
    def show_attribute(name: Name) -> Response:
        """Show an attribute."""
        return Json(attributes.show(house, name))

    @order(router, "POST", "/attributes", Scope.ADMIN, EditedAttribute, 201)
    def add_attribute(said: requests.NewAttribute) -> Response:
        """Add an attribute."""
        return Json(attributes.add(house, said.name, AttributeEdit(said.type, said.about, said.facet)), 201)

    @order(router, "PATCH", "/attributes/{name}", Scope.ADMIN, EditedAttribute)
    def edit_attribute(name: Name, said: requests.EditAttribute) -> Response:
        """Change an attribute; with another type the next crawls judge all documents again."""
        return Json(attributes.edit(house, name, AttributeEdit(said.type, said.about, said.facet)))

    @order(router, "DELETE", "/attributes/{name}", Scope.ADMIN, DeletedAttribute)
    def delete_attribute(name: Name) -> Response:
        """Delete an attribute; the next crawls judge all documents again and store them without it."""
        return Json(attributes.delete(house, name))


def _add_lists(router: APIRouter, house: Installation) -> None:
    @route(router, "/lovs", Scope.OPERATE, ValueLists, ValueRecord)
    def list_values(
        request: Request,
        attribute: Annotated[str, Query(description="Only of this attribute.", examples=["Author"])] = "",
        source: OfSource = None,
    ) -> Response:
        """List the values of attributes with their display names; without `source`, of all lists."""
        found = value_lists.listed(house, attribute, source)
        return in_lines(found) if as_lines(request) else Json({"values": found})

    @order(router, "POST", "/lovs/{name}", Scope.ADMIN, ValueRecord, 201)
    def add_value(name: Name, said: requests.NewValue) -> Response:
        """Add a value to the list of all sources, or of one."""
        return Json(value_lists.add(house, name, said.value, said.names, said.source), 201)

    @order(router, "PATCH", "/lovs/{name}", Scope.ADMIN, ValueRecord)
    def edit_value(name: Name, said: requests.NewValue) -> Response:
        """Change display names of a value; one without text is removed."""
        return Json(value_lists.edit(house, name, said.value, said.names, said.source))

    @order(router, "POST", "/lovs", Scope.ADMIN, ImportedValues)
    def import_values(said: requests.ValueImport) -> Response:
        """Import lists as `cormorant lov export` writes them, all or nothing."""
        return Json(value_lists.load(house, said.content.encode()))

    @order(router, "DELETE", "/lovs/{name}", Scope.ADMIN, DeletedValues)
    def delete_value(
        name: Name,
        value: Annotated[str | None, Query(description="This value; default: all of the list.")] = None,
        source: OfSource = None,
    ) -> Response:
        """Remove values from the list of all sources, or of one."""
        return Json(value_lists.delete(house, name, value, source))
